/* SPDX-License-Identifier: Apache-2.0 */
/* queues - queues and cohorts as they are now: quotas, usage, running and pending jobs */
#ifndef FL_DAEMON_API_QUEUES_H
#define FL_DAEMON_API_QUEUES_H

#include "daemon/api/call.h"

void fl_api_queues(struct fl_call *call);
void fl_api_shares(struct fl_call *call);

/* What GET /v1/queues answers. But for `policy` and `warning` it stays as it is while all goes on. */
struct fl_api_queues {
	struct fl_arena arena;
	json_t *conditions;
	struct fl_queues_answer answer;
};
int fl_api_queues_look(struct fl_call *call, struct fl_api_queues *ret, fairlead_error *err);
void fl_api_queues_done(struct fl_api_queues *q);

#endif
