/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holding - what another scheduler gave a workload (FL_EV_HOLDS), for policies that give out quota
 *
 * Says whether a model has what the rows name.  It does not say whether a policy has room for
 * them: each policy does.
 *
 * Tested in tests/unit/decide/test_holds.c.  Private to the policies.
 */
#ifndef FL_DECIDE_HOLDING_H
#define FL_DECIDE_HOLDING_H

#include "model/model.h"
#include "record/record.h"

/*
 * FAIRLEAD_EINPUT, with the row that is wrong: there is no such ClusterQueue, podset, flavor or
 * resource, or a count or an amount is negative.
 */
int fl_holding_check(const struct fl_model *m, struct fl_workload w, const struct fl_holding *h,
		     fairlead_error *err);
/* Puts the admission of @w before the subject of @err; returns its code. */
int fl_holding_fail(const struct fl_model *m, struct fl_workload w, fairlead_error *err);

#endif
