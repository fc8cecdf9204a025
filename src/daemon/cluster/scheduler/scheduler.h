/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler - decides in the ClusterQueues that are handed over to fairlead, and writes what it decides
 *
 * One of several daemons leads (kube/lease.h), the others keep their state warm.  What leads lists all anew, and
 * then runs the policy's cycles over the trees that are handed over whole (fl_node_row.elsewhere); each admission and
 * each eviction is one write of a Workload's status, as Kueue's own scheduler writes it (managed.h), and Kueue's
 * controllers carry it out.
 *
 * Guarantees: quota counts as held from the cycle that gives it on until the API says that it is not; it is
 * free only when the API says so.  A write has the uid and resourceVersion that it was decided on, so it is
 * never done to what has changed since: once a later version is seen, it was done before that version or never
 * will be.  Nothing is decided while another may lead, while something heard is not in the view, or while a watch
 * is stale.
 *
 * Cannot: keep a write that was sent before this daemon's lease ended from arriving after it; the server can
 * (deploy/scheduler).  Know of what another one writes in a tree that is handed over before its watch tells.
 *
 * Tested in tests/kube/test_scheduler.py and tests/e2e/test_scheduler.py.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_SCHEDULER_H
#define FL_DAEMON_CLUSTER_SCHEDULER_SCHEDULER_H

#include "daemon/cluster/follow.h"
#include "kube/lease.h"

struct fl_scheduler;

struct fl_scheduler_options {
	struct fl_cluster *cluster; /* not viewed yet */
	struct fl_kube_client *client;
	struct fl_following *following;
	const char *namespace, *identity; /* of the Lease "fairlead" */
	uint32_t events;                  /* Events about decisions a second, at most */
};

/* The cluster tells it from now on; once there is a view it looks at the Lease. What the options point to outlives it. ENOMEM, EIO. */
int fl_scheduler_new(const struct fl_scheduler_options *options, struct fl_scheduler **ret,
		     fairlead_error *err);
/* It decides nothing more, and gives the Lease back; @closed once that is over, within seconds. */
void fl_scheduler_close(struct fl_scheduler *s, void (*closed)(void *user), void *user);
/* Its handles of the loop are closed in its next turns. */
struct fl_scheduler *fl_scheduler_free(struct fl_scheduler *s); /* NULL is fine; returns NULL */

#endif
