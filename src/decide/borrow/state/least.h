/* SPDX-License-Identifier: Apache-2.0 */
/*
 * least - what every holder of a queue's quota holds at least, column by column
 *
 * A bound: no holder holds less of any column.  Where a rule refuses whoever holds that little it
 * refuses them all, and need not ask one by one (preempt/s2a.h, K2).
 *
 * What always holds, checked in checked builds: where a queue's bound is of its line's epoch, no
 * holder is below it.  An epoch is never used again, so after a rollback the bound is found again.
 *
 * Cost: a new holder O(columns); found again O(holders), after a rollback and after as many
 * changes as there are holders, since who left does not raise it.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_STATE_LEAST_H
#define FL_DECIDE_BORROW_STATE_LEAST_H

#include "decide/borrow/state/state.h"

int fl_least_new(struct fl_policy *p, fairlead_error *err);
/* Of queue @q with holders: a row of its tree's columns, valid until one changes. */
const fl_amount *fl_least(struct fl_policy *p, struct fl_node q);

/* holders.c: around a change of @q's holders, of which @w (FL_NONE: nobody) may be new. */
static inline bool fl_least_is_known(const struct fl_policy *p, struct fl_node q)
{
	return p->least_epoch[q.v] != 0 && p->least_epoch[q.v] == p->lines[q.v].epoch;
}
void fl_least_keep(struct fl_policy *p, struct fl_node q);
void fl_least_lower(struct fl_policy *p, struct fl_node q, struct fl_workload w);

#endif
