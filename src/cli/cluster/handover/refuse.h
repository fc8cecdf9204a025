/* SPDX-License-Identifier: Apache-2.0 */
/* refuse - what stands against handing a tree over: one check a row, each of which names all that it finds */
#ifndef FL_CLI_CLUSTER_HANDOVER_REFUSE_H
#define FL_CLI_CLUSTER_HANDOVER_REFUSE_H

#include "cli/cluster/handover/handing.h"

/* answer.refusals */
int fl_handing_refuse(struct fl_handing *t, fairlead_error *err);

#endif
