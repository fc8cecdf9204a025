/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings - tells of rings of cohorts by Events, as a Cohort has no condition in which Kueue would say it
 *
 * In a ring of cohorts, and below one, nothing is admitted.  When one appears, and when it has ended, there is one Event (events.k8s.io/v1, in the
 * namespace `default`) for each Cohort of it, and for each ClusterQueue below it.
 *
 * Guarantees: no decision waits for an Event, and no more than FL_RINGS_MOST are sent a second.  The name of an Event is
 * made of the ring and the versions of its Cohorts, so another leader that finds the ring does not tell of it again.
 *
 * Cannot: tell of a ring that has ended when another one leads than told of it; or of a ring of more than FL_MAX_TREE_DEPTH
 * cohorts.  An Event that the server refuses is left out, which is in the log.
 *
 * Tested in tests/kube/test_rings.py.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_RINGS_H
#define FL_DAEMON_CLUSTER_SCHEDULER_RINGS_H

#include "daemon/cluster/inside.h"
#include "kube/client.h"

enum { FL_RINGS_MOST = 10 };

struct fl_scheduler;
struct fl_ring_row;

struct fl_rings {
	struct fl_ring_row **rows; /* by kind, then name */
	uint32_t n;
	uint32_t under_way, sent;  /* sent: since the second `from` began */
	uint64_t from, not_before; /* uv_now */
	bool refused;              /* one was, which is in the log */
};

/* Compares with the present generation. ENOMEM. */
int fl_rings_look(struct fl_scheduler *s, fairlead_error *err);
/* Sends what is not told yet, as much as may be sent now. */
void fl_rings_send(struct fl_scheduler *s);
/* It leads no more: what is under way is ended. */
void fl_rings_stop(struct fl_rings *r);
void fl_rings_done(struct fl_rings *r);

#endif
