/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity - what there was of each resource in a cluster, along time: the sum of all quotas, or what is divided
 *
 * A row of settings for each change, of which the last FL_STORE_VERSIONS are kept; before the first one nothing
 * is known.  Tested in tests/kube/test_history.py.
 */
#ifndef FL_DAEMON_CLUSTER_CAPACITY_H
#define FL_DAEMON_CLUSTER_CAPACITY_H

#include "daemon/cluster/inside.h"

/* Another configuration is in force: what there is now is kept, if it is other than before. */
int fl_cluster_note_capacity(struct fl_cluster *c, fairlead_error *err);
/* By time; from malloc. */
int fl_cluster_capacities(const struct fl_cluster *c, struct fl_weighed_capacity **ret,
			  uint32_t *ret_n, fairlead_error *err);

#endif
