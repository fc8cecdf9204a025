/* SPDX-License-Identifier: Apache-2.0 */
/* history - what queues held over a time, and what weights would have given them */
#ifndef FL_DAEMON_API_HISTORY_H
#define FL_DAEMON_API_HISTORY_H

#include "daemon/api/call.h"

void fl_api_history(struct fl_call *call);

#endif
