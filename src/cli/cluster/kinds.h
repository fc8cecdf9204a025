/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds - what is read of a cluster: one row a kind, for what is asked for, for the ClusterRole, and for messages
 *
 * What decides nothing is not read: jobs have their Workloads, or their pods; pods and nodes are read where KAI
 * has queues.
 */
#ifndef FL_CLI_CLUSTER_KINDS_H
#define FL_CLI_CLUSTER_KINDS_H

#include "kube/reflect.h"
#include "model/model.h"

struct fl_cluster_kind {
	struct fl_kube_source source;
	const char *kind;        /* "Workload" */
	enum fl_dialect dialect; /* whose decisions it changes; FL_DIALECT_ANY: both */
	bool needed;             /* without it there is no right answer */
	bool spread;             /* it is in namespaces, and `check` may look at one of them */
	bool late;               /* only where KAI has queues */
	bool marks;              /* it is there: Kueue, or KAI, is installed */
};
/* NULL behind the last one. */
const struct fl_cluster_kind *fl_cluster_kind(unsigned i);

enum { FL_CLUSTER_KINDS = 20 }; /* at most */

/* "workloads.kueue.x-k8s.io", "pods". */
const char *fl_cluster_kind_name(const struct fl_cluster_kind *row, char buffer[160]);

#endif
