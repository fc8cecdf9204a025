/* SPDX-License-Identifier: Apache-2.0 */
#include "net/server.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/server_parts.h"

/*
 * libmicrohttpd reads, parses and writes; it has an epoll descriptor, on which the loop waits,
 * and is given its turn when there is something on it.  A request that the owner thinks about is
 * a suspended connection there.  What it lacks is done here: it knows timeouts since the last
 * byte only, with which a client that sends a byte now and then would never be done, so there is
 * one rule of our own (sweep); and it does not notice that a client of a suspended connection has
 * gone (exchange.c, left).
 */

enum { SWEEP_MS = 1000, CLOSING_MS = 50, CLOSING_PATIENCE_MS = 5000, TURNS = 4 };

/* --- connections --- */

void fl_connection_does(struct fl_connection *c, enum fl_doing doing)
{
	c->doing = doing;
	c->since = uv_now(c->server->options.loop);
}

/* The library sees the end, closes it, and says so. */
static void hang_up(struct fl_connection *c) { shutdown(c->fd, SHUT_RDWR); }

/*
 * From one answer to the next whole request, and until an answer is read, only so much time; and
 * next to none where there is only to be told that there are too many.
 */
static void sweep(uv_timer_t *timer)
{
	struct fl_server *s = timer->data;
	uint64_t now = uv_now(s->options.loop);
	uint64_t patience = s->options.limits.idle_seconds * UINT64_C(1000);

	if (s->closing && patience > CLOSING_PATIENCE_MS)
		patience = CLOSING_PATIENCE_MS;
	for (struct fl_connection *c = s->connections; c; c = c->next)
		if ((c->doing == FL_READS || c->doing == FL_ANSWERS) &&
		    now - c->since >= (c->over ? SWEEP_MS : patience))
			hang_up(c);
}

/*
 * Nobody but root may hold more than half of all connections.  Some more are told so; what is
 * beyond them, too, is closed at once, or one user could take all that are accepted.
 */
static void look_at_limit(struct fl_server *s, struct fl_connection *c)
{
	uint32_t limit = s->options.limits.connections, half = (limit + 1) / 2;
	uint32_t served = 0, own = 0;

	for (const struct fl_connection *k = s->connections; k; k = k->next) {
		served += !k->over;
		own += k->peer.uid == c->peer.uid && k->peer.uid != 0;
	}
	c->over = served > limit || own > half;
	if (own > half + FL_SPARE_CONNECTIONS / 2)
		hang_up(c);
}

static struct fl_connection *connection_new(struct fl_server *s, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct fl_connection *c = info ? calloc(1, sizeof *c) : NULL;
	struct ucred cred = { .uid = (uid_t)-1, .gid = (gid_t)-1 };
	socklen_t size = sizeof cred;

	if (!c) {
		if (info)
			shutdown(info->connect_fd, SHUT_RDWR);
		return NULL;
	}
	c->server = s;
	c->fd = info->connect_fd;
	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0 || size != sizeof cred)
		hang_up(c);
	c->peer = (struct fl_peer){ .uid = cred.uid, .gid = cred.gid, .pid = cred.pid };
	fl_connection_does(c, FL_READS);
	c->next = s->connections;
	c->link = &s->connections;
	if (c->next)
		c->next->link = &c->next;
	s->connections = c;
	if (s->n_connections++ == 0 && !s->closing)
		uv_timer_start(&s->sweep, sweep, SWEEP_MS, SWEEP_MS);
	look_at_limit(s, c);
	return c;
}

static void connection_free(struct fl_connection *c)
{
	struct fl_server *s = c->server;

	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	if (--s->n_connections == 0 && !s->closing)
		uv_timer_stop(&s->sweep);
	free(c);
}

static void notice_connection(void *user, struct MHD_Connection *mhd, void **own,
			      enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*own = connection_new(user, mhd);
	else if (*own)
		connection_free(*own);
}

static struct fl_connection *connection_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* --- requests --- */

/* The path as it came; in what the library makes of it a %00 would be its end. */
static void *notice_path(void *user, const char *path, struct MHD_Connection *mhd)
{
	struct fl_connection *c = connection_of(mhd);

	(void)user;
	if (c)
		c->odd_path = strstr(path, "%00") != NULL;
	return NULL;
}

/* What can be said when only the head is there: status of the refusal, or 0. */
static unsigned look(struct fl_server *s, const struct fl_connection *c, struct fl_exchange *x)
{
	const char *length = fl_request_header(&x->request, "Content-Length");
	const char *encoding = fl_request_header(&x->request, "Transfer-Encoding");

	s->figures.requests++;
	if (c->over)
		return 503;
	if (c->peer.uid != 0 && !fl_rate_take(&s->rates, c->peer.uid, uv_now(s->options.loop)))
		return 429;
	if (c->odd_path)
		return 400;
	if (encoding && strcasecmp(encoding, "chunked") != 0)
		return 501;
	/* The library has looked at the number. */
	return length && strtoull(length, NULL, 10) > s->options.limits.body ? 413 : 0;
}

/* Bytes of a body: kept up to the limit, then only counted until the request is whole. */
static enum MHD_Result receive(struct fl_server *s, struct fl_exchange *x, const char *bytes,
			       size_t len)
{
	if (x->refusal)
		return MHD_YES;
	if (len > s->options.limits.body - x->body_len) {
		x->refusal = 413;
		return MHD_YES;
	}
	if (x->body_len + len + 1 > x->body_room) {
		size_t room = 2 * (x->body_len + len + 1);

		if (room > s->options.limits.body + 1)
			room = s->options.limits.body + 1;
		if (s->body_bytes + room - x->body_room > FL_BODIES * s->options.limits.body) {
			x->refusal = 503;
			return MHD_YES;
		}

		char *body = realloc(x->body, room);

		if (!body)
			return MHD_NO;
		s->body_bytes += room - x->body_room;
		x->body = body;
		x->body_room = room;
	}
	memcpy(x->body + x->body_len, bytes, len);
	x->body_len += len;
	return MHD_YES;
}

/* What takes the loop's time is paid for, too: others wait for it. Its own user has no others. */
static void ask_owner(struct fl_server *s, struct fl_exchange *x)
{
	uid_t uid = x->request.peer.uid;
	uint64_t began = uv_hrtime();

	s->options.request(s->options.user, x, &x->request);
	if (uid != 0 && uid != geteuid())
		fl_rate_charge(&s->rates, uid, (double)(uv_hrtime() - began) / 1e9);
}

/* All of it is there. */
static enum MHD_Result request_is_whole(struct fl_server *s, struct fl_exchange *x)
{
	if (x->body) {
		x->body[x->body_len] = '\0';
		x->request.body = x->body;
		x->request.body_len = x->body_len;
	}
	fl_connection_does(x->connection, FL_THINKS);
	if (x->refusal)
		fl_exchange_refuse(x, x->refusal);
	else
		ask_owner(s, x);
	if (x->connection->doing != FL_THINKS)
		return fl_exchange_queue(x);
	MHD_suspend_connection(x->mhd);
	x->suspended = true;
	return MHD_YES;
}

/* Called with the head, with each part of the body, at the end, and once more when resumed. */
static enum MHD_Result handle(void *user, struct MHD_Connection *mhd, const char *path,
			      const char *method, const char *version, const char *part,
			      size_t *part_len, void **own)
{
	struct fl_server *s = user;
	struct fl_connection *c = connection_of(mhd);
	struct fl_exchange *x = *own;

	(void)version;
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

	unsigned refusal;

	x = fl_exchange_new(c, mhd, method, path);
	if (!x)
		return MHD_NO;
	*own = x;
	refusal = look(s, c, x);
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
	fl_exchange_free(x);
}

/* --- the library's turns --- */

static void turn(struct fl_server *s);

static void again(uv_timer_t *timer) { turn(timer->data); }

static void turn(struct fl_server *s)
{
	MHD_UNSIGNED_LONG_LONG wait = 0;
	bool waits = true;

	for (int i = 0; i < TURNS && waits && wait == 0; i++) {
		MHD_run(s->mhd);
		waits = MHD_get_timeout(s->mhd, &wait) == MHD_YES;
	}
	/* Others of the loop have their turn in between. */
	if (waits)
		uv_timer_start(&s->again, again, wait, 0);
	else
		uv_timer_stop(&s->again);
}

static void work(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	turn(poll->data);
}

void fl_server_wake(struct fl_server *s) { uv_timer_start(&s->again, again, 0, 0); }

/* --- begin and end --- */

static void server_free(struct fl_server *s)
{
	if (s->mhd)
		MHD_stop_daemon(s->mhd);
	close(s->socket.fd);
	free(s);
}

/* It closes the descriptor that it is given, sometimes also when it fails. */
static struct MHD_Daemon *library(struct fl_server *s)
{
	int fd = fcntl(s->socket.fd, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? NULL :
			MHD_start_daemon(
				MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, s,
				MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				(unsigned)(s->options.limits.connections + FL_SPARE_CONNECTIONS),
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)FL_HEAD_BYTES,
				MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_STRICT_FOR_CLIENT, 1,
				MHD_OPTION_NOTIFY_CONNECTION, notice_connection, s,
				MHD_OPTION_NOTIFY_COMPLETED, completed, s,
				MHD_OPTION_URI_LOG_CALLBACK, notice_path, s, MHD_OPTION_END);
}

/* After this the handles have to be closed by the loop. */
static int handles(struct fl_server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->mhd, MHD_DAEMON_INFO_EPOLL_FD);

	if (!info || uv_poll_init(s->options.loop, &s->work, info->epoll_fd) != 0)
		return FAIRLEAD_EIO;
	uv_timer_init(s->options.loop, &s->again);
	uv_timer_init(s->options.loop, &s->sweep);
	s->work.data = s->again.data = s->sweep.data = s;
	s->n_handles = 3;
	uv_poll_start(&s->work, UV_READABLE, work);
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
	if (options->fd >= 0)
		code = fl_socket_adopt(options->fd, &s->socket, err);
	else
		code = fl_socket_listen(options->path, (mode_t)options->mode, &s->socket, err);
	if (code != 0) {
		free(s);
		return code;
	}
	s->mhd = library(s);
	if (!s->mhd || handles(s) != 0) {
		fl_socket_remove(&s->socket);
		server_free(s);
		return fl_fail(err, FAIRLEAD_EIO,
			       "cannot begin to serve: out of descriptors or "
			       "memory");
	}
	*ret = s;
	return 0;
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

/* Connections go one after another, as what they do ends. */
static void closing(uv_timer_t *timer)
{
	struct fl_server *s = timer->data;

	for (struct fl_connection *c = s->connections; c; c = c->next) {
		if (c->doing == FL_STREAMS)
			fl_exchange_cut(c->exchange);
		if (c->doing == FL_READS)
			hang_up(c);
	}
	sweep(timer);
	turn(s); /* the library does not say that it has one to take leave of */
	if (s->n_connections > 0)
		return;
	uv_close((uv_handle_t *)&s->work, handle_closed);
	uv_close((uv_handle_t *)&s->again, handle_closed);
	uv_close((uv_handle_t *)&s->sweep, handle_closed);
}

void fl_server_close(struct fl_server *s, void (*closed)(void *user), void *user)
{
	s->closing = true;
	s->closed = closed;
	s->closed_user = user;
	fl_socket_remove(&s->socket);

	int fd = MHD_quiesce_daemon(s->mhd);

	if (fd >= 0)
		close(fd);
	uv_timer_start(&s->sweep, closing, 0, CLOSING_MS);
}

void fl_server_figures(const struct fl_server *s, struct fl_server_figures *ret)
{
	*ret = s->figures;
	ret->connections = s->n_connections;
}
