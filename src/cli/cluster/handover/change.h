/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - the annotation, the stopPolicy and the admission checks of a ClusterQueue, in one write
 *
 * Guarantee: it is written only over what the tree was read with: the queue is read just before, and the write has that
 * resourceVersion, so whatever comes between is seen.
 * Tested in tests/kube/test_handover.py.
 */
#ifndef FL_CLI_CLUSTER_HANDOVER_CHANGE_H
#define FL_CLI_CLUSTER_HANDOVER_CHANGE_H

#include "cli/cluster/handover/handing.h"
#include "cli/cluster/reach.h"

enum fl_changed {
	FL_CHANGED,
	FL_CHANGED_NOT,       /* it is as it shall be */
	FL_CHANGED_MEANWHILE, /* it is not as the tree was read, or not there: nothing was written */
};

/* Makes the AdmissionCheck of fairlead, unless it is there. */
int fl_handing_make_check(struct fl_reach *r, const struct fl_handing *t, fairlead_error *err);
/* Makes @q stand as @to says; an error leaves open whether it was written. */
int fl_handing_change(struct fl_reach *r, const struct fl_handing_queue *q, struct fl_marked to,
		      enum fl_changed *ret, fairlead_error *err);

#endif
