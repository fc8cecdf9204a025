/* SPDX-License-Identifier: Apache-2.0 */
/* cycle - when a scheduler decides, and when not */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_CYCLE_H
#define FL_DAEMON_CLUSTER_SCHEDULER_CYCLE_H

#include "daemon/cluster/scheduler/state.h"

/* Why nothing is decided in this cluster, whichever replica leads; NULL: it is. */
const char *fl_scheduler_unable(struct fl_scheduler *s);
/* Why nothing was decided for a while; NULL: it was, or another one leads. */
const char *fl_scheduler_starves(const struct fl_scheduler *s);
/* Nothing is decided before a view has what was heard just now, however long that takes. */
void fl_scheduler_needs(struct fl_scheduler *s);
/* It does not have that yet: what was decided is not to be written, either. */
bool fl_scheduler_lacks(const struct fl_scheduler *s);
/* Something has changed: a cycle runs when one is due, or once a second it is looked whether one is. */
void fl_scheduler_soon(struct fl_scheduler *s);

#endif
