/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_states - status.admissionChecks of a Workload, as decisions change it
 *
 * @status: the status as Kueue's scheduler would write it whole (managed.h).  Kueue's controllers put the names of its
 * ClusterQueue's checks into the list; the states of all but fairlead's own are other controllers'.
 * Tested in tests/unit/daemon/test_managed.c.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_CHECK_STATES_H
#define FL_DAEMON_CLUSTER_SCHEDULER_CHECK_STATES_H

#include <jansson.h>

#include "daemon/cluster/scheduler/managed.h"

/* FL_MANAGED_CHECK_WAITS: it is in state Pending, whatever the conditions say. */
enum fl_managed_check fl_check_states_of(const json_t *status);
/* That of fairlead is Ready, as of @now, a time of the API. 0, or -1: no memory. */
int fl_check_states_pass(json_t *status, const char *now);
/* All are Pending again, as Kueue has it at an eviction; one that was in Retry has one more retry. 0, or -1: no memory. */
int fl_check_states_reset(json_t *status, const char *now);

#endif
