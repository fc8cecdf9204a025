/* SPDX-License-Identifier: Apache-2.0 */
#include "net/server.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/caller.h"
#include "net/connection.h"
#include "net/door.h"
#include "net/exchange.h"
#include "net/server_state.h"
#include "net/tls.h"

/*
 * libmicrohttpd reads, parses and writes; the loop waits on its epoll descriptor, and calls it when
 * there are events.  A request that the owner has not answered yet is a suspended connection there.
 * Two things that it lacks are done here: its timeouts count from the last byte only, so a client
 * that sends a byte now and then would stay for ever (sweep); and it does not notice that the
 * client of a suspended connection has left (exchange.c, left).
 */

enum { SWEEP_MS = 1000, CLOSING_MS = 50, CLOSING_PATIENCE_MS = 5000 };
enum { STREAM_PATIENCE = 10 };     /* times that of an answer: a reader may be at a pager */
enum { FIRST_REQUEST_MS = 10000 }; /* of a connection of TCP, from its beginning */

/* --- connections --- */

void fl_connection_does(struct fl_connection *c, enum fl_doing doing)
{
	c->doing = doing;
	c->since = uv_now(c->server->options.loop);
}

void fl_connection_hang_up(struct fl_connection *c) { shutdown(c->fd, SHUT_RDWR); }

/* A stranger has to say soon what he wants. */
static uint64_t patience_with(const struct fl_connection *c, uint64_t usual)
{
	if (c->over)
		return SWEEP_MS;
	return c->entrance->listener && !c->asked && usual > FIRST_REQUEST_MS ? FIRST_REQUEST_MS :
										usual;
}

void fl_server_look_again(struct fl_server *s)
{
	const struct fl_server_options *o = &s->options;

	for (struct fl_connection *c = s->connections; c && o->is_still; c = c->next)
		if (c->exchange && c->doing == FL_STREAMS &&
		    !o->is_still(o->user, &c->exchange->request.who))
			fl_connection_hang_up(c);
}

/* A stream over the network of which nothing is read, though there is something. */
static bool reads_nothing(const struct fl_connection *c, uint64_t now, uint64_t patience)
{
	return fl_connection_is_far(c) && c->doing == FL_STREAMS && c->exchange->stream.used > 0 &&
	       now - c->exchange->stream.moved >= STREAM_PATIENCE * patience;
}

/*
 * Limits the time from one answer to the next whole request, and until an answer is read; it is
 * short for connections that are only told that there are too many.
 */
static void sweep(uv_timer_t *timer)
{
	struct fl_server *s = timer->data;
	uint64_t now = uv_now(s->options.loop);
	uint64_t patience = s->options.limits.idle_seconds * UINT64_C(1000);

	if (s->closing && patience > CLOSING_PATIENCE_MS)
		patience = CLOSING_PATIENCE_MS;
	for (struct fl_connection *c = s->connections, *next; c; c = next) {
		next = c->next;
		/* A library that accepts them in its own turn (1.0) may have closed one before. */
		if (!c->started && now - c->since >= SWEEP_MS)
			fl_connection_free(c);
		else if (c->started && (c->doing == FL_READS || c->doing == FL_ANSWERS) &&
			 now - c->since >= patience_with(c, patience))
			fl_connection_hang_up(c);
		else if (c->started && reads_nothing(c, now, patience))
			fl_connection_hang_up(c);
	}
	fl_server_look_again(s);
	if (!s->connections && !s->closing)
		uv_timer_stop(timer);
}

void fl_server_attend(struct fl_server *s)
{
	if (!uv_is_active((uv_handle_t *)&s->sweep))
		uv_timer_start(&s->sweep, sweep, SWEEP_MS, SWEEP_MS);
}

static struct fl_connection *connection_at(const struct fl_server *s, int fd)
{
	struct fl_connection *c = s->connections;

	while (c && c->fd != fd)
		c = c->next;
	return c;
}

/* Finds a connection accepted by door.c; mostly the last one, which is first in the list. */
static struct fl_connection *begins(const struct fl_server *s, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

	struct fl_connection *c = info ? connection_at(s, info->connect_fd) : NULL;

	if (c)
		c->started = true;
	if (c && fl_tls_is_on(c))
		fl_tls_begin(c, mhd);
	return c;
}

static void notice_connection(void *user, struct MHD_Connection *mhd, void **own,
			      enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*own = begins(user, mhd);
	else if (*own)
		fl_connection_free(*own);
}

static struct fl_connection *connection_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* --- requests --- */

/* The path as it was sent; in the decoded one of the library a %00 would end it. */
static void *notice_path(void *user, const char *path, struct MHD_Connection *mhd)
{
	struct fl_connection *c = connection_of(mhd);

	(void)user;
	if (c)
		c->odd_path = strstr(path, "%00") != NULL;
	return NULL;
}

struct lengths {
	unsigned lengths, encodings;
};

static enum MHD_Result count_length(void *user, enum MHD_ValueKind kind, const char *name,
				    const char *value)
{
	struct lengths *n = user;

	(void)kind;
	(void)value;
	n->lengths += strcasecmp(name, "Content-Length") == 0;
	n->encodings += strcasecmp(name, "Transfer-Encoding") == 0;
	return MHD_YES;
}

/*
 * When a request gives its length twice, a proxy between us and the client may use the other one:
 * then the bytes that follow are not the client's next request.
 */
static bool has_two_lengths(const struct fl_exchange *x)
{
	struct lengths n = { 0 };

	(void)MHD_get_connection_values(x->mhd, MHD_HEADER_KIND, count_length, &n);
	return n.lengths + n.encodings > 1;
}

static struct fl_rates *rates_of(struct fl_server *s, const struct fl_connection *c)
{
	return c->payer->who.kind == FL_PRINCIPAL_PROBE ? &s->strange : &s->rates;
}

/* Errors that can be found in the head alone. */
static enum fl_refusal look(struct fl_server *s, const struct fl_connection *c,
			    struct fl_exchange *x, const char *version)
{
	const char *length = fl_request_header(&x->request, "Content-Length");
	const char *encoding = fl_request_header(&x->request, "Transfer-Encoding");

	enum fl_refusal refusal;

	s->figures.requests++;
	if (fl_connection_is_far(c) && (refusal = fl_caller_find(x)) != FL_REFUSE_NOTHING)
		return refusal;
	if (c->rank == FL_RANK_STRANGER)
		return FL_REFUSE_STRANGER;
	if (c->over && !(s->options.always && strcmp(x->request.path, s->options.always) == 0))
		return FL_REFUSE_BUSY;
	if (!fl_principal_is_root(&c->who) &&
	    !fl_rate_take(rates_of(s, c), &c->payer->who, uv_now(s->options.loop)))
		return FL_REFUSE_RATE;
	if (c->odd_path)
		return FL_REFUSE_ZERO_BYTE;
	/* Checked here: the library, if it checks that, begins its answer twice. */
	if (strcmp(version, "HTTP/1.0") != 0 && !fl_request_header(&x->request, "Host"))
		return FL_REFUSE_NO_HOST;
	if (has_two_lengths(x)) {
		x->last = true;
		return FL_REFUSE_TWO_LENGTHS;
	}
	if (encoding && strcasecmp(encoding, "chunked") != 0)
		return FL_REFUSE_ENCODING;
	if (x->body_most == 0 && (encoding || (length && strtoull(length, NULL, 10) > 0)))
		return FL_REFUSE_BODY;
	/* The library has checked the number. */
	return length && strtoull(length, NULL, 10) > x->body_most ? FL_REFUSE_LARGE :
								     FL_REFUSE_NOTHING;
}

static bool is_charged(const struct fl_principal *who)
{
	const struct fl_principal own = fl_principal_user(geteuid(), getegid());

	return !fl_principal_is_root(who) && !fl_principal_same(who, &own);
}

/* May so many bytes more be kept of bodies? */
static bool is_room(const struct fl_server *s, const struct fl_exchange *x, size_t more)
{
	const struct fl_payer *payer = x->connection->payer;
	size_t body = s->options.limits.body;

	return s->body_bytes + more <= FL_BODIES * body &&
	       (!is_charged(&payer->who) || payer->body_bytes + more <= FL_PAYER_BODIES * body);
}

/* Bytes of a body: kept up to the limit, then only counted until the request is complete. */
static enum MHD_Result receive(struct fl_server *s, struct fl_exchange *x, const char *bytes,
			       size_t len)
{
	if (x->refusal)
		return MHD_YES;
	if (len > x->body_most - x->body_len) {
		x->refusal = FL_REFUSE_LARGE;
		fl_exchange_drop_body(x);
		return MHD_YES;
	}
	if (x->body_len + len + 1 > x->body_room) {
		size_t room = 2 * (x->body_len + len + 1);

		if (room > x->body_most + 1)
			room = x->body_most + 1;
		if (!is_room(s, x, room - x->body_room)) {
			x->refusal = FL_REFUSE_BUSY;
			fl_exchange_drop_body(x);
			return MHD_YES;
		}

		char *body = realloc(x->body, room);

		if (!body)
			return MHD_NO;
		s->body_bytes += room - x->body_room;
		x->connection->payer->body_bytes += room - x->body_room;
		x->body = body;
		x->body_room = room;
	}
	memcpy(x->body + x->body_len, bytes, len);
	x->body_len += len;
	return MHD_YES;
}

/*
 * The time of the loop counts, too, as other users wait for it; not for root and the daemon's own
 * user.
 */
static void ask_owner(struct fl_server *s, struct fl_exchange *x)
{
	const struct fl_principal payer = x->connection->payer->who;
	bool charged = is_charged(&x->request.who);
	uint64_t began = uv_hrtime();

	s->options.request(s->options.user, x, &x->request);
	if (charged)
		fl_rate_charge(rates_of(s, x->connection), &payer,
			       (double)(uv_hrtime() - began) / 1e9);
}

/* The request is complete. */
static enum MHD_Result request_is_whole(struct fl_server *s, struct fl_exchange *x)
{
	if (x->body) {
		x->body[x->body_len] = '\0';
		x->request.body = x->body;
		x->request.body_len = x->body_len;
	}
	x->connection->asked = true;
	fl_connection_does(x->connection, FL_THINKS);
	if (x->refusal)
		fl_exchange_refuse(x, x->refusal);
	else
		ask_owner(s, x);
	if (x->connection->doing != FL_THINKS)
		return fl_exchange_queue(x);
	MHD_suspend_connection(x->mhd);
	x->suspended = true;
	if (x->upgraded)
		fl_upgrade_begin(x);
	return MHD_YES;
}

/* Called by the library with the head, with each part of the body, at the end, and when resumed. */
static enum MHD_Result handle(void *user, struct MHD_Connection *mhd, const char *path,
			      const char *method, const char *version, const char *part,
			      size_t *part_len, void **own)
{
	struct fl_server *s = user;
	struct fl_connection *c = connection_of(mhd);
	struct fl_exchange *x = *own;

	if (!c)
		return MHD_NO;
	if (x && c->doing != FL_READS)
		return fl_exchange_queue(x);
	if (x && *part_len) {
		enum MHD_Result kept = receive(s, x, part, *part_len);

		*part_len = 0;
		return kept;
	}
	if (x)
		return request_is_whole(s, x);

	enum fl_refusal refusal;

	x = fl_exchange_new(c, mhd, method, path);
	if (!x)
		return MHD_NO;
	*own = x;
	refusal = look(s, c, x, version);
	if (!refusal)
		return MHD_YES;
	fl_exchange_refuse(x, refusal);
	return fl_exchange_queue(x);
}

static void completed(void *user, struct MHD_Connection *mhd, void **own,
		      enum MHD_RequestTerminationCode code)
{
	struct fl_exchange *x = *own;

	(void)user;
	(void)mhd;
	(void)code;
	if (!x)
		return;

	struct fl_connection *c = x->connection;

	*own = NULL;
	fl_connection_does(c, FL_READS);
	fl_connection_holds_no_more(c);
	fl_exchange_free(x);
}

void fl_server_wake(struct fl_server *s)
{
	fl_net_turns_wake(&s->plain);
	fl_net_turns_wake(&s->secure);
}

/* --- begin and end --- */

static void server_free(struct fl_server *s)
{
	if (s->plain.mhd)
		MHD_stop_daemon(s->plain.mhd);
	if (s->secure.mhd)
		MHD_stop_daemon(s->secure.mhd);
	for (uint32_t i = 0; i < s->n_entrances; i++)
		close(s->entrances[i].fd);
	free(s->entrances);
	free(s);
}

/*
 * Its own limit is never reached, as door.c has a lower one; more only while connections are
 * closing.
 */
struct MHD_Daemon *fl_server_library(struct fl_server *s, unsigned flags,
				     const struct MHD_OptionItem *more)
{
	return MHD_start_daemon(
		flags | MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0,
		NULL, NULL, handle, s, MHD_OPTION_CONNECTION_LIMIT,
		2 * (unsigned)fl_server_descriptors(&s->options.limits),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)FL_HEAD_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_NOTIFY_CONNECTION, notice_connection,
		s, MHD_OPTION_NOTIFY_COMPLETED, completed, s, MHD_OPTION_URI_LOG_CALLBACK,
		notice_path, s, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
}

static void handle_closed(uv_handle_t *handle)
{
	struct fl_server *s = handle->data;

	if (--s->n_handles > 0)
		return;

	void (*closed)(void *user) = s->closed;
	void *user = s->closed_user;

	server_free(s);
	if (closed)
		closed(user);
}

static void close_handles(struct fl_server *s)
{
	fl_net_turns_close(&s->plain, handle_closed);
	fl_net_turns_close(&s->secure, handle_closed);
	uv_close((uv_handle_t *)&s->sweep, handle_closed);
}

static bool has_tls(const struct fl_server *s)
{
	for (uint32_t i = 0; i < s->options.n_listeners; i++)
		if (s->options.listeners[i].certificate)
			return true;
	return false;
}

/* After this the loop has to close the handles, also when it fails. */
static int handles(struct fl_server *s)
{
	const struct MHD_OptionItem nothing = { MHD_OPTION_END, 0, NULL };

	uv_timer_init(s->options.loop, &s->sweep);
	s->sweep.data = s;
	s->n_handles = 1;
	if (fl_net_turns_begin(&s->plain, s, fl_server_library(s, /* flags= */ 0, &nothing)) != 0 ||
	    (has_tls(s) && fl_net_turns_begin(&s->secure, s, fl_tls_library(s)) != 0))
		return FAIRLEAD_EIO;
	return fl_door_open(s);
}

/* The Unix socket, and those of TCP. */
static int entrances(struct fl_server *s, fairlead_error *err)
{
	const struct fl_server_options *o = &s->options;
	int code;

	s->entrances = calloc(1 + o->n_listeners, sizeof *s->entrances);
	if (!s->entrances)
		return fl_fail_nomem(err);
	if (o->fd >= 0)
		code = fl_socket_adopt(o->fd, o->made, &s->socket, err);
	else
		code = fl_socket_listen(o->path, (mode_t)o->mode, &s->socket, err);
	if (code != 0)
		return code;
	s->n_entrances = 1 + o->n_listeners;
	s->entrances[0] = (struct fl_entrance){ .server = s, .fd = s->socket.fd };
	for (uint32_t i = 0; i < o->n_listeners; i++)
		s->entrances[1 + i] = (struct fl_entrance){ .server = s,
							    .listener = &o->listeners[i],
							    .fd = o->listeners[i].fd };
	return 0;
}

int fl_server_new(const struct fl_server_options *options, struct fl_server **ret,
		  fairlead_error *err)
{
	struct fl_server *s = calloc(1, sizeof *s);
	int code;

	if (!s)
		return fl_fail_nomem(err);
	s->options = *options;
	s->rates.per_second = options->limits.requests_per_second;
	s->strange.per_second = options->limits.strange_per_second;
	s->handshakes.per_second = options->limits.handshakes_per_second;
	code = entrances(s, err);
	if (code != 0) {
		free(s->entrances);
		free(s);
		return code;
	}
	if (handles(s) != 0) {
		fl_socket_remove(&s->socket);
		close_handles(s);
		if (s->reopen.data) /* the door has begun to open */
			fl_door_close(s, handle_closed);
		return fl_fail(err, FAIRLEAD_EIO,
			       "cannot start the server: no descriptors or "
			       "memory");
	}
	*ret = s;
	return 0;
}

/* Connections end one after another, when their requests end. */
static void closing(uv_timer_t *timer)
{
	struct fl_server *s = timer->data;

	for (struct fl_connection *c = s->connections; c; c = c->next) {
		if (c->doing == FL_STREAMS)
			fl_exchange_cut(c->exchange);
		if (c->started && c->doing == FL_READS)
			fl_connection_hang_up(c);
	}
	sweep(timer);
	/* The library does not report that it has a connection to close. */
	fl_net_turns_take(&s->plain);
	if (s->secure.mhd)
		fl_net_turns_take(&s->secure);
	if (s->n_connections > 0)
		return;
	close_handles(s);
	fl_door_close(s, handle_closed);
}

void fl_server_close(struct fl_server *s, void (*closed)(void *user), void *user)
{
	s->closing = true;
	s->closed = closed;
	s->closed_user = user;
	fl_socket_remove(&s->socket);
	fl_door_shut(s);
	uv_timer_start(&s->sweep, closing, 0, CLOSING_MS);
}

void fl_server_figures(const struct fl_server *s, struct fl_server_figures *ret)
{
	*ret = s->figures;
	ret->connections = s->n_connections;
}
