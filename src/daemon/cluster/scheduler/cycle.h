/* SPDX-License-Identifier: Apache-2.0 */
/* cycle - when a scheduler decides, and when not */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_CYCLE_H
#define FL_DAEMON_CLUSTER_SCHEDULER_CYCLE_H

#include "daemon/cluster/scheduler/state.h"

/* Why nothing is decided in this cluster, whichever replica leads; NULL: it is. */
const char *fl_scheduler_unable(const struct fl_scheduler *s);
/* Something has changed: a cycle runs when one is due, or once a second it is looked whether one is. */
void fl_scheduler_soon(struct fl_scheduler *s);

#endif
