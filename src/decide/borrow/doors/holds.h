/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holds - admissions and evictions that another scheduler decided (FL_EV_HOLDS, FL_EV_GOES)
 *
 * A workload that holds quota by another scheduler's decision is as one that the model has admitted:
 * its quota, its flavors and its number of pods are taken as they are, also where no rule here
 * would give them, and beyond any quota.  With a guarantee that preemption settles all standings of
 * its tree are found again, as after a change of a quota: the guarantee holds from then on.
 *
 * Cannot: count an eviction for reclaimBackOff, since it is not known what it was needed for.
 *
 * Tested in tests/unit/decide/test_holds.c and tests/prop/incremental.  Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_DOORS_HOLDS_H
#define FL_DECIDE_BORROW_DOORS_HOLDS_H

#include "decide/borrow/state/state.h"

/*
 * FAIRLEAD_EINPUT: fl_holding_check, or the tree of the queue has no quota for a flavor and
 * resource.  FAIRLEAD_ELIMIT: there is no room for it here, which a model that has it admitted
 * would have: it is of another queue than its own, or has more rows than its requests; or sums
 * would be more than 2^63 units.
 */
int fl_borrow_holds(struct fl_policy *p, const struct fl_event *event, fairlead_error *err);
int fl_borrow_goes(struct fl_policy *p, const struct fl_event *event, fairlead_error *err);

#endif
