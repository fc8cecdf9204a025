/* SPDX-License-Identifier: Apache-2.0 */
/* watched - the options of a cluster that tests watch: where its configuration is, and whose loop turns it */
#ifndef FL_TESTS_UNIT_DAEMON_WATCHED_H
#define FL_TESTS_UNIT_DAEMON_WATCHED_H

#include "daemon/cluster/cluster.h"

/* Without callbacks. */
static inline struct fl_cluster_options watched_options(uv_loop_t *loop, const char *state,
							void *user)
{
	return (struct fl_cluster_options){ .loop = loop,
					    .state = state,
					    .namespace = "fairlead",
					    .name = "fairlead",
					    .kueue_namespace = "kueue-system",
					    .kueue_name = "kueue-manager-config",
					    .user = user };
}

#endif
