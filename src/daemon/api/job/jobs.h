/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - what changes jobs: submit, cancel, hold, release, priority; and reload */
#ifndef FL_DAEMON_API_JOBS_H
#define FL_DAEMON_API_JOBS_H

#include "daemon/api/call.h"

void fl_api_submit(struct fl_call *call);
void fl_api_cancel(struct fl_call *call);
void fl_api_hold(struct fl_call *call);
void fl_api_release(struct fl_call *call);
void fl_api_priority(struct fl_call *call);
void fl_api_acknowledge(struct fl_call *call);
void fl_api_reload(struct fl_call *call);

#endif
