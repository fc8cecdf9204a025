/* SPDX-License-Identifier: Apache-2.0 */
/*
 * least - of each queue and column, the least that any workload with that queue's quota holds
 *
 * A lower bound: no workload that holds quota of the queue holds less of any column.  If a rule
 * refuses a candidate that holds just the bound, it refuses all of them, and they need not be
 * tried one by one (preempt/s2a.h, K2).
 *
 * Invariant, asserted in checked builds: while a queue's bound is of its backlog's epoch, no holder
 * is below it.  An epoch is never used again, so after a rollback the bound is computed again.
 *
 * Cost: O(columns) for a new holder; O(holders) to compute it again, after a rollback, and after
 * as many changes as there are holders, since a holder that leaves does not raise it.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_STATE_LEAST_H
#define FL_DECIDE_BORROW_STATE_LEAST_H

#include "decide/borrow/state/state.h"

int fl_least_new(struct fl_policy *p, fairlead_error *err);
/*
 * The bound of queue @q, which has holders: a row of its tree's columns, valid until one of them
 * changes.
 */
const fl_amount *fl_least(struct fl_policy *p, struct fl_node q);

/*
 * Called by holders.c around a change of @q's holders; @w may be a new one (FL_NONE: none is new).
 */
static inline bool fl_least_is_known(const struct fl_policy *p, struct fl_node q)
{
	return p->least_epoch[q.v] != 0 && p->least_epoch[q.v] == p->backlogs[q.v].epoch;
}
void fl_least_keep(struct fl_policy *p, struct fl_node q);
void fl_least_lower(struct fl_policy *p, struct fl_node q, struct fl_workload w);

#endif
