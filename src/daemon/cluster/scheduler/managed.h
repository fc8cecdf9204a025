/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managed - what Kueue's scheduler has written into a Workload's status, and must write again with each decision
 *
 * Kueue writes it by server-side apply as one manager of fields, always the whole set: what is left out is taken
 * away.  So of each Workload that waits or holds quota the set is kept, and a decision changes it.  Which fields and
 * conditions those are is Kueue's internal contract, as of 0.17 (managed.c); tests/e2e/test_admission_writes.py
 * holds it against a real one.
 *
 * Promises: a body that is made has uid and resourceVersion of the set it was made of, so a server that has another
 * version refuses it.
 *
 * Memory: texts that differ in their times alone are kept once; then some 80 bytes a Workload.
 * Tested in tests/unit/daemon/test_managed.c.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_MANAGED_H
#define FL_DAEMON_CLUSTER_SCHEDULER_MANAGED_H

#include "codec/text/uuid.h"
#include "mirror/mirror.h"
#include "record/record.h"

#define FL_MANAGED_BY "kueue-admission"
#define FL_MANAGED_API "v1beta2" /* the version of the API whose set this is */

struct fl_managed;

struct fl_managed_all {
	struct fl_managed **slot; /* by uid: open addressing */
	uint32_t slots, used;
	struct fl_shared_set texts;
};
void fl_managed_done(struct fl_managed_all *s);
/*
 * Of the Workload in @json, an object of the API, if @o is that, in that version, and not over; in place of what is
 * there of that uid.  It is not read where @o says that there is nothing to do. EINPUT, ENOMEM.
 */
int fl_managed_put(struct fl_managed_all *s, const struct fl_mirror_object *o, const char *json,
		   size_t len, fairlead_error *err);
void fl_managed_remove(struct fl_managed_all *s, const char *uid);
/*
 * UID of @o's job, as the label says that Kueue puts there; of a job whose kind Kueue knows a UUID. NULL: nothing is known
 * of @o, or there is no such label.
 */
const char *fl_managed_job(const struct fl_managed_all *s, const struct fl_mirror_object *o,
			   char ret[FL_UUID]);
/* It has no condition yet, in that version. */
bool fl_managed_is_new(const struct fl_managed_all *s, const struct fl_mirror_object *o);

/* A row for each resource of each podset, those of a podset together. */
struct fl_managed_row {
	const char *podset;
	int32_t count;
	const char *resource, *flavor; /* NULL: a podset that asks for nothing */
	fl_amount amount;              /* of all its pods */
};

/* A decision about a Workload. */
struct fl_managed_change {
	fl_time now;
	/* It is admitted: where, and what it gets. NULL: it is evicted. */
	const char *cluster_queue;
	const struct fl_managed_row *rows;
	uint32_t n;
	/* The ClusterQueue has admission checks: quota is reserved, that of fairlead passes, and Kueue admits when all have. */
	bool checked;
	/* Else: what holds quota stays as it is, and the check of fairlead passes. */
	bool passes;
	/* It is evicted: reason of condition Evicted; of condition Preempted, NULL: not preempted; why, for both. */
	const char *reason, *preempted, *message;
	/* What it has yielded, at the end of the message of condition Preempted (yield_text.h); NULL: nothing. */
	const char *yielded;
};
/*
 * The body of an apply to @o's status (heap, free), which must be there in that version.
 * ESTATE: it is not; ENOMEM.
 */
int fl_managed_body(const struct fl_managed_all *s, const struct fl_mirror_object *o,
		    const struct fl_managed_change *change, char **ret, fairlead_error *err);
/* What it says of the admission check of fairlead. */
enum fl_managed_check {
	FL_MANAGED_NO_CHECK,
	FL_MANAGED_CHECK, /* it is in the list */
	FL_MANAGED_CHECK_WAITS, /* and to come, in one that holds quota and is neither admitted nor evicted */
};
int fl_managed_check(const struct fl_managed_all *s, const struct fl_mirror_object *o,
		     enum fl_managed_check *ret, fairlead_error *err); /* ENOMEM */
/* The message of @o's condition Preempted (heap), where it may have such a text; else NULL. ENOMEM. */
int fl_managed_yielded(const struct fl_managed_all *s, const struct fl_mirror_object *o, char **ret,
		       fairlead_error *err);

#endif
