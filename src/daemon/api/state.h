/* SPDX-License-Identifier: Apache-2.0 */
/* state - the state of the daemon, the audit log, backup */
#ifndef FL_DAEMON_API_STATE_H
#define FL_DAEMON_API_STATE_H

#include "daemon/api/call.h"

void fl_api_health(struct fl_call *call);
void fl_api_daemon(struct fl_call *call);
void fl_api_metrics(struct fl_call *call);
void fl_api_audits(struct fl_call *call);
void fl_api_backup(struct fl_call *call);

#endif
