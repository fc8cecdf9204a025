/* SPDX-License-Identifier: Apache-2.0 */
/* usage - what each user held in each queue over a time */
#ifndef FL_DAEMON_API_USAGE_H
#define FL_DAEMON_API_USAGE_H

#include "daemon/api/call.h"

void fl_api_usage(struct fl_call *call);

#endif
