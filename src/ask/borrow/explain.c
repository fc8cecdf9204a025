/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/explain.h"

#include <string.h>

#include "ask/borrow/evidence.h"
#include "ask/borrow/explain_changes.h"
#include "ask/borrow/explain_holders.h"
#include "ask/borrow/explain_needs.h"
#include "ask/borrow/explain_own.h"
#include "ask/borrow/explain_run.h"
#include "ask/borrow/explain_victims.h"
#include "ask/common/pending.h"
#include "decide/borrow/borrow.h"

static int copy_placement(struct fl_explain_run *r, const struct fl_placement *rows, uint32_t n,
			  fairlead_error *err)
{
	struct fl_placement *copy = fl_arena_alloc(r->arena, n, sizeof(*copy), err);

	if (!copy)
		return FAIRLEAD_ENOMEM;
	if (n)
		memcpy(copy, rows, n * sizeof(*copy));
	r->x->placement = copy;
	r->x->n_placement = n;
	return 0;
}

static int copy_victims(struct fl_explain_run *r, const struct fl_decisions *d, fairlead_error *err)
{
	struct fl_explain *x = r->x;

	x->victims = fl_arena_alloc(r->arena, d->n, sizeof(*x->victims), err);
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

/* It fits, but not after those that the cycle serves before it: which are they? */
static int copy_served(struct fl_explain_run *r, const struct fl_decisions *d, fairlead_error *err)
{
	struct fl_explain *x = r->x;
	uint32_t root = r->tree->root[x->cluster_queue.v];

	if (x->reason != FL_REASON_NO_LONGER_FITS && x->reason != FL_REASON_TARGETS_OVERLAP)
		return 0;
	x->served = fl_arena_alloc(r->arena, d->n, sizeof(*x->served), err);
	if (!x->served)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *row = &d->rows[i];

		if ((row->kind == FL_ADMIT || row->kind == FL_RESERVE) &&
		    r->tree->root[row->cluster_queue.v] == root)
			x->served[x->n_served++] = row->workload.v;
	}
	return 0;
}

/* What the coming cycle does with it, beside all others. */
static int coming_cycle(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_explain *x = r->x;
	struct fl_decisions d;

	int rc = r->ops->step(r->policy, r->now, FL_STEP_FULL, /* sink= */ NULL, &d, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < d.n_heads; i++)
		x->head |= d.heads[i].v == x->workload.v;
	x->state = FL_EXPLAIN_WAITS;
	for (uint32_t i = 0; i < d.n && rc == 0; i++) {
		const struct fl_decision *row = &d.rows[i];

		if (row->workload.v != x->workload.v || row->kind == FL_EVICT)
			continue;
		x->reason = row->reason;
		if (row->kind == FL_ADMIT) {
			x->state = FL_EXPLAIN_NEXT;
			rc = copy_placement(r, d.placements + row->placement.first,
					    row->placement.n, err);
		} else if (row->kind == FL_RESERVE) {
			x->state = FL_EXPLAIN_PREEMPTS;
			rc = copy_victims(r, &d, err);
		}
	}
	if (rc == 0)
		rc = copy_served(r, &d, err);
	if (rc == 0 && x->reason == FL_REASON_NONE)
		x->reason = r->ops->reason(r->policy, x->workload);
	if (x->reason == FL_REASON_NONE)
		x->reason = x->head   ? FL_REASON_WAITING_FOR_QUOTA :
			    x->parked ? FL_REASON_INADMISSIBLE :
					FL_REASON_BEHIND_HEAD;
	return rc;
}

static int inside_mark(struct fl_explain_run *r,
		       int (*what)(struct fl_explain_run *, fairlead_error *), fairlead_error *err)
{
	fl_mark mark;

	int rc = r->ops->mark(r->policy, &mark, err);
	if (rc < 0)
		return rc;
	rc = what(r, err);
	r->ops->rollback(r->policy, mark);
	return rc;
}

/* Alone, with evidence. */
static int try_alone(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_explain *x = r->x;
	struct fl_evidence_log log;
	struct fl_sink sink = { .row = fl_evidence_log_row, .user = &log, .not_victims = true };
	struct fl_decisions d;

	fl_evidence_log_init(&log, r->arena->mem, x->workload);
	int rc = r->ops->try(r->policy, r->now, x->workload, &sink, &d, err);
	if (rc == 0 && log.out_of_memory)
		rc = fl_fail_nomem(err);
	x->alone = FL_WAIT;
	for (uint32_t i = 0; rc == 0 && i < d.n; i++) {
		if (d.rows[i].workload.v != x->workload.v || d.rows[i].kind == FL_EVICT)
			continue;
		x->alone = d.rows[i].kind;
		x->alone_reason = d.rows[i].reason;
	}
	/* Parked or behind others: which workloads it would preempt is reported, too. */
	if (rc == 0 && x->alone == FL_RESERVE && x->n_victims == 0)
		rc = copy_victims(r, &d, err);
	if (rc == 0)
		rc = fl_explain_needs(r, &log, err);
	fl_evidence_log_done(&log);
	return rc;
}

static int waits(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_explain *x = r->x;
	struct fl_policy *p = r->policy;

	x->n_ahead = fl_borrow_ahead(p, x->workload, x->ahead, FL_EXPLAIN_AHEAD);
	int rc = inside_mark(r, coming_cycle, err);
	if (rc == 0)
		rc = inside_mark(r, try_alone, err);
	if (rc == 0)
		rc = inside_mark(r, fl_explain_refusals, err);
	if (rc == 0)
		rc = fl_explain_holders(r, err);
	/* No quota shortens a back-off. */
	if (rc == 0 && x->state == FL_EXPLAIN_WAITS && x->reason != FL_REASON_BACK_OFF &&
	    x->reason != FL_REASON_NOT_REQUEUED)
		rc = fl_explain_changes(r, err);
	return rc;
}

int fl_explain(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	       fl_time now, struct fl_workload w, const struct fl_explain_machine *machine,
	       struct fl_arena *arena, struct fl_explain *ret, fairlead_error *err)
{
	enum fl_workload_state state = ops->state(p, w);
	struct fl_explain x = {
		.workload = w,
		.cluster_queue = m->workloads[w.v].cluster_queue,
		.failing = FL_NONE,
		.alone = FL_WAIT,
		.parked = state == FL_STATE_INADMISSIBLE,
	};
	struct fl_explain_run r = {
		.ops = ops,
		.policy = p,
		.model = m,
		.now = now,
		.machine = machine,
		.arena = arena,
		.x = &x,
		.tree = fl_borrow_tree(p),
		.usage = fl_borrow_usage(p),
	};
	enum fl_reason fixed = fl_pending_fixed_reason(m, w);
	int rc = 0;

	if (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING) {
		uint32_t n = 0;
		const struct fl_placement *rows = ops->placement(p, w, &n);

		x.state = state == FL_STATE_ADMITTED ? FL_EXPLAIN_RUNS : FL_EXPLAIN_EVICTING;
		x.reason = ops->reason(p, w);
		if (state == FL_STATE_ADMITTED || x.reason == FL_REASON_NONE)
			x.reason = FL_REASON_ALREADY_ADMITTED;
		if (m->workloads[w.v].admitted_queue.v != FL_NONE)
			x.cluster_queue = m->workloads[w.v].admitted_queue;
		rc = copy_placement(&r, rows, n, err);
	} else if (fixed != FL_REASON_NONE || state == FL_STATE_EXCLUDED ||
		   state == FL_STATE_ABSENT) {
		x.state = FL_EXPLAIN_EXCLUDED;
		x.reason = fixed;
	} else {
		rc = waits(&r, err);
	}
	if (rc < 0)
		return rc;
	fl_explain_own(&r);
	*ret = x;
	return 0;
}
