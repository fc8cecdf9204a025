/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decided - what the cluster's scheduler decided: why, for which workload, in loops, and as the engine?
 *
 * Evictions get the reason and the preemptor that Kueue writes into conditions Evicted and Preempted.  Each
 * preemption loop that is found is an event for followers, and counted.  The agreement hears what the
 * policy is told (apply.c); with another generation it goes on as of the new policy, and windows that
 * are not over end there.
 *
 * Cannot: find a loop across generations, which are watched each by itself; know the reason or the
 * preemptor where the conditions do not say them (KAI's pods): such an eviction is no decision that is
 * compared.
 *
 * Tested in tests/unit/daemon/test_cluster.c and tests/kube/test_agreement.py.
 */
#ifndef FL_DAEMON_CLUSTER_DECIDED_H
#define FL_DAEMON_CLUSTER_DECIDED_H

#include "daemon/cluster/inside.h"

/* Of the only workload of @from, as its conditions say; FL_REASON_NONE: they say no reason that is known. */
enum fl_reason fl_cluster_why_it_goes(const struct fl_model *from);
/* In @m, by the uid that its condition says; FL_NONE. O(workloads). */
struct fl_workload fl_cluster_preemptor(const struct fl_model *m, const struct fl_model *from);

/* Of the job's object, as it is now: 1; 0: it was not evicted, or its kind does not say. O(workloads); FAIRLEAD_ENOMEM. */
int fl_cluster_last_eviction(const struct fl_cluster *c, const struct fl_live *job,
			     struct fl_last_eviction *ret, fairlead_error *err);

/* The backend of drivers: the scheduler carries out what is decided, and loops are told. */
struct fl_backend fl_cluster_backend(struct fl_cluster *c);

/*
 * Begins, or goes on with the present generation, whose policy knows all; @a: what there was before it
 * was taken, NULL.  The model before must still be there.  FAIRLEAD_ENOMEM.
 */
int fl_cluster_agree(struct fl_cluster *c, struct fl_agreement *a, fairlead_error *err);

#endif
