/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afs - Admission Fair Sharing: local queues of one ClusterQueue by decayed usage
 *
 * A local queue that used less comes first in its ClusterQueue's order; of two
 * workloads of one queue, that of the local queue that used more is preempted
 * first.  An admission is paid for at once by an entry penalty, which is settled
 * into the consumed usage when the admission is entered.
 *
 * Only for queues with admissionMode UsageBasedAdmissionFairSharing, and with
 * admissionFairSharing in the Configuration.  Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_AFS_H
#define FL_DECIDE_BORROW_AFS_H

#include "decide/borrow/state.h"

int fl_afs_setup(struct fl_policy *p, fairlead_error *err);

/* Does usage order the workloads of @q? */
bool fl_afs_orders(const struct fl_policy *p, struct fl_node q);
/* Of @w's local queue: decayed and weighted; INFINITY with weight 0. */
double fl_afs_usage(const struct fl_policy *p, struct fl_workload w);

/* Of two that wait in one queue: lower usage first; then the sticky one, then queue order. */
bool fl_afs_before(const struct fl_policy *p, uint32_t a, uint32_t b);
/* The head of @q by usage: looks at everybody who waits in it. */
struct fl_workload fl_afs_head(const struct fl_policy *p, struct fl_node q);

/* What @w's local queue holds changes with @w (sign +1: more). */
void fl_afs_hold(struct fl_policy *p, struct fl_workload w, int sign);
/* @w was admitted: decay its local queue's usage up to now, and add what the admission costs. */
void fl_afs_settle(struct fl_policy *p, struct fl_workload w);

/* For each workload that settles, at most this many notes of 16 bytes. */
size_t fl_afs_notes(const struct fl_policy *p);

#endif
