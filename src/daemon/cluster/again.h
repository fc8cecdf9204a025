/* SPDX-License-Identifier: Apache-2.0 */
/*
 * again - what is known of a Workload, while it leaves the policy and comes again as it is now (apply.h)
 *
 * For the policy its life is over then, and what it yielded, and what others yielded to it, is forgotten
 * (decide/policy.h, struct fl_yield); so that is told again.  What it yielded in another queue is not.
 *
 * Cost: O(workloads) where preemption settles, and something is decided here; else nothing.
 */
#ifndef FL_DAEMON_CLUSTER_AGAIN_H
#define FL_DAEMON_CLUSTER_AGAIN_H

#include "daemon/cluster/inside.h"

struct fl_again {
	struct fl_workload was;
	struct fl_node queue; /* whose it was */
	struct fl_yield *rows;
	uint32_t n, cap;
};

/* Before it leaves; FL_NONE: it is not in the policy. ENOMEM. */
int fl_again_take(const struct fl_cluster *c, struct fl_workload w, struct fl_again *ret,
		  fairlead_error *err);
/* It is @is now. The same. */
int fl_again_tell(struct fl_cluster *c, struct fl_workload is, struct fl_again *a,
		  fairlead_error *err);
void fl_again_done(struct fl_again *a);

#endif
