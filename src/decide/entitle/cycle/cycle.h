/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - the data of one scheduling cycle, and what its actions share
 *
 * A cycle (doc/semantics/entitle.md, E9) divides the cluster once, at its beginning.  Then its
 * actions follow, each taking effect at once: allocate (allocate.c), and those that search for
 * victims (search.h).  All of it is inside a mark, so that a cycle that runs out of memory changes
 * nothing.  Reservations end with the cycle: what was promised is bound by a later cycle, when it
 * is free.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_CYCLE_CYCLE_H
#define FL_DECIDE_ENTITLE_CYCLE_CYCLE_H

#include "decide/entitle/action/action.h"

/* p->scratch, which lives as long as the policy; done frees its parts that are not in the arena. */
int fl_entitle_cycle_new(struct fl_policy *p, fairlead_error *err);
void fl_entitle_cycle_done(struct fl_policy *p);

/* Computes requests, usage and fair shares again. */
void fl_cycle_divide(struct fl_policy *p);

/* @only FL_NONE: all workloads are looked at. */
int fl_entitle_step(struct fl_policy *p, struct fl_workload only, const struct fl_sink *sink,
		    struct fl_decisions *ret, fairlead_error *err);
int fl_entitle_try(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		   struct fl_decisions *ret, fairlead_error *err);

/* allocate.c: starts what fits, in the order of the lines; the other actions search for victims */
int fl_allocate(struct fl_policy *p, fairlead_error *err);

/*
 * The actions: reclaim.c, preempt.c, consolidate.c, stale.c.  Return 0, also when they are
 * switched off.
 */
int fl_consolidate(struct fl_policy *p, fairlead_error *err);
int fl_reclaim(struct fl_policy *p, fairlead_error *err);
int fl_preempt(struct fl_policy *p, fairlead_error *err);
int fl_stale_gangs(struct fl_policy *p, fairlead_error *err);

/* decisions.c: lists all steps of the cycle, and the workloads that are still pending */
int fl_cycle_decisions(struct fl_policy *p, struct fl_decisions *ret, fairlead_error *err);

#endif
