/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - what lives for one scheduling cycle, and what its actions have in common
 *
 * A cycle (doc/semantics/entitle.md, E9) divides what there is once, at its beginning.  Then its
 * actions follow, each in force at once: allocate (allocate.c), and those that look for victims
 * (search.h).  All of it is under a mark, so that a cycle that runs out of memory has changed
 * nothing.  Reservations end with the cycle: what was promised is bound by a later one, when it is
 * free.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_CYCLE_CYCLE_H
#define FL_DECIDE_ENTITLE_CYCLE_CYCLE_H

#include "decide/entitle/cycle/lines.h"

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
	const struct fl_sink *sink; /* NULL: nobody listens */
	struct fl_workload only;    /* nobody else is served; FL_NONE: all are */
	struct fl_lines waiting;    /* of the action that runs */
	struct fl_lines walk, victims;
	struct fl_search *search; /* search.h */
	struct fl_claims *claims; /* claim.h; NULL: neither turns nor budgets are on */

	struct fl_action_step *steps; /* so far, in the order of time */
	uint32_t n_steps, cap_steps;

	uint32_t *to_start;        /* of one workload */
	struct fl_machine *places; /* beside it */
	bool *told;                /* by workload: it is bound or reserved in this cycle */

	uint32_t *sorted, *spare; /* of steps */
	uint32_t cap_sorted, cap_spare;
	struct fl_decision *decisions;
	struct fl_placement *placements;
	struct fl_workload *heads;
	uint32_t cap_decisions, cap_placements, n_heads;
};

/* p->scratch, for as long as the policy, and its parts that are not the arena's. */
int fl_entitle_cycle_new(struct fl_policy *p, fairlead_error *err);
void fl_entitle_cycle_done(struct fl_policy *p);

/* Requests, usage and fair shares anew. */
void fl_cycle_divide(struct fl_policy *p);

/* @only FL_NONE: everybody is looked at. */
int fl_entitle_step(struct fl_policy *p, struct fl_workload only, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err);
int fl_entitle_try(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		   struct fl_decisions *ret, fairlead_error *err);

/* All that want to start something, and may in this cycle, in p->scratch->waiting. */
void fl_cycle_line_up(struct fl_policy *p, enum fl_action action, bool preemptible_only);

/*
 * Tell what @action did with @task: ADMIT, RESERVE (where, as the task's row says) or EVICT,
 * for @for_whom.  One that is reserved a place while it is on another machine moves: it is
 * told to go there, too.
 */
int fl_cycle_note(struct fl_policy *p, enum fl_action action, enum fl_decision_kind kind,
		  uint32_t task, struct fl_workload for_whom, fairlead_error *err);

/* allocate.c: whatever fits, in the order of the lines */
int fl_allocate(struct fl_policy *p, fairlead_error *err);

/* decisions.c: of all steps of the cycle, and of who still waits */
int fl_cycle_decisions(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err);

#endif
