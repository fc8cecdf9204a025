/* SPDX-License-Identifier: Apache-2.0 */
/* foretell - forecasts: the past is read on a thread, then a copy of the process computes */
#ifndef FL_DAEMON_API_FORETELL_H
#define FL_DAEMON_API_FORETELL_H

#include "daemon/api/call.h"

/* Reads the past, then calls @then with it, to answer before it returns or in a copy of the process. */
void fl_api_foretell(struct fl_call *call, void (*then)(struct fl_call *call));
/* When the pending jobs of a list will start. */
void fl_api_starts(struct fl_call *call);

#endif
