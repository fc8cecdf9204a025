/* SPDX-License-Identifier: Apache-2.0 */
/* nodes - figures of queues and cohorts as they are now, as series; private to the files of metrics */
#ifndef FL_DAEMON_METRICS_NODES_H
#define FL_DAEMON_METRICS_NODES_H

#include "daemon/metrics/rendering.h"

/* Stands for all queues that have no series of their own. */
extern const char fl_metrics_other[];

/* Collects the figures, once over all workloads.  FAIRLEAD_ENOMEM. */
int fl_metrics_look(struct fl_rendering *r);
/* The series of a metric of queues, cohorts or jobs as they are now; false: it is none. */
bool fl_metrics_put_nodes(struct fl_rendering *r, enum fl_metric id);

#endif
