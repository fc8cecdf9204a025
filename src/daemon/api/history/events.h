/* SPDX-License-Identifier: Apache-2.0 */
/* events - past events, one a line, and new ones as they happen */
#ifndef FL_DAEMON_API_EVENTS_H
#define FL_DAEMON_API_EVENTS_H

#include "daemon/api/call.h"

void fl_api_events(struct fl_call *call);

#endif
