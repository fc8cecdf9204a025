/* SPDX-License-Identifier: Apache-2.0 */
/* drain - evictions that no cycle decides: of what holds quota in a ClusterQueue that is to be drained */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_DRAIN_H
#define FL_DAEMON_CLUSTER_SCHEDULER_DRAIN_H

#include "daemon/cluster/scheduler/state.h"

/* Intents for all of them that have none, by the present generation. O(workloads). ENOMEM. */
int fl_scheduler_drain(struct fl_scheduler *s, fairlead_error *err);

#endif
