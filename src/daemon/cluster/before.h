/* SPDX-License-Identifier: Apache-2.0 */
/*
 * before - what the store has of Workloads, and what has become of them since
 *
 * Promises: a uid keeps its number; of a Workload that is still there, or has finished, times are those of the
 * API.  One that was deleted ended between two times, both of which its row says; what it held is counted
 * up to the first of them, when it was seen last.
 *
 * Cannot: know of one that came and was deleted in between, or of quota that was held and released
 * then, and held again.
 * Tested in tests/unit/daemon/test_kept.c and tests/kube/test_history.py.
 */
#ifndef FL_DAEMON_CLUSTER_BEFORE_H
#define FL_DAEMON_CLUSTER_BEFORE_H

#include "daemon/cluster/inside.h"

/* At the beginning: all that the store has of those that have not ended, until fl_before_rest. */
int fl_before_begin(struct fl_cluster *c, fairlead_error *err);
/* What has finished by then is kept already, or is not to be. */
fl_time fl_before_since(const struct fl_cluster *c);
/* The number of an object; 0: it was never heard of. */
int fl_before_number(struct fl_cluster *c, const struct fl_mirror_object *o, uint64_t *ret,
		     fairlead_error *err);
/* @job is as its object is now, and gets what the store has of it, if it has anything. */
int fl_before_meet(struct fl_cluster *c, struct fl_live *job, fairlead_error *err);
/*
 * After that: a job as its row in the store is, or will be, which no list of jobs has any more; its `waits` is that of the last attempt.
 * 1: there is no row.
 */
int fl_before_recall(struct fl_cluster *c, uint64_t number, struct fl_live *ret,
		     fairlead_error *err);
/* It has finished since, or came and finished. @job: as its object says. */
int fl_before_finished(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		       fairlead_error *err);
void fl_before_free(struct fl_before *k); /* NULL is fine */
/* Those that were not met have ended. */
int fl_before_rest(struct fl_cluster *c, fairlead_error *err);

/* Later, the same of all jobs at once: rows were lost since @from. */
int fl_before_compare(struct fl_cluster *c, fl_time from, fairlead_error *err);

#endif
