/* SPDX-License-Identifier: Apache-2.0 */
/* join - one more workload in a policy, and one less (policy.h, `join` and `leave`) */
#ifndef FL_DECIDE_BORROW_DOORS_JOIN_H
#define FL_DECIDE_BORROW_DOORS_JOIN_H

#include "decide/borrow/state/state.h"

int fl_borrow_join(struct fl_policy *p, struct fl_workload w, fairlead_error *err);
int fl_borrow_leave(struct fl_policy *p, struct fl_workload w, fairlead_error *err);

#endif
