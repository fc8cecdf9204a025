/* SPDX-License-Identifier: Apache-2.0 */
/* rows - the ClusterQueues of an answer: quota, workloads, and what they are before and after */
#ifndef FL_CLI_CLUSTER_HANDOVER_ROWS_H
#define FL_CLI_CLUSTER_HANDOVER_ROWS_H

#include "cli/cluster/handover/handing.h"

/* answer.queues */
int fl_handing_rows(struct fl_handing *t, fairlead_error *err);

#endif
