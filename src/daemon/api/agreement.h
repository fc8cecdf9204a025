/* SPDX-License-Identifier: Apache-2.0 */
/* agreement - how often the scheduler of a cluster decided as the engine would have */
#ifndef FL_DAEMON_API_AGREEMENT_H
#define FL_DAEMON_API_AGREEMENT_H

#include "daemon/api/call.h"

void fl_api_agreement(struct fl_call *call);
void fl_api_agreement_state(struct fl_call *call);

#endif
