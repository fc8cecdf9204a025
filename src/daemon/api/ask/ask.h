/* SPDX-License-Identifier: Apache-2.0 */
/* ask - explain, tree, plan, what-if: questions about the state, answered as the command does */
#ifndef FL_DAEMON_API_ASK_H
#define FL_DAEMON_API_ASK_H

#include "daemon/api/call.h"

void fl_api_explain(struct fl_call *call);
void fl_api_explain_workload(struct fl_call *call);
void fl_api_tree(struct fl_call *call);
void fl_api_plan(struct fl_call *call);
void fl_api_what_if(struct fl_call *call);
void fl_api_configuration_difference(struct fl_call *call);
void fl_api_snapshot(struct fl_call *call);

#endif
