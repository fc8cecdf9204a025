/* SPDX-License-Identifier: Apache-2.0 */
/* heard - what the mirror tells, as changes of jobs: each Workload is a job, whose number is kept */
#ifndef FL_DAEMON_CLUSTER_HEARD_H
#define FL_DAEMON_CLUSTER_HEARD_H

#include "daemon/cluster/inside.h"

/* fl_mirror_fn */
int fl_cluster_hear(void *cluster, const struct fl_mirror_change *change, fairlead_error *err);
/* One that has finished since it was heard of last, or before it was heard of. */
int fl_cluster_hear_finished(struct fl_cluster *c, struct fl_mirror_object *o, fairlead_error *err);
/* At the beginning: the jobs of all Workloads, in the order of their numbers. */
int fl_cluster_take_in(struct fl_cluster *c, fairlead_error *err);

#endif
