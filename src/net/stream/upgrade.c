/* SPDX-License-Identifier: Apache-2.0 */
#include "net/stream/upgrade.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "net/exchange.h"
#include "net/server_state.h"

/*
 * The library (0.9.75) can do this, too, but over TLS it relays through a pair of sockets with what its
 * request has left of a buffer, down to four bytes at a time.  Here the connection is suspended, so that
 * the library leaves it alone, and is read and written by ourselves; when it is resumed, it is closed.
 */
struct fl_upgraded {
	struct fl_exchange *x;
	struct fl_upgrade_callbacks callbacks;
	char protocol[32];
	gnutls_session_t session; /* NULL: without TLS */
	bool unsent;              /* TLS has a record that was not sent whole */
	bool ended;
	uv_poll_t *rest; /* at the end: waits until the client closes; NULL */
};

enum { RECORD = 16 * 1024 };

bool fl_request_upgrades(const struct fl_http_request *r, const char *protocol)
{
	const char *upgrade = fl_request_header(r, "Upgrade");
	const char *connection = fl_request_header(r, "Connection");

	return upgrade && connection && strcasecmp(upgrade, protocol) == 0 &&
	       strcasestr(connection, "upgrade");
}

/* --- bytes --- */

static ssize_t plain(ssize_t n) { return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n; }

static ssize_t secure(ssize_t n)
{
	return n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED ? 0 : n < 0 ? -1 : n;
}

ssize_t fl_exchange_read(struct fl_exchange *x, char *bytes, size_t room)
{
	struct fl_upgraded *u = x->upgraded;
	ssize_t n = u->session ? gnutls_record_recv(u->session, bytes, room) :
				 recv(x->connection->fd, bytes, room, MSG_DONTWAIT);

	if (n == 0)
		return -1;
	return u->session ? secure(n) : plain(n);
}

/* A record that is not sent whole is kept by TLS, and counts as taken. */
static ssize_t send_record(struct fl_upgraded *u, const char *bytes, size_t len)
{
	ssize_t n;

	if (u->unsent) {
		n = gnutls_record_send(u->session, NULL, 0);
		u->unsent = secure(n) == 0 && n < 0;
		if (n < 0)
			return secure(n);
	}
	if (len == 0)
		return 0;
	len = len < RECORD ? len : RECORD;
	n = gnutls_record_send(u->session, bytes, len);
	u->unsent = n < 0 && secure(n) == 0;
	return u->unsent ? (ssize_t)len : secure(n);
}

ssize_t fl_exchange_send(struct fl_exchange *x, const char *bytes, size_t len)
{
	if (x->upgraded->session)
		return send_record(x->upgraded, bytes, len);
	return plain(send(x->connection->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL));
}

bool fl_exchange_is_unsent(const struct fl_exchange *x) { return x->upgraded->unsent; }

/* --- the end --- */

static void rest_closed(uv_handle_t *handle) { free(handle); }

static void close_rest(struct fl_upgraded *u)
{
	if (u->rest)
		uv_close((uv_handle_t *)u->rest, rest_closed);
	u->rest = NULL;
}

/* No answer: the library closes the connection. */
static void release(struct fl_upgraded *u)
{
	close_rest(u);
	fl_exchange_resume(u->x);
}

static void rest(uv_poll_t *poll, int status, int events)
{
	struct fl_upgraded *u = poll->data;
	char nothing[RECORD];
	ssize_t n = recv(u->x->connection->fd, nothing, RECORD, MSG_DONTWAIT);

	(void)events;
	/* After an error the loop does not tell more. */
	if (status < 0 || n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		release(u);
}

/*
 * What the client still sends is read: otherwise the kernel would drop what it was sent.  One that does
 * not close is closed as any that does not read its answer.
 */
static void end(struct fl_upgraded *u)
{
	struct fl_connection *c = u->x->connection;

	fl_connection_does(c, FL_ANSWERS);
	if (u->session)
		(void)gnutls_bye(u->session, GNUTLS_SHUT_WR);
	(void)shutdown(c->fd, SHUT_WR);
	u->rest = calloc(1, sizeof *u->rest);
	if (!u->rest || uv_poll_init(c->server->options.loop, u->rest, c->fd) != 0) {
		free(u->rest);
		u->rest = NULL;
		release(u);
		return;
	}
	u->rest->data = u;
	(void)uv_poll_start(u->rest, UV_READABLE, rest);
}

void fl_exchange_downgrade(struct fl_exchange *x)
{
	x->upgraded->ended = true;
	end(x->upgraded);
}

static void lose(struct fl_upgraded *u)
{
	if (u->ended)
		return;
	u->ended = true;
	u->callbacks.gone(u->callbacks.user);
}

void fl_upgrade_cut(struct fl_exchange *x)
{
	struct fl_upgraded *u = x->upgraded;

	lose(u);
	if (!u->rest)
		end(u);
}

void fl_upgrade_free(struct fl_exchange *x)
{
	struct fl_upgraded *u = x->upgraded;

	if (!u)
		return;
	close_rest(u);
	lose(u);
	x->upgraded = NULL;
	free(u);
}

/* --- the begin --- */

void fl_upgrade_begin(struct fl_exchange *x)
{
	struct fl_upgraded *u = x->upgraded;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	char head[160];
	int n = snprintf(
		head, sizeof head,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n"
		"\r\n",
		u->protocol);

	u->session = info ? info->tls_session : NULL;
	fl_connection_does(x->connection, FL_STREAMS);
	/* Nothing else is on its way to the client, so that so much is taken at once. */
	if (fl_exchange_send(x, head, (size_t)n) == n)
		u->callbacks.begun(u->callbacks.user, x->connection->fd);
	else
		fl_upgrade_cut(x);
}

void fl_exchange_upgrade(struct fl_exchange *x, const char *protocol,
			 const struct fl_upgrade_callbacks *callbacks)
{
	struct fl_upgraded *u = calloc(1, sizeof *u);

	if (!u) {
		fl_exchange_refuse(x, FL_REFUSE_BUSY);
		callbacks->gone(callbacks->user);
		return;
	}
	*u = (struct fl_upgraded){ .x = x, .callbacks = *callbacks };
	(void)snprintf(u->protocol, sizeof u->protocol, "%s", protocol);
	x->upgraded = u;
	if (x->suspended)
		fl_upgrade_begin(x);
}
