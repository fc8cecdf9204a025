/* SPDX-License-Identifier: Apache-2.0 */
#include "net/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/connection.h"
#include "net/door.h"
#include "net/server.h"
#include "net/server_state.h"

enum { STREAM_BLOCK = 16 * 1024 }; /* bytes of one write to the socket */

struct fl_exchange *fl_exchange_new(struct fl_connection *c, struct MHD_Connection *mhd,
				    const char *method, const char *path)
{
	struct fl_exchange *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->connection = c;
	x->mhd = mhd;
	x->body_most = c->server->options.limits.body;
	x->request = (struct fl_http_request){ .method = method,
					       .path = path,
					       .body = "",
					       .who = c->who,
					       .pid = c->pid,
					       .is_far = fl_connection_is_far(c),
					       .private = x };
	c->exchange = x;
	return x;
}

static void watch_closed(uv_handle_t *handle) { free(handle); }

static void unwatch(struct fl_stream *stream)
{
	if (stream->watch)
		uv_close((uv_handle_t *)stream->watch, watch_closed);
	stream->watch = NULL;
}

void fl_exchange_drop_body(struct fl_exchange *x)
{
	x->connection->server->body_bytes -= x->body_room;
	x->connection->payer->body_bytes -= x->body_room;
	free(x->body);
	x->body = NULL;
	x->body_len = x->body_room = 0;
}

void fl_exchange_free(struct fl_exchange *x)
{
	struct fl_connection *c = x->connection;
	struct fl_stream *stream = &x->stream;

	unwatch(stream);
	fl_upgrade_free(x);
	if (x->streams && !stream->ended && stream->callbacks.gone) {
		stream->ended = true;
		stream->callbacks.gone(stream->callbacks.user);
	}
	if (x->response) /* no call will continue it */
		MHD_destroy_response(x->response);
	fl_exchange_drop_body(x);
	c->exchange = NULL;
	c->unread = 0;
	free(stream->bytes);
	free(x);
}

const char *fl_request_argument(const struct fl_http_request *r, const char *name)
{
	const struct fl_exchange *x = r->private;
	const char *value = NULL;
	size_t len = 0;

	if (MHD_lookup_connection_value_n(x->mhd, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value,
					  &len) != MHD_YES)
		return NULL;
	return value ? value : "";
}

struct stranger {
	const char *known, *name;
};

static enum MHD_Result meet(void *user, enum MHD_ValueKind kind, const char *name,
			    const char *value)
{
	struct stranger *s = user;
	size_t len = strlen(name);

	(void)kind;
	(void)value;
	for (const char *at = s->known; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strncmp(at, name, len) == 0 && (at[len] == ' ' || at[len] == '\0'))
			return MHD_YES;
	s->name = name;
	return MHD_NO;
}

const char *fl_request_stranger(const struct fl_http_request *r, const char *known)
{
	const struct fl_exchange *x = r->private;
	struct stranger s = { .known = known };

	(void)MHD_get_connection_values(x->mhd, MHD_GET_ARGUMENT_KIND, meet, &s);
	return s.name;
}

const char *fl_request_header(const struct fl_http_request *r, const char *name)
{
	const struct fl_exchange *x = r->private;

	return MHD_lookup_connection_value(x->mhd, MHD_HEADER_KIND, name);
}

int fl_exchange_descriptor(struct fl_exchange *x)
{
	x->last = true;
	return x->connection->fd;
}

bool fl_exchange_relay(struct fl_exchange *x, uint32_t port)
{
	if (fl_connection_relays(x->connection, port))
		return true;
	fl_exchange_refuse(x, FL_REFUSE_BUSY);
	return false;
}

/* --- an answer at once --- */

void fl_exchange_resume(struct fl_exchange *x)
{
	if (!x->suspended)
		return;
	x->suspended = false;
	MHD_resume_connection(x->mhd);
	fl_server_wake(x->connection->server);
}

/* @response NULL: no memory for it, the connection is closed without an answer. */
static void ready(struct fl_exchange *x, unsigned status, const char *type,
		  struct MHD_Response *response)
{
	x->response = response;
	x->status = status;
	if (response) {
		MHD_add_response_header(response, "Content-Type", type ? type : "application/json");
		for (uint32_t i = 0; i < x->n_headers; i++)
			MHD_add_response_header(response, x->headers[i].name,
						x->headers[i].constant ? x->headers[i].constant :
									 x->headers[i].value);
		if (x->last || x->connection->over || x->connection->server->closing)
			MHD_add_response_header(response, "Connection", "close");
	}
	fl_connection_does(x->connection, x->streams ? FL_STREAMS : FL_ANSWERS);
	fl_exchange_resume(x);
}

enum MHD_Result fl_exchange_queue(struct fl_exchange *x)
{
	struct MHD_Response *response = x->response;

	if (!response)
		return MHD_NO;

	enum MHD_Result queued = MHD_queue_response(x->mhd, x->status, response);

	MHD_destroy_response(response); /* the library keeps its own reference */
	x->response = NULL;
	return queued;
}

void fl_exchange_header(struct fl_exchange *x, const char *name, const char *value)
{
	if (x->n_headers == FL_HEADERS)
		return;
	x->headers[x->n_headers].name = name;
	snprintf(x->headers[x->n_headers++].value, sizeof x->headers[0].value, "%s", value);
}

void fl_exchange_header_constant(struct fl_exchange *x, const char *name, const char *value)
{
	if (x->n_headers == FL_HEADERS)
		return;
	x->headers[x->n_headers].name = name;
	x->headers[x->n_headers++].constant = value;
}

/* A user with too many unread answers gets no more large ones. */
static bool may_give(struct fl_exchange *x, size_t len)
{
	struct fl_connection *own = x->connection;
	size_t unread = 0;

	for (const struct fl_connection *c = own->server->connections; c; c = c->next)
		unread += c->payer == own->payer ? c->unread : 0;
	if (len > FL_LARGE && !fl_principal_is_root(&own->who) && unread > FL_UNREAD)
		return false;
	own->unread = len;
	return true;
}

void fl_exchange_answer(struct fl_exchange *x, unsigned status, const char *type, const char *body,
			size_t len)
{
	if (!may_give(x, len)) {
		fl_exchange_refuse(x, FL_REFUSE_BUSY);
		return;
	}
	ready(x, status, type,
	      MHD_create_response_from_buffer(len, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY));
}

void fl_exchange_give(struct fl_exchange *x, unsigned status, const char *type, char *body,
		      size_t len)
{
	if (!may_give(x, len)) {
		free(body);
		fl_exchange_refuse(x, FL_REFUSE_BUSY);
		return;
	}

	struct MHD_Response *response = MHD_create_response_from_buffer(len, body,
									MHD_RESPMEM_MUST_FREE);

	if (!response)
		free(body);
	ready(x, status, type, response);
}

void fl_exchange_problem(struct fl_exchange *x, const struct fl_problem *problem)
{
	char *body = fl_problem_json(problem);

	if (body)
		fl_exchange_give(x, problem->status, FL_PROBLEM_TYPE, body, strlen(body));
	else
		fl_exchange_answer(x, 500, FL_PROBLEM_TYPE, "", 0);
}

void fl_exchange_refuse(struct fl_exchange *x, enum fl_refusal refusal)
{
	static const struct {
		unsigned status;
		const char *text, *hint;
	} refusals[] = {
		[FL_REFUSE_ZERO_BYTE] = { 400, "the path has a zero byte in it", NULL },
		[FL_REFUSE_NO_HOST] = { 400, "a request of HTTP 1.1 must have a Host header",
					NULL },
		[FL_REFUSE_TWO_LENGTHS] = { 400, "the length of the body is given twice", NULL },
		[FL_REFUSE_STRANGER] = { 403, "this user has no account on this machine",
					 "an admin can allow it: .spec.access.withoutAccount of "
					 "the Daemon document" },
		[FL_REFUSE_LARGE] = { 413, "the request is too large",
				      "send it in several parts, or raise limits.bodyBytes of "
				      "the Daemon document" },
		[FL_REFUSE_BODY] = { 413, "a request without a token has no body",
				     "send the token as a header: Authorization: Bearer TOKEN" },
		[FL_REFUSE_RATE] = { 429,
				     "too many requests in a second, or requests that take too long",
				     "try again in a second" },
		[FL_REFUSE_ENCODING] = { 501, "the encoding of the body is not supported", NULL },
		[FL_REFUSE_BUSY] = { 503,
				     "too busy: too many connections, requests or unread answers "
				     "at once",
				     "try again in a second" },
		[FL_REFUSE_TWICE] = { 400, "Host, Origin or Authorization is given twice", NULL },
		[FL_REFUSE_HOST] = { 421, "this server does not have the name in the Host header",
				     "call it by its address, or add the name to "
				     ".spec.listen[].names of the Daemon document" },
		[FL_REFUSE_ORIGIN] = { 403, "the page of another origin may not ask here", NULL },
		[FL_REFUSE_NO_TOKEN] = { 401, "a token is needed here",
					 "send it as a header: Authorization: Bearer TOKEN" },
		[FL_REFUSE_BAD_TOKEN] = { 401, "this token is not valid, or not any more",
					  "an admin makes another one: fairlead token create" },
		[FL_REFUSE_ELSEWHERE] = { 404, "this listener does not serve this path",
					  ".spec.listen[].serves of the Daemon document says what "
					  "is served where" },
	};
	unsigned status = refusals[refusal].status;

	x->connection->server->figures.refused++;
	if (status == 429 || status == 503)
		fl_exchange_header(x, "Retry-After", "1");
	if (status == 401)
		fl_exchange_header(x, "WWW-Authenticate",
				   refusal == FL_REFUSE_BAD_TOKEN ?
					   "Bearer realm=\"fairlead\", error=\"invalid_token\"" :
					   "Bearer realm=\"fairlead\"");
	fl_exchange_fail(x, status, refusals[refusal].text, refusals[refusal].hint);
}

/* --- in pieces --- */

/* The library has room for up to @room bytes. */
static ssize_t more(void *user, uint64_t position, char *buffer, size_t room)
{
	struct fl_exchange *x = user;
	struct fl_stream *s = &x->stream;
	size_t len = FL_STREAM_BYTES - s->first;

	(void)position;
	if (s->left || (s->used == 0 && s->cut))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (s->used == 0 && s->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (s->used == 0) {
		MHD_suspend_connection(x->mhd);
		x->suspended = true;
		return 0;
	}
	if (len > s->used)
		len = s->used;
	if (len > room)
		len = room;
	memcpy(buffer, s->bytes + s->first, len);
	s->moved = uv_now(x->connection->server->options.loop);
	s->used -= len;
	s->first = s->used ? (s->first + len) % FL_STREAM_BYTES : 0;
	if (s->refused && s->used <= FL_STREAM_BYTES / 2 && !s->ended) {
		s->refused = false;
		if (s->callbacks.drained)
			s->callbacks.drained(s->callbacks.user);
	}
	return (ssize_t)len;
}

/* The library does not watch suspended connections, and a stream is suspended most of the time. */
static void left(uv_poll_t *watch, int status, int events)
{
	struct fl_exchange *x = watch->data;

	(void)status;
	(void)events;
	x->stream.left = true;
	unwatch(&x->stream);
	fl_exchange_resume(x);
}

static void watch(struct fl_exchange *x)
{
	uv_poll_t *poll = calloc(1, sizeof *poll);
	struct fl_connection *c = x->connection;

	if (!poll || uv_poll_init(c->server->options.loop, poll, c->fd) != 0) {
		free(poll);
		return; /* otherwise the next write notices it */
	}
	poll->data = x;
	x->stream.watch = poll;
	uv_poll_start(poll, UV_DISCONNECT, left);
}

void fl_exchange_begin(struct fl_exchange *x, unsigned status, const char *type,
		       const struct fl_stream_callbacks *callbacks)
{
	x->streams = true;
	x->stream.callbacks = *callbacks;
	x->stream.bytes = malloc(FL_STREAM_BYTES);

	struct MHD_Response *response = x->stream.bytes ?
						MHD_create_response_from_callback(MHD_SIZE_UNKNOWN,
										  STREAM_BLOCK,
										  more, x, NULL) :
						NULL;

	watch(x);
	ready(x, status, type, response);
}

bool fl_exchange_add(struct fl_exchange *x, const char *bytes, size_t len)
{
	struct fl_stream *s = &x->stream;

	if (!s->bytes || len > FL_STREAM_BYTES - s->used) {
		s->refused = true;
		return false;
	}

	if (s->used == 0)
		s->moved = uv_now(x->connection->server->options.loop);

	size_t at = (s->first + s->used) % FL_STREAM_BYTES;
	size_t head = len < FL_STREAM_BYTES - at ? len : FL_STREAM_BYTES - at;

	memcpy(s->bytes + at, bytes, head);
	memcpy(s->bytes, bytes + head, len - head);
	s->used += len;
	return true;
}

bool fl_exchange_write(struct fl_exchange *x, const char *bytes, size_t len)
{
	if (!fl_exchange_add(x, bytes, len))
		return false;
	fl_exchange_resume(x);
	return true;
}

void fl_exchange_end(struct fl_exchange *x)
{
	x->stream.ended = true;
	/* The owner has ended it, so it has to be read in time, like any answer. */
	fl_connection_does(x->connection, FL_ANSWERS);
	fl_exchange_resume(x);
}

void fl_exchange_cut(struct fl_exchange *x)
{
	struct fl_stream_callbacks callbacks = x->stream.callbacks;

	if (x->upgraded) {
		fl_upgrade_cut(x);
		return;
	}
	x->stream.cut = true;
	fl_exchange_end(x);
	if (callbacks.gone)
		callbacks.gone(callbacks.user);
}
