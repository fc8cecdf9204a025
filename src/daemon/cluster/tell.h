/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell - what happened to a Workload, for followers of events and as counts of metrics
 *
 * Events are told as they happen, and are kept (kept.h).  Tested in tests/kube/test_cluster.py.
 */
#ifndef FL_DAEMON_CLUSTER_TELL_H
#define FL_DAEMON_CLUSTER_TELL_H

#include "daemon/cluster/inside.h"

/* @job is as it is now; @said: enum fl_said. */
void fl_cluster_tell(struct fl_cluster *c, const struct fl_live *job, unsigned said);

#endif
