/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/drf/explain.h"

#include <string.h>

#include "ask/common/pending.h"
#include "decide/drf/drf.h"

struct asking {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	fl_time now;
	struct fl_arena *arena;
	struct fl_drf_explain *x;
};

static int copy_placement(const struct asking *a, const struct fl_placement *rows, uint32_t n,
			  fairlead_error *err)
{
	struct fl_placement *copy = fl_arena_alloc(a->arena, n, sizeof *copy, err);

	if (!copy)
		return FAIRLEAD_ENOMEM;
	if (n)
		memcpy(copy, rows, n * sizeof *copy);
	a->x->placement = copy;
	a->x->n_placement = n;
	return 0;
}

/* What the coming step does with it, and the workload with which it ends. */
static int coming_step(const struct asking *a, fairlead_error *err)
{
	struct fl_drf_explain *x = a->x;
	struct fl_decisions d;
	int rc = a->ops->step(a->policy, a->now, FL_STEP_FULL, /* sink= */ NULL, &d, err);

	if (rc < 0)
		return rc;
	x->state = FL_EXPLAIN_WAITS;
	x->reason = a->ops->reason(a->policy, x->workload);
	for (uint32_t i = 0; i < d.n; i++)
		if (d.rows[i].workload.v == x->workload.v && d.rows[i].kind == FL_ADMIT) {
			x->state = FL_EXPLAIN_NEXT;
			x->reason = FL_REASON_FITS;
			rc = copy_placement(a, d.placements + d.rows[i].placement.first,
					    d.rows[i].placement.n, err);
		}
	if (x->reason == FL_REASON_NONE)
		x->reason = FL_REASON_BEHIND_HEAD;
	x->next = fl_drf_next(a->policy);
	if (x->next.v != FL_NONE)
		a->ops->share(a->policy, a->model->workloads[x->next.v].cluster_queue,
			      &x->next_share);
	return rc;
}

/* As if no other workload were pending. */
static int alone(const struct asking *a, fairlead_error *err)
{
	struct fl_drf_explain *x = a->x;
	const struct fl_shortage *shortage;
	struct fl_shortage_log log;
	const struct fl_sink sink = { .row = fl_shortage_row, .user = &log };
	struct fl_decisions d;
	int rc = fl_shortage_init(&log, a->arena->mem, a->model, err);

	if (rc < 0)
		return rc;
	rc = a->ops->try(a->policy, a->now, x->workload, &sink, &d, err);
	if (rc == 0 && log.why.out_of_memory)
		rc = fl_fail_nomem(err);
	if (rc == 0) {
		x->alone = d.rows[0].reason;
		shortage = fl_shortage_of(&log, x->workload);
		x->is_short = x->alone != FL_REASON_FITS && shortage;
		if (x->is_short)
			x->shortage = *shortage;
	}
	fl_shortage_done(&log);
	return rc;
}

static int waits(const struct asking *a, fairlead_error *err)
{
	struct fl_drf_explain *x = a->x;
	fl_mark mark;
	int rc;

	x->n_ahead = fl_drf_ahead(a->policy, x->workload, x->ahead, FL_EXPLAIN_AHEAD);
	rc = alone(a, err);
	if (rc < 0 || (rc = a->ops->mark(a->policy, &mark, err)) < 0)
		return rc;
	rc = coming_step(a, err);
	a->ops->rollback(a->policy, mark);
	return rc;
}

int fl_drf_explain(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		   fl_time now, struct fl_workload w, struct fl_arena *arena,
		   struct fl_drf_explain *ret, fairlead_error *err)
{
	const struct fl_workload_row *row = &m->workloads[w.v];
	enum fl_workload_state state = ops->state(p, w);
	bool holds = state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING;
	struct fl_drf_explain x = { .workload = w,
				    .queue = row->cluster_queue,
				    .next = { FL_NONE },
				    .reason = fl_pending_fixed_reason(m, w) };
	const struct asking a = { ops, p, m, now, arena, &x };
	int rc = 0;

	if (holds && row->admitted_queue.v != FL_NONE)
		x.queue = row->admitted_queue;
	if (x.queue.v != FL_NONE)
		ops->share(p, x.queue, &x.share);
	if (holds) {
		uint32_t n = 0;
		const struct fl_placement *rows = ops->placement(p, w, &n);

		x.state = state == FL_STATE_ADMITTED ? FL_EXPLAIN_RUNS : FL_EXPLAIN_EVICTING;
		x.reason = ops->reason(p, w);
		if (state == FL_STATE_ADMITTED || x.reason == FL_REASON_NONE)
			x.reason = FL_REASON_ALREADY_ADMITTED;
		rc = copy_placement(&a, rows, n, err);
	} else if (x.reason != FL_REASON_NONE || state == FL_STATE_EXCLUDED ||
		   state == FL_STATE_ABSENT) {
		x.state = FL_EXPLAIN_EXCLUDED;
	} else {
		rc = waits(&a, err);
	}
	if (rc == 0)
		*ret = x;
	return rc;
}
