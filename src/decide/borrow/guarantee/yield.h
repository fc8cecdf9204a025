/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield - what workloads have yielded (rung.h), told from one policy to another (decide/policy.h)
 *
 * Promises: of a workload of which nothing is known otherwise, the floors, and whether it was forgiven, are
 * those that were told.  Where that leaves one on WITHIN at a node at which it has a floor, the standings of
 * its tree are found again (fl_rung_renew), as they would have been with that floor.
 *
 * What is told may be wrong, or made up: whatever it says, it makes a workload ask on a higher rung and no more, and
 * only until the other one has ended.
 *
 * Tested in tests/unit/decide/test_rung.c.  Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_YIELD_H
#define FL_DECIDE_BORROW_GUARANTEE_YIELD_H

#include "decide/borrow/view/view.h"

/* policy.h, yielded */
bool fl_yielded(const struct fl_policy *p, struct fl_workload w, struct fl_yield *ret);
/* One row of policy.h, remember; in no mark.  @room: a view that is not in use. */
void fl_yield_enter(struct fl_policy *p, struct fl_view *room, const struct fl_yield *y);

#endif
