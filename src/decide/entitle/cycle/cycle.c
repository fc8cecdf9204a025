/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/cycle/cycle.h"

#include "decide/entitle/cycle/wake.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/claim.h"
#include "decide/entitle/rules/shares.h"
#include "decide/entitle/rules/turns.h"
#include "decide/entitle/rules/usage.h"
#include "decide/entitle/search/search.h"

int fl_entitle_cycle_new(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_cycle *c;
	uint32_t most = 0;
	int r;

	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (p->jobs[w].tasks.n > most)
			most = p->jobs[w].tasks.n;
	if (!FL_NEW(&p->arena, p->scratch, 1, err))
		return FAIRLEAD_ENOMEM;
	c = p->scratch;
	p->only.v = FL_NONE;
	if (!FL_NEW(&p->arena, p->to_start, most, err) ||
	    !FL_NEW(&p->arena, c->places, most, err) ||
	    !FL_NEW(&p->arena, c->told, m->n_workloads, err) ||
	    !FL_NEW(&p->arena, c->heads, m->n_workloads, err))
		return FAIRLEAD_ENOMEM;
	if ((p->settings.turns || p->budgets) && (r = fl_claims_new(p, &p->claims, err)) < 0)
		return r;
	if ((r = fl_jobs_order_new(p, &c->waiting, err)) < 0 ||
	    (r = fl_jobs_order_new(p, &c->walk, err)) < 0 ||
	    (r = fl_jobs_order_new(p, &c->victims, err)) < 0)
		return r;
	return fl_search_new(p, &c->search, err);
}

void fl_entitle_cycle_done(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	if (!c)
		return;
	fl_mem_free(p->mem, c->steps);
	fl_mem_free(p->mem, c->sorted);
	fl_mem_free(p->mem, c->spare);
	fl_mem_free(p->mem, c->decisions);
	fl_mem_free(p->mem, c->placements);
}

/* Sets requests and fair shares, as shifted by claims. */
void fl_cycle_divide(struct fl_policy *p)
{
	fl_shares_divide(p);
	if (p->budgets)
		fl_budgets_share(p);
	else if (fl_turns_count(p))
		fl_turns_share(p);
}

/* --- a cycle --- */

/*
 * Sets why each workload waits, unless an action looks at it and says otherwise; and which ones
 * will be looked at.
 */
static int begin(struct fl_policy *p, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	size_t room = p->model->n_workloads * FL_UNDO_OF(p->jobs[0].reason) +
		      p->model->n_nodes * FL_UNDO_OF(p->queues[0].late) + fl_shares_undo(p);
	enum fl_reason unseen = p->settings.queue_depth[FL_ACTION_ALLOCATE] ?
					FL_REASON_QUEUE_DEPTH :
					FL_REASON_NO_ROOM;
	int r = fl_state_recount(p, err);

	if (r == 0)
		r = fl_usage_read(p, err);
	if (r == 0)
		r = fl_undo_reserve(&p->undo, room, err);
	if (r < 0)
		return r;
	for (uint32_t q = 0; p->claims && q < p->model->n_nodes; q++)
		fl_undo_note(&p->undo, &p->queues[q].late, sizeof p->queues[q].late);
	fl_state_forget(p);
	fl_cycle_divide(p);
	fl_search_begin(p);
	c->n_steps = c->n_heads = 0;
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		struct fl_workload w = { p->job_order[i] };
		struct fl_job *j = &p->jobs[w.v];
		enum fl_reason reason = unseen;

		c->told[w.v] = false;
		if (!j->present || j->queue.v == FL_NONE)
			continue;
		if (j->n_waits == 0 && j->tasks.n > 0)
			reason = FL_REASON_NONE;
		else if (!fl_job_wants(j))
			reason = FL_REASON_GANG_TOO_SMALL;
		else if (p->only.v != FL_NONE && p->only.v != w.v)
			continue;
		else if (!fl_budgets_let_start(p, w))
			reason = FL_REASON_BUDGET_USED;
		else
			c->heads[c->n_heads++] = w;
		if (p->only.v == FL_NONE || p->only.v == w.v)
			FL_SET(p, j->reason, reason);
	}
	return 0;
}

/* Ends reservations; and notes since when gangs have fewer tasks than their minimum. */
static int end(struct fl_policy *p, fairlead_error *err)
{
	int r = 0;

	for (uint32_t t = fl_bitset_next(&p->alive, 0); t != FL_NONE && r >= 0;
	     t = fl_bitset_next(&p->alive, t + 1))
		r = fl_task_unpromise(p, t, err);
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE && r >= 0; i = fl_job_next(p, i + 1))
		r = fl_job_mind_stale(p, (struct fl_workload){ p->job_order[i] }, err);
	if (r >= 0)
		r = fl_state_recount(p, err);
	return r < 0 ? r : fl_usage_enter(p, err);
}

static int run(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err)
{
	static int (*const actions[])(struct fl_policy *, fairlead_error *) = {
		fl_allocate, fl_consolidate, fl_reclaim, fl_preempt, fl_stale_gangs,
	};
	int r = begin(p, err);

	for (size_t i = 0; i < sizeof actions / sizeof *actions && r >= 0; i++)
		r = actions[i](p, err);
	if (r >= 0)
		r = fl_cycle_decisions(p, ret, err);
	fl_state_forget(p);
	return r < 0 ? r : end(p, err);
}

/*
 * Only between cycles: within a cycle no evicted task comes back, so it grows with every eviction.
 */
static uint32_t tasks_leaving(const struct fl_policy *p)
{
	uint32_t n = 0;

	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1))
		n += p->jobs[p->job_order[i]].n_leaves;
	return n;
}

static bool admits(const struct fl_decisions *d)
{
	bool any = false;

	for (uint32_t i = 0; i < d->n && !any; i++)
		any = d->rows[i].kind == FL_ADMIT;
	return any;
}

/* A cycle of one workload says nothing about the others. */
static int rest(struct fl_policy *p, const struct fl_decisions *d, fairlead_error *err)
{
	return p->only.v == FL_NONE ? fl_wake_rest(p, d, err) : fl_wake_up(p, err);
}

int fl_entitle_step(struct fl_policy *p, struct fl_workload only, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err)
{
	uint32_t leaving = tasks_leaving(p);
	struct fl_decisions decisions;
	fl_mark mark;
	int r = fl_undo_mark(&p->undo, &mark, err);

	if (r < 0)
		return r;
	p->sink = sink;
	p->only = only;
	r = run(p, &decisions, err);
	p->sink = NULL;
	if (r >= 0) {
		decisions.moved = tasks_leaving(p) != leaving || admits(&decisions);
		r = rest(p, &decisions, err);
	}
	if (r < 0) {
		fl_undo_rollback(&p->undo, mark);
		return r;
	}
	fl_undo_keep(&p->undo, mark);
	*ret = decisions;
	return 0;
}

int fl_entitle_try(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		   struct fl_decisions *ret, fairlead_error *err)
{
	struct fl_decisions decisions;
	fl_mark mark;
	int r = fl_undo_mark(&p->undo, &mark, err);

	if (r < 0)
		return r;
	p->sink = sink;
	p->only = w;
	r = run(p, &decisions, err);
	p->sink = NULL;
	fl_undo_rollback(&p->undo, mark);
	if (r < 0)
		return r;
	*ret = decisions;
	return 0;
}
