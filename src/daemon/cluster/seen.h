/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen - what history needs of a Workload's object: what it holds, of whose quota, and since when
 *
 * What it holds is what status.admission says, until it is released: pods of it that are done
 * (reclaimablePods) are not subtracted.  Tested in tests/unit/daemon/test_kept.c.
 */
#ifndef FL_DAEMON_CLUSTER_SEEN_H
#define FL_DAEMON_CLUSTER_SEEN_H

#include "daemon/cluster/inside.h"
#include "daemon/engine/placement.h"

struct fl_seen_workload {
	char queue[256];              /* the ClusterQueue; "": it holds nothing */
	char placement[FL_PLACEMENT]; /* as fl_live_placement; "": nothing */
	fl_time finished;             /* FL_TIME_NONE: not, or it is not known when */
};
int fl_cluster_see(const struct fl_mirror_object *o, struct fl_seen_workload *ret,
		   fairlead_error *err);

/* Why it was evicted, as its condition says: a word of Kueue's. */
enum fl_go_why fl_cluster_go_why(const char *reason);

#endif
