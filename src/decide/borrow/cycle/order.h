/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - the order in which the heads of a cycle are served (doc/semantics/borrow.md, B6)
 *
 * Classical: by borrowing level, priority, age.
 *
 * Fair sharing: a tournament in each tree of cohorts, played again after each pick.  At every
 * cohort the heads below it compete by the share that the child node on their path would have with
 * them; the winner goes on to the parent, and the winner at the root is served.  A child that
 * stays within its quota beats one that borrows; then the lower share wins, then the higher
 * priority, then the older workload.
 *
 * Before all of these come workloads for which freed quota is held, and, under fair sharing,
 * workloads whose priority overrules it (protect.h), each in classical order.
 *
 * A pick changes usage only on the path of its queue, so only contenders on that path are compared
 * again: O(depth log children) per pick (tournament.h).
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_ORDER_H
#define FL_DECIDE_BORROW_CYCLE_ORDER_H

#include "decide/borrow/view/entry.h"

/* Which entries were served, and which is next: lives as long as the policy. */
struct fl_turns;
int fl_order_new(struct fl_policy *p, struct fl_turns **ret, fairlead_error *err);
/* Lets the numbers that mark things begin again (marks.h). */
void fl_order_renew(const struct fl_policy *p, struct fl_turns *k);

int fl_order_start(struct fl_policy *p, struct fl_turns *k, fairlead_error *err);
/*
 * The entries of workloads that are promised something, in the order in which they are served;
 * cycle arena.
 */
int fl_order_promised(struct fl_policy *p, uint32_t **ret, uint32_t *ret_n, fairlead_error *err);
/* The next entry to process, by the current S; NULL when all were processed. */
struct fl_entry *fl_order_next(struct fl_policy *p, struct fl_turns *k);
/* @e was processed and S changed around its queue. */
void fl_order_done(struct fl_policy *p, struct fl_turns *k, struct fl_entry *e);

#endif
