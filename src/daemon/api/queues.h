/* SPDX-License-Identifier: Apache-2.0 */
/* queues - queues and cohorts as they are now: quotas, usage, running and pending jobs */
#ifndef FL_DAEMON_API_QUEUES_H
#define FL_DAEMON_API_QUEUES_H

#include "daemon/api/call.h"

void fl_api_queues(struct fl_call *call);
void fl_api_shares(struct fl_call *call);
/* What GET /v1/queues answers; NULL after an error. */
json_t *fl_api_tree_json(struct fl_call *call, fairlead_error *err);

#endif
