/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - what one policy knows, carried into one on another model
 *
 * Tasks stay in their states and on their machines, workloads keep their times and reasons, queues
 * what they have had and were given; what queues hold and machines have is counted anew, as a cycle
 * does.  Who is on a machine that is no more is on none, and holds what it held.
 *
 * What events changed (what queues deserve and may have, weights, priorities, room of machines)
 * counts where both models' rows are the same; where they differ, the new row does.  A cycle may be
 * left out as it might have been when all queues and machines are as they were, and nobody has
 * gone; what else decides is not compared (settings, budgets, labels and taints, placement): who
 * changes that calls `forget`.
 *
 * FAIRLEAD_EINPUT: a workload has not as many tasks as it had.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_DOORS_ADOPT_H
#define FL_DECIDE_ENTITLE_DOORS_ADOPT_H

#include "decide/entitle/state/state.h"

/* policy.h; @p is made */
int fl_entitle_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		     const struct fl_workload *was, fairlead_error *err);

#endif
