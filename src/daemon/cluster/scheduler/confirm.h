/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confirm - what holds quota in a queue with admission checks, and was not given it by fairlead: its check passes there, too
 *
 * Kueue puts the name of fairlead's check into each Workload of a queue when it is handed over.  What has a reservation then, and
 * waits for other checks, would wait for that one for ever.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_CONFIRM_H
#define FL_DAEMON_CLUSTER_SCHEDULER_CONFIRM_H

#include "daemon/cluster/scheduler/state.h"

/* Is there something to confirm, in a queue in which fairlead decides? */
bool fl_confirm_wants(const struct fl_scheduler *s, const struct fl_live *job);
/* The Workload of @job has changed, and what is managed of it is known. ENOMEM. */
int fl_confirm_seen(struct fl_scheduler *s, const struct fl_live *job, fairlead_error *err);
/* Intents for all of them, by the present generation. O(queues); O(workloads) where one has checks. ENOMEM. */
int fl_confirm_all(struct fl_scheduler *s, fairlead_error *err);

#endif
