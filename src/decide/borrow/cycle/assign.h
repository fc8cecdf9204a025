/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign - to which flavors a workload's podsets are assigned, and which victims that needs
 *
 * The rules: doc/semantics/borrow.md, B4.
 *
 * Podsets are assigned in order; all resources of a resource group get the same flavor.  The
 * flavors of a group are tried in the queue's order, from where the last cycle stopped;
 * flavorFungibility says how far the search continues.  The mode of a flavor is the worst of its
 * resources, that of the workload the worst of its podsets.  When not all pods fit, partial
 * admission looks for the largest count that does (minCount).
 *
 * Promises: only reads the view (a search for victims leaves it as it was).  Allocates in the
 * cycle arena, before anything is decided.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_ASSIGN_H
#define FL_DECIDE_BORROW_CYCLE_ASSIGN_H

#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/view/entry.h"

/*
 * The workspace, which lives as long as the policy: for one podset, and the last nomination at a
 * quick check.
 */
struct fl_assign;
int fl_assign_new(struct fl_policy *p, const struct fl_teller *tell, struct fl_preempt *search,
		  struct fl_assign **ret, fairlead_error *err);
/* A cycle begins with an empty arena: forgets the last nomination by a quick check. */
void fl_assign_begin(struct fl_assign *k);

/*
 * Assigns flavors to @e's workload in view @v: fills e->assignment, and e->targets when it must
 * preempt.  @only: the flavors to use, as in fl_nomination.flavor; NULL for any.
 */
int fl_assign_nominate(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		       struct fl_entry *e, const int16_t *only, fairlead_error *err);

/*
 * The same without a search for victims.  REFUSED: a search would find no victims, and @e has the
 * refusal; FITS: fl_assign_take_quick_check gives what was found to its entry.
 */
enum fl_quick_check { FL_QUICK_CHECK_UNSURE, FL_QUICK_CHECK_FITS, FL_QUICK_CHECK_REFUSED };
int fl_assign_quick_check(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
			  struct fl_entry *e, enum fl_quick_check *ret, fairlead_error *err);
void fl_assign_take_quick_check(struct fl_assign *k, struct fl_entry *e);

/*
 * Assigns the flavors and pods that @e's workload was promised (protect.h): 1 when these fit, with
 * victims or without; else 0, and @e is not changed in a way that counts.
 */
int fl_assign_promised(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		       struct fl_entry *e, fairlead_error *err);

/* The same without a search: what was promised is held for it (rung.h). */
int fl_assign_certain(struct fl_policy *p, struct fl_assign *k, struct fl_view *v,
		      struct fl_entry *e, fairlead_error *err);

#endif
