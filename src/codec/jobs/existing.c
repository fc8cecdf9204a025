/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs whose Workloads are there already: they are kept, changed in place, replaced, or joined by
 * another one for an elastic job that grows.
 */
#include "codec/jobs/existing.h"

#include <string.h>

#include "codec/jobs/existing_read.h"
#include "codec/jobs/group.h"
#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/compare.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/priority.h"
#include "codec/jobs/reconcile.h"
#include "codec/jobs/workload.h"

/* A Workload of the job, as it is in the input. */
struct old {
	const struct fl_kjobs_row *row;
	struct fl_kjob_workload *w;
	bool admitted, has_quota;
};

static struct old old_of(const struct fl_kjobs_row *row, struct fl_kjob_workload *w)
{
	return (struct old){
		.row = row,
		.w = w,
		.admitted = fl_kjob_has_condition(row, "Admitted"),
		.has_quota = fl_kjob_has_condition(row, "QuotaReserved"),
	};
}

/* --- does it match? ---------------------------------------------------------------------------- */

static bool matches(const struct fl_kjob *job, const struct fl_kjob_sets *sets,
		    const struct old *old)
{
	const struct fl_kjob_workload *w = old->w;
	bool owned = false;

	for (uint32_t i = 0; i < w->n_owners; i++)
		owned |= strcmp(w->owners[i].uid, job->row->uid) == 0;
	if (!owned || w->time_limit != fl_kjob_time_limit(job) || w->n_pod_sets != sets->n)
		return false;
	/* Neither the names of pod sets count nor where their pods may be placed. */
	for (uint32_t i = 0; i < sets->n; i++) {
		const struct fl_kjob_pod_set *a = &sets->items[i], *b = &w->pod_sets[i];

		if (a->count != b->count || a->min_count != b->min_count ||
		    !fl_kjob_same_pod(&a->pod, &b->pod, /* tolerations= */ !old->admitted))
			return false;
	}
	return true;
}

enum growth { OTHER_SETS, SAME_COUNTS, SHRINKS, GROWS };

static enum growth growth_of(const struct fl_kjob_sets *sets, const struct fl_kjob_workload *w)
{
	enum growth growth = SAME_COUNTS;

	if (sets->n != w->n_pod_sets)
		return OTHER_SETS;
	for (uint32_t i = 0; i < sets->n; i++) {
		const struct fl_kjob_pod_set *old = NULL;

		for (uint32_t k = 0; k < w->n_pod_sets; k++)
			if (strcmp(w->pod_sets[k].name, sets->items[i].name) == 0)
				old = &w->pod_sets[k];
		if (!old)
			return OTHER_SETS;
		if (sets->items[i].count > old->count)
			growth = GROWS;
		else if (sets->items[i].count < old->count && growth == SAME_COUNTS)
			growth = SHRINKS;
	}
	return growth;
}

/* --- what follows the job -------------------------------------------------------------------------- */

static bool follows_class(const struct fl_kjob *job, const struct old *old)
{
	const struct fl_kjob_workload *w = old->w;

	if (!*w->class_name)
		return *job->class && !old->has_quota;
	return strcmp(w->class_kind, "WorkloadPriorityClass") == 0 &&
	       strcmp(w->class_name, job->class) != 0;
}

/* The priority is resolved anew when the label names another class. */
static enum fl_kjob_reason update_priority(const struct fl_kjob *job,
					   const struct fl_kjob_sets *sets, struct old *old)
{
	struct fl_kjob_workload fresh = *old->w;
	enum fl_kjob_reason reason;

	if (!follows_class(job, old))
		return FL_KJOB_MADE;
	fresh.class_group = fresh.class_kind = fresh.class_name = "";
	fresh.priority = 0;
	reason = fl_kjob_resolve_priority(job, sets, &fresh);
	if (reason == FL_KJOB_MADE)
		*old->w = fresh;
	return reason;
}

/* An admitted job runs; one that is not waits, and then its queue may change. */
static void update_state(struct fl_kjob *job, struct old *old)
{
	bool pod = job->id == FL_FRAMEWORK_POD;

	if (old->admitted) {
		job->suspended = false;
		job->ungated = pod;
		return;
	}
	if (!fl_kjob_is_elastic(job) && !pod)
		job->suspended = true;
	if (job->suspended || (pod && fl_kjob_is_gated(job)))
		old->w->queue = job->queue;
}

/* --- changes ----------------------------------------------------------------------------------------------- */

static int recount(const struct fl_kjob *job, struct fl_kjob_workload *w, fairlead_error *err)
{
	w->misfit = FL_KJOB_FITS;
	return fl_kjob_set_counted(job, w, err);
}

/* All of its spec is made anew; its name, labels and owner stay. */
static int rebuild(const struct fl_kjob *job, const struct fl_kjob_sets *sets, struct old *old,
		   enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	struct fl_kjob_workload fresh = *old->w;
	int r;

	fresh.labels = fresh.annotations = (struct fl_kjob_pairs){ .n = 0 };
	fresh.class_group = fresh.class_kind = fresh.class_name = "";
	fresh.priority = 0;
	fresh.misfit = FL_KJOB_FITS;
	r = fl_kjob_fill(job, sets, /* index= */ -1, &fresh, reason, detail, err);
	if (r < 0 || *reason != FL_KJOB_MADE)
		return r;
	fresh.name = old->w->name;
	fresh.labels = old->w->labels;
	fresh.annotations = old->w->annotations;
	fresh.owners = old->w->owners;
	fresh.n_owners = old->w->n_owners;
	*old->w = fresh;
	return 0;
}

static int set_counts(const struct fl_kjob *job, const struct fl_kjob_sets *sets, struct old *old,
		      fairlead_error *err)
{
	for (uint32_t i = 0; i < sets->n; i++)
		for (uint32_t k = 0; k < old->w->n_pod_sets; k++)
			if (strcmp(old->w->pod_sets[k].name, sets->items[i].name) == 0)
				old->w->pod_sets[k].count = sets->items[i].count;
	return recount(job, old->w, err);
}

/* A second Workload that replaces the first when it is admitted. */
static int add_slice(const struct fl_kjob *job, const struct fl_kjob_sets *sets,
		     const struct fl_kjob_workload *old, struct fl_kjob_list *list,
		     enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	const char *name = old->name;
	struct fl_kjob_workload copy = *old, *w;
	char *replaced;
	int r;

	for (uint32_t i = 0; i < copy.annotations.n; i++)
		if (strcmp(copy.annotations.items[i].key, FL_KJOB_SLICE) == 0)
			name = copy.annotations.items[i].value;
	replaced = fl_kjobs_format(job->run, err, "%s/%s", copy.namespace, copy.name);
	if (!replaced)
		return FAIRLEAD_ENOMEM;
	if ((r = fl_kjob_add_workload(job->run, list, &w, err)) < 0)
		return r;
	r = fl_kjob_fill(job, sets, /* index= */ -1, w, reason, detail, err);
	if (r < 0 || *reason != FL_KJOB_MADE) {
		list->n--;
		return r;
	}
	r = fl_kjob_set_pair(job->run, &w->annotations, FL_KJOB_SLICE, name, err);
	return r < 0 ? r :
		       fl_kjob_set_pair(job->run, &w->annotations, FL_KJOB_SLICE_FOR, replaced,
					err);
}

/* --- one job with its Workload ------------------------------------------------------------------------------ */

static int no_match(struct fl_kjob *job, const struct fl_kjob_sets *sets, struct old *old,
		    struct fl_kjob_list *list, enum fl_kjob_reason *reason, const char **detail,
		    fairlead_error *err)
{
	struct fl_kjob_workload *w;
	int r;

	if (job->suspended && !old->has_quota)
		return rebuild(job, sets, old, reason, detail, err);
	if (job->id != FL_FRAMEWORK_POD)
		job->suspended = true;
	list->n--; /* the Workload is deleted, and the next pass makes another one */
	*reason = fl_kjob_wait(job);
	if (*reason != FL_KJOB_MADE)
		return 0;
	if ((r = fl_kjob_add_workload(job->run, list, &w, err)) < 0)
		return r;
	r = fl_kjob_fill(job, sets, /* index= */ -1, w, reason, detail, err);
	if (*reason != FL_KJOB_MADE)
		list->n--;
	return r;
}

static int update(struct fl_kjob *job, const struct fl_kjob_sets *sets, struct old *old,
		  struct fl_kjob_list *list, enum fl_kjob_reason *reason, const char **detail,
		  fairlead_error *err)
{
	enum growth growth = fl_kjob_is_elastic(job) ? growth_of(sets, old->w) : OTHER_SETS;
	int r = 0;

	if (growth == OTHER_SETS && !matches(job, sets, old))
		return no_match(job, sets, old, list, reason, detail, err);
	*reason = update_priority(job, sets, old);
	if (*reason != FL_KJOB_MADE)
		return 0;
	update_state(job, old);
	if (growth == GROWS && old->has_quota)
		r = add_slice(job, sets, old->w, list, reason, detail, err);
	else if (growth == GROWS || growth == SHRINKS)
		r = set_counts(job, sets, old, err);
	return r;
}

int fl_kjob_existing(struct fl_kjob *job, struct fl_kjob_list *list, bool *found,
		     enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	const struct fl_kjobs_row *row = fl_kjob_find_workload(job);
	const char *prebuilt = fl_kjob_prebuilt(job);
	struct fl_kjob_sets sets = { .n = 0 };
	struct fl_kjob_workload *w;
	struct old old;
	int r;

	if (*prebuilt)
		row = fl_kjobs_find(job->run, FL_KJOBS_WORKLOAD, job->row->namespace, prebuilt);
	if (!row || job->id == FL_FRAMEWORK_LEADER_WORKER_SET)
		return 0; /* a LeaderWorkerSet looks for each of its Workloads by name */
	*found = true;
	if ((r = fl_kjob_add_workload(job->run, list, &w, err)) < 0 ||
	    (r = fl_kjob_read_workload(job, row, w, err)) < 0)
		return r;
	if (*prebuilt || w->finished)
		return 0;
	if (fl_kjob_finished(job)) {
		*reason = FL_KJOB_FINISHED;
		return 0;
	}
	r = fl_kjob_sets(job, &sets, reason, err);
	if (r < 0 || *reason != FL_KJOB_MADE)
		return r;
	if (job->id == FL_FRAMEWORK_STATEFUL_SET) {
		w->queue = job->queue; /* neither its count nor its priority follows */
		return 0;
	}
	old = old_of(row, w);
	return update(job, &sets, &old, list, reason, detail, err);
}

int fl_kjob_follow(const struct fl_kjob *job, const struct fl_kjob_sets *sets,
		   const struct fl_kjobs_row *row, struct fl_kjob_workload *w, fairlead_error *err)
{
	struct old old;
	int r = fl_kjob_read_workload(job, row, w, err);

	if (r < 0)
		return r;
	old = old_of(row, w);
	w->queue = job->queue;
	(void)update_priority(job, sets, &old); /* a class that is missing changes nothing */
	return 0;
}
