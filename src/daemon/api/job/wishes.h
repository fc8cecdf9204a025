/* SPDX-License-Identifier: Apache-2.0 */
/* wishes - one request about many jobs: cancel, hold, release, requeue, update */
#ifndef FL_DAEMON_API_WISHES_H
#define FL_DAEMON_API_WISHES_H

#include "daemon/api/call.h"

void fl_api_cancel_many(struct fl_call *call);
void fl_api_hold_many(struct fl_call *call);
void fl_api_release_many(struct fl_call *call);
void fl_api_requeue_many(struct fl_call *call);
void fl_api_update_many(struct fl_call *call);

#endif
