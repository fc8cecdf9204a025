/* SPDX-License-Identifier: Apache-2.0 */
/* taken - what a handover reads of each object as it comes, beside the model: ClusterQueues, findings, checks, gates */
#ifndef FL_CLI_CLUSTER_HANDOVER_TAKEN_H
#define FL_CLI_CLUSTER_HANDOVER_TAKEN_H

#include "cli/cluster/handover/handing.h"
#include "codec/object/fields.h"

/* For a tap (codec/object/kube.h): @user is a struct fl_handing. */
int fl_handing_take(void *user, struct fl_kube *k, const struct fl_kind *kind);

#endif
