/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/runner/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "backend/local/meeting.h"
#include "backend/process/process.h"

enum { END_OF_FILE = 4 /* Ctrl-D, at a new terminal */, ROOM = FL_FRAME_HEAD + FL_RELAY_READ };

static const char end_of_file[] = { END_OF_FILE };

/* --- the files --- */

static void close_place(struct fl_relay *r, enum fl_relay_place p)
{
	if (r->fds[p] < 0)
		return;
	/* Other processes may have it, so that closing does not take it out. */
	if (r->watched[p])
		(void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->fds[p], NULL);
	r->watched[p] = 0;
	(void)close(r->fds[p]);
	r->fds[p] = -1;
}

static bool is_on(int fd) { return fcntl(fd, F_SETFL, O_NONBLOCK) == 0; }

/* @ours: which end of the pipe stays here. */
static bool make_pipe(int *ours, int *task, int which)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	*ours = ends[which];
	*task = ends[1 - which];
	return is_on(*ours);
}

static bool make_pipes(struct fl_relay *r, int ret[3])
{
	return make_pipe(&r->fds[FL_RELAY_IN], &ret[0], 1) &&
	       make_pipe(&r->fds[FL_RELAY_OUT], &ret[1], 0) &&
	       make_pipe(&r->fds[FL_RELAY_ERR], &ret[2], 0);
}

/* One that erases whole characters. */
static void set_up(int slave)
{
	struct termios t;

	if (tcgetattr(slave, &t) == 0) {
		t.c_iflag |= IUTF8;
		(void)tcsetattr(slave, TCSANOW, &t);
	}
}

static bool make_terminal(struct fl_relay *r, int ret[3])
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	r->fds[FL_RELAY_IN] = master;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || !is_on(master))
		return false;
	r->fds[FL_RELAY_OUT] = fcntl(master, F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 3; i++)
		ret[i] = i == 0 ? ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC) :
				  fcntl(ret[0], F_DUPFD_CLOEXEC, 3);
	if (ret[0] >= 0)
		set_up(ret[0]);
	return r->fds[FL_RELAY_OUT] >= 0 && ret[2] >= 0 && ret[1] >= 0;
}

int fl_relay_open(struct fl_relay *r, const struct fl_attempt_spec *spec, int socket, int ret[3],
		  fairlead_error *err)
{
	r->terminal = spec->interactive == FL_INTERACTIVE_TERMINAL;
	r->fds[FL_RELAY_SOCKET] = socket;
	r->reader.kinds = FL_FRAMES_TO_RUNNER;
	r->daemon = fl_meeting_peer(socket);
	r->tell = true;
	r->out = malloc(FL_RELAY_KEPT);
	r->typed = malloc(FL_RELAY_TYPED);
	if (!r->out || !r->typed)
		return fl_fail_nomem(err);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0 || !is_on(socket) ||
	    !(r->terminal ? make_terminal(r, ret) : make_pipes(r, ret)))
		return fl_fail(err, FAIRLEAD_EIO, "cannot make its standard files: %s",
			       strerror(errno));
	/* Without it the run cannot go on with another daemon: it begins all the same. */
	r->fds[FL_RELAY_LISTENER] = fl_meeting_open(spec->token);
	return 0;
}

/* --- the connection --- */

static void lose(struct fl_relay *r)
{
	close_place(r, FL_RELAY_SOCKET);
	r->reader = (struct fl_frame_reader){ .kinds = FL_FRAMES_TO_RUNNER };
	r->typed_at = r->typed_end = 0;
	r->control_n = r->control_at = 0;
	r->resumed = r->blocked = false;
}

static void meet(struct fl_relay *r)
{
	int fd = fl_meeting_take(r->fds[FL_RELAY_LISTENER], r->daemon);

	if (fd < 0)
		return;
	lose(r);
	r->fds[FL_RELAY_SOCKET] = fd;
	r->tell = true;
}

/* 0: not now; -1: never more. */
static ssize_t try(ssize_t n)
{
	return n > 0 ? n : n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* --- to the client --- */

static uint32_t length_at(const struct fl_relay *r, size_t at)
{
	return (uint32_t)fl_frame_number(r->out + at + 4, 4);
}

/* The client has taken @n bytes of output in all: whole frames that were sent are kept no more. */
static void release(struct fl_relay *r, uint64_t n)
{
	while (r->kept < r->sent) {
		uint32_t len = length_at(r, r->kept);

		if (r->kept + FL_FRAME_HEAD + len > r->sent || r->kept_at + len > n)
			return;
		r->kept += FL_FRAME_HEAD + len;
		r->kept_at += len;
	}
}

/* On a new connection: the rest of a frame of which a part was taken gets a head of its own. */
static void resume(struct fl_relay *r, uint64_t n)
{
	uint32_t len = r->kept < r->end ? length_at(r, r->kept) : 0;
	uint64_t part = n > r->kept_at ? n - r->kept_at : 0;
	unsigned char head[FL_FRAME_HEAD];

	if (part > 0 && part < len) {
		fl_frame_head(head, (enum fl_frame_kind)r->out[r->kept], len - (uint32_t)part);
		r->kept += part;
		r->kept_at += part;
		memcpy(r->out + r->kept, head, sizeof head);
	}
	r->sent = r->frame_end = r->kept;
	r->resumed = true;
}

static void hear_taken(struct fl_relay *r, uint64_t n)
{
	release(r, n);
	if (!r->resumed)
		resume(r, n);
}

static size_t room(const struct fl_relay *r) { return FL_RELAY_KEPT - (r->end - r->kept); }

static void move_to_front(struct fl_relay *r)
{
	memmove(r->out, r->out + r->kept, r->end - r->kept);
	r->sent -= r->kept;
	r->frame_end -= r->kept;
	r->end -= r->kept;
	r->kept = 0;
}

/* false: there is nothing now. */
static bool print(struct fl_relay *r, enum fl_relay_place p)
{
	unsigned char head[FL_FRAME_HEAD];

	if (r->fds[p] < 0 || room(r) < ROOM)
		return false;
	if (FL_RELAY_KEPT - r->end < ROOM)
		move_to_front(r);
	ssize_t n = try(read(r->fds[p], r->out + r->end + FL_FRAME_HEAD, FL_RELAY_READ));
	if (n < 0)
		close_place(r, p);
	if (n <= 0)
		return false;
	fl_frame_head(head, p == FL_RELAY_OUT ? FL_FRAME_OUT : FL_FRAME_ERR, (uint32_t)n);
	memcpy(r->out + r->end, head, sizeof head);
	r->end += FL_FRAME_HEAD + (size_t)n;
	return true;
}

static bool must_tell(const struct fl_relay *r)
{
	return r->tell || r->taken - r->told >= FL_FRAME_TELL;
}

/* false: it takes no more now, or is lost. */
static bool send_some(struct fl_relay *r, const void *bytes, size_t len, size_t *at)
{
	ssize_t n = try(send(r->fds[FL_RELAY_SOCKET], bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT));

	if (n < 0)
		lose(r);
	else
		*at += (size_t)n;
	r->blocked = n == 0;
	return n > 0;
}

static void speak(struct fl_relay *r)
{
	bool goes = r->fds[FL_RELAY_SOCKET] >= 0;

	while (goes) {
		if (r->control_at < r->control_n) {
			goes = send_some(r, r->control + r->control_at,
					 r->control_n - r->control_at, &r->control_at);
		} else if (r->sent == r->frame_end && must_tell(r)) {
			fl_frame_taken(r->control, r->taken);
			r->control_n = sizeof r->control;
			r->control_at = 0;
			r->told = r->taken;
			r->tell = false;
		} else if (r->resumed && r->sent < r->end) {
			if (r->sent == r->frame_end)
				r->frame_end += FL_FRAME_HEAD + length_at(r, r->sent);
			goes = send_some(r, r->out + r->sent, r->frame_end - r->sent, &r->sent);
		} else {
			goes = false;
			r->blocked = false;
		}
	}
}

/* --- from the client --- */

static size_t n_typed(const struct fl_relay *r) { return r->typed_end - r->typed_at; }

/* What comes behind the last byte. */
static void end_input(struct fl_relay *r)
{
	if (!r->terminal)
		close_place(r, FL_RELAY_IN);
	else if (r->fds[FL_RELAY_IN] >= 0)
		r->end_is_typed = write(r->fds[FL_RELAY_IN], end_of_file, sizeof end_of_file) == 1;
}

static bool must_end(const struct fl_relay *r)
{
	return r->in_ended && !r->end_is_typed && r->fds[FL_RELAY_IN] >= 0;
}

static void type(struct fl_relay *r)
{
	while (n_typed(r) > 0) {
		ssize_t n = (ssize_t)n_typed(r); /* no one reads it: it goes nowhere */

		if (r->fds[FL_RELAY_IN] >= 0)
			n = try(write(r->fds[FL_RELAY_IN], r->typed + r->typed_at, n_typed(r)));
		if (n == 0)
			return;
		if (n < 0) {
			close_place(r, FL_RELAY_IN);
			continue;
		}
		r->taken += (uint64_t)n;
		r->typed_at += (size_t)n;
	}
	r->typed_at = r->typed_end = 0;
	if (must_end(r))
		end_input(r);
}

/*
 * The other end is closed: what is typed goes nowhere.  A terminal stays open all the same, since its
 * end would hang up processes that are still there.
 */
static void discard(struct fl_relay *r)
{
	r->taken += n_typed(r);
	r->typed_at = r->typed_end = 0;
	if (r->terminal)
		r->end_is_typed |= r->in_ended;
	else
		close_place(r, FL_RELAY_IN);
}

static void resize(const struct fl_relay *r, const char *bytes)
{
	const struct winsize size = { .ws_row = (unsigned short)fl_frame_number(bytes, 2),
				      .ws_col = (unsigned short)fl_frame_number(bytes + 2, 2) };

	if (r->terminal && r->fds[FL_RELAY_IN] >= 0)
		(void)ioctl(r->fds[FL_RELAY_IN], TIOCSWINSZ, &size);
}

static void take_piece(struct fl_relay *r, const struct fl_frame_piece *p)
{
	switch (p->kind) {
	case FL_FRAME_IN:
		memcpy(r->typed + r->typed_end, p->bytes, p->len);
		r->typed_end += p->len;
		r->in_ended |= p->len == 0;
		break;
	case FL_FRAME_OUT:
	case FL_FRAME_ERR:
		if (p->len == 0 && !r->terminal)
			close_place(r, p->kind == FL_FRAME_OUT ? FL_RELAY_OUT : FL_RELAY_ERR);
		break;
	case FL_FRAME_SIZE:
		resize(r, p->bytes);
		break;
	case FL_FRAME_TAKEN:
		hear_taken(r, fl_frame_number(p->bytes, 8));
		break;
	case FL_FRAME_STATE:
	case FL_FRAME_BEGIN:
	case FL_FRAME_KINDS:
		break;
	}
}

/* A client that keeps to its window leaves room for what it says beside its input. */
static bool has_room(const struct fl_relay *r)
{
	return FL_RELAY_TYPED - n_typed(r) >= FL_RELAY_READ;
}

static void make_room(struct fl_relay *r)
{
	if (FL_RELAY_TYPED - r->typed_end >= FL_RELAY_READ)
		return;
	memmove(r->typed, r->typed + r->typed_at, n_typed(r));
	r->typed_end -= r->typed_at;
	r->typed_at = 0;
}

static void hear(struct fl_relay *r)
{
	char bytes[FL_RELAY_READ];
	const char *at = bytes;
	struct fl_frame_piece piece;
	ssize_t n;
	size_t left;

	if (!has_room(r))
		return;
	make_room(r);
	n = try(recv(r->fds[FL_RELAY_SOCKET], bytes, sizeof bytes, MSG_DONTWAIT));
	left = n > 0 ? (size_t)n : 0;
	while (fl_frame_next(&r->reader, &at, &left, &piece))
		take_piece(r, &piece);
	if (n < 0 || r->reader.bad)
		lose(r);
	else
		type(r);
}

/* --- turns --- */

static uint32_t wanted(const struct fl_relay *r, enum fl_relay_place p)
{
	switch (p) {
	case FL_RELAY_IN:
		return n_typed(r) > 0 || must_end(r) ? EPOLLOUT : 0;
	case FL_RELAY_OUT:
	case FL_RELAY_ERR:
		return room(r) >= ROOM ? EPOLLIN : 0;
	case FL_RELAY_SOCKET:
		return (has_room(r) ? EPOLLIN : 0) | (r->blocked ? EPOLLOUT : 0);
	case FL_RELAY_LISTENER:
		return EPOLLIN;
	case FL_RELAY_PLACES:
		break;
	}
	return 0;
}

/* One of which nothing is wanted is taken out: its end would be told all the time. */
static void watch(struct fl_relay *r)
{
	for (enum fl_relay_place p = 0; p < FL_RELAY_PLACES; p++) {
		uint32_t events = r->fds[p] >= 0 ? wanted(r, p) : 0, was = r->watched[p];
		struct epoll_event e = { .events = events, .data.u32 = p };

		if (events == was)
			continue;
		if (epoll_ctl(r->epoll,
			      !was    ? EPOLL_CTL_ADD :
			      !events ? EPOLL_CTL_DEL :
					EPOLL_CTL_MOD,
			      r->fds[p], &e) == 0)
			r->watched[p] = events;
	}
}

void fl_relay_begin(struct fl_relay *r)
{
	if (r->epoll >= 0)
		watch(r);
}

void fl_relay_turn(struct fl_relay *r)
{
	struct epoll_event events[FL_RELAY_PLACES];
	int n = r->epoll >= 0 ? epoll_wait(r->epoll, events, FL_RELAY_PLACES, 0) : 0;

	for (int i = 0; i < n; i++)
		switch ((enum fl_relay_place)events[i].data.u32) {
		case FL_RELAY_IN:
			type(r);
			if (events[i].events & (EPOLLHUP | EPOLLERR))
				discard(r);
			break;
		case FL_RELAY_OUT:
		case FL_RELAY_ERR:
			(void)print(r, (enum fl_relay_place)events[i].data.u32);
			break;
		case FL_RELAY_SOCKET:
			hear(r);
			break;
		case FL_RELAY_LISTENER:
			meet(r);
			break;
		case FL_RELAY_PLACES:
			break;
		}
	if (r->epoll < 0)
		return;
	speak(r);
	watch(r);
}

/* --- the end --- */

bool fl_relay_is_attended(const struct fl_relay *r) { return r->fds[FL_RELAY_SOCKET] >= 0; }

static void close_files(struct fl_relay *r)
{
	close_place(r, FL_RELAY_IN);
	close_place(r, FL_RELAY_OUT);
	close_place(r, FL_RELAY_ERR);
}

void fl_relay_hang_up(struct fl_relay *r)
{
	close_files(r);
	r->given_up = true;
}

static void print_rest(struct fl_relay *r)
{
	while (print(r, FL_RELAY_OUT) || print(r, FL_RELAY_ERR))
		continue;
	/* No process is left that could print more. */
	if (room(r) >= ROOM)
		close_files(r);
}

static bool is_told(const struct fl_relay *r)
{
	return r->fds[FL_RELAY_OUT] < 0 && r->fds[FL_RELAY_ERR] < 0 && r->resumed &&
	       r->sent == r->end && r->control_at == r->control_n;
}

void fl_relay_finish(struct fl_relay *r, fl_time patience)
{
	struct pollfd wait = { .fd = r->epoll, .events = POLLIN };
	fl_time until = fl_sat_add(fl_boot_clock(), patience), now;

	while (r->epoll >= 0 && !r->given_up) {
		size_t unsent = r->end - r->sent;

		print_rest(r);
		fl_relay_turn(r);
		now = fl_boot_clock();
		if (r->end - r->sent != unsent)
			until = fl_sat_add(now, patience);
		if (is_told(r) || now >= until)
			break;
		(void)poll(&wait, 1, (int)((until - now) / 1000000) + 1);
	}
	/* A copy of the daemon may have this end, too. */
	if (r->fds[FL_RELAY_SOCKET] >= 0)
		(void)shutdown(r->fds[FL_RELAY_SOCKET], SHUT_WR);
	for (enum fl_relay_place p = 0; p < FL_RELAY_PLACES; p++)
		close_place(r, p);
}
