/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - carries the state of a policy into a policy on another model
 *
 * Tasks keep their states and machines, workloads their times and reasons, queues their usage and
 * fair shares; what queues hold and machines have is counted again, as each cycle does.  A task on
 * a machine that was removed is on no machine, and holds what it held.
 *
 * What events changed (what queues deserve and their limits, weights, priorities, room of
 * machines) is kept where the rows of both models state the same; where they differ, the new row's
 * value is taken.  The next cycle may be skipped under the same conditions as before if all queues
 * and machines are as they were and no workload was removed.  Other things that decide are not
 * compared (settings, budgets, labels and taints, placement): after a change of these the caller
 * must call `forget`.
 *
 * FAIRLEAD_EINPUT: a workload does not have as many tasks as before.
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
