/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai - what the mirror tells of a cluster with KAI, as changes of jobs: each PodGroup that has pods is a job
 *
 * A PodGroup does not say what was decided about it: its pods do, and the requests to bind them
 * (mirror/kai_gang.h).  What a gang has become is told to the policy of the present generation at once: bound
 * (FL_EV_HOLDS), evicted (FL_EV_GOES), without pods again (FL_EV_EVICTED), ended (FL_EV_FINISHED).  Since a
 * gang's pods are told one by one, that is done once for all that came within FL_KAI_TOGETHER.
 *
 * Guarantee: each change needs the next generation, which is made of the objects alone, as a file with the
 * same objects is read; so what is told in between is never more than early.
 *
 * Pods that have ended are not read.  So a PodGroup is a job from its first pod on, until it is deleted, or until
 * the last of its pods ends that held something; one without pods when the daemon starts is none.
 *
 * Cannot: know why a gang was evicted, which is not in the API; a pod without a PodGroup takes part, and is no job.
 * Tested in tests/unit/daemon/test_cluster_kai.c and tests/kube/test_kai.py.
 */
#ifndef FL_DAEMON_CLUSTER_KAI_H
#define FL_DAEMON_CLUSTER_KAI_H

#include "daemon/cluster/inside.h"

enum { FL_KAI_TOGETHER = 20 /* ms */ };

int fl_cluster_kai_begin(struct fl_cluster *c, fairlead_error *err);
void fl_cluster_kai_done(struct fl_cluster *c);

/* Of PodGroups, pods and requests to bind; as fl_mirror_fn. */
int fl_cluster_hear_kai(struct fl_cluster *c, const struct fl_mirror_change *change,
			fairlead_error *err);
/* At the beginning: the jobs of all PodGroups that have pods, the oldest first. */
int fl_cluster_take_in_kai(struct fl_cluster *c, fairlead_error *err);
/* What gangs have become since the last call. */
int fl_cluster_tell_gangs(struct fl_cluster *c, fairlead_error *err);
/* A generation was taken: what has changed since it was begun is told to its policy; priorities are its own. */
int fl_cluster_catch_up_kai(struct fl_cluster *c, fairlead_error *err);

#endif
