/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stopped - the trees of which ClusterQueues are handed over, and in which nothing is decided
 *
 * Which they are, and why, says the model (model/left.h); here it is told: in the log when that changes, as the problem of
 * the daemon, and as a number.  Not told here: what Kueue's Configuration leaves to Kueue, which is all trees.
 *
 * Tested in tests/kube/test_faults.py.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_STOPPED_H
#define FL_DAEMON_CLUSTER_SCHEDULER_STOPPED_H

#include <fairlead/error.h>
#include <stdint.h>

struct fl_scheduler;

struct fl_stopped {
	uint32_t trees;
	uint64_t which;  /* a digest of them, and of why each is; 0: none */
	char text[1300]; /* of one, the first by its text, and how many there are; "" */
};

/* Compares with the present generation. ENOMEM. */
int fl_stopped_look(struct fl_scheduler *s, fairlead_error *err);

#endif
