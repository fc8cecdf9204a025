/* SPDX-License-Identifier: Apache-2.0 */
/*
 * over - which workloads Kueue may preempt after a tree is given back: those of queues that hold more than their
 * nominal quota
 *
 * Of a flavor and a resource that no other queue of the tree can reclaim (reclaimWithinCohort), nothing is told.
 * Cannot: tell which of them Kueue will choose, or preemption within a queue.
 */
#ifndef FL_CLI_CLUSTER_HANDOVER_OVER_H
#define FL_CLI_CLUSTER_HANDOVER_OVER_H

#include "cli/cluster/handover/handing.h"

/* answer.over */
int fl_handing_over(struct fl_handing *t, fairlead_error *err);

#endif
