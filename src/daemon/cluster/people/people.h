/* SPDX-License-Identifier: Apache-2.0 */
/*
 * people - whose a token is, and what its holder may get, as the API server says
 *
 * Guarantees: a token is never kept, only its SHA-256; an answer of the API server is believed for a
 * minute, a refusal of a token for ten seconds; memory is bounded, whatever callers send.  The only requests are
 * `create` of tokenreviews and subjectaccessreviews.
 *
 * A caller that may `get` Workloads of all namespaces and ClusterQueues sees all; others see names of what they may get.
 * They are asked about by namespace, and not by object.
 * Tested in tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_CLUSTER_PEOPLE_PEOPLE_H
#define FL_DAEMON_CLUSTER_PEOPLE_PEOPLE_H

#include <uv.h>

#include "daemon/engine/people.h"
#include "kube/client.h"

struct fl_cluster_people;

int fl_cluster_people_new(uv_loop_t *loop, struct fl_kube_client *k, struct fl_cluster_people **ret,
			  fairlead_error *err);
/* Before the client is freed. Questions that are open are answered with FAIRLEAD_EIO. */
struct fl_cluster_people *fl_cluster_people_free(struct fl_cluster_people *p);
struct fl_people *fl_cluster_people_of(struct fl_cluster_people *p);

#endif
