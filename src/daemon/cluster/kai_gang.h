/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_gang - the policy of the present generation is told what a gang of KAI has become
 *
 * Which pods are on which nodes is what the mirror has at that moment.  What the policy does not take is
 * left to the next generation.  Tested in tests/unit/daemon/test_cluster_kai.c.
 */
#ifndef FL_DAEMON_CLUSTER_KAI_GANG_H
#define FL_DAEMON_CLUSTER_KAI_GANG_H

#include "daemon/cluster/inside.h"

/* The policy's state of the job is as the job's. FAIRLEAD_ENOMEM; else 0, or 1: it is not. */
int fl_cluster_align_gang(struct fl_cluster *c, const struct fl_live *job);
/* The job ends: it leaves its workload. FAIRLEAD_ENOMEM. */
int fl_cluster_gang_leaves(struct fl_cluster *c, struct fl_live *job);

#endif
