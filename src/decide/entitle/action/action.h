/* SPDX-License-Identifier: Apache-2.0 */
/*
 * action - what all actions of a cycle share: which workloads are looked at, and what was done
 *
 * Its data is of one cycle; its memory lives as long as the policy.
 */
#ifndef FL_DECIDE_ENTITLE_ACTION_ACTION_H
#define FL_DECIDE_ENTITLE_ACTION_ACTION_H

#include "decide/entitle/action/jobs_order.h"

/* What an action did with one task. */
struct fl_action_step {
	enum fl_action action;
	enum fl_decision_kind kind; /* ADMIT, RESERVE, EVICT */
	enum fl_reason reason;
	uint32_t task;
	struct fl_machine machine;   /* ADMIT, RESERVE */
	struct fl_workload for_whom; /* EVICT; FL_NONE */
	uint32_t group;              /* index of the first step of the same decision */
};

struct fl_cycle {
	struct fl_jobs_order waiting; /* lines of the action that runs */
	struct fl_jobs_order walk, victims;
	struct fl_search *search; /* search.h */

	struct fl_action_step *steps; /* in the order in which they were done */
	uint32_t n_steps, cap_steps;

	struct fl_machine *places; /* by index of fl_policy.to_start */
	bool *told;                /* by workload: it was bound or reserved in this cycle */

	uint32_t *sorted, *spare; /* to sort steps */
	uint32_t cap_sorted, cap_spare;
	struct fl_decision *decisions;
	struct fl_placement *placements;
	struct fl_workload *heads;
	uint32_t cap_decisions, cap_placements, n_heads;
};

/*
 * Lines up, in p->scratch->waiting, all workloads that ask to start something and may do so in
 * this cycle.
 */
void fl_cycle_enqueue_heads(struct fl_policy *p, enum fl_action action, bool preemptible_only);

/*
 * Notes what @action did with @task: ADMIT, RESERVE (on the machine of the task's row) or EVICT,
 * for @for_whom.  A task that is reserved room while it is on another machine moves: that is
 * noted, too.
 */
int fl_cycle_note(struct fl_policy *p, enum fl_action action, enum fl_decision_kind kind,
		  uint32_t task, struct fl_workload for_whom, fairlead_error *err);

#endif
