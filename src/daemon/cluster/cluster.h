/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster - a daemon that watches a cluster, without its socket: what the API server says (mirror), the policy
 * over it, and what was seen (keep.h), in one loop
 *
 * Guarantees: the state that is answered from is that of the API server as it was last heard, and nothing
 * else: what holds quota does so since the API says so, and the policy decides nothing by itself.  Two
 * daemons that heard the same answer alike.  No request changes what the API server has.
 *
 * Until all kinds were listed once it is not ready, and its view is that of an empty cluster.
 * Changes of objects are in the view when the generation with them is made: at once, or while
 * one is being made, with the next one.
 *
 * Tested in tests/unit/daemon/test_cluster.c and tests/kube.
 */
#ifndef FL_DAEMON_CLUSTER_CLUSTER_H
#define FL_DAEMON_CLUSTER_CLUSTER_H

#include <uv.h>

#include "daemon/engine/daemon.h"
#include "mirror/mirror.h"

struct fl_cluster;
struct fl_cluster_scheduler; /* scheduler.h */
struct fl_store_options;     /* store.h */

struct fl_cluster_options {
	uv_loop_t *loop;
	const char *state; /* folder of what was seen; absolute */
	/* The Daemon document and a Policy, where the cluster has no ConfigMap with them; NULL: none. */
	const char *config;
	const struct fl_store_options *store; /* NULL: usual; else for tests, without `folder` */
	/* The namespace and name of that ConfigMap, and of that with Kueue's Configuration. */
	const char *namespace, *name, *kueue_namespace, *kueue_name;
	void (*log)(void *user, const char *line);
	/* The cluster cannot go on (no memory): stop the loop. */
	void (*broken)(void *user, const fairlead_error *err);
	/* All kinds were listed, and the first view is there. */
	void (*ready)(void *user);
	void *user;
};

int fl_cluster_new(const struct fl_cluster_options *options, struct fl_cluster **ret,
		   fairlead_error *err);
/* Then, when @closed is called, fl_cluster_free. */
void fl_cluster_close(struct fl_cluster *c, void (*closed)(void *user), void *user);
struct fl_cluster *fl_cluster_free(struct fl_cluster *c); /* NULL is fine; returns NULL */

/* --- what was heard of the API server (follow.h) --- */

/* Why it is not known how the cluster is now, in words; NULL: all is well. Copied. */
void fl_cluster_troubled(struct fl_cluster *c, const char *why);

/*
 * Which kinds are read: those of Kueue unless this says otherwise, before any of them is listed, and
 * those of both.
 */
void fl_cluster_serves(struct fl_cluster *c, enum fl_dialect dialect);
/* A list of a kind begins; @version: of the API; NULL: the server has no such kind. */
void fl_cluster_begun(struct fl_cluster *c, enum fl_mirror_kind kind, const char *version);
/* FAIRLEAD_ENOMEM, and it is broken; what is wrong with an object is logged. */
int fl_cluster_seen(struct fl_cluster *c, enum fl_mirror_kind kind, const char *json, size_t len,
		    fairlead_error *err);
/* Of the answer to a write of a Workload. */
int fl_cluster_answered(struct fl_cluster *c, const char *json, size_t len, fairlead_error *err);
int fl_cluster_too_large(struct fl_cluster *c, enum fl_mirror_kind kind, const char *namespace,
			 const char *name, const char *uid, fairlead_error *err);
int fl_cluster_removed(struct fl_cluster *c, enum fl_mirror_kind kind, const char *namespace,
		       const char *name, fairlead_error *err);
void fl_cluster_listed(struct fl_cluster *c, enum fl_mirror_kind kind);

/* --- the state --- */

bool fl_cluster_is_ready(const struct fl_cluster *c);
/* Is all that was heard in the view? */
bool fl_cluster_is_settled(const struct fl_cluster *c);
const struct fl_mirror *fl_cluster_mirror(const struct fl_cluster *c);
/* Generations that were made, and changes that the policy of one was told. */
void fl_cluster_counts(const struct fl_cluster *c, uint64_t *ret_generations, uint64_t *ret_events);
/* NULL: no such Workload. */
const struct fl_live *fl_cluster_find(const struct fl_cluster *c, const char *namespace,
				      const char *name);
/* The Workload of a job: its namespace and name; NULL: there is none of that number any more. */
const struct fl_mirror_object *fl_cluster_object(const struct fl_cluster *c,
						 const struct fl_live *job);

/* --- for the other files of this folder --- */

void fl_cluster_log(const struct fl_cluster *c, const char *format, ...) FL_PRINTF(2, 3);
/* It cannot go on. */
void fl_cluster_break(struct fl_cluster *c, const fairlead_error *err);
/* Jobs that are over leave the table, and names that none has any more, unless a draft has them; once there are @over. */
void fl_cluster_drop_over(struct fl_cluster *c, uint32_t over);
/* It decides from now on, or, NULL, nothing does. @s outlives the cluster, or is taken away before. */
void fl_cluster_decide(struct fl_cluster *c, const struct fl_cluster_scheduler *s);
/* Something has changed: the next generation is begun soon, if there has to be one. */
void fl_cluster_soon(struct fl_cluster *c);

#endif
