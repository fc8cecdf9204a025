/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/ask/simulations.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/time.h"
#include "daemon/api/ask/child.h"
#include "daemon/api/ask/foretell.h"
#include "daemon/api/ask/simulate.h"
#include "daemon/api/ask/trial.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/process/aside.h"
#include "report/out/page.h"

enum {
	RUNNING = 4,                     /* at once; of a user other than root half of it */
	KEPT = 32,                       /* that have ended */
	REPORT_BYTES = 32 * 1024 * 1024, /* of one */
	ALL_BYTES = 128 * 1024 * 1024,   /* of all */
	PROCESSOR = 600,                 /* seconds of one */
	AT_MOST = 3600,                  /* seconds on the clock, of one */
	LIFE = 3600,                     /* seconds that one is kept after its end */
	NICE = 10,
	READ = 64 * 1024,
};

static const fl_time day = 86400 * FL_SECOND;

enum state { RUNS, DONE, FAILED, CANCELLED };
static const char *const states[] = { "running", "done", "failed", "cancelled" };

struct fl_simulation {
	struct fl_api *api;
	struct fl_simulation *next, **link; /* the newest first */
	uint64_t id;
	struct fl_principal owner; /* the user, also of a token */
	char user[64];
	struct fl_simulate_options options;
	enum state state;
	double progress;
	fl_time started, ended;
	fairlead_error err; /* FAILED: why */
	pid_t pid;
	uv_pipe_t pipe;
	uv_timer_t timer; /* RUNS: the most it may take; else how long it is kept */
	uint32_t open;    /* handles */
	char *bytes;      /* that came, and are no whole piece yet */
	size_t len, room;
	struct {
		char *bytes;
		size_t len;
	} parts[FL_SIMULATE_PIECES];
};

/* --- the list --- */

static struct fl_simulation *find(const struct fl_api *a, uint64_t id)
{
	struct fl_simulation *s = a->simulations;

	while (s && s->id != id)
		s = s->next;
	return s;
}

static size_t bytes_of(const struct fl_simulation *s)
{
	size_t n = 0;

	for (int i = 0; i < FL_SIMULATE_PIECES; i++)
		n += s->parts[i].len;
	return n;
}

static void handle_closed(uv_handle_t *handle)
{
	struct fl_simulation *s = handle->data;

	if (--s->open > 0)
		return;
	for (int i = 0; i < FL_SIMULATE_PIECES; i++)
		free(s->parts[i].bytes);
	free(s->bytes);
	free(s);
}

/* The copy has ended or is killed now, so the loop waits for it only a moment. Its status. */
static int reap(struct fl_simulation *s)
{
	int status = 0;

	if (s->pid > 0)
		status = fl_aside_end(s->pid);
	s->pid = 0;
	if (!uv_is_closing((uv_handle_t *)&s->pipe))
		uv_close((uv_handle_t *)&s->pipe, handle_closed);
	return status;
}

static void forget(struct fl_simulation *s)
{
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	(void)reap(s);
	uv_close((uv_handle_t *)&s->timer, handle_closed);
}

static void over(uv_timer_t *timer) { forget(timer->data); }

/* Makes room: the oldest that have ended go, but for @keep. */
static void forget_oldest(struct fl_api *a, const struct fl_simulation *keep)
{
	for (;;) {
		struct fl_simulation *oldest = NULL;
		size_t bytes = 0, n = 0;

		for (struct fl_simulation *s = a->simulations; s; s = s->next) {
			if (s->state == RUNS)
				continue;
			bytes += bytes_of(s);
			n++;
			oldest = s != keep ? s : oldest;
		}
		if (!oldest || (n <= KEPT && bytes <= ALL_BYTES))
			return;
		forget(oldest);
	}
}

/* --- how it ends --- */

static void end(struct fl_simulation *s, enum state state)
{
	s->state = state;
	s->ended = fl_clock_now(&s->api->daemon->clock);
	if (state == DONE)
		s->progress = 1;
	free(s->bytes);
	s->bytes = NULL;
	s->len = s->room = 0;
	(void)uv_timer_start(&s->timer, over, LIFE * 1000, 0);
	forget_oldest(s->api, s);
}

static void fail(struct fl_simulation *s, const char *text, const char *hint)
{
	fl_fail(&s->err, FAIRLEAD_ELIMIT, "%s", text);
	fl_fail_hint(&s->err, "%s", hint);
	(void)reap(s);
	end(s, FAILED);
}

static void too_late(uv_timer_t *timer)
{
	fail(timer->data, "the simulation took more than an hour", "ask for a shorter horizon");
}

/* The pipe is closed without a last piece. */
static void died(struct fl_simulation *s)
{
	int status = reap(s);
	char text[128];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		(void)snprintf(text, sizeof text,
			       "the simulation took more than %d seconds of processor time",
			       PROCESSOR);
	else if (WIFSIGNALED(status))
		(void)snprintf(text, sizeof text,
			       "the process of the simulation was killed by signal %d",
			       WTERMSIG(status));
	else
		(void)snprintf(text, sizeof text, "the process of the simulation ended early");
	fail(s, text, "try again, or ask for a shorter horizon");
}

/* --- what it writes --- */

static void take(struct fl_simulation *s, const struct fl_simulate_head *head, const char *bytes)
{
	char *copy;

	switch (head->piece) {
	case FL_SIMULATE_PROGRESS:
		if (head->len == sizeof s->progress)
			memcpy(&s->progress, bytes, sizeof s->progress);
		break;
	case FL_SIMULATE_ERROR:
		if (head->len == sizeof s->err)
			memcpy(&s->err, bytes, sizeof s->err);
		(void)reap(s);
		end(s, FAILED);
		break;
	case FL_SIMULATE_DONE:
		(void)reap(s);
		end(s, DONE);
		break;
	default:
		copy = malloc(head->len + 1);
		if (!copy) {
			fail(s, "out of memory for the report", "try again in a moment");
			break;
		}
		memcpy(copy, bytes, head->len);
		free(s->parts[head->piece].bytes);
		s->parts[head->piece].bytes = copy;
		s->parts[head->piece].len = head->len;
		break;
	}
}

/* All whole pieces that came. */
static void take_all(struct fl_simulation *s)
{
	size_t at = 0;

	while (s->state == RUNS && s->len - at >= sizeof(struct fl_simulate_head)) {
		struct fl_simulate_head head;

		memcpy(&head, s->bytes + at, sizeof head);
		if ((unsigned)head.piece >= FL_SIMULATE_PIECES ||
		    head.len > REPORT_BYTES - bytes_of(s)) {
			fail(s, "the report of the simulation is too large",
			     "ask for a shorter horizon");
			return;
		}
		if (s->len - at - sizeof head < head.len)
			break;
		take(s, &head, s->bytes + at + sizeof head);
		at += sizeof head + head.len;
	}
	if (s->state != RUNS)
		return;
	memmove(s->bytes, s->bytes + at, s->len - at);
	s->len -= at;
}

static void room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct fl_simulation *s = handle->data;

	(void)suggested;
	*buf = uv_buf_init(NULL, 0);
	if (s->room - s->len < READ) {
		char *bytes = realloc(s->bytes, 2 * s->room + READ);

		if (!bytes)
			return;
		s->bytes = bytes;
		s->room = 2 * s->room + READ;
	}
	*buf = uv_buf_init(s->bytes + s->len, (unsigned)(s->room - s->len));
}

static void came(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct fl_simulation *s = stream->data;

	(void)buf;
	if (s->state != RUNS)
		return;
	if (n > 0) {
		s->len += (size_t)n;
		take_all(s);
	} else if (n == UV_ENOBUFS) {
		fail(s, "out of memory for the report", "try again in a moment");
	} else if (n < 0) {
		died(s);
	}
}

/* --- answers --- */

static json_t *horizon_of(const struct fl_simulation *s)
{
	const fl_time t = s->options.horizon;

	return t == FL_NEVER ? json_null() : json_real((double)t / FL_SECOND);
}

static json_t *object_of(const struct fl_simulation *s)
{
	const struct fl_api *a = s->api;
	json_t *error = s->state == FAILED ?
				json_pack("{s:s, s:s}", "text", s->err.text, "hint", s->err.hint) :
				json_null();

	return json_pack("{s:I, s:s, s:f, s:s, s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:I}", "id",
			 (json_int_t)s->id, "state", states[s->state], "progress", s->progress,
			 "user", s->user, "startedAt", fl_api_moment(a, s->started), "endedAt",
			 fl_api_moment(a, s->ended), "error", error, "horizonSeconds",
			 horizon_of(s), "seed", (json_int_t)s->options.seed, "arrivals",
			 s->options.arrivals, "trace", s->options.trace, "reportBytes",
			 (json_int_t)bytes_of(s));
}

void fl_api_simulations(struct fl_call *call)
{
	json_t *list = json_array();

	for (const struct fl_simulation *s = call->api->simulations; s; s = s->next)
		if (json_array_insert_new(list, 0, object_of(s)) != 0) {
			json_decref(list);
			list = NULL;
			break;
		}
	fl_api_json(call, 200, list ? json_pack("{s:o}", "simulations", list) : NULL);
}

/* NULL: an error was answered. */
static struct fl_simulation *simulation_of(const struct fl_call *call)
{
	struct fl_simulation *s = find(call->api, call->job);
	char text[64];

	(void)snprintf(text, sizeof text, "there is no simulation %" PRIu64, call->job);
	if (!s)
		fl_api_fail(call, 404, text,
			    "they are kept for an hour after their end, and not over a restart; "
			    "GET /v1/simulations lists them");
	return s;
}

/* The same, of those that the caller may touch. */
static struct fl_simulation *own_simulation(const struct fl_call *call)
{
	const struct fl_principal behind = fl_principal_behind(&call->r->who);
	struct fl_simulation *s = simulation_of(call);

	if (!s || fl_principal_same(&behind, &s->owner) || fl_api_is_admin(call))
		return s;
	fl_api_fail(call, 403, "this simulation belongs to another user",
		    "its owner and admins can do this");
	return NULL;
}

void fl_api_simulation(struct fl_call *call)
{
	const struct fl_simulation *s = simulation_of(call);

	if (s)
		fl_api_json(call, 200, object_of(s));
}

static void answer_page(const struct fl_call *call, const char *json, size_t len)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool bad = !out || fl_page_write(out, json, len) < 0;

	bad |= out && fclose(out) != 0;
	if (!bad && text) {
		fl_exchange_give(call->x, 200, "text/html; charset=utf-8", text, n);
		return;
	}
	free(text);
	fl_api_fail(call, 503, "out of memory", NULL);
}

void fl_api_simulation_report(struct fl_call *call)
{
	const char *format = fl_request_argument(call->r, "format");
	const struct fl_simulation *s = own_simulation(call);
	enum fl_simulate_piece piece = !format || strcmp(format, "text") == 0 ? FL_SIMULATE_TEXT :
				       strcmp(format, "json") == 0            ? FL_SIMULATE_JSON :
				       strcmp(format, "html") == 0            ? FL_SIMULATE_PAGE :
										FL_SIMULATE_DONE;

	if (!s)
		return;
	if (piece == FL_SIMULATE_DONE)
		fl_api_fail(call, 400, "'format' is text, json or html", NULL);
	else if (s->state == RUNS)
		fl_api_fail(call, 409, "the simulation has not ended",
			    "GET /v1/simulations/ID has its progress");
	else if (s->state == FAILED)
		fl_api_fail(call, 409, s->err.text, s->err.hint);
	else if (s->state == CANCELLED)
		fl_api_fail(call, 409, "the simulation was cancelled", NULL);
	else if (piece == FL_SIMULATE_PAGE)
		answer_page(call, s->parts[piece].bytes, s->parts[piece].len);
	else
		fl_exchange_answer(call->x, 200,
				   piece == FL_SIMULATE_JSON ? NULL : "text/plain; charset=utf-8",
				   s->parts[piece].bytes, s->parts[piece].len);
}

void fl_api_simulation_delete(struct fl_call *call)
{
	struct fl_simulation *s = own_simulation(call);

	if (!s)
		return;
	if (s->state == RUNS) {
		(void)reap(s);
		end(s, CANCELLED);
		fl_api_json(call, 200, object_of(s));
		return;
	}
	fl_api_json(call, 200, object_of(s));
	forget(s);
}

/* --- how it begins --- */

/* A trace is read in the copy alone; here only what can be told at once. */
static bool check_trace(const struct fl_call *call)
{
	const char *trace = fl_request_argument(call->r, "trace");
	const struct fl_config *config = fl_daemon_config(call->api->daemon);

	if (!trace)
		return true;
	if (strcmp(trace, "swf") != 0)
		fl_api_fail(call, 400, "'trace' is not 'swf', the format of the log in the body",
			    NULL);
	else if (!call->r->body_len)
		fl_api_fail(call, 400, "the body is empty, and has to be the trace", NULL);
	else if (!fl_request_argument(call->r, "queue"))
		fl_api_fail(call, 400, "'queue' is missing, to which the jobs of the trace go",
			    "it is a name, with {user}, {group}, {queue} or {partition} filled in");
	else if (fl_config_is_of_cluster(config))
		fl_api_fail(
			call, 409, "this daemon has no machine that a trace could run on",
			"the objects of a cluster are simulated by: fairlead simulate --context");
	else
		return true;
	return false;
}

static bool options_of(const struct fl_call *call, struct fl_simulate_options *ret)
{
	const char *horizon = fl_request_argument(call->r, "horizon");
	uint64_t width;
	fairlead_error err = { 0 };

	*ret = (struct fl_simulate_options){
		.horizon = fl_request_argument(call->r, "trace") ? FL_NEVER : day,
		.trace = fl_request_argument(call->r, "trace"),
		.arrivals = !fl_request_argument(call->r, "trace") &&
			    (!fl_request_argument(call->r, "arrivals") ||
			     fl_api_flag(call, "arrivals")),
		.color = fl_api_flag(call, "color"),
		.all = fl_api_flag(call, "all"),
	};
	if (!fl_api_number(call, "seed", 1, INT64_MAX, &ret->seed) ||
	    !fl_api_number(call, "width", 0, 10000, &width))
		return false;
	ret->width = (unsigned)width;
	if (horizon && fl_period_parse(horizon, strlen(horizon), &ret->horizon, &err) < 0)
		fl_api_fail(call, 400, "'horizon' is not a length of time",
			    "write it with a unit, for example 12h or 7d");
	else if (horizon && (ret->horizon <= 0 || ret->horizon > 366 * day))
		fl_api_fail(call, 400, "'horizon' is more than 0 and at most 366d", NULL);
	else
		return true;
	return false;
}

/* A user other than root, with its tokens, may have half of those that run. */
static bool may_begin(const struct fl_call *call)
{
	const struct fl_principal behind = fl_principal_behind(&call->r->who);
	uint32_t all = 0, own = 0;

	for (const struct fl_simulation *s = call->api->simulations; s; s = s->next) {
		if (s->state != RUNS)
			continue;
		all++;
		own += fl_principal_same(&s->owner, &behind);
	}
	if (all < RUNNING && (fl_principal_is_root(&call->r->who) || own < RUNNING / 2))
		return fl_api_may_copy(call);
	fl_api_fail(call, 429,
		    all < RUNNING ? "two simulations of this user run already" :
				    "four simulations run already",
		    "wait until one of them has ended, or cancel one");
	return false;
}

/* Changes that cannot be read are refused at once, and not by a copy later. */
static bool check_changes(const struct fl_call *call)
{
	struct fl_api_trial trial = { 0 };
	fairlead_error err = { 0 };
	int code = fl_api_has_changes(call) ? fl_api_trial_read(&trial, call, &err) : 0;

	fl_api_trial_done(&trial);
	if (code < 0)
		fl_api_error(call, &err);
	return code == 0;
}

/* Its copy is made; false: it could not be. */
static bool start(const struct fl_call *call, struct fl_simulation *s)
{
	const struct fl_aside limits = {
		.seconds = PROCESSOR,
		.bytes = (uint64_t)fl_daemon_settings_of(call->api->daemon)->max_simulation,
		.nice = NICE,
	};
	int fd, made = fl_aside_new(&limits, &s->pid, &fd);

	if (made > 0)
		fl_api_simulate(call, &s->options);
	if (made < 0)
		return false;
	s->pipe.data = s->timer.data = s;
	s->open = 2;
	(void)uv_timer_init(call->api->options.loop, &s->timer);
	(void)uv_timer_start(&s->timer, too_late, AT_MOST * 1000, 0);
	(void)uv_pipe_init(call->api->options.loop, &s->pipe, 0);
	(void)uv_pipe_open(&s->pipe, fd);
	(void)uv_read_start((uv_stream_t *)&s->pipe, room, came);
	return true;
}

static void enter(struct fl_api *a, struct fl_simulation *s)
{
	s->api = a;
	s->id = ++a->last_simulation;
	s->next = a->simulations;
	s->link = &a->simulations;
	if (s->next)
		s->next->link = &s->next;
	a->simulations = s;
}

static void begin(struct fl_call *call)
{
	struct fl_api *a = call->api;
	struct fl_simulation *s;
	char place[64];

	if (!may_begin(call))
		return;
	s = calloc(1, sizeof *s);
	if (s) {
		(void)options_of(call, &s->options); /* checked before */
		s->owner = fl_principal_behind(&call->r->who);
		s->started = fl_clock_now(&a->daemon->clock);
		s->ended = FL_TIME_NONE;
		(void)snprintf(s->user, sizeof s->user, "%s",
			       fl_access_name(a->access, &call->r->who));
	}
	if (!s || !start(call, s)) {
		free(s);
		fl_api_fail(call, 503, "no process could be started for this simulation",
			    "try again in a moment");
		return;
	}
	enter(a, s);
	(void)snprintf(place, sizeof place, "/v1/simulations/%" PRIu64, s->id);
	fl_exchange_header(call->x, "Location", place);
	fl_api_json(call, 202, object_of(s));
}

void fl_api_simulations_begin(struct fl_call *call)
{
	struct fl_simulate_options options;

	if (options_of(call, &options) && check_trace(call) && may_begin(call) &&
	    check_changes(call))
		fl_api_foretell(call, begin);
}

void fl_api_simulations_end(struct fl_api *a)
{
	while (a->simulations)
		forget(a->simulations);
}
