/* SPDX-License-Identifier: Apache-2.0 */
/* series - one queue along time, hour by hour, day by day, month by month */
#ifndef FL_DAEMON_API_SERIES_H
#define FL_DAEMON_API_SERIES_H

#include "daemon/api/call.h"

void fl_api_series(struct fl_call *call);

#endif
