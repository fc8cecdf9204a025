/* SPDX-License-Identifier: Apache-2.0 */
/* setup_state - which workloads hold what, and which are pending, as the model has them */
#ifndef FL_DECIDE_BORROW_DOORS_SETUP_STATE_H
#define FL_DECIDE_BORROW_DOORS_SETUP_STATE_H

#include "decide/borrow/state/state.h"

/*
 * When there is room for all of them.  FAIRLEAD_ELIMIT: what is admitted is more than 2^63 units of a
 * resource.
 */
int fl_setup_state(struct fl_policy *p, fairlead_error *err);

#endif
