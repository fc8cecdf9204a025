/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign - which flavor each podset's resources go to, and who must go for that
 *
 * The rules: doc/semantics/borrow.md, B4.
 *
 * Podsets in order; all resources of a resource group take one flavor.  A group's
 * flavors are tried in the queue's order, from where the last cycle stopped; how
 * far the search goes on is flavorFungibility.  A flavor's mode is the worst of
 * its resources, the workload's the worst of its podsets.  When not all pods fit,
 * partial admission looks for the largest count that does (minCount).
 *
 * Promises: reads the view only (a search for victims leaves it as it was).
 * Allocates from the cycle's arena, before anything is decided.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_ASSIGN_H
#define FL_DECIDE_BORROW_CYCLE_ASSIGN_H

#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/view/entry.h"

/* Its workspace, for as long as the policy: of one podset, and the last nomination at a glance. */
struct fl_assign;
int fl_assign_new(struct fl_policy *p, const struct fl_teller *tell, struct fl_preempt *search,
		  struct fl_assign **ret, fairlead_error *err);
/* A cycle begins with a new arena: what there was at a glance is gone. */
void fl_assign_begin(struct fl_assign *k);

/*
 * Flavors for @e's workload in view @v: fills e->assignment, and e->targets when it
 * must preempt.  @only: flavors to keep to, as in fl_nomination.flavor; NULL for any.
 */
int fl_assign_nominate(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		       struct fl_entry *e, const int16_t *only, fairlead_error *err);

/*
 * The same without a search for victims.  REFUSED: whatever is searched for, it would have none,
 * and @e is told so; FITS: fl_assign_take_glance gives its entry what was found.
 */
enum fl_glance { FL_GLANCE_UNSURE, FL_GLANCE_FITS, FL_GLANCE_REFUSED };
int fl_assign_glance(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		     struct fl_entry *e, enum fl_glance *ret, fairlead_error *err);
void fl_assign_take_glance(struct fl_assign *k, struct fl_entry *e);

/*
 * In the flavors and with the pods that @e's workload was promised (protect.h): 1 when that
 * fits, or has victims that make it fit, else 0 and nothing of @e counts.
 */
int fl_assign_promised(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		       struct fl_entry *e, fairlead_error *err);

/* The same without a search: what was promised is held for it (rung.h). */
int fl_assign_certain(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		      struct fl_entry *e, fairlead_error *err);

#endif
