/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/pump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "record/frame.h"

enum side { OUTSIDE, INSIDE, SIDES };
enum {
	QUIET_MS = 5000,    /* of a runner that may have been killed, when its job is over */
	UNREAD_ROUNDS = 12, /* of these, in which a client takes nothing */
	NOWHERE = -1,
};

/* What came from one side and goes to the other one. */
struct half {
	char bytes[FL_PUMP_BYTES];
	size_t at, n;
	ptrdiff_t between; /* the last place between two frames, as far as it is known; NOWHERE */
	struct fl_frame_reader reader;
};

struct fl_pump {
	struct fl_pump_ends ends;
	uv_loop_t *loop;
	uv_poll_t *polls[SIDES];
	int events[SIDES];
	uv_timer_t *timer;
	struct half from[SIDES];
	char state[FL_FRAME_HEAD + FL_FRAME_SHORT]; /* a frame that is on its way */
	size_t state_at, state_n;
	enum fl_job_state next; /* FL_JOB_STATES: none waits */
	bool dry;               /* nothing more comes from inside */
	bool finishes, ended;
	int rounds; /* since the client has taken something */
	enum fl_job_state last;
};

/* --- bytes --- */

static void look(struct half *h)
{
	const char *at = h->bytes;
	size_t left = h->n;
	struct fl_frame_piece piece;

	h->between = fl_frame_is_between(&h->reader) ? 0 : NOWHERE;
	while (fl_frame_next(&h->reader, &at, &left, &piece))
		if (fl_frame_is_between(&h->reader))
			h->between = at - h->bytes;
}

static bool is_empty(const struct half *h) { return h->at == h->n; }

/* Bytes; 0: nothing now; -1: nothing comes any more. */
static ssize_t listen_inside(const struct fl_pump *p, char *bytes, size_t room)
{
	ssize_t n = recv(p->ends.inside, bytes, room, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n > 0 ? n : -1;
}

/* false: nothing comes any more. */
static bool fill(struct fl_pump *p, enum side side)
{
	struct half *h = &p->from[side];
	ssize_t n;

	if (!is_empty(h))
		return true;
	n = side == OUTSIDE ? fl_exchange_read(p->ends.x, h->bytes, sizeof h->bytes) :
			      listen_inside(p, h->bytes, sizeof h->bytes);
	if (n <= 0)
		return n == 0;
	h->at = 0;
	h->n = (size_t)n;
	look(h);
	return true;
}

/* Returns how many were taken; -1: none will be. */
static ssize_t tell_inside(const struct fl_pump *p, const char *bytes, size_t len)
{
	ssize_t n = send(p->ends.inside, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n;
}

static void put_state(struct fl_pump *p)
{
	unsigned char head[FL_FRAME_HEAD];
	char *line = p->state + FL_FRAME_HEAD;
	int n = snprintf(line, FL_FRAME_SHORT, "{\"state\":\"%s\"}\n", fl_job_state_name(p->next));

	fl_frame_head(head, FL_FRAME_STATE, (uint32_t)n);
	memcpy(p->state, head, sizeof head);
	p->state_at = 0;
	p->state_n = FL_FRAME_HEAD + (size_t)n;
	p->next = FL_JOB_STATES;
}

static bool has_state(const struct fl_pump *p)
{
	return p->state_at < p->state_n || p->next != FL_JOB_STATES;
}

/* Where it may be put: at this place of what comes from inside. */
static bool is_between(const struct half *h)
{
	return is_empty(h) ? fl_frame_is_between(&h->reader) : (ptrdiff_t)h->at == h->between;
}

/* What can be written to the client now: a state, or up to where one is to be put. */
static size_t choose(struct fl_pump *p, const char **ret)
{
	const struct half *h = &p->from[INSIDE];
	size_t end = h->n;

	if (p->state_at == p->state_n && p->next != FL_JOB_STATES && is_between(h))
		put_state(p);
	if (p->state_at < p->state_n) {
		*ret = p->state + p->state_at;
		return p->state_n - p->state_at;
	}
	if (p->next != FL_JOB_STATES && (ptrdiff_t)h->at < h->between)
		end = (size_t)h->between;
	*ret = h->bytes + h->at;
	return end - h->at;
}

/* false: the client has left. */
static bool pour_out(struct fl_pump *p)
{
	const char *bytes;
	size_t len;

	if (fl_exchange_is_unsent(p->ends.x) && fl_exchange_send(p->ends.x, NULL, 0) < 0)
		return false;
	while (!fl_exchange_is_unsent(p->ends.x) && (len = choose(p, &bytes)) > 0) {
		ssize_t n = fl_exchange_send(p->ends.x, bytes, len);

		if (n <= 0)
			return n == 0;
		if (p->state_at < p->state_n)
			p->state_at += (size_t)n;
		else
			p->from[INSIDE].at += (size_t)n;
		p->rounds = 0;
		if (p->finishes)
			(void)uv_timer_again(p->timer);
	}
	return true;
}

/* What is not taken any more goes nowhere. */
static void pour_in(struct fl_pump *p)
{
	struct half *h = &p->from[OUTSIDE];

	if (is_empty(h))
		return;
	ssize_t n = tell_inside(p, h->bytes + h->at, h->n - h->at);
	h->at += n < 0 ? h->n - h->at : (size_t)n;
}

/* --- the loop --- */

static void unwatch(struct fl_pump *p, enum side side)
{
	if (p->events[side])
		(void)uv_poll_stop(p->polls[side]);
	p->events[side] = 0;
}

static void moved(uv_poll_t *poll, int status, int events);

static void want(struct fl_pump *p, enum side side, int events)
{
	if (events == p->events[side])
		return;
	if (events == 0)
		unwatch(p, side);
	else if (uv_poll_start(p->polls[side], events, moved) == 0)
		p->events[side] = events;
}

static void end(struct fl_pump *p, bool left)
{
	if (p->ended)
		return;
	p->ended = true;
	p->ends.ended(p->ends.user, left);
}

static bool is_told_all(const struct fl_pump *p)
{
	return is_empty(&p->from[INSIDE]) && !has_state(p) && !fl_exchange_is_unsent(p->ends.x);
}

/* The last state, when nothing else is left. */
static void put_last(struct fl_pump *p)
{
	if (!p->finishes || !p->dry || !is_empty(&p->from[INSIDE]) || p->last == FL_JOB_STATES)
		return;
	p->next = p->last;
	p->last = FL_JOB_STATES;
	/* A frame that its sender did not end is none. */
	p->from[INSIDE].reader = (struct fl_frame_reader){ .kinds = FL_FRAMES_OF_RUNNER };
}

/* Passes on what can be, and says what is waited for.  May free it. */
static void go_on(struct fl_pump *p)
{
	const struct half *in = &p->from[INSIDE], *out = &p->from[OUTSIDE];

	if (p->from[OUTSIDE].reader.bad || p->from[INSIDE].reader.bad) {
		end(p, /* left= */ true);
		return;
	}
	pour_in(p);
	bool reads = pour_out(p);
	put_last(p);
	reads = reads && pour_out(p);
	if (!reads) {
		end(p, /* left= */ true);
		return;
	}
	if (p->finishes && p->dry && p->last == FL_JOB_STATES && is_told_all(p)) {
		end(p, /* left= */ false);
		return;
	}
	want(p, OUTSIDE,
	     UV_DISCONNECT | (is_empty(out) ? UV_READABLE : 0) |
		     (is_told_all(p) ? 0 : UV_WRITABLE));
	want(p, INSIDE,
	     (is_empty(in) && !p->dry ? UV_READABLE : 0) | (is_empty(out) ? 0 : UV_WRITABLE));
}

static void moved(uv_poll_t *poll, int status, int events)
{
	struct fl_pump *p = poll->data;
	bool left = false;

	if (poll == p->polls[OUTSIDE]) {
		left = !fill(p, OUTSIDE) || status < 0 || events & UV_DISCONNECT;
	} else if (status < 0 || events & UV_READABLE) {
		p->dry |= !fill(p, INSIDE);
	}
	if (left)
		end(p, /* left= */ true);
	else
		go_on(p);
}

/* --- begin and end --- */

static void closed(uv_handle_t *handle) { free(handle); }

static uv_poll_t *poll_new(struct fl_pump *p, int fd)
{
	uv_poll_t *poll = calloc(1, sizeof *poll);

	if (!poll || uv_poll_init(p->loop, poll, fd) != 0) {
		free(poll);
		return NULL;
	}
	poll->data = p;
	return poll;
}

struct fl_pump *fl_pump_free(struct fl_pump *p)
{
	if (!p)
		return NULL;
	for (enum side side = 0; side < SIDES; side++)
		if (p->polls[side])
			uv_close((uv_handle_t *)p->polls[side], closed);
	if (p->timer)
		uv_close((uv_handle_t *)p->timer, closed);
	free(p);
	return NULL;
}

/* By this the runner knows that no descriptors come. */
static void put_first(struct fl_pump *p)
{
	unsigned char head[FL_FRAME_HEAD];

	fl_frame_head(head, FL_FRAME_BEGIN, 0);
	memcpy(p->from[OUTSIDE].bytes, head, sizeof head);
	p->from[OUTSIDE].n = sizeof head;
}

struct fl_pump *fl_pump_new(uv_loop_t *loop, const struct fl_pump_ends *ends)
{
	struct fl_pump *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->ends = *ends;
	p->loop = loop;
	p->next = p->last = FL_JOB_STATES;
	p->from[OUTSIDE].reader.kinds = FL_FRAMES_OF_CLIENT;
	p->from[INSIDE].reader.kinds = FL_FRAMES_OF_RUNNER;
	p->timer = calloc(1, sizeof *p->timer);
	if (p->timer)
		(void)uv_timer_init(loop, p->timer);
	p->polls[OUTSIDE] = poll_new(p, ends->outside);
	p->polls[INSIDE] = poll_new(p, ends->inside);
	if (!p->timer || !p->polls[OUTSIDE] || !p->polls[INSIDE])
		return fl_pump_free(p);
	p->timer->data = p;
	put_first(p);
	want(p, OUTSIDE, UV_WRITABLE | UV_DISCONNECT);
	want(p, INSIDE, UV_READABLE | UV_WRITABLE);
	return p;
}

void fl_pump_tell(struct fl_pump *p, enum fl_job_state state)
{
	p->next = state;
	/* Sent in its turn: here the caller may not be told of an end. */
	want(p, OUTSIDE, p->events[OUTSIDE] | UV_WRITABLE);
}

bool fl_pump_turn_to(struct fl_pump *p, int inside)
{
	uv_poll_t *poll = poll_new(p, inside);

	if (!poll)
		return false;
	uv_close((uv_handle_t *)p->polls[INSIDE], closed);
	p->polls[INSIDE] = poll;
	p->events[INSIDE] = 0;
	p->ends.inside = inside;
	p->dry = false;
	want(p, INSIDE, UV_READABLE | UV_WRITABLE);
	return true;
}

static void too_long(uv_timer_t *timer)
{
	struct fl_pump *p = timer->data;

	p->rounds++;
	if (is_told_all(p) && !p->dry) {
		p->dry = true;
		go_on(p);
	} else if (p->rounds == UNREAD_ROUNDS) {
		end(p, /* left= */ false);
	}
}

void fl_pump_finish(struct fl_pump *p, enum fl_job_state state)
{
	p->finishes = true;
	p->last = state;
	p->next = FL_JOB_STATES;
	(void)uv_timer_start(p->timer, too_long, QUIET_MS, QUIET_MS);
	want(p, OUTSIDE, p->events[OUTSIDE] | UV_WRITABLE);
}
