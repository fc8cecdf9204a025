/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - carries the state of a policy into a policy on another model
 *
 * A tree is *alike* when its nodes, their rules, quotas, limits, weights and flavors are the same
 * as in the old model.  There the whole state is carried.  Elsewhere workloads keep the quota that
 * they hold, and pending workloads are tried again: no class is marked, no scan continues where it
 * stopped, rungs are found again.  A promise, and to which workload one yielded, is carried where
 * the queue is *in its place*: with the same flavors, below the same cohorts.
 *
 * A quota, limit, weight or priority that events changed is kept where the rows of both models
 * state the same value; where they differ, the new row's value is taken.
 *
 * Other things that decide are not compared (labels and taints of flavors, selectors, the
 * protections of a Policy, gates): after a change of these the caller must call `forget`.  A
 * marked class of which the new model has no workload is forgotten: a workload that arrives with
 * it later is tried once more.
 *
 * FAIRLEAD_EINPUT: a workload holds quota that does not exist any more: of a ClusterQueue that was
 * removed, or of a flavor and resource of which no node in its tree has quota.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_DOORS_ADOPT_H
#define FL_DECIDE_BORROW_DOORS_ADOPT_H

#include "decide/borrow/state/adopting.h"

/* policy.h; @p is made */
int fl_borrow_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		    const struct fl_workload *was, fairlead_error *err);

#endif
