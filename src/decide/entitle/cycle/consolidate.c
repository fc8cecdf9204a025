/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consolidate - moves workloads so that free room on several machines comes together
 *
 * The rules: doc/semantics/entitle.md, E9.22.
 *
 *   Asks:     a preemptible workload for which all machines together have room.
 *   Victims:  every other preemptible workload, of any queue, priority and age.
 *   Outcome:  each task that is evicted has a place again, so no workload loses anything.
 *
 * Guarantee: after it all tasks that were active are active, and some more.
 */
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/capacity.h"
#include "decide/entitle/search/search.h"

/*
 * KAI demands only that GPUs are enough.  But since all other workloads keep what they have, cpu,
 * memory (unless a workload has moved) and the limits of queues must also allow one more:
 * otherwise every outcome is refused.
 */
static enum fl_reason may(struct fl_policy *p, struct fl_search *s)
{
	const struct fl_job *j = &p->jobs[s->asks.v];
	const struct fl_bundle *request = fl_job_start_amount(p, s->asks);
	struct fl_rule_compared compared = {
		.check = FL_CHECK_ROOM_LATER,
		.node = j->queue,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_BUNDLE,
	};
	bool all = true;

	for (int r = 0; r < FL_BUNDLE; r++) {
		double free = r == FL_GPU ? s->sum_gpus : s->free.of[r];
		bool holds = request->of[r] <= free || (r != FL_GPU && s->moved);

		fl_witness_hears(fl_search_witness(s), &compared, r, request->of[r], free, holds);
		all &= holds;
	}
	if (!all ||
	    !fl_capacity_fits(p->queues, j->queue, j->preemptible, request, NULL, /* ret= */ NULL))
		return FL_REASON_NO_ROOM;
	return FL_REASON_NONE;
}

static bool eligible(const struct fl_policy *p, const struct fl_search *s, uint32_t victim)
{
	return !fl_budgets_protect(p, p->jobs[s->asks.v].queue, p->jobs[victim].queue);
}

static bool allows(struct fl_policy *p, struct fl_search *s)
{
	for (uint32_t i = 0; i < s->n_used; i++) {
		struct fl_span tasks = s->offers[i].tasks;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			if (!fl_task_active(&p->tasks[s->victims[t]]))
				return false;
	}
	return true;
}

int fl_consolidate(struct fl_policy *p, fairlead_error *err)
{
	static const struct fl_search_rules rules = {
		.action = FL_ACTION_CONSOLIDATION,
		.asks_preemptible = true,
		.all_stay = true,
		.may = may,
		.eligible = eligible,
		.allows = allows,
	};

	return fl_search_all(p, &rules, err);
}
