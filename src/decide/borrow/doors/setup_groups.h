/* SPDX-License-Identifier: Apache-2.0 */
/* setup_groups - the resource groups of the queues, and the order of flavors in each */
#ifndef FL_DECIDE_BORROW_DOORS_SETUP_GROUPS_H
#define FL_DECIDE_BORROW_DOORS_SETUP_GROUPS_H

#include "decide/borrow/state/state.h"

int fl_setup_groups(struct fl_policy *p, fairlead_error *err);

#endif
