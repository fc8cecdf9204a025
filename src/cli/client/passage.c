/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/passage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/tcp.h"

enum { ROOM = 16 * 1024, HEAD = 1024 };

/* Bytes on their way from one end to the other. */
struct way {
	size_t at, n;
	char bytes[ROOM];
};

struct pair {
	int client, daemon; /* client -1: a free place */
	bool given_up;      /* the daemon has said that it takes nothing here for ours */
	bool ended;         /* by the daemon; what is left is passed on */
	size_t n_head;
	char head[HEAD]; /* what it has said */
	struct way up, down;
};

struct fl_passage {
	const char *socket;
	int listener;
	uint32_t port;
	struct pair pairs[FL_PASSAGE_PAIRS];
};

/* --- begin and end --- */

int fl_passage_connect(const char *socket_path, int flags)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = -1;

	if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path) >=
	    sizeof address.sun_path)
		errno = ENAMETOOLONG;
	else
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
		return fd;

	int why = errno;

	close(fd);
	errno = why;
	return -1;
}

int fl_passage_new(const char *socket, uint32_t port, struct fl_passage **ret, uint32_t *ret_port,
		   fairlead_error *err)
{
	struct fl_tcp_address here = { .len = sizeof here.at.v4 };
	struct fl_passage *r = calloc(1, sizeof *r);
	int code;

	if (!r)
		return fl_fail_nomem(err);
	for (int i = 0; i < FL_PASSAGE_PAIRS; i++)
		r->pairs[i].client = -1;
	r->socket = socket;
	here.at.v4 = (struct sockaddr_in){ .sin_family = AF_INET,
					   .sin_port = htons((uint16_t)port),
					   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	code = fl_tcp_listen(&here, &r->listener, err);
	if (code == 0 && !fl_tcp_own(r->listener, &here)) {
		close(r->listener);
		code = fl_fail(err, FAIRLEAD_EIO, "the port is not known: %s", strerror(errno));
	}
	if (code < 0) {
		free(r);
		return code;
	}
	*ret_port = r->port = ntohs(here.at.v4.sin_port);
	*ret = r;
	return 0;
}

static void end(struct pair *p)
{
	close(p->client);
	close(p->daemon);
	p->client = -1;
}

struct fl_passage *fl_passage_free(struct fl_passage *r)
{
	if (!r)
		return NULL;
	for (int i = 0; i < FL_PASSAGE_PAIRS; i++)
		if (r->pairs[i].client >= 0)
			end(&r->pairs[i]);
	close(r->listener);
	free(r);
	return NULL;
}

/* --- one connection --- */

static struct pair *free_place(struct fl_passage *r)
{
	for (int i = 0; i < FL_PASSAGE_PAIRS; i++)
		if (r->pairs[i].client < 0)
			return &r->pairs[i];
	return NULL;
}

static void let_in(struct fl_passage *r)
{
	struct pair *p = free_place(r);
	char text[128];
	int fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), n;

	if (fd < 0)
		return;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	p->daemon = fl_passage_connect(r->socket, SOCK_NONBLOCK);
	if (p->daemon < 0) {
		close(fd);
		return;
	}
	p->client = fd;
	p->given_up = p->ended = false;
	p->n_head = p->up.n = p->down.n = 0;
	n = snprintf(text, sizeof text,
		     "POST /v1/page/relay?port=%u HTTP/1.1\r\nHost: fairlead\r\n"
		     "Content-Length: 0\r\n\r\n",
		     r->port);
	if (send(p->daemon, text, (size_t)n, MSG_NOSIGNAL) != n)
		end(p);
}

/* The daemon answers the request that gives our rights up; false: it did not. */
static bool hear(struct pair *p)
{
	static const char given_up[] = "HTTP/1.1 204 ";
	ssize_t n = recv(p->daemon, p->head + p->n_head, HEAD - 1 - p->n_head, 0);
	char *body;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	p->n_head += (size_t)n;
	p->head[p->n_head] = '\0';
	body = strstr(p->head, "\r\n\r\n");
	if (!body)
		return p->n_head < HEAD - 1;
	/* Nothing was asked for that could be answered behind it. */
	p->given_up = strncmp(p->head, given_up, sizeof given_up - 1) == 0 &&
		      body + 4 == p->head + p->n_head;
	return p->given_up;
}

/* 1: something came; 0: nothing now; -1: the other end has ended it. */
static int take(int fd, struct way *w)
{
	ssize_t n = recv(fd, w->bytes, ROOM, 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	w->at = 0;
	w->n = (size_t)n;
	return n > 0 ? 1 : -1;
}

static int give(int fd, struct way *w)
{
	ssize_t n = w->n ? send(fd, w->bytes + w->at, w->n, MSG_NOSIGNAL) : 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	w->at += (size_t)n;
	w->n -= (size_t)n;
	return 0;
}

/* False: it has ended. */
static bool pass_on(struct pair *p, short client, short daemon)
{
	const short readable = POLLIN | POLLHUP | POLLERR;

	if (!p->given_up)
		return !(daemon & readable) || hear(p);
	if ((client & readable) && p->up.n == 0 && take(p->client, &p->up) < 0)
		return false;
	if ((daemon & readable) && p->down.n == 0 && !p->ended)
		p->ended = take(p->daemon, &p->down) < 0;
	if (give(p->client, &p->down) < 0 || (!p->ended && give(p->daemon, &p->up) < 0))
		return false;
	return !(p->ended && p->down.n == 0);
}

/* --- all of them --- */

/* Events that a pair waits for: of its client, and of the daemon. */
static void waits_for(const struct pair *p, struct pollfd *client, struct pollfd *daemon)
{
	*client = (struct pollfd){ .fd = -1 };
	*daemon = (struct pollfd){ .fd = -1 };
	if (p->client < 0)
		return;
	if (!p->given_up || (!p->ended && p->down.n == 0))
		daemon->events = POLLIN;
	if (p->given_up && p->up.n)
		daemon->events |= POLLOUT;
	if (p->given_up && p->up.n == 0)
		client->events = POLLIN;
	if (p->down.n)
		client->events |= POLLOUT;
	/* One that nothing is expected of would report its end for ever. */
	if (client->events)
		client->fd = p->client;
	if (daemon->events && !p->ended)
		daemon->fd = p->daemon;
}

bool fl_passage_turn(struct fl_passage *r, int other)
{
	struct pollfd fds[2 + 2 * FL_PASSAGE_PAIRS];

	fds[0] = (struct pollfd){ .fd = other, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = free_place(r) ? r->listener : -1, .events = POLLIN };
	for (int i = 0; i < FL_PASSAGE_PAIRS; i++)
		waits_for(&r->pairs[i], &fds[2 + 2 * i], &fds[3 + 2 * i]);
	if (poll(fds, sizeof fds / sizeof *fds, -1) < 0)
		return false;
	for (int i = 0; i < FL_PASSAGE_PAIRS; i++)
		if (r->pairs[i].client >= 0 &&
		    !pass_on(&r->pairs[i], fds[2 + 2 * i].revents, fds[3 + 2 * i].revents))
			end(&r->pairs[i]);
	if (fds[1].revents)
		let_in(r);
	return fds[0].revents != 0;
}
