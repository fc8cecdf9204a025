/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first - the workloads that a new leader serves before all others: preemptors of what is being evicted
 *
 * Quota that is freed for a preemptor is held for it (decide/borrow/guarantee/protect.h), by the leader that evicts
 * alone.  The next one finds the preemptors in the conditions of what is being evicted, and serves them in the order of those
 * evictions; so what they need is held for them again, with what they still lack.
 *
 * Cannot: know of a workload for which quota is held without an eviction, or after the last one for it is complete.
 *
 * Tested in tests/kube/test_settles.py.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_FIRST_H
#define FL_DAEMON_CLUSTER_SCHEDULER_FIRST_H

#include "daemon/cluster/scheduler/state.h"

/* Without a Policy nothing is held, and this does nothing. ENOMEM, and as fl_driver_serve. */
int fl_first_serve(struct fl_scheduler *s, fl_time now, fairlead_error *err);

#endif
