/* SPDX-License-Identifier: Apache-2.0 */
#include "net/exchange.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/connection.h"
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
	x->request = (struct fl_http_request){
		.method = method, .path = path, .body = "", .peer = c->peer, .private = x
	};
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

void fl_exchange_free(struct fl_exchange *x)
{
	struct fl_connection *c = x->connection;
	struct fl_stream *stream = &x->stream;

	unwatch(stream);
	if (x->streams && !stream->ended && stream->callbacks.gone) {
		stream->ended = true;
		stream->callbacks.gone(stream->callbacks.user);
	}
	if (x->response) /* no call will continue it */
		MHD_destroy_response(x->response);
	c->server->body_bytes -= x->body_room;
	c->exchange = NULL;
	c->unread = 0;
	free(stream->bytes);
	free(x->body);
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

/* --- an answer at once --- */

static void resume(struct fl_exchange *x)
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
			MHD_add_response_header(response, x->headers[i].name, x->headers[i].value);
		if (x->last || x->connection->over || x->connection->server->closing)
			MHD_add_response_header(response, "Connection", "close");
	}
	fl_connection_does(x->connection, x->streams ? FL_STREAMS : FL_ANSWERS);
	resume(x);
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

/* A user with too many unread answers gets no more large ones. */
static bool may_give(struct fl_exchange *x, size_t len)
{
	struct fl_connection *own = x->connection;
	size_t unread = 0;

	for (const struct fl_connection *c = own->server->connections; c; c = c->next)
		unread += c->payer == own->payer ? c->unread : 0;
	if (len > FL_LARGE && own->peer.uid != 0 && unread > FL_UNREAD)
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

/* The text may quote a request, and JSON allows UTF-8 only. */
static json_t *text_of(const char *text)
{
	json_t *string = json_string(text);
	char plain[1024];

	if (string)
		return string;
	snprintf(plain, sizeof plain, "%s", text);
	for (char *c = plain; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return json_string(plain);
}

void fl_exchange_fail(struct fl_exchange *x, unsigned status, const char *text, const char *hint)
{
	json_t *error = json_pack("{s:{s:i, s:o*, s:o*}}", "error", "code", (int)status, "text",
				  text_of(text), "hint", hint && *hint ? text_of(hint) : NULL);
	char *body = error ? json_dumps(error, JSON_COMPACT) : NULL;

	json_decref(error);
	if (body)
		fl_exchange_give(x, status, NULL, body, strlen(body));
	else
		fl_exchange_answer(x, 500, NULL, "", 0);
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
		[FL_REFUSE_RATE] = { 429,
				     "too many requests in a second, or requests that take too long",
				     "try again in a second" },
		[FL_REFUSE_ENCODING] = { 501, "the encoding of the body is not supported", NULL },
		[FL_REFUSE_BUSY] = { 503,
				     "too busy: too many connections, requests or unread answers "
				     "at once",
				     "try again in a second" },
	};
	unsigned status = refusals[refusal].status;

	x->connection->server->figures.refused++;
	if (status == 429 || status == 503)
		fl_exchange_header(x, "Retry-After", "1");
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
	resume(x);
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

bool fl_exchange_write(struct fl_exchange *x, const char *bytes, size_t len)
{
	struct fl_stream *s = &x->stream;

	if (!s->bytes || len > FL_STREAM_BYTES - s->used) {
		s->refused = true;
		return false;
	}

	size_t at = (s->first + s->used) % FL_STREAM_BYTES;
	size_t head = len < FL_STREAM_BYTES - at ? len : FL_STREAM_BYTES - at;

	memcpy(s->bytes + at, bytes, head);
	memcpy(s->bytes, bytes + head, len - head);
	s->used += len;
	resume(x);
	return true;
}

void fl_exchange_end(struct fl_exchange *x)
{
	x->stream.ended = true;
	/* The owner has ended it, so it has to be read in time, like any answer. */
	fl_connection_does(x->connection, FL_ANSWERS);
	resume(x);
}

void fl_exchange_cut(struct fl_exchange *x)
{
	struct fl_stream_callbacks callbacks = x->stream.callbacks;

	x->stream.cut = true;
	fl_exchange_end(x);
	if (callbacks.gone)
		callbacks.gone(callbacks.user);
}
