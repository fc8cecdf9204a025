/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lead - from the Lease to decisions, and back
 *
 * What leads waits until its own writes of before are over, if it led before; lists all anew; and decides then.  One that
 * loses the Lease ends its calls, and has each job as the API has it.  At its end (scheduler.h, close) the Lease is
 * given back, but not before what was sent is answered, or can no longer be done.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_LEAD_H
#define FL_DAEMON_CLUSTER_SCHEDULER_LEAD_H

#include "daemon/cluster/scheduler/state.h"

/* Looks at the Lease from now on, once there is a view. ENOMEM. */
int fl_lead_begin(struct fl_scheduler *s, fairlead_error *err);
/* s->closed is called when the Lease is given back, or cannot be. */
void fl_lead_end(struct fl_scheduler *s);

#endif
