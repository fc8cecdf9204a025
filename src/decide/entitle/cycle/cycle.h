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

#include "decide/entitle/action/action.h"

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

/* allocate.c: whatever fits, in the order of the lines; the others look for victims */
int fl_allocate(struct fl_policy *p, fairlead_error *err);

/* The actions: reclaim.c, preempt.c, consolidate.c, stale.c. 0, also when they are switched off. */
int fl_consolidate(struct fl_policy *p, fairlead_error *err);
int fl_reclaim(struct fl_policy *p, fairlead_error *err);
int fl_preempt(struct fl_policy *p, fairlead_error *err);
int fl_stale_gangs(struct fl_policy *p, fairlead_error *err);

/* decisions.c: of all steps of the cycle, and of who still waits */
int fl_cycle_decisions(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err);

#endif
