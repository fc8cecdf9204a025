/* SPDX-License-Identifier: Apache-2.0 */
/* log - the output of a run, as far as it is written, and new output as it comes */
#ifndef FL_DAEMON_API_LOG_H
#define FL_DAEMON_API_LOG_H

#include "daemon/api/call.h"

void fl_api_log(struct fl_call *call);

#endif
