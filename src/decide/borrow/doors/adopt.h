/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - what one policy knows, carried into one on another model
 *
 * A tree is *alike* when its nodes, their rules, quotas, limits, weights and flavors are those of
 * the old model's tree.  There all is carried as it stands.  Elsewhere whoever holds quota goes on
 * to hold it, and who waits is looked at anew: no shape is marked, no scan goes on where it
 * stopped, rungs are found again.  A promise, and to whom somebody yielded, is carried where the
 * queue is *in its place*: of the same flavors, below the same cohorts.
 *
 * What events changed counts where the rows of both models are the same (quota, limits, weights,
 * priorities); where they differ, the new row does.
 *
 * What else decides is not compared (flavors' labels and taints, selectors, a Policy's
 * protections, gates): who changes that calls `forget`.  A shape of which nobody is left in the
 * new model is forgotten: who comes with it later is looked at once more.
 *
 * FAIRLEAD_EINPUT: somebody holds quota that there is not any more: of a ClusterQueue that is gone,
 * or in a flavor and resource of which nobody in its tree has any.
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
