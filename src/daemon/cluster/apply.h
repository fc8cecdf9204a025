/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply - what a Workload's change says, told to the policy of the present generation
 *
 * The table of what is told (mirror/mirror.h, enum fl_said): quota reserved is FL_EV_HOLDS, evicted FL_EV_GOES,
 * another priority a cell; all else is that the Workload leaves, and comes again as it is now.
 *
 * Promises: the policy is then in the state of one whose generation was made of the same objects
 * (tests/unit/daemon/test_cluster.c, with random changes); where preemption settles, and something is decided here, it
 * knows besides what a Workload that left and came again has yielded (again.h).  What cannot be told so takes the
 * next generation.
 */
#ifndef FL_DAEMON_CLUSTER_APPLY_H
#define FL_DAEMON_CLUSTER_APPLY_H

#include "daemon/cluster/inside.h"

/*
 * 0; 1: the next generation is needed.  @job: of the Workload, which is in the table of jobs as it is now; or
 * was, with @object NULL.  FAIRLEAD_ENOMEM.
 */
int fl_cluster_apply(struct fl_cluster *c, struct fl_live *job,
		     const struct fl_mirror_object *object, unsigned said, fairlead_error *err);
/* Tells the policy and the agreement. @preemptor: of FL_EV_GOES; FL_NONE. The same. */
int fl_cluster_tell_policy(struct fl_cluster *c, const struct fl_event *e,
			   struct fl_workload preemptor);
/* The Workload alone in a model, which is not sealed. ENOMEM. */
int fl_cluster_read_object(const struct fl_mirror_object *o, struct fl_model **ret,
			   fairlead_error *err);
/* The policy gets @job as its Workload says it is, whatever it decided. As fl_cluster_apply. */
int fl_cluster_renew(struct fl_cluster *c, struct fl_live *job, fairlead_error *err);
/* The policy does not look at it until it is told of it again. The same. */
int fl_cluster_leave_out(struct fl_cluster *c, struct fl_live *job);
/* A generation was taken: what has changed since it was begun is told to its policy. The same. */
int fl_cluster_catch_up(struct fl_cluster *c, fairlead_error *err);

#endif
