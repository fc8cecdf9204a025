/* SPDX-License-Identifier: Apache-2.0 */
/* events - what happened, one event a line; and what happens, as it does */
#ifndef FL_DAEMON_API_EVENTS_H
#define FL_DAEMON_API_EVENTS_H

#include "daemon/api/call.h"

void fl_api_events(struct fl_call *call);

#endif
