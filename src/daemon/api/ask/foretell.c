/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/ask/foretell.h"

#include <stdlib.h>
#include <string.h>

#include "codec/text/quantity.h"
#include "daemon/api/ask/child.h"
#include "daemon/engine/daemon.h"
#include "daemon/history/past.h"

enum { STARTS = 200 /* unless asked for more or less */, MOST_STARTS = 1000 };

/* --- the past --- */

struct foretelling {
	struct fl_call call;
	void (*then)(struct fl_call *call);
	uv_work_t work;
	struct fl_store *store;
	fl_time now;
	struct fl_past *past;
	int code;
	fairlead_error err;
};

static void read_past(uv_work_t *work)
{
	struct foretelling *f = work->data;

	f->code = fl_past_read(f->store, f->now, &f->past, &f->err);
}

static void has_read_past(uv_work_t *work, int status)
{
	struct foretelling *f = work->data;
	struct fl_call *call = &f->call;

	(void)status;
	call->api->n_threads--;
	call->past = f->past;
	if (call->api->closed)
		fl_api_fail(call, 503, "the daemon is stopping", NULL);
	else if (f->code < 0)
		fl_api_error(call, &f->err);
	else
		f->then(call);
	fl_past_free(f->past);
	free(f);
}

void fl_api_foretell(struct fl_call *call, void (*then)(struct fl_call *call))
{
	struct foretelling *f;

	if (!fl_api_may_read(call))
		return;
	f = calloc(1, sizeof *f);
	if (!f) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	f->call = *call;
	f->then = then;
	f->work.data = f;
	f->store = call->api->daemon->store;
	f->now = fl_clock_now(&call->api->daemon->clock);
	call->api->n_threads++;
	(void)uv_queue_work(call->api->options.loop, &f->work, read_past, has_read_past);
}

/* --- GET /v1/starts: in a copy of the process --- */

static bool is_wanted(const struct fl_call *call, const struct fl_live *job)
{
	const char *queue = fl_request_argument(call->r, "queue");
	const char *user = fl_request_argument(call->r, "user");
	const struct fl_daemon *daemon = call->api->daemon;

	return job->state == FL_JOB_WAITS &&
	       (!queue || strcmp(fl_daemon_word(daemon, job->queue), queue) == 0) &&
	       (!user || strcmp(fl_daemon_word(daemon, job->user), user) == 0);
}

static fl_time moment(const struct fl_call *call, const struct fl_forecast *f, fl_time at)
{
	bool known = f->state == FL_FORECAST_FITS || f->state == FL_FORECAST_LATER;

	return known && at != FL_NEVER ? fl_api_wall(call->api, at) : FL_TIME_NONE;
}

static void write_starts(const struct fl_call *call, const struct fl_foretold *rows,
			 struct fl_start_answer *told, struct fl_starts_answer *answer, FILE *out)
{
	struct fl_report report = { .out = out, .quantity = fl_quantity_format };
	struct fl_json json;
	struct fl_shape_at at = { .json = &json, .report = &report };

	for (uint32_t i = 0; i < answer->n; i++) {
		const struct fl_forecast *f = &rows[i].forecast;

		told[i] = (struct fl_start_answer){ .job = rows[i].job,
						    .state = fl_eta_state_name(f->state),
						    .start = moment(call, f, f->start),
						    .from = moment(call, f, f->from),
						    .to = moment(call, f, f->to) };
	}
	answer->starts = told;
	answer->now = fl_api_now(call->api);
	fl_json_init(&json, out);
	fl_shape_json(&at, NULL, &fl_starts_shape, answer);
}

static int starts(struct fl_call *call, FILE *out, fairlead_error *err)
{
	struct fl_foretold *rows = calloc(MOST_STARTS, sizeof *rows);
	struct fl_start_answer *told = calloc(MOST_STARTS, sizeof *told);
	struct fl_starts_answer answer = { 0 };
	struct fl_forecast_basis basis = { 0 };
	struct fl_daemon *daemon = call->api->daemon;
	struct fl_live_view now;
	uint64_t limit;
	int code = rows && told ? 0 : fl_fail_nomem(err);

	fl_daemon_view(daemon, &now);
	(void)fl_api_number(call, "limit", STARTS, MOST_STARTS, &limit); /* checked before */
	for (uint32_t i = 0; code == 0 && i < now.n_jobs && !answer.more; i++) {
		if (!is_wanted(call, &now.jobs[i]))
			continue;
		answer.more = answer.n == limit;
		if (!answer.more)
			rows[answer.n++].job = now.jobs[i].id;
	}
	if (code == 0)
		code = fl_past_foretell_all(call->past, &now, daemon->ops->jobs(daemon), rows,
					    answer.n, &basis, err);
	answer.runs = basis.runs;
	answer.ahead = (double)basis.horizon / FL_SECOND;
	if (code == 0)
		write_starts(call, rows, told, &answer, out);
	free(rows);
	free(told);
	return code;
}

static void starts_aside(struct fl_call *call) { fl_api_aside(call, /* type= */ NULL, starts); }

void fl_api_starts(struct fl_call *call)
{
	uint64_t limit;

	if (fl_api_number(call, "limit", STARTS, MOST_STARTS, &limit))
		fl_api_foretell(call, starts_aside);
}
