/* SPDX-License-Identifier: Apache-2.0 */
/* maker - Workloads of the mirror become those of a generation, with what stops a tree; PodGroups, with all pods that there are */
#ifndef FL_DAEMON_CLUSTER_MAKER_H
#define FL_DAEMON_CLUSTER_MAKER_H

#include "daemon/cluster/inside.h"

void fl_cluster_maker(struct fl_cluster *c, struct fl_workload_maker *ret);

#endif
