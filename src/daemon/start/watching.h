/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watching - a daemon that watches a cluster: its client of the API server, what it follows, and its state
 */
#ifndef FL_DAEMON_START_WATCHING_H
#define FL_DAEMON_START_WATCHING_H

#include "daemon/cluster/cluster.h"

struct fl_watching;

struct fl_watching_options {
	const char *kubeconfig, *context; /* NULL: as fl_kube_choice */
	/* Of fairlead's ConfigMap `fairlead`; NULL: in a pod its own, else `fairlead`. */
	const char *namespace;
	bool schedules;       /* it decides there (cluster/scheduler/scheduler.h) */
	const char *identity; /* of it alone; NULL: $POD_NAME, else of host and process */
	uint32_t qps; /* requests a second, and twice as many at once; 0: as fl_kube_options */
	struct fl_cluster_options cluster;
};

/* The process is confined (confine.h) once the kubeconfig is read. */
int fl_watching_new(const struct fl_watching_options *options, struct fl_watching **ret,
		    fairlead_error *err);
struct fl_cluster *fl_watching_cluster(struct fl_watching *w);
struct fl_people *fl_watching_people(struct fl_watching *w);
/* It decides no more, and gives its Lease back; then @left is called. Once, and before fl_watching_close. */
void fl_watching_leave(struct fl_watching *w, void (*left)(void *user), void *user);
/* Afterwards, when @closed is called, fl_watching_free. */
void fl_watching_close(struct fl_watching *w, void (*closed)(void *user), void *user);
struct fl_watching *fl_watching_free(struct fl_watching *w); /* NULL is fine; returns NULL */

#endif
