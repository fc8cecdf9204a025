/* SPDX-License-Identifier: Apache-2.0 */
/*
 * action - what all actions of a cycle have in common: who is looked at, and what was done
 *
 * It lives for one cycle, but for the memory, which is the policy's.
 */
#ifndef FL_DECIDE_ENTITLE_ACTION_ACTION_H
#define FL_DECIDE_ENTITLE_ACTION_ACTION_H

#include "decide/entitle/action/lines.h"

/* What an action did with one task. */
struct fl_action_step {
	enum fl_action action;
	enum fl_decision_kind kind; /* ADMIT, RESERVE, EVICT */
	enum fl_reason reason;
	uint32_t task;
	struct fl_machine machine;   /* ADMIT, RESERVE */
	struct fl_workload for_whom; /* EVICT; FL_NONE */
	uint32_t group;              /* the first step of the same decision */
};

struct fl_cycle {
	struct fl_lines waiting; /* of the action that runs */
	struct fl_lines walk, victims;
	struct fl_search *search; /* search.h */

	struct fl_action_step *steps; /* so far, in the order of time */
	uint32_t n_steps, cap_steps;

	struct fl_machine *places; /* beside fl_policy.to_start */
	bool *told;                /* by workload: it is bound or reserved in this cycle */

	uint32_t *sorted, *spare; /* of steps */
	uint32_t cap_sorted, cap_spare;
	struct fl_decision *decisions;
	struct fl_placement *placements;
	struct fl_workload *heads;
	uint32_t cap_decisions, cap_placements, n_heads;
};

/* All that want to start something, and may in this cycle, in p->scratch->waiting. */
void fl_cycle_line_up(struct fl_policy *p, enum fl_action action, bool preemptible_only);

/*
 * Tell what @action did with @task: ADMIT, RESERVE (where, as the task's row says) or EVICT,
 * for @for_whom.  One that is reserved a place while it is on another machine moves: it is
 * told to go there, too.
 */
int fl_cycle_note(struct fl_policy *p, enum fl_action action, enum fl_decision_kind kind,
		  uint32_t task, struct fl_workload for_whom, fairlead_error *err);

#endif
