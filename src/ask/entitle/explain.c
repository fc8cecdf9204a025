/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/explain.h"

#include <string.h>

#include "ask/common/pending.h"
#include "ask/entitle/explain_changes.h"
#include "ask/entitle/explain_heard.h"
#include "ask/entitle/explain_run.h"
#include "ask/entitle/explain_victims.h"
#include "base/sort.h"

static int copy_placement(struct fl_entitle_run *r, const struct fl_placement *rows, uint32_t n,
			  fairlead_error *err)
{
	struct fl_placement *copy = fl_arena_alloc(r->arena, (size_t)n + 1, sizeof(*copy), err);

	if (!copy)
		return FAIRLEAD_ENOMEM;
	if (n)
		memcpy(copy, rows, n * sizeof(*copy));
	r->x->placement = copy;
	r->x->n_placement = n;
	return 0;
}

static int copy_victims(struct fl_entitle_run *r, const struct fl_decisions *d, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;

	x->n_victims = 0;
	x->victims = fl_arena_alloc(r->arena, (size_t)d->n + 1, sizeof(*x->victims), err);
	if (!x->victims)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < d->n; i++)
		if (d->rows[i].kind == FL_EVICT && d->rows[i].preemptor.v == x->workload.v)
			x->victims[x->n_victims++] = (struct fl_explain_victim){
				.workload = d->rows[i].workload,
				.reason = d->rows[i].reason,
			};
	return 0;
}

static void hear(void *user, const struct fl_evidence *row)
{
	struct fl_entitle_heard *h = user;

	fl_obstacle_row(&h->obstacles, row);
	fl_entitle_victims_row(&h->victims, row);
}

/* What the coming cycle does with it, beside all others. */
static int coming_cycle(struct fl_entitle_run *r, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	const struct fl_sink sink = { .row = hear, .user = r->heard };
	struct fl_decisions d;
	int rc = r->ops->step(r->policy, r->now, FL_STEP_FULL, &sink, &d, err);

	if (rc < 0)
		return rc;
	x->state = FL_EXPLAIN_WAITS;
	for (uint32_t i = 0; i < d.n && rc == 0; i++) {
		const struct fl_decision *row = &d.rows[i];
		bool placed = row->kind == FL_ADMIT || row->kind == FL_RESERVE;

		if (row->workload.v != x->workload.v || row->kind == FL_EVICT)
			continue;
		x->reason = row->reason;
		if (!placed)
			continue;
		x->state = row->kind == FL_ADMIT ? FL_EXPLAIN_NEXT : FL_EXPLAIN_PREEMPTS;
		x->by = row->action;
		rc = copy_placement(r, d.placements + row->placement.first, row->placement.n, err);
		if (rc == 0)
			rc = copy_victims(r, &d, err);
	}
	if (x->reason == FL_REASON_NONE)
		x->reason = r->ops->reason(r->policy, x->workload);
	return rc;
}

/* What stood in its way, and which of it the reason is about. */
static void list_obstacles(struct fl_entitle_explain *x, const struct fl_model *m,
			   const struct fl_obstacle_log *log)
{
	static const enum fl_reason rules[FL_ENTITLE_OBSTACLES] = {
		FL_REASON_BUDGET_USED,
		FL_REASON_OVER_LIMIT,
		FL_REASON_NON_PREEMPTIBLE_OVER_QUOTA,
		FL_REASON_NO_ROOM,
		FL_REASON_OVER_FAIR_SHARE,
	};
	const struct fl_evidence *decides = fl_obstacle_of(log, x->workload, x->reason);

	if (!decides)
		decides = fl_obstacle_of(log, x->workload, x->alone_reason);
	for (unsigned i = 0; i < FL_ENTITLE_OBSTACLES; i++) {
		const struct fl_evidence *row = fl_obstacle_of(log, x->workload, rules[i]);

		if (!row)
			continue;
		if (row == decides)
			x->failing = x->n_obstacles;
		x->obstacles[x->n_obstacles++] = *row;
	}
	for (int k = 0; decides && k < FL_BUNDLE; k++)
		if (m->axis[k].v == decides->resource.v)
			x->resource = k;
}

/* What would become of it if no other workload were pending. */
static int try_alone(struct fl_entitle_run *r, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	const struct fl_sink sink = { .row = hear, .user = r->heard };
	struct fl_decisions d;
	int rc = r->ops->try(r->policy, r->now, x->workload, &sink, &d, err);

	for (uint32_t i = 0; rc == 0 && i < d.n; i++) {
		if (d.rows[i].workload.v != x->workload.v || d.rows[i].kind == FL_EVICT)
			continue;
		x->alone = d.rows[i].kind;
		x->alone_reason = d.rows[i].reason;
	}
	/* Behind others: which workloads it would have evicted is reported, too. */
	return rc == 0 && x->alone == FL_RESERVE && x->n_victims == 0 ? copy_victims(r, &d, err) :
									rc;
}

/* Inside a mark, with what it says kept in @heard. */
static int listen(struct fl_entitle_run *r, struct fl_entitle_heard *heard,
		  int (*what)(struct fl_entitle_run *, fairlead_error *), fairlead_error *err)
{
	fl_mark mark;
	int rc = fl_entitle_victims_init(&heard->victims, r, err);

	if (rc == 0)
		rc = fl_obstacle_init(&heard->obstacles, r->arena->mem, r->model, err);
	if (rc == 0)
		rc = r->ops->mark(r->policy, &mark, err);
	if (rc < 0)
		return rc;
	r->heard = heard;
	rc = what(r, err);
	r->ops->rollback(r->policy, mark);
	return rc == 0 && heard->obstacles.why.out_of_memory ? fl_fail_nomem(err) : rc;
}

/* --- which queues hold it --- */

/* The queue that holds most beyond its fair share first, then by name. */
static int cmp_holders(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_entitle_explain *x = ctx;
	const struct fl_model *m = x->standings.model;
	const struct fl_standing *p = &x->standings.rows[a], *q = &x->standings.rows[b];
	double over = p->allocated.of[x->resource] - p->fair_share.of[x->resource];
	double other = q->allocated.of[x->resource] - q->fair_share.of[x->resource];

	if (over != other)
		return over > other ? -1 : 1;
	return fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
}

static bool is_leaf(const struct fl_standings *s, uint32_t at)
{
	return at + 1 == s->n || s->rows[s->order[at + 1]].parent.v != s->order[at];
}

static int list_holders(struct fl_entitle_run *r, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	const struct fl_standings *s = &x->standings;
	uint32_t n = 0;

	if (x->resource == FL_BUNDLE)
		return 0;
	uint32_t *ids = fl_arena_alloc(r->arena, (size_t)s->n * 2 + 1, sizeof(*ids), err);
	uint32_t *counts = fl_arena_alloc(r->arena, (size_t)r->model->n_nodes + 1, sizeof(*counts),
					  err);
	x->holders = fl_arena_alloc(r->arena, (size_t)s->n + 1, sizeof(*x->holders), err);
	if (!ids || !counts || !x->holders)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < r->model->n_workloads; w++) {
		enum fl_workload_state state = r->ops->state(r->policy, (struct fl_workload){ w });
		struct fl_node queue = r->model->workloads[w].cluster_queue;

		if (queue.v != FL_NONE &&
		    (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING))
			counts[queue.v]++;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (is_leaf(s, i) && s->rows[s->order[i]].allocated.of[x->resource] > 0)
			ids[n++] = s->order[i];
	fl_sort(ids, n, ids + s->n, cmp_holders, x);
	for (uint32_t i = 0; i < n; i++)
		x->holders[x->n_holders++] = (struct fl_entitle_holder){
			.queue = { ids[i] },
			.workloads = counts[ids[i]],
		};
	return 0;
}

/* --- the whole --- */

static int waits(struct fl_entitle_run *r, fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	struct fl_entitle_heard cycle = { 0 }, alone = { 0 };

	x->n_ahead = fl_entitle_ahead(r->policy, x->workload, x->ahead, FL_EXPLAIN_AHEAD);
	int rc = listen(r, &cycle, coming_cycle, err);
	if (rc == 0)
		rc = listen(r, &alone, try_alone, err);
	if (rc == 0) {
		/* What the trial compared stands on the state as it is; but if it fits there ... */
		const struct fl_entitle_heard *heard = x->alone == FL_WAIT ? &alone : &cycle;

		list_obstacles(x, r->model, &heard->obstacles);
		rc = fl_entitle_victims_list(&heard->victims, r, err);
	}
	if (rc == 0)
		rc = list_holders(r, err);
	if (rc == 0 && x->state == FL_EXPLAIN_WAITS)
		rc = fl_entitle_changes(r, err);
	fl_obstacle_done(&cycle.obstacles);
	fl_obstacle_done(&alone.obstacles);
	return rc;
}

/* Its tasks that hold a place, or those that wait for one. */
static void count_tasks(struct fl_entitle_explain *x, const struct fl_model *m, bool holds)
{
	const struct fl_workload_row *row = &m->workloads[x->workload.v];

	if (row->gang == FL_NONE)
		return;
	const struct fl_gang *gang = &m->gangs[row->gang];
	x->min_tasks = gang->min_tasks;
	x->preemptible = gang->preemptible;
	for (uint32_t i = 0; i < gang->tasks.n; i++) {
		const struct fl_task_row *task = &m->tasks[gang->tasks.first + i];

		if (task->phase != (holds ? FL_TASK_ALLOCATED : FL_TASK_PENDING)) {
			x->n_more += holds && task->phase == FL_TASK_PENDING;
			continue;
		}
		x->n_tasks++;
		fl_bundle_add(&x->amount, &task->request);
	}
}

int fl_entitle_explain(const struct fl_policy_ops *ops, struct fl_policy *p,
		       const struct fl_model *m, fl_time now, struct fl_workload w,
		       const struct fl_explain_machine *machine, struct fl_arena *arena,
		       struct fl_entitle_explain *ret, fairlead_error *err)
{
	enum fl_workload_state state = ops->state(p, w);
	enum fl_reason fixed = fl_pending_fixed_reason(m, w);
	bool holds = state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING;
	struct fl_entitle_explain x = {
		.workload = w,
		.queue = m->workloads[w.v].cluster_queue,
		.alone = FL_WAIT,
		.failing = FL_NONE,
		.resource = FL_BUNDLE,
	};
	struct fl_entitle_run r = { ops, p, m, now, machine, arena, &x, /* heard= */ NULL };

	count_tasks(&x, m, holds);
	int rc = fl_standings_init(&x.standings, m, arena, err);
	if (rc < 0)
		return rc;
	fl_standings_look(&x.standings, p);
	if (holds) {
		uint32_t n = 0;
		const struct fl_placement *rows = ops->placement(p, w, &n);

		x.state = state == FL_STATE_ADMITTED ? FL_EXPLAIN_RUNS : FL_EXPLAIN_EVICTING;
		x.reason = FL_REASON_ALREADY_ADMITTED;
		rc = copy_placement(&r, rows, n, err);
	} else if (fixed != FL_REASON_NONE || state == FL_STATE_EXCLUDED ||
		   state == FL_STATE_ABSENT) {
		x.state = FL_EXPLAIN_EXCLUDED;
		/* None of its pods wants to run, or did. */
		x.reason = fixed != FL_REASON_NONE ? fixed : FL_REASON_GANG_TOO_SMALL;
	} else {
		rc = waits(&r, err);
	}
	if (rc == 0)
		*ret = x;
	return rc;
}
