/* SPDX-License-Identifier: Apache-2.0 */
/* daemon - what answers need of a cluster */
#ifndef FL_DAEMON_CLUSTER_DAEMON_H
#define FL_DAEMON_CLUSTER_DAEMON_H

#include "daemon/cluster/cluster.h"

void fl_cluster_begin_daemon(struct fl_cluster *c);
struct fl_daemon *fl_cluster_daemon(struct fl_cluster *c);

#endif
