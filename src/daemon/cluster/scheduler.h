/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler - what a cluster tells the part of it that decides (scheduler/scheduler.h), where there is one
 *
 * A cluster without one only watches.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_H
#define FL_DAEMON_CLUSTER_SCHEDULER_H

#include "daemon/cluster/inside.h"

struct fl_cluster_scheduler {
	/* A Workload was seen as @json says, and the mirror has @o of it. ENOMEM. */
	int (*seen)(void *user, const struct fl_mirror_object *o, const char *json, size_t len,
		    fairlead_error *err);
	/* @o is deleted, or finished. */
	void (*removed)(void *user, const struct fl_mirror_object *o);
	/*
	 * @said is what the object says now: is the policy in that state already, since that is its own decision?  Then it is
	 * not told.
	 */
	bool (*knows)(void *user, const struct fl_live *job, const struct fl_mirror_object *o,
		      unsigned said);
	/* An object that configures has changed, or a Workload that says in which trees nothing can be decided. */
	void (*restructured)(void *user, const struct fl_mirror_change *change);
	/* The policy was told of the job, which is as its Workload is now; over: it has left. */
	void (*heard)(void *user, const struct fl_live *job);
	/* A new generation was taken, which knows of the API's objects alone. ENOMEM. */
	int (*renewed)(void *user, fairlead_error *err);
	/* What the policy decides; as struct fl_backend has it. */
	int (*start)(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err);
	int (*evict)(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err);
	/* Something has changed: a cycle may be due. */
	void (*soon)(void *user);
	/* What keeps it from deciding, or, for some time, from writing what it decided; NULL: nothing. */
	const char *(*problem)(void *user);
	void (*writing)(const void *user, struct fl_daemon_writing *ret);
	void *user;
};

#endif
