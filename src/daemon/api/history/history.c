/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - what queues held over a time, and what weights would have given them
 *
 * Exact, from when each job held what, with the present weights, quotas and capacity, where all of
 * it is kept and few jobs are in question; else from sums, with those of each time (store/tiers.h),
 * and exact from where they end.  The answer says which.  The store is read on a thread.
 */
#include "daemon/api/history/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/ask/child.h"
#include "daemon/api/queues.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/history/fairness.h"
#include "daemon/engine/placement.h"
#include "report/job/words.h"
#include "report/out/report.h"
#include "store/store.h"

enum {
	RESOURCES = 32,
	MOST = 200000,   /* attempts of jobs that are compared with weights, at most */
	WORK = 20000000, /* attempts times queues, at most */
	/* The same, of what is read exactly though there are sums of it. */
	FEW = 20000,
	FEW_WORK = 1000000,
};

/* One resource: what queues held of it, by node, and which jobs wanted it when. */
struct column {
	char name[FL_JOB_RESOURCE];
	double *had, *due, *wanted; /* due and wanted: from sums alone */
	struct fl_fair_span *spans;
	uint32_t n, cap;
};

/* One queue of the answer. */
struct line {
	fl_time *waits; /* of each of its jobs, ns: until it began first, or until now */
	uint32_t n_waits, cap;
	uint64_t jobs, preempted;
	fl_time wait_most; /* from sums */
};

struct history {
	struct fl_call call;
	uv_work_t work;
	struct fl_live_view view; /* on the loop only */
	fl_time from, to;
	struct fl_api_queues now;
	const struct fl_queue_answer *queues; /* of these all but LocalQueues */
	struct fl_fair_node *nodes;
	struct line *lines; /* by queue, as nodes */
	uint32_t n, n_attempts, n_columns;
	struct column columns[RESOURCES];
	struct fl_history_queue *told;
	struct fl_history_part *parts;                 /* queue * n_columns + column */
	bool too_many;                                 /* to be set against weights */
	struct fl_tier_told told_tier;                 /* of the part that was read from sums */
	fl_time exact;                                 /* from then on admissions are read */
	struct fl_history_gap gaps[FL_STORE_VERSIONS]; /* the newest first */
	uint32_t n_gaps;
	int code;
	fairlead_error err;
};

static bool is_cohort(const struct history *h, uint32_t queue)
{
	return strcmp(h->queues[queue].kind, "Cohort") == 0;
}

/* Cohorts and queues may have the same names. */
static uint32_t find_of(const struct history *h, const char *name, bool cohort)
{
	for (uint32_t i = 0; i < h->n && *name; i++)
		if (is_cohort(h, i) == cohort && strcmp(h->queues[i].name, name) == 0)
			return i;
	return FL_NONE;
}

static uint32_t find(const struct history *h, const char *name)
{
	return find_of(h, name, /* cohort= */ false);
}

static uint32_t find_above(const struct history *h, const struct fl_queue_answer *queue)
{
	return find_of(h, queue->parent ? queue->parent : "", strcmp(queue->kind, "Queue") != 0);
}

static int column(struct history *h, const char *resource, struct column **ret)
{
	struct column *c = h->columns;

	while (c < h->columns + RESOURCES && c->name[0] && strcmp(c->name, resource) != 0)
		c++;
	if (c == h->columns + RESOURCES)
		return fl_fail(&h->err, FAIRLEAD_ELIMIT, "more than %d resources", RESOURCES);
	if (!c->had)
		c->had = calloc(h->n + 1, sizeof *c->had);
	if (!c->due)
		c->due = calloc(h->n + 1, sizeof *c->due);
	if (!c->wanted)
		c->wanted = calloc(h->n + 1, sizeof *c->wanted);
	if (!c->had || !c->due || !c->wanted)
		return fl_fail_nomem(&h->err);
	(void)snprintf(c->name, sizeof c->name, "%s", resource);
	if (c == h->columns + h->n_columns)
		h->n_columns++;
	*ret = c;
	return 0;
}

/* Cores instead of milli-cores; all else is in whole units. */
static double units(const char *resource, double amount)
{
	return amount / (strcmp(resource, "cpu") == 0 ? 1000 : 1);
}

/* The part within the time asked for. */
static int add_span(struct history *h, const char *resource, struct fl_fair_span s)
{
	struct column *c;
	int r = column(h, resource, &c);

	if (r < 0)
		return r;
	s.from = s.from < h->exact ? h->exact : s.from;
	s.to = s.to == FL_TIME_NONE || s.to > h->to ? h->to : s.to;
	s.amount = units(resource, s.amount);
	if (fl_mem_grow(&fl_mem_heap, &c->spans, &c->cap, c->n + 1, sizeof *c->spans, &h->err) < 0)
		return FAIRLEAD_ENOMEM;
	if (s.from < s.to)
		c->spans[c->n++] = s;
	return 0;
}

static int add_wait(struct history *h, uint32_t node, fl_time wait)
{
	struct line *l = &h->lines[node];

	if (fl_mem_grow(&fl_mem_heap, &l->waits, &l->cap, l->n_waits + 1, sizeof *l->waits,
			&h->err) < 0)
		return FAIRLEAD_ENOMEM;
	l->waits[l->n_waits++] = wait > 0 ? wait : 0;
	return 0;
}

/* Adds what a queue held, to it and to all cohorts above it. */
static int sum(void *user, const struct fl_usage_sum_row *row, fairlead_error *err)
{
	struct history *h = user;
	uint32_t node = find(h, row->queue);
	struct column *c;
	int r;

	(void)err; /* in h->err, like all errors */
	if (node == FL_NONE)
		return 0;
	if (!row->resource) {
		h->lines[node].jobs += row->jobs;
		h->lines[node].preempted += row->evictions;
		return 0;
	}
	r = column(h, row->resource, &c);
	if (r < 0)
		return r;
	/* Cohorts may form a loop: no more steps than nodes. */
	for (uint32_t i = 0; i < h->n && node != FL_NONE; i++, node = h->nodes[node].parent)
		c->had[node] += units(row->resource, row->amount);
	return 0;
}

/* Counts a job that was pending at the end of the time, since @since. */
static int still_pending(struct history *h, uint32_t node, fl_time since)
{
	h->lines[node].jobs++;
	return add_wait(h, node, h->to - since);
}

/* An attempt that was pending, and may have held quota. */
static int holding(void *user, const struct fl_admission_row *a, fairlead_error *err)
{
	struct history *h = user;
	struct fl_run_grant grants[FL_GRANTS];
	uint32_t n = 0, node = find(h, a->queue);
	int r = 0;

	if (++h->n_attempts > MOST || h->n_attempts > WORK / h->n) {
		h->too_many = true;
		return FAIRLEAD_ELIMIT;
	}
	if (node == FL_NONE)
		return 0;
	if (a->placement)
		r = fl_placement_read(a->placement, grants, FL_GRANTS, &n, err);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = add_span(h, grants[i].resource,
			     (struct fl_fair_span){ node, a->waits, a->to,
						    (double)grants[i].amount });
	if (r < 0 || a->attempt != 1)
		return r;
	/* It was pending at the end of the time; if it has not ended yet, live_jobs counts it. */
	if (a->from >= h->to)
		return a->to == FL_TIME_NONE ? 0 : still_pending(h, node, a->waits);
	return a->from > h->exact ? add_wait(h, node, a->from - a->waits) : 0;
}

/* A job that is pending, or was at the end of the time and runs its first attempt now. */
static int waiting(struct history *h, const struct fl_live *job)
{
	const struct fl_model *m = h->view.model;
	const struct fl_workload_row *row = &m->workloads[job->workload.v];
	uint32_t node = row->cluster_queue.v ==
					FL_NONE ? /* its queue does not lead to a ClusterQueue */
				FL_NONE :
				find(h, fl_model_text(m, m->nodes[row->cluster_queue.v].name));
	struct fl_live_ask asks[FL_LIVE_ASKS];
	uint32_t n;
	int r = 0;

	if (node == FL_NONE)
		return 0;
	if (job->attempt == 0 || job->state != FL_JOB_WAITS)
		r = still_pending(h, node, job->submitted);
	if (job->state != FL_JOB_WAITS)
		return r; /* what it asks for is known from its attempt */
	n = fl_live_asks(&h->view, job, asks, FL_LIVE_ASKS);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		const struct fl_live_ask *ask = &asks[i];

		r = add_span(h, fl_report_resource(m, ask->resource),
			     (struct fl_fair_span){ node, job->waits, FL_TIME_NONE,
						    (double)ask->amount });
	}
	return r;
}

static int live_jobs(struct history *h)
{
	int r = 0;

	fl_daemon_view(h->call.api->daemon, &h->view);
	for (uint32_t i = 0; i < h->view.n_jobs && r == 0; i++) {
		const struct fl_live *job = &h->view.jobs[i];

		bool since = job->attempt == 1 && job->started >= h->to && job->submitted < h->to &&
			     job->state >= FL_JOB_STARTS && job->state <= FL_JOB_STOPS;

		if (job->workload.v != FL_NONE &&
		    ((job->state == FL_JOB_WAITS && job->waits < h->to) || since))
			r = waiting(h, job);
	}
	return r;
}

/* --- the answer --- */

static double nominal(const struct fl_queue_amounts *rows, uint32_t n, const char *resource)
{
	const struct fl_queue_amounts *row = fl_queue_amounts_find(rows, n, resource);

	return row && *row->nominal ? fl_job_units(row->nominal) : 0;
}

/* NAN: not to be told. */
static double due_of(const struct history *h, double v)
{
	return h->too_many || !isfinite(v) ? (double)NAN : v;
}

static double part_of(double amount, double all) { return all > 0 ? amount / all : 0; }

/* Adds what jobs wanted to that of sums, in their queues and in all cohorts above. */
static void add_wanted(const struct history *h, const struct column *c)
{
	for (uint32_t k = 0; k < c->n; k++) {
		const struct fl_fair_span *s = &c->spans[k];
		const double length = (double)(s->to - s->from) / FL_SECOND;
		uint32_t node = s->node;

		/* Cohorts may form a loop: no more steps than nodes. */
		for (uint32_t i = 0; i < h->n && node != FL_NONE; i++, node = h->nodes[node].parent)
			c->wanted[node] += s->amount * length;
	}
}

static int tell_resource(struct history *h, uint32_t column)
{
	const struct column *c = &h->columns[column];
	double capacity = nominal(h->now.answer.total, h->now.answer.n_total, c->name);
	double had = 0, due = 0;
	bool known = capacity > 0;
	int r = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		h->nodes[i].own = nominal(h->queues[i].resources, h->queues[i].n_resources,
					  c->name);
		h->nodes[i].due = 0;
		if (!known)
			capacity += h->nodes[i].own;
	}
	if (!h->too_many)
		r = fl_fairness(h->nodes, h->n, capacity, c->spans, c->n, &h->err);
	for (uint32_t i = 0; i < h->n; i++)
		h->nodes[i].due += c->due[i];
	add_wanted(h, c);
	for (uint32_t i = 0; i < h->n; i++) {
		had += h->nodes[i].parent == FL_NONE ? c->had[i] : 0;
		due += h->nodes[i].parent == FL_NONE ? h->nodes[i].due : 0;
	}
	for (uint32_t i = 0; i < h->n && r == 0; i++)
		h->parts[(size_t)i * h->n_columns + column] = (struct fl_history_part){
			.resource = c->name,
			.had = c->had[i],
			.part = part_of(c->had[i], had),
			.due = due_of(h, h->nodes[i].due),
			.due_part = due_of(h, part_of(h->nodes[i].due, due)),
			.wanted = due_of(h, c->wanted[i]),
		};
	return r;
}

static int cmp_times(const void *a, const void *b)
{
	fl_time x = *(const fl_time *)a, y = *(const fl_time *)b;

	return (x > y) - (x < y);
}

static void tell_queue(struct history *h, uint32_t i)
{
	struct line *l = &h->lines[i];

	h->told[i] = (struct fl_history_queue){
		.queue = &h->queues[i],
		.parts = h->parts + (size_t)i * h->n_columns,
		.n_parts = h->n_columns,
		.wait_median = (double)NAN,
		.wait_longest = (double)NAN,
		.jobs = l->jobs,
		.preempted = l->preempted,
	};
	if (h->told_tier.tier != FL_TIER_EXACT && l->wait_most > 0)
		h->told[i].wait_longest = (double)l->wait_most / FL_SECOND;
	if (l->n_waits == 0)
		return;
	qsort(l->waits, l->n_waits, sizeof *l->waits, cmp_times);
	/* NOLINTNEXTLINE(bugprone-integer-division): an index */
	if (h->told_tier.tier == FL_TIER_EXACT) /* of sums it is not known */
		h->told[i].wait_median = (double)l->waits[l->n_waits / 2] / FL_SECOND;
	h->told[i].wait_longest = (double)fl_amount_max(l->wait_most, l->waits[l->n_waits - 1]) /
				  FL_SECOND;
}

static int begin(struct history *h)
{
	h->queues = h->now.answer.queues;
	h->n = h->now.answer.n_nodes;
	h->nodes = calloc(h->n + 1, sizeof *h->nodes);
	h->lines = calloc(h->n + 1, sizeof *h->lines);
	h->told = calloc(h->n + 1, sizeof *h->told);
	if (!h->nodes || !h->lines || !h->told)
		return fl_fail_nomem(&h->err);
	for (uint32_t i = 0; i < h->n; i++) {
		h->nodes[i].parent = find_above(h, &h->queues[i]);
		h->nodes[i].weight = h->queues[i].weight;
	}
	return 0;
}

/* --- from sums --- */

static int add_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	const double second = (double)FL_SECOND;
	struct history *h = user;
	uint32_t node = find(h, row->queue);
	struct column *c;
	int r;

	(void)err;
	if (node == FL_NONE)
		return 0;
	r = column(h, row->resource, &c);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < h->n && node != FL_NONE; i++, node = h->nodes[node].parent) {
		c->had[node] += units(row->resource, (double)row->of[FL_SUM_HELD] / second);
		c->due[node] += units(row->resource, (double)row->of[FL_SUM_ENTITLED] / second);
		c->wanted[node] +=
			units(row->resource,
			      (double)(row->of[FL_SUM_HELD] + row->of[FL_SUM_WAITING]) / second);
	}
	return 0;
}

static int add_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct history *h = user;
	uint32_t node = find(h, row->queue);

	(void)err;
	if (node == FL_NONE)
		return 0;
	h->lines[node].jobs += row->started;
	h->lines[node].preempted += row->preempted;
	h->lines[node].wait_most = row->wait_most[FL_MOST_HOUR];
	return 0;
}

/* What pending jobs want counts from where the sums end. */
static void clip_spans(struct history *h)
{
	for (uint32_t i = 0; i < h->n_columns; i++) {
		struct column *c = &h->columns[i];
		uint32_t n = 0;

		for (uint32_t k = 0; k < c->n; k++) {
			c->spans[n] = c->spans[k];
			c->spans[n].from = fl_amount_max(c->spans[n].from, h->exact);
			n += c->spans[n].from < c->spans[n].to;
		}
		c->n = n;
	}
}

static int count(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	uint32_t *left = user;

	(void)row;
	return (*left)-- ? 0 : fl_fail(err, FAIRLEAD_ELIMIT, "too many");
}

/* Sums where admissions are not kept any more, or would take long to read. */
static int read_sums(struct history *h, struct fl_store *store)
{
	const struct fl_sum_reader reader = { NULL, add_amount, add_queue, h };
	uint32_t left = h->n && FEW_WORK / h->n < FEW ? FEW_WORK / h->n : FEW;
	struct fl_tier_ends ends;
	fairlead_error many;
	int r = fl_store_tier_ends(store, &ends, &h->err);

	if (r == 0)
		h->exact = fl_amount_max(h->exact, fl_amount_min(ends.exact, h->to));
	if (r < 0 || ends.last.tier == FL_TIERS || ends.last.until <= h->from)
		return r;
	if (h->from >= ends.exact)
		r = fl_store_holdings(store, h->from, h->to, count, &left, &many);
	else
		r = ends.exact > ends.first ? FAIRLEAD_ELIMIT : 0;
	if (r != FAIRLEAD_ELIMIT)
		return r;
	r = fl_store_sums(store, h->from, h->to, &reader, &h->told_tier, &h->err);
	if (r < 0 || h->told_tier.tier == FL_TIER_EXACT)
		return r;
	h->exact = h->told_tier.to;
	clip_spans(h);
	return 0;
}

/* On the thread: reads the store and computes the answer. */
static int tell(struct history *h)
{
	struct fl_store *store = h->call.api->daemon->store;
	int r = read_sums(h, store);

	if (r == 0 && h->exact < h->to)
		r = fl_store_usage(store, h->exact, h->to, sum, h, &h->err);
	if (r == 0 && h->exact < h->to)
		r = fl_store_holdings(store, h->exact, h->to, holding, h, &h->err);
	if (h->too_many)
		r = 0;
	if (r < 0)
		return r;
	h->parts = calloc((size_t)h->n * h->n_columns + 1, sizeof *h->parts);
	if (!h->parts)
		return fl_fail_nomem(&h->err);
	for (uint32_t c = 0; c < h->n_columns && r == 0; c++)
		r = tell_resource(h, c);
	for (uint32_t i = 0; i < h->n; i++)
		tell_queue(h, i);
	return r;
}

static void tell_on_thread(uv_work_t *work)
{
	struct history *h = work->data;

	h->code = tell(h);
}

static void answer(struct history *h)
{
	const struct fl_history_answer a = {
		.from = fl_api_wall(h->call.api, h->from),
		.to = fl_api_wall(h->call.api, h->to),
		.queues = h->told,
		.n = h->n,
		.tier = fl_tier_name(h->told_tier.tier),
		.error = (double)h->told_tier.error / FL_SECOND,
		.gaps = h->gaps,
		.n_gaps = h->n_gaps,
		.has_gaps = h->n_gaps > 0,
	};

	if (h->code < 0)
		fl_api_error(&h->call, &h->err);
	else
		fl_api_answer(&h->call, 200, &fl_history_shape, &a);
}

static void done(uv_work_t *work, int status)
{
	struct history *h = work->data;

	(void)status;
	h->call.api->n_threads--;
	answer(h);
	for (uint32_t i = 0; i < h->n && h->lines; i++)
		fl_mem_free(&fl_mem_heap, h->lines[i].waits);
	for (struct column *c = h->columns; c < h->columns + RESOURCES; c++) {
		fl_mem_free(&fl_mem_heap, c->spans);
		free(c->had);
		free(c->due);
		free(c->wanted);
	}
	free(h->nodes);
	free(h->lines);
	free(h->told);
	free(h->parts);
	fl_api_queues_done(&h->now);
	free(h);
}

/* Those that lie at least in part within the time asked for. */
static int add_gap(void *user, const struct fl_setting *row, fairlead_error *err)
{
	struct history *h = user;
	char *why;
	const fl_time from = strtoll(row->name + strlen(FL_STORE_GAP), NULL, 10);
	const fl_time to = strtoll(row->value, &why, 10);

	(void)err;
	if (to <= h->from || from >= h->to || h->n_gaps == FL_STORE_VERSIONS)
		return 0;
	h->gaps[h->n_gaps].from = fl_api_wall(h->call.api, from);
	h->gaps[h->n_gaps].to = fl_api_wall(h->call.api, to);
	(void)snprintf(h->gaps[h->n_gaps].why, sizeof h->gaps->why, "%s", *why ? why + 1 : "");
	h->n_gaps++;
	return 0;
}

static int look(struct history *h)
{
	int r = fl_api_queues_look(&h->call, &h->now, &h->err);

	if (r == 0)
		r = fl_store_settings(h->call.api->daemon->store, FL_STORE_GAP "0",
				      FL_STORE_GAP "9~", FL_STORE_VERSIONS, add_gap, h, &h->err);

	if (r == 0)
		r = begin(h);
	return r < 0 ? r : live_jobs(h);
}

void fl_api_history(struct fl_call *call)
{
	const struct fl_daemon *daemon = call->api->daemon;
	fl_time now = fl_clock_now(&daemon->clock), from, to;
	struct history *h;

	if (!fl_api_time(call, "from", 0, &from) || !fl_api_time(call, "to", now, &to))
		return;
	if (from > to && fl_request_argument(call->r, "to")) {
		fl_api_fail(call, 400, "'from' is after 'to'", NULL);
		return;
	}
	if (!fl_api_may_read(call))
		return;
	h = calloc(1, sizeof *h);
	if (!h) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	h->call = *call;
	h->from = from;
	h->to = to > now ? now : to;
	h->exact = from;
	h->told_tier.tier = FL_TIER_EXACT;
	h->work.data = h;
	call->api->n_threads++;
	h->code = look(h);
	if (h->code < 0)
		done(&h->work, 0);
	else
		(void)uv_queue_work(call->api->options.loop, &h->work, tell_on_thread, done);
}
