/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door - which connections are accepted
 *
 * Guarantees, whatever other users do with their connections:
 *   - A connection of root is accepted while root has fewer than FL_RESERVED / 2; one of an admin
 *     while root and all admins together have fewer than that, and the admin has less than half of
 *     all.
 *   - A user with fewer connections than another one gets the place of an idle connection of that
 *     user.
 *   - When no descriptor is left new connections are told so, and when there is one again it is
 *     used: at once when a connection ends, in any case after a moment.
 *
 * Limits: a connection with an answer or stream under way is never closed for another one.
 *
 * The kernel keeps new connections in a queue, and reports it as readable while it has any.  A
 * connection that cannot be accepted without a descriptor would stay there, and the loop would turn
 * for nothing; so there is a spare descriptor, which is closed to accept that connection, tell it,
 * and is opened again.
 */
#include "net/door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection.h"
#include "net/exchange.h"
#include "net/library.h"
#include "net/server.h"
#include "net/server_state.h"

enum { AT_ONCE = 64, SHUT_MS = 100, PATIENCE_MS = 1000 };

/* --- counting --- */

static struct fl_payer *find_payer(const struct fl_server *s, uid_t uid)
{
	struct fl_payer *p = s->payers;

	while (p && p->uid != uid)
		p = p->next;
	return p;
}

static struct fl_payer *payer_of(struct fl_server *s, uid_t uid)
{
	struct fl_payer *p = find_payer(s, uid);

	if (!p && (p = calloc(1, sizeof *p))) {
		p->uid = uid;
		p->next = s->payers;
		s->payers = p;
	}
	return p;
}

static void forget_payer(struct fl_server *s, struct fl_payer *gone)
{
	struct fl_payer **link = &s->payers;

	while (*link != gone)
		link = &(*link)->next;
	*link = gone->next;
	free(gone);
}

static uint32_t weight(const struct fl_connection *c)
{
	return c->over || c->leaves ? 0 : 1u + c->holds;
}

static void enter(struct fl_connection *c)
{
	c->payer->served += weight(c);
	c->server->n_served += weight(c);
	c->payer->over += c->over;
	c->server->n_over += c->over;
}

static void leave(struct fl_connection *c)
{
	c->payer->served -= weight(c);
	c->server->n_served -= weight(c);
	c->leaves = true;
}

static uint32_t most_of_all(const struct fl_server *s, enum fl_rank rank)
{
	static const uint32_t reserved[] = {
		[FL_RANK_STRANGER] = 0,
		[FL_RANK_USER] = 0,
		[FL_RANK_ADMIN] = FL_RESERVED / 2,
		[FL_RANK_ROOT] = FL_RESERVED,
	};

	return s->options.limits.connections + reserved[rank];
}

static uint32_t most_of_one(const struct fl_server *s, enum fl_rank rank)
{
	return rank == FL_RANK_ROOT ? UINT32_MAX : (s->options.limits.connections + 1) / 2;
}

uint32_t fl_server_descriptors(const struct fl_server_limits *limits)
{
	return limits->connections + FL_RESERVED + FL_SPARE_CONNECTIONS + FL_OWN_DESCRIPTORS;
}

/* --- making room --- */

static bool only_waits(const struct fl_connection *c)
{
	return c->doing == FL_READS && weight(c) && c->rank != FL_RANK_ROOT &&
	       (!c->exchange || uv_now(c->server->options.loop) - c->since >= PATIENCE_MS);
}

/*
 * The connection to close for @guest: of the payer with the most connections, and at least two more
 * than @guest has, the one that is idle for longest.  Never one of root.
 */
static struct fl_connection *find_idle(const struct fl_server *s, const struct fl_guest *guest)
{
	const struct fl_payer *payer = find_payer(s, guest->payer);
	uint32_t most = (payer ? payer->served : 0) + 1;
	struct fl_connection *found = NULL;

	for (struct fl_connection *c = s->connections; c; c = c->next) {
		uint32_t has = c->payer->served;

		if (has < most || (has == most && (!found || c->since >= found->since)) ||
		    !only_waits(c))
			continue;
		most = has;
		found = c;
	}
	return found;
}

static bool make_room(struct fl_server *s, const struct fl_guest *guest)
{
	struct fl_connection *idle = find_idle(s, guest);

	if (!idle)
		return false;
	s->figures.gave_way++;
	leave(idle);
	fl_connection_hang_up(idle);
	return true;
}

/* Why it is refused; FL_AWAYS: there is room for it. */
static enum fl_turned_away look(struct fl_server *s, const struct fl_guest *guest)
{
	const struct fl_payer *payer = find_payer(s, guest->payer);

	if (guest->rank == FL_RANK_STRANGER)
		return FL_AWAY_STRANGER;
	if (payer && payer->served >= most_of_one(s, guest->rank))
		return FL_AWAY_SHARE;
	if (s->n_served >= most_of_all(s, guest->rank) && !make_room(s, guest))
		return FL_AWAY_FULL;
	return FL_AWAYS;
}

bool fl_exchange_holds(struct fl_exchange *x)
{
	struct fl_connection *c = x->connection;
	const struct fl_guest guest = { c->payer->uid, c->rank };
	enum fl_turned_away away;

	if (c->holds)
		return true;
	away = look(c->server, &guest);
	if (away != FL_AWAYS) {
		c->server->figures.turned_away[away]++;
		fl_exchange_refuse(x, FL_REFUSE_BUSY);
		return false;
	}
	c->holds = true;
	c->payer->served++;
	c->server->n_served++;
	return true;
}

void fl_connection_holds_no_more(struct fl_connection *c)
{
	uint32_t was = weight(c);

	c->holds = false;
	c->payer->served -= was - weight(c);
	c->server->n_served -= was - weight(c);
}

/* --- accepting and refusing --- */

static void reopened(uv_timer_t *timer);

static struct fl_guest meet(const struct fl_server *s, int fd, struct fl_peer *peer)
{
	struct fl_guest guest;
	struct ucred cred;
	socklen_t size = sizeof cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0 || size != sizeof cred)
		cred = (struct ucred){ .uid = (uid_t)-1, .gid = (gid_t)-1 };
	*peer = (struct fl_peer){ .uid = cred.uid, .gid = cred.gid, .pid = cred.pid };
	guest = (struct fl_guest){ cred.uid, cred.uid == 0 ? FL_RANK_ROOT : FL_RANK_USER };
	if (cred.uid == (uid_t)-1)
		guest.rank = FL_RANK_STRANGER;
	else if (s->options.meet)
		s->options.meet(s->options.user, peer, &guest);
	return guest;
}

/* Answers before a request was read. */
static void turn_away(int fd)
{
	fl_answer_at_once(fd, 503, "Retry-After: 1\r\n", "too busy: too many connections at once",
			  "try again in a second");
	close(fd);
}

/* Added to the list before the library has it, as the library reports it by its descriptor. */
static struct fl_connection *connection_new(struct fl_server *s, int fd, const struct fl_peer *peer,
					    const struct fl_guest *guest, bool over)
{
	struct fl_payer *payer = payer_of(s, guest->payer);
	struct fl_connection *c = payer ? calloc(1, sizeof *c) : NULL;

	if (!c) {
		if (payer && payer->n == 0)
			forget_payer(s, payer);
		return NULL;
	}
	*c = (struct fl_connection){ .server = s,
				     .fd = fd,
				     .peer = *peer,
				     .payer = payer,
				     .rank = guest->rank,
				     .over = over };
	fl_connection_does(c, FL_READS);
	c->next = s->connections;
	c->link = &s->connections;
	if (c->next)
		c->next->link = &c->next;
	s->connections = c;
	s->n_connections++;
	payer->n++;
	enter(c);
	fl_server_attend(s);
	return c;
}

void fl_connection_free(struct fl_connection *c)
{
	struct fl_server *s = c->server;

	leave(c);
	c->payer->over -= c->over;
	s->n_over -= c->over;
	if (--c->payer->n == 0)
		forget_payer(s, c->payer);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	s->n_connections--;
	free(c);
	/* The library closes its descriptor in the next turn of the loop. */
	if (uv_is_active((uv_handle_t *)&s->reopen))
		uv_timer_start(&s->reopen, reopened, 0, 0);
}

static void let_in(struct fl_server *s, int fd)
{
	const struct sockaddr address = { .sa_family = AF_UNIX };
	struct fl_peer peer;
	struct fl_guest guest = meet(s, fd, &peer);
	enum fl_turned_away away = look(s, &guest);
	const struct fl_payer *payer = find_payer(s, guest.payer);
	struct fl_connection *c;

	if (away != FL_AWAYS) {
		s->figures.turned_away[away]++;
		/* Some are answered after their request, which all clients understand. */
		if (s->n_over >= FL_SPARE_CONNECTIONS ||
		    (payer && payer->over >= FL_SPARE_CONNECTIONS / 2)) {
			turn_away(fd);
			return;
		}
	}
	c = connection_new(s, fd, &peer, &guest, away != FL_AWAYS);
	if (!c)
		turn_away(fd);
	else if (MHD_add_connection(s->mhd, fd, &address, sizeof address) == MHD_YES)
		return;
	/* The library closes a connection that it does not take, and may have reported it. */
	else if (s->connections == c)
		fl_connection_free(c);
	s->figures.turned_away[FL_AWAY_MEMORY]++;
}

/* --- descriptors --- */

static void knocks(uv_poll_t *poll, int status, int events);

static int open_spare(void) { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

static void reopened(uv_timer_t *timer)
{
	struct fl_server *s = timer->data;

	uv_timer_stop(timer);
	if (s->spare < 0)
		s->spare = open_spare();
	uv_poll_start(&s->knock, UV_READABLE, knocks);
}

static void shut(struct fl_server *s)
{
	uv_poll_stop(&s->knock);
	uv_timer_start(&s->reopen, reopened, SHUT_MS, 0);
}

/*
 * Accepts the first connection of the queue: root's is served, another one is told and closed.
 * False: none was accepted.
 */
static bool use_spare(struct fl_server *s)
{
	struct fl_peer peer;
	int fd;

	if (s->spare < 0)
		return false;
	close(s->spare);
	s->spare = -1;
	fd = accept4(s->socket.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return false;
	if (meet(s, fd, &peer).rank == FL_RANK_ROOT) {
		let_in(s, fd); /* no spare one until a connection ends */
		return true;
	}
	s->figures.turned_away[FL_AWAY_DESCRIPTORS]++;
	turn_away(fd);
	s->spare = open_spare();
	return true;
}

static void knocks(uv_poll_t *poll, int status, int events)
{
	struct fl_server *s = poll->data;

	(void)status;
	(void)events;
	for (int i = 0; i < AT_ONCE; i++) {
		int fd = accept4(s->socket.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			let_in(s, fd);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			break;
		} else if (errno == EINTR || errno == ECONNABORTED) {
			continue;
		} else if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
			    errno == ENOBUFS) &&
			   !use_spare(s)) {
			shut(s);
			break;
		}
	}
	fl_server_wake(s);
}

int fl_door_open(struct fl_server *s)
{
	if (uv_poll_init(s->options.loop, &s->knock, s->socket.fd) != 0)
		return FAIRLEAD_EIO;
	s->spare = open_spare();
	uv_timer_init(s->options.loop, &s->reopen);
	s->knock.data = s->reopen.data = s;
	s->n_handles += 2;
	uv_poll_start(&s->knock, UV_READABLE, knocks);
	return 0;
}

void fl_door_shut(struct fl_server *s)
{
	uv_poll_stop(&s->knock);
	uv_timer_stop(&s->reopen);
}

void fl_door_close(struct fl_server *s, uv_close_cb closed)
{
	if (s->spare >= 0)
		close(s->spare);
	s->spare = -1;
	uv_close((uv_handle_t *)&s->knock, closed);
	uv_close((uv_handle_t *)&s->reopen, closed);
}
