/* SPDX-License-Identifier: Apache-2.0 */
/* mirrored - what was heard of the objects of a cluster, for callers that see all */
#ifndef FL_DAEMON_API_MIRRORED_H
#define FL_DAEMON_API_MIRRORED_H

#include "daemon/api/call.h"

void fl_api_mirrored(struct fl_call *call);

#endif
