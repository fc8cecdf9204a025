/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/action/action.h"

/* Budgets were checked before: see begin(). */
static bool may_start(const struct fl_policy *p, struct fl_workload w)
{
	return p->jobs[w.v].reason != FL_REASON_BUDGET_USED;
}

void fl_cycle_enqueue_heads(struct fl_policy *p, enum fl_action action, bool preemptible_only)
{
	struct fl_cycle *c = p->scratch;

	fl_jobs_order_begin(&c->waiting, FL_JOBS_ORDER_WAITING, /* part= */ NULL,
			    p->only.v == FL_NONE ? p->settings.queue_depth[action] : 0);
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		struct fl_workload w = { p->job_order[i] };
		const struct fl_job *j = &p->jobs[w.v];

		if (fl_job_wants(j) && (j->preemptible || !preemptible_only) &&
		    (p->only.v == FL_NONE || p->only.v == w.v) && may_start(p, w))
			fl_jobs_order_add(&c->waiting, &(struct fl_ordered_job){ .workload = w });
	}
	fl_jobs_order_ready(&c->waiting);
}

static enum fl_reason why_evicted(enum fl_action action)
{
	switch (action) {
	case FL_ACTION_NONE:
	case FL_ACTION_ALLOCATE:
	case FL_ACTIONS:
		break;
	case FL_ACTION_CONSOLIDATION:
		return FL_REASON_CONSOLIDATED;
	case FL_ACTION_RECLAIM:
		return FL_REASON_RECLAIMED;
	case FL_ACTION_PREEMPT:
		return FL_REASON_PREEMPTED;
	case FL_ACTION_STALE_GANG:
		return FL_REASON_STALE_GANG;
	}
	return FL_REASON_NONE;
}

static void push_step(struct fl_cycle *c, const struct fl_action_step *step)
{
	c->steps[c->n_steps++] = *step;
}

int fl_cycle_note(struct fl_policy *p, enum fl_action action, enum fl_decision_kind kind,
		  uint32_t task, struct fl_workload for_whom, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	const struct fl_task *t = &p->tasks[task];
	struct fl_action_step step = { .action = action,
				       .kind = kind,
				       .task = task,
				       .machine = { FL_NONE },
				       .for_whom = { FL_NONE } };
	int r = fl_mem_grow(p->mem, &c->steps, &c->cap_steps, c->n_steps + 2, sizeof step, err);

	if (r < 0)
		return r;
	if (kind == FL_EVICT || (kind == FL_RESERVE && t->machine.v != FL_NONE)) {
		struct fl_action_step eviction = step;

		eviction.kind = FL_EVICT;
		eviction.reason = kind == FL_EVICT ? why_evicted(action) : FL_REASON_CONSOLIDATED;
		eviction.for_whom = for_whom;
		push_step(c, &eviction);
	}
	if (kind == FL_EVICT)
		return 0;
	step.reason = kind == FL_ADMIT ? FL_REASON_FITS : FL_REASON_RESERVED;
	step.machine = kind == FL_ADMIT ? t->machine : t->promised;
	push_step(c, &step);
	c->told[t->workload.v] = true;
	return 0;
}
