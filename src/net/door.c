/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door - which connections are accepted
 *
 * Guarantees, whatever other users do with their connections:
 *   - Connections of TCP that have not shown a token have at most half of all, and one network address
 *     a quarter of all.
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
#include <netinet/tcp.h>
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
#include "net/tcp.h"
#include "net/tls.h"

enum { AT_ONCE = 64, SHUT_MS = 100, PATIENCE_MS = 1000 };
enum { KEEP_IDLE = 60, KEEP_EACH = 20 }; /* seconds */

/* --- counting --- */

static struct fl_payer *find_payer(const struct fl_server *s, const struct fl_principal *who)
{
	struct fl_payer *p = s->payers;

	while (p && !fl_principal_same(&p->who, who))
		p = p->next;
	return p;
}

static struct fl_payer *payer_of(struct fl_server *s, const struct fl_principal *who)
{
	struct fl_payer *p = find_payer(s, who);

	if (!p && (p = calloc(1, sizeof *p))) {
		p->who = *who;
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

static bool is_probe(const struct fl_principal *who) { return who->kind == FL_PRINCIPAL_PROBE; }

/* Counts @n more connections of a payer that are served. */
static void count(struct fl_server *s, struct fl_payer *payer, uint32_t n)
{
	payer->served += n;
	s->n_served += n;
	s->n_probes += is_probe(&payer->who) ? n : 0;
}

static void uncount(struct fl_server *s, struct fl_payer *payer, uint32_t n)
{
	payer->served -= n;
	s->n_served -= n;
	s->n_probes -= is_probe(&payer->who) ? n : 0;
}

static void enter(struct fl_connection *c)
{
	count(c->server, c->payer, weight(c));
	c->payer->over += c->over;
	c->server->n_over += c->over;
}

static void leave(struct fl_connection *c)
{
	uncount(c->server, c->payer, weight(c));
	c->leaves = true;
}

static uint32_t most_of_all(const struct fl_server *s, enum fl_rank rank)
{
	static const uint32_t reserved[] = {
		[FL_RANK_USER] = 0, /* and those below */
		[FL_RANK_ADMIN] = FL_RESERVED / 2,
		[FL_RANK_ROOT] = FL_RESERVED,
	};

	return s->options.limits.connections + reserved[rank];
}

static uint32_t most_of_one(const struct fl_server *s, const struct fl_guest *guest)
{
	uint32_t all = s->options.limits.connections;

	if (guest->rank == FL_RANK_ROOT)
		return UINT32_MAX;
	return is_probe(&guest->payer) ? (all + 3) / 4 : (all + 1) / 2;
}

static uint32_t most_of_probes(const struct fl_server *s)
{
	return (s->options.limits.connections + 1) / 2;
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
static struct fl_connection *find_idle(const struct fl_server *s, const struct fl_guest *guest,
				       bool of_probes)
{
	const struct fl_payer *payer = find_payer(s, &guest->payer);
	uint32_t most = (payer ? payer->served : 0) + 1;
	struct fl_connection *found = NULL;

	for (struct fl_connection *c = s->connections; c; c = c->next) {
		uint32_t has = c->payer->served;

		if (has < most || (has == most && (!found || c->since >= found->since)) ||
		    (of_probes && !is_probe(&c->payer->who)) || !only_waits(c))
			continue;
		most = has;
		found = c;
	}
	return found;
}

static bool make_room(struct fl_server *s, const struct fl_guest *guest, bool of_probes)
{
	struct fl_connection *idle = find_idle(s, guest, of_probes);

	if (!idle)
		return false;
	s->figures.gave_way++;
	leave(idle);
	fl_connection_hang_up(idle);
	return true;
}

/* Why @n more are refused; FL_AWAYS: there is room for them. */
static enum fl_turned_away look(struct fl_server *s, const struct fl_guest *guest, uint32_t n)
{
	const struct fl_payer *payer = find_payer(s, &guest->payer);
	uint64_t has = payer ? payer->served : 0;

	if (guest->rank == FL_RANK_STRANGER)
		return FL_AWAY_STRANGER;
	if (has > 0 && has + n > most_of_one(s, guest))
		return FL_AWAY_SHARE;
	while (is_probe(&guest->payer) && s->n_probes + n > most_of_probes(s))
		if (!make_room(s, guest, /* of_probes= */ true))
			return FL_AWAY_FULL;
	while (s->n_served + n > most_of_all(s, guest->rank))
		if (!make_room(s, guest, /* of_probes= */ false))
			return FL_AWAY_FULL;
	return FL_AWAYS;
}

bool fl_exchange_holds(struct fl_exchange *x, uint32_t n)
{
	struct fl_connection *c = x->connection;
	const struct fl_guest guest = { c->payer->who, c->rank };
	enum fl_turned_away away;

	if (c->holds)
		return true;
	away = look(c->server, &guest, n);
	if (away != FL_AWAYS) {
		c->server->figures.turned_away[away]++;
		fl_exchange_refuse(x, FL_REFUSE_BUSY);
		return false;
	}
	c->holds = n;
	count(c->server, c->payer, n);
	return true;
}

void fl_connection_holds_no_more(struct fl_connection *c)
{
	uint32_t was = weight(c);

	c->holds = 0;
	uncount(c->server, c->payer, was - weight(c));
}

/* --- accepting and refusing --- */

static bool is_secure(const struct fl_entrance *e)
{
	return e->listener && e->listener->certificate;
}

static void reopened(uv_timer_t *timer);

/* A new connection: its other end, as the kernel says, and what the owner makes of it. */
struct newcomer {
	struct fl_principal who;
	pid_t pid;
	struct fl_guest guest;
};

static void meet_user(const struct fl_server *s, int fd, struct newcomer *ret)
{
	struct ucred cred;
	socklen_t size = sizeof cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0 || size != sizeof cred)
		cred = (struct ucred){ .uid = FL_NO_ACCOUNT, .gid = FL_NO_GROUP };
	ret->who = fl_principal_user(cred.uid, cred.gid);
	ret->pid = cred.pid;
	ret->guest = (struct fl_guest){ ret->who, cred.uid == 0 ? FL_RANK_ROOT : FL_RANK_USER };
	if (cred.uid == FL_NO_ACCOUNT)
		ret->guest.rank = FL_RANK_STRANGER;
	else if (s->options.meet)
		s->options.meet(s->options.user, &ret->who, &ret->guest);
}

/* A probe from its address: the owner says nothing of it before it shows a token. */
static void meet_probe(const struct fl_tcp_address *from, struct newcomer *ret)
{
	*ret = (struct newcomer){ .who = fl_tcp_source(from) };
	ret->guest = (struct fl_guest){ ret->who, FL_RANK_PROBE };
}

/* The next connection of the queue; -1: errno. */
static int next_of(const struct fl_entrance *e, struct newcomer *ret)
{
	struct fl_tcp_address from = { .len = sizeof from.at };
	const int on = 1;
	bool is_tcp = e->listener != NULL;
	int fd = accept4(e->fd, is_tcp ? &from.at.any : NULL, is_tcp ? &from.len : NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return -1;
	if (!is_tcp) {
		meet_user(e->server, fd, ret);
		return fd;
	}
	/* A connection whose other end disappeared is noticed after some minutes. */
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){ KEEP_IDLE }, sizeof(int));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){ KEEP_EACH }, sizeof(int));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	meet_probe(&from, ret);
	return fd;
}

/* Answers before a request was read; with TLS there is no answer before its handshake. */
static void turn_away(const struct fl_entrance *e, int fd)
{
	if (!is_secure(e))
		fl_answer_at_once(fd, 503, "Retry-After: 1\r\n",
				  "too busy: too many connections at once",
				  "try again in a second");
	close(fd);
}

/* Added to the list before the library has it, as the library reports it by its descriptor. */
static struct fl_connection *connection_new(struct fl_entrance *e, int fd, const struct newcomer *n,
					    bool over)
{
	struct fl_server *s = e->server;
	struct fl_payer *payer = payer_of(s, &n->guest.payer);
	struct fl_connection *c = payer ? calloc(1, sizeof *c) : NULL;

	if (!c) {
		if (payer && payer->n == 0)
			forget_payer(s, payer);
		return NULL;
	}
	*c = (struct fl_connection){ .server = s,
				     .entrance = e,
				     .fd = fd,
				     .who = n->who,
				     .pid = n->pid,
				     .payer = payer,
				     .rank = n->guest.rank,
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

/* The payer may have more connections than this one, and another one none any more. */
static void hand_over(struct fl_connection *c, struct fl_payer *to, const struct fl_guest *guest)
{
	struct fl_payer *from = c->payer;

	uncount(c->server, from, weight(c));
	from->over -= c->over;
	c->payer = to;
	c->rank = guest->rank;
	count(c->server, to, weight(c));
	to->over += c->over;
	to->n++;
	if (--from->n == 0)
		forget_payer(c->server, from);
}

bool fl_connection_acts_for(struct fl_connection *c, const struct fl_principal *who)
{
	struct fl_server *s = c->server;
	struct fl_guest guest = { fl_principal_behind(who), fl_principal_most(who) };
	enum fl_turned_away away = FL_AWAYS;
	struct fl_payer *payer;

	if (!is_probe(who) && s->options.meet)
		s->options.meet(s->options.user, who, &guest);
	if (fl_principal_same(&c->payer->who, &guest.payer)) {
		c->rank = guest.rank;
		return true;
	}
	if (!is_probe(who) && weight(c)) {
		/* It has a place already, but this payer may have as many as he may. */
		payer = find_payer(s, &guest.payer);
		away = payer && payer->served >= most_of_one(s, &guest) ? FL_AWAY_SHARE : FL_AWAYS;
	}
	payer = away == FL_AWAYS ? payer_of(s, &guest.payer) : NULL;
	if (!payer) {
		s->figures.turned_away[away == FL_AWAYS ? FL_AWAY_MEMORY : away]++;
		return false;
	}
	hand_over(c, payer, &guest);
	return true;
}

bool fl_connection_is_far(const struct fl_connection *c)
{
	return c->entrance->listener || c->relay_port;
}

bool fl_connection_relays(struct fl_connection *c, uint32_t port)
{
	struct fl_tcp_address here = { .len = sizeof here.at.v4 };
	struct fl_guest guest = { .rank = FL_RANK_PROBE };
	enum fl_turned_away away;
	struct fl_payer *payer;

	here.at.v4 = (struct sockaddr_in){ .sin_family = AF_INET,
					   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	guest.payer = fl_tcp_source(&here);
	away = look(c->server, &guest, 1);
	payer = away == FL_AWAYS ? payer_of(c->server, &guest.payer) : NULL;
	if (!payer) {
		c->server->figures.turned_away[away == FL_AWAYS ? FL_AWAY_MEMORY : away]++;
		return false;
	}
	hand_over(c, payer, &guest);
	c->who = guest.payer;
	c->pid = 0;
	c->relay_port = port;
	return true;
}

void fl_connection_free(struct fl_connection *c)
{
	struct fl_server *s = c->server;

	fl_tls_end(c);
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

/* A handshake takes a thousand times as long as the refusal. */
static enum fl_turned_away look_at_door(struct fl_entrance *e, const struct newcomer *n)
{
	struct fl_server *s = e->server;

	if (is_secure(e) && !fl_rate_take(&s->handshakes, &n->guest.payer, uv_now(s->options.loop)))
		return FL_AWAY_HANDSHAKES;
	return look(s, &n->guest, 1);
}

static void let_in(struct fl_entrance *e, int fd, const struct newcomer *n)
{
	const struct sockaddr address = { .sa_family = AF_UNIX };
	struct fl_server *s = e->server;
	enum fl_turned_away away = look_at_door(e, n);
	const struct fl_payer *payer = find_payer(s, &n->guest.payer);
	struct fl_connection *c;

	if (away != FL_AWAYS) {
		s->figures.turned_away[away]++;
		/* Some are answered after their request, which all clients understand. */
		if (away == FL_AWAY_HANDSHAKES || s->n_over >= FL_SPARE_CONNECTIONS ||
		    (payer && payer->over >= FL_SPARE_CONNECTIONS / 2)) {
			turn_away(e, fd);
			return;
		}
	}
	c = connection_new(e, fd, n, away != FL_AWAYS);
	if (!c)
		turn_away(e, fd);
	else if (MHD_add_connection(is_secure(e) ? s->secure.mhd : s->plain.mhd, fd, &address,
				    sizeof address) == MHD_YES)
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
	for (uint32_t i = 0; i < s->n_entrances; i++)
		uv_poll_start(&s->entrances[i].knock, UV_READABLE, knocks);
}

static void stop_all(struct fl_server *s)
{
	for (uint32_t i = 0; i < s->n_entrances; i++)
		uv_poll_stop(&s->entrances[i].knock);
}

static void shut(struct fl_server *s)
{
	stop_all(s);
	uv_timer_start(&s->reopen, reopened, SHUT_MS, 0);
}

/*
 * Accepts the first connection of the queue: root's is served, another one is told and closed.
 * False: none was accepted.
 */
static bool use_spare(struct fl_entrance *e)
{
	struct fl_server *s = e->server;
	struct newcomer n;
	int fd;

	if (s->spare < 0)
		return false;
	close(s->spare);
	s->spare = -1;
	fd = next_of(e, &n);
	if (fd < 0)
		return false;
	if (n.guest.rank == FL_RANK_ROOT) {
		let_in(e, fd, &n); /* no spare one until a connection ends */
		return true;
	}
	s->figures.turned_away[FL_AWAY_DESCRIPTORS]++;
	turn_away(e, fd);
	s->spare = open_spare();
	return true;
}

static void knocks(uv_poll_t *poll, int status, int events)
{
	struct fl_entrance *e = poll->data;
	struct newcomer n;

	(void)status;
	(void)events;
	for (int i = 0; i < AT_ONCE; i++) {
		int fd = next_of(e, &n);

		if (fd >= 0) {
			let_in(e, fd, &n);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			break;
		} else if (errno == EINTR || errno == ECONNABORTED) {
			continue;
		} else if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
			    errno == ENOBUFS) &&
			   !use_spare(e)) {
			shut(e->server);
			break;
		}
	}
	fl_server_wake(e->server);
}

int fl_door_open(struct fl_server *s)
{
	uv_timer_init(s->options.loop, &s->reopen);
	s->reopen.data = s;
	s->n_handles++;
	for (; s->n_open < s->n_entrances; s->n_open++) {
		struct fl_entrance *e = &s->entrances[s->n_open];

		if (uv_poll_init(s->options.loop, &e->knock, e->fd) != 0)
			return FAIRLEAD_EIO;
		e->knock.data = e;
		s->n_handles++;
	}
	s->spare = open_spare();
	reopened(&s->reopen);
	return 0;
}

void fl_door_shut(struct fl_server *s)
{
	stop_all(s);
	uv_timer_stop(&s->reopen);
}

static void knock_closed(uv_handle_t *handle)
{
	struct fl_entrance *e = handle->data;

	handle->data = e->server;
	e->server->door_closed(handle);
}

void fl_door_close(struct fl_server *s, uv_close_cb closed)
{
	if (s->spare >= 0)
		close(s->spare);
	s->spare = -1;
	s->door_closed = closed;
	for (uint32_t i = 0; i < s->n_open; i++)
		uv_close((uv_handle_t *)&s->entrances[i].knock, knock_closed);
	uv_close((uv_handle_t *)&s->reopen, closed);
}
