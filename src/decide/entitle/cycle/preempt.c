/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt - the higher priority goes first within a queue (doc/semantics/entitle.md, E9.21)
 *
 *   Asks:     a preemptible workload; or another one that stays within what its queues deserve.
 *   Victims:  preemptible workloads of its own leaf with a lower priority that have run for their
 *             minimum run time.
 *   Outcome:  no further condition.  Shares are not compared: what the queue holds stays in it.
 */
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/rules/capacity.h"
#include "decide/entitle/search/search.h"

static enum fl_reason may(struct fl_policy *p, struct fl_search *s)
{
	const struct fl_job *j = &p->jobs[s->asks.v];

	if (!j->preemptible &&
	    !fl_capacity_within_quota(p->queues, j->queue, fl_job_start_amount(p, s->asks),
				      fl_search_witness(s), /* ret= */ NULL))
		return FL_REASON_NON_PREEMPTIBLE_OVER_QUOTA;
	return FL_REASON_NONE;
}

static struct fl_min_run min_run(const struct fl_policy *p, const struct fl_search *s,
				 struct fl_node leaf)
{
	(void)s;
	return fl_min_run_preempt(p->queues, &p->settings, leaf);
}

static bool eligible(const struct fl_policy *p, const struct fl_search *s, uint32_t victim)
{
	int32_t mine = p->jobs[s->asks.v].priority, its = p->jobs[victim].priority;

	fl_search_emit(s, (struct fl_evidence){ .check = FL_CHECK_VICTIM_PRIORITY,
						.node = p->jobs[victim].queue,
						.victim = { victim },
						.lhs = { .amount = its },
						.rhs = { .amount = mine },
						.holds = its < mine });
	return its < mine;
}

static bool may_lose(const struct fl_policy *p, const struct fl_search *s, struct fl_node leaf)
{
	return leaf.v == p->jobs[s->asks.v].queue.v;
}

static bool allows(struct fl_policy *p, struct fl_search *s)
{
	(void)p, (void)s;
	return true;
}

int fl_preempt(struct fl_policy *p, fairlead_error *err)
{
	static const struct fl_search_rules rules = {
		.action = FL_ACTION_PREEMPT,
		.none_found = FL_REASON_NO_VICTIMS,
		.own_leaf = true,
		.may = may,
		.min_run = min_run,
		.eligible = eligible,
		.may_lose = may_lose,
		.allows = allows,
	};

	return fl_search_all(p, &rules, err);
}
