/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log - the output of a run, as far as it is written, and new output as it comes
 *
 * A file is read in pieces, as fast as the client reads.  At its end, while the run goes on, the
 * file is read again after a moment: a watch on it (inotify) would save little, as most files that
 * are followed are written to all the time.
 *
 * Both streams are given as they came (streams.h); framed, each piece of one has a head of eight
 * bytes: 1 or 2, as descriptors are numbered, three zeros, and how many bytes follow, the highest
 * first.
 */
#include "daemon/api/job/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "daemon/api/job/streams.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/view.h"

enum { PIECE = 64 * 1024, HEAD = 8, LOOK_MS = 100 };

struct log {
	struct fl_api *api;
	struct fl_exchange *x;
	uint64_t job, task, attempt, from, tail;
	enum fl_stream stream; /* of one alone */
	bool both, framed, follow, full, complete;
	int fd; /* of one alone; -1: nothing was written yet */
	uint64_t at;
	struct fl_streams streams; /* of both */
	bool placed;               /* `skip` is known, as there was output */
	uint64_t skip;             /* bytes of both that are still to be left out */
	uv_timer_t timer;
};

static void done(struct log *l)
{
	fl_fd_close(&l->fd);
	fl_streams_done(&l->streams);
	free(l);
}

static void log_free(uv_handle_t *handle) { done(handle->data); }

static int open_stream(const struct log *l, enum fl_stream stream, struct fl_run_log *ret,
		       fairlead_error *err)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(l->api->core, &ops);

	return ops->log(host, l->job, (uint32_t)l->attempt, (uint32_t)l->task, stream, ret, err);
}

static int open_for_both(void *user, enum fl_stream stream)
{
	struct fl_run_log log = { .fd = -1 };

	return open_stream(user, stream, &log, NULL) == 0 ? log.fd : -1;
}

/* May there be a log later? A run that has not begun has none yet. */
static bool may_come(const struct log *l)
{
	const struct fl_live *live = fl_daemon_job(l->api->daemon, l->job);

	return live && !fl_job_is_over(live->state) && live->attempt <= l->attempt;
}

/* Where reading begins, once there is output. */
static void take(struct log *l, const struct fl_run_log *log)
{
	if (l->both) {
		fl_fd_close(&log->fd);
		return;
	}
	l->fd = log->fd;
	l->at = l->from;
	if (l->tail && log->size > l->tail && l->at < log->size - l->tail)
		l->at = log->size - l->tail;
}

/* Will there be more output? Asked before the last read, so that no output in between is missed. */
static void look(struct log *l)
{
	struct fl_run_log log = { .fd = -1 };
	int code = open_stream(l, l->stream, &log, NULL);

	l->complete = code == 0 ? log.complete : !may_come(l);
	if (log.fd >= 0 && l->fd < 0)
		take(l, &log);
	else if (log.fd >= 0)
		close(log.fd);
}

static void put_head(char head[HEAD], enum fl_stream stream, size_t n)
{
	memset(head, 0, HEAD);
	head[0] = stream == FL_STREAM_OUT ? 1 : 2;
	for (int i = 0; i < 4; i++)
		head[4 + i] = (char)(n >> (24 - 8 * i) & 0xff);
}

/* The next pieces of both, as many as fit. */
static size_t fill(struct log *l, char piece[PIECE])
{
	size_t head = l->framed ? HEAD : 0, n = 0;
	struct fl_streams_run run;

	while (n + head < PIECE && fl_streams_next(&l->streams, &run)) {
		uint64_t room = PIECE - n - head, out = run.n < l->skip ? run.n : l->skip;

		l->skip -= out;
		fl_streams_took(&l->streams, &run, out);
		if (out > 0)
			continue;
		ssize_t got = pread(l->streams.fds[run.stream], piece + n + head,
				    run.n < room ? run.n : room, (off_t)run.at);
		if (got <= 0)
			break;
		if (head)
			put_head(piece + n, run.stream, (size_t)got);
		fl_streams_took(&l->streams, &run, (uint64_t)got);
		n += head + (size_t)got;
	}
	return n;
}

static void place_both(struct log *l)
{
	uint64_t there = l->placed ? 0 : fl_streams_left(&l->streams);

	if (there == 0)
		return;
	l->placed = true;
	l->skip = l->from;
	if (l->tail && there > l->tail && l->skip < there - l->tail)
		l->skip = there - l->tail;
}

static bool pour_both(struct log *l)
{
	char piece[PIECE];
	size_t n;

	place_both(l);
	while (true) {
		struct fl_streams_place before = l->streams.place;
		uint64_t skip = l->skip;

		n = fill(l, piece);
		if (n == 0)
			return true;
		if (!fl_exchange_write(l->x, piece, n)) {
			l->streams.place = before;
			l->skip = skip;
			l->full = true;
			return false;
		}
	}
}

/* Sends what the file has, as far as it fits; true: all of it. */
static bool pour(struct log *l)
{
	char piece[PIECE];
	ssize_t n;

	while (l->fd >= 0 && (n = pread(l->fd, piece, sizeof piece, (off_t)l->at)) > 0) {
		if (!fl_exchange_write(l->x, piece, (size_t)n)) {
			l->full = true;
			return false;
		}
		l->at += (uint64_t)n;
	}
	return true;
}

static void go_on(struct log *l)
{
	if (l->full)
		return;
	look(l);
	if (!(l->both ? pour_both(l) : pour(l)))
		return;
	if (l->complete || !l->follow) {
		fl_exchange_end(l->x);
		uv_close((uv_handle_t *)&l->timer, log_free);
	}
}

static void tick(uv_timer_t *timer) { go_on(timer->data); }

static void drained(void *user)
{
	struct log *l = user;

	l->full = false;
	go_on(l);
}

static void gone(void *user)
{
	struct log *l = user;

	uv_close((uv_handle_t *)&l->timer, log_free);
}

/* The last attempt that began, or the first one. */
static int last_attempt(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	*(uint64_t *)user = row->attempt;
	return 0;
}

static bool read_arguments(const struct fl_call *call, struct log *l)
{
	const char *stream = fl_request_argument(call->r, "stream");
	const struct fl_live *live = fl_daemon_job(call->api->daemon, call->job);
	uint64_t last = live ? live->attempt : 0;
	fairlead_error none;

	l->both = stream && strcmp(stream, "both") == 0;
	l->framed = fl_api_flag(call, "framed");
	if (stream && !l->both && strcmp(stream, "out") != 0 && strcmp(stream, "err") != 0) {
		fl_api_fail(call, 400, "'stream' must be out, err or both", NULL);
		return false;
	}
	if (l->framed && !l->both) {
		fl_api_fail(call, 400, "'framed' is for stream=both only", NULL);
		return false;
	}
	l->stream = stream && strcmp(stream, "err") == 0 ? FL_STREAM_ERR : FL_STREAM_OUT;
	if (!live)
		(void)fl_api_row(call, last_attempt, &last, &none);
	l->follow = fl_api_flag(call, "follow");
	return fl_api_number(call, "task", 0, FL_JOB_TASKS - 1, &l->task) &&
	       fl_api_number(call, "attempt", last ? last : 1, UINT32_MAX, &l->attempt) &&
	       fl_api_number(call, "from", 0, INT64_MAX, &l->from) &&
	       fl_api_number(call, "tail", 0, INT64_MAX, &l->tail);
}

void fl_api_log(struct fl_call *call)
{
	struct log *l = calloc(1, sizeof *l);
	const struct fl_stream_callbacks callbacks = { drained, gone, l };
	struct fl_run_log log = { .fd = -1 };
	fairlead_error err = { 0 };
	char attempt[32];
	int code;

	if (!l) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	*l = (struct log){ .api = call->api, .x = call->x, .job = call->job, .fd = -1 };
	fl_streams_init(&l->streams, open_for_both, l);
	if (!read_arguments(call, l)) {
		done(l);
		return;
	}
	code = open_stream(l, l->stream, &log, &err);
	if (code < 0 && !(code == FAIRLEAD_ENOENT && l->follow && may_come(l))) {
		fl_api_error(call, &err);
		done(l);
		return;
	}
	if (log.fd >= 0)
		take(l, &log);
	if (!fl_exchange_holds(call->x, 1)) {
		done(l);
		return;
	}
	uv_timer_init(call->api->options.loop, &l->timer);
	l->timer.data = l;
	(void)snprintf(attempt, sizeof attempt, "%llu", (unsigned long long)l->attempt);
	fl_exchange_header(call->x, "X-Fairlead-Attempt", attempt);
	fl_exchange_begin(call->x, 200,
			  l->framed ? "application/octet-stream" : "text/plain; charset=utf-8",
			  &callbacks);
	if (l->follow)
		uv_timer_start(&l->timer, tick, LOOK_MS, LOOK_MS);
	go_on(l);
}
