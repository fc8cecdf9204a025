/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series - one queue along time, hour by hour, day by day, month by month
 *
 * Rows are whole: the first may begin before the time that was asked for, and the last end after it.
 * The last one may be an hour, day or month that is not over, up to ten minutes ago.  Where hours
 * are not kept any more there are days, and then months; each row says what it is.
 */
#include "daemon/api/history/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/ask/child.h"
#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"
#include "store/store.h"

enum { ROWS = 2000 };

struct series {
	struct fl_call call;
	uv_work_t work;
	char *queue, *resource;
	fl_time from, to, more;
	enum fl_tier step;
	struct fl_along_row *rows;
	struct fl_along_part *parts; /* of all rows; resources are from strdup */
	uint32_t *first;             /* by row: its first part */
	uint32_t n, cap, cap_first, n_parts, cap_parts;
	bool known; /* the queue exists */
	int code;
	fairlead_error err;
};

/* --- on the thread --- */

static int see_closing(void *user, const struct fl_closing *c, fairlead_error *err)
{
	struct series *s = user;

	if (fl_mem_grow(&fl_mem_heap, &s->rows, &s->cap, s->n + 1, sizeof *s->rows, err) < 0 ||
	    fl_mem_grow(&fl_mem_heap, &s->first, &s->cap_first, s->n + 1, sizeof *s->first, err) <
		    0)
		return FAIRLEAD_ENOMEM;
	s->first[s->n] = s->n_parts;
	s->rows[s->n++] =
		(struct fl_along_row){ .from = c->begin,
				       .to = c->until,
				       .seconds = (double)(c->until - c->begin) / FL_SECOND,
				       .tier = fl_tier_name(c->tier),
				       .version = c->version,
				       .share = (double)NAN,
				       .share_most = (double)NAN,
				       .wait_mean = (double)NAN,
				       .wait_longest = (double)NAN };
	return 0;
}

static int see_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct series *s = user;
	struct fl_along_row *to = &s->rows[s->n - 1];
	const int64_t most = row->share_most[FL_MOST_HOUR];

	(void)err;
	to->started = row->started;
	to->preempted = row->preempted;
	if (row->known > 0) {
		to->share = (double)row->share / (double)row->known / 1e6;
		to->share_most = most == INT64_MAX ? (double)INFINITY : (double)most / 1e6;
	}
	if (row->started) {
		to->wait_mean = (double)row->waited / (double)row->started / FL_SECOND;
		to->wait_longest = (double)row->wait_most[FL_MOST_HOUR] / FL_SECOND;
	}
	return 0;
}

/* Cores instead of milli-cores; all else is in whole units. */
static double mean_of(const struct series *s, const struct fl_amount_sum *row, enum fl_sum_of what)
{
	const double length = s->rows[s->n - 1].seconds * FL_SECOND;
	const double mean = length > 0 ? (double)row->of[what] / length : 0;

	return strcmp(row->resource, "cpu") == 0 ? mean / 1000 : mean;
}

static int see_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct series *s = user;
	struct fl_along_part *part;

	if (fl_mem_grow(&fl_mem_heap, &s->parts, &s->cap_parts, s->n_parts + 1, sizeof *s->parts,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	part = &s->parts[s->n_parts];
	*part = (struct fl_along_part){ .resource = strdup(row->resource),
					.held = mean_of(s, row, FL_SUM_HELD),
					.entitled = mean_of(s, row, FL_SUM_ENTITLED),
					.waiting = mean_of(s, row, FL_SUM_WAITING),
					.borrowed = mean_of(s, row, FL_SUM_BORROWED),
					.lent = mean_of(s, row, FL_SUM_LENT),
					.nominal = mean_of(s, row, FL_SUM_NOMINAL) };
	if (!part->resource)
		return fl_fail_nomem(err);
	s->n_parts++;
	s->rows[s->n - 1].n_parts++;
	return 0;
}

static void read_on_thread(uv_work_t *work)
{
	struct series *s = work->data;
	const struct fl_sum_reader reader = { see_closing, see_amount, see_queue, s };
	const struct fl_series_filter filter = { .queue = s->queue,
						 .resource = s->resource,
						 .from = s->from,
						 .to = s->to,
						 .step = s->step,
						 .limit = ROWS };

	s->code = fl_store_series(s->call.api->daemon->store, &filter, &reader, &s->more, &s->err);
}

/* --- on the loop --- */

static bool has_any(const struct series *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->rows[i].n_parts || s->rows[i].started)
			return true;
	return s->known;
}

static void answer(struct series *s)
{
	const struct fl_api *api = s->call.api;
	const struct fl_series_answer a = {
		.queue = s->queue,
		.step = fl_tier_name(s->step),
		.from = fl_api_wall(api, s->from),
		.to = fl_api_wall(api, s->to),
		.rows = s->rows,
		.n = s->n,
		.more = fl_api_wall(api, s->more),
	};

	for (uint32_t i = 0; i < s->n; i++) {
		s->rows[i].parts = s->parts + s->first[i];
		s->rows[i].from = fl_api_wall(api, s->rows[i].from);
		s->rows[i].to = fl_api_wall(api, s->rows[i].to);
	}
	if (s->code < 0)
		fl_api_error(&s->call, &s->err);
	else if (!has_any(s))
		fl_api_fail(&s->call, 404, "there is no such queue, and there was none then",
			    "GET /v1/queues lists those there are: a ClusterQueue or Queue");
	else
		fl_api_answer(&s->call, 200, &fl_series_shape, &a);
}

static void free_all(struct series *s)
{
	for (uint32_t i = 0; i < s->n_parts; i++)
		free((char *)(uintptr_t)s->parts[i].resource);
	fl_mem_free(&fl_mem_heap, s->rows);
	fl_mem_free(&fl_mem_heap, s->first);
	fl_mem_free(&fl_mem_heap, s->parts);
	free(s->queue);
	free(s->resource);
	free(s);
}

static void done(uv_work_t *work, int status)
{
	struct series *s = work->data;

	(void)status;
	s->call.api->n_threads--;
	answer(s);
	free_all(s);
}

/* False: an error was answered. */
static bool step_of(const struct fl_call *call, enum fl_tier *ret)
{
	const char *text = fl_request_argument(call->r, "step");

	for (*ret = FL_TIER_HOUR; *ret <= FL_TIER_MONTH; ++*ret)
		if (strcmp(text ? text : "hour", fl_tier_name(*ret)) == 0)
			return true;
	fl_api_fail(call, 400, "'step' is hour, day or month", NULL);
	return false;
}

static bool is_queue(const struct fl_daemon *daemon, const char *name)
{
	struct fl_live_view view;

	fl_daemon_view(daemon, &view);
	for (uint32_t i = 0; i < view.model->n_nodes; i++)
		if (view.model->nodes[i].kind != FL_COHORT &&
		    strcmp(fl_model_text(view.model, view.model->nodes[i].name), name) == 0)
			return true;
	return false;
}

static void begin(struct fl_call *call, const struct series *asked, const char *queue,
		  const char *resource)
{
	struct series *s = calloc(1, sizeof *s);

	if (s) {
		*s = *asked;
		s->queue = strdup(queue);
		s->resource = resource ? strdup(resource) : NULL;
	}
	if (!s || !s->queue || (resource && !s->resource)) {
		fl_api_fail(call, 503, "out of memory", NULL);
		if (s)
			free_all(s);
		return;
	}
	s->known = is_queue(call->api->daemon, queue);
	s->work.data = s;
	call->api->n_threads++;
	(void)uv_queue_work(call->api->options.loop, &s->work, read_on_thread, done);
}

void fl_api_series(struct fl_call *call)
{
	static const fl_time spans[FL_TIERS] = { [FL_TIER_HOUR] = 7 * (86400 * FL_SECOND),
						 [FL_TIER_DAY] = 90 * (86400 * FL_SECOND),
						 [FL_TIER_MONTH] = 1825 * (86400 * FL_SECOND) };
	const char *queue = fl_request_argument(call->r, "queue");
	struct series s = { .call = *call, .more = FL_TIME_NONE };
	fl_time now = fl_clock_now(&call->api->daemon->clock);

	if (!queue || !*queue) {
		fl_api_fail(call, 400, "which queue?", "queue=NAME, of a ClusterQueue or Queue");
		return;
	}
	if (!step_of(call, &s.step) || !fl_api_time(call, "to", now, &s.to) ||
	    !fl_api_time(call, "from", fl_sat_sub(s.to, spans[s.step]), &s.from))
		return;
	if (s.from > s.to) {
		fl_api_fail(call, 400, "'from' is after 'to'", NULL);
		return;
	}
	if (fl_api_may_read(call))
		begin(call, &s, queue, fl_request_argument(call->r, "resource"));
}
