/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sees - what a caller that a cluster knows may see of an answer
 *
 * A caller that may get Workloads of all namespaces, and ClusterQueues, sees all.  What others need for a route is a
 * table; rows of their answers are filtered (filter.h).  What is made of a model, as a plan, is made in a
 * copy of the process, where names of Workloads that they may not get are replaced by that of their
 * queue before anything is written, and names of queues too, unless they may get ClusterQueues.
 * Cannot: know more namespaces than FL_PEOPLE_NAMESPACES for one answer; the others stay hidden.
 * Tested in tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_API_SEES_H
#define FL_DAEMON_API_SEES_H

#include "daemon/api/call.h"
#include "daemon/engine/people.h"

/* Calls @serve when it is known what the caller may see, or answers an error. */
void fl_api_see(const struct fl_call *call, void (*serve)(struct fl_call *call));
/* May a caller that does not see all have this route? False: an error was answered. */
bool fl_api_may_see(const struct fl_call *call);
/* In a copy of the process: replaces names that the caller may not see. FAIRLEAD_ENOMEM. */
int fl_api_hide(const struct fl_call *call, const struct fl_live_view *view, fairlead_error *err);

#endif
