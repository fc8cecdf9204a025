/* SPDX-License-Identifier: Apache-2.0 */
/* attach - the client of an interactive job: its connection stays open as long as the job lasts */
#ifndef FL_DAEMON_API_ATTACH_H
#define FL_DAEMON_API_ATTACH_H

#include "daemon/api/call.h"

void fl_api_attach(struct fl_call *call);

#endif
