/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recall - what Workloads have yielded (decide/policy.h), written with decisions about them, and read again by the next leader
 *
 * It stands in the condition Preempted (yield_text.h), since an apply to a status can write no annotation; so it is
 * written in the same request as the eviction, or the admission, that makes it, and what is not evicted has yielded
 * nothing.
 *
 * Tested in tests/kube/test_settles.py.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_RECALL_H
#define FL_DAEMON_CLUSTER_SCHEDULER_RECALL_H

#include "daemon/cluster/scheduler/state.h"

/* What is to be written of @w (heap); NULL in *ret: nothing. ENOMEM. */
int fl_recall_text(const struct fl_generation *g, struct fl_workload w, char **ret,
		   fairlead_error *err);
/* Tells the policy what the API has of all Workloads. ENOMEM, and as policy.h, remember. */
int fl_recall_all(struct fl_scheduler *s, fairlead_error *err);

#endif
