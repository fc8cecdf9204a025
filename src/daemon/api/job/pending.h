/* SPDX-License-Identifier: Apache-2.0 */
/* pending - positions of pending jobs, as Kueue's visibility API (v1beta2) gives them */
#ifndef FL_DAEMON_API_PENDING_H
#define FL_DAEMON_API_PENDING_H

#include "daemon/api/call.h"

void fl_api_pending_of_cluster_queue(struct fl_call *call);
void fl_api_pending_of_local_queue(struct fl_call *call);

#endif
