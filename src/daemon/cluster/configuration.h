/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration - the objects of the cluster that are no Workloads, and fairlead's own documents, as a configuration
 *
 * Own documents, a Daemon and a Policy, are those of its ConfigMap, or without one the file of the command line.
 * Those that are wrong are refused whole, and those before stay.  An object of the cluster that cannot be
 * read is left out, and told.  Tested in tests/unit/daemon/test_cluster.c.
 */
#ifndef FL_DAEMON_CLUSTER_CONFIGURATION_H
#define FL_DAEMON_CLUSTER_CONFIGURATION_H

#include "daemon/cluster/inside.h"

/* Of the objects of the mirror. FAIRLEAD_EINPUT: they are none. */
int fl_cluster_configure(struct fl_cluster *c, struct fl_config **ret, fairlead_error *err);
/*
 * What fairlead's own documents say, once the ConfigMap was listed: the dialect of the policy that the Daemon names;
 * FL_DIALECT_ANY: nothing.
 */
enum fl_dialect fl_cluster_wants(struct fl_cluster *c);
/* It is told once, and is a warning until a configuration is right. */
void fl_cluster_refuse(struct fl_cluster *c, const fairlead_error *err);
void fl_cluster_own_done(struct fl_cluster_own *own);

#endif
