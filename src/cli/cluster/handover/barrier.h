/* SPDX-License-Identifier: Apache-2.0 */
/*
 * barrier - waits until no scheduler gives out quota in a tree
 *
 * Kueue's reservations may still come for a while after its queues are on Hold: so until each queue says that it is
 * stopped, and then until no new reservation has come for some seconds.  Queues and Workloads are watched.
 *
 * Cannot: tell whose reservation it is.
 * Tested in tests/kube/test_handover.py and tests/e2e/test_handover.py.
 */
#ifndef FL_CLI_CLUSTER_HANDOVER_BARRIER_H
#define FL_CLI_CLUSTER_HANDOVER_BARRIER_H

#include "cli/cluster/handover/handing.h"
#include "cli/cluster/reach.h"

enum { FL_BARRIER_QUIET = 3000, FL_BARRIER_MOST = 60000 }; /* ms */

struct fl_barrier_end {
	uint32_t late; /* reservations that came while it waited */
	uint64_t last; /* ms from its beginning to the last of them */
};

/* Of the queues of @t that are on Hold, as it was read. An error says what is missing after the time. */
int fl_handing_wait(struct fl_reach *r, const struct fl_handing *t, struct fl_barrier_end *ret,
		    fairlead_error *err);

#endif
