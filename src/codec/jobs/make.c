/* SPDX-License-Identifier: Apache-2.0 */
/* The Workloads of one job that is no group: one, or one for each replica of a LeaderWorkerSet. */
#include "codec/jobs/make.h"

#include "base/limits.h"
#include "codec/jobs/existing.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/reconcile.h"
#include "codec/jobs/workload.h"

static int add(const struct fl_kjob *job, int64_t index, struct fl_kjob_list *list,
	       enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	struct fl_kjob_sets sets = { .n = 0 };
	const struct fl_kjobs_row *there;
	struct fl_kjob_workload *w;
	int r = fl_kjob_sets(job, &sets, reason, err);

	if (r < 0 || *reason != FL_KJOB_MADE)
		return r;
	if ((r = fl_kjob_add_workload(job->run, list, &w, err)) < 0 ||
	    (r = fl_kjob_fill(job, &sets, index, w, reason, detail, err)) < 0)
		return r;
	there = index < 0 || *reason != FL_KJOB_MADE ?
			NULL :
			fl_kjobs_find(job->run, FL_KJOBS_WORKLOAD, w->namespace, w->name);
	if (there)
		r = fl_kjob_follow(job, &sets, there, w, err);
	if (*reason != FL_KJOB_MADE)
		list->n--;
	return r;
}

/* The Workloads of a LeaderWorkerSet, each with a count of its own containers. */
static int make_replicas(const struct fl_kjob *job, int64_t replicas, struct fl_kjob_list *list,
			 enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	int64_t containers = 1;
	int r = 0;

	if (replicas > FL_MAX_LIST)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d replicas", FL_MAX_LIST);
	for (int64_t i = 0; i < replicas && r == 0 && *reason == FL_KJOB_MADE; i++) {
		r = add(job, i, list, reason, detail, err);
		for (uint32_t k = 0; i == 0 && list->n && k < list->items->n_pod_sets; k++)
			containers += list->items->pod_sets[k].pod.n_containers +
				      list->items->pod_sets[k].pod.n_init;
		if (containers * replicas > FL_MAX_OBJECT_VALUES)
			return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d containers",
				       FL_MAX_OBJECT_VALUES);
	}
	return r;
}

static int make_set(const struct fl_kjob *job, struct fl_kjob_list *list,
		    enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	int64_t replicas = fl_kjob_int_or(fl_kjob_get(job->spec, "replicas"), 1);

	if (replicas <= 0) {
		*reason = FL_KJOB_NO_REPLICAS;
		return 0;
	}
	return job->id == FL_FRAMEWORK_LEADER_WORKER_SET ?
		       make_replicas(job, replicas, list, reason, detail, err) :
		       add(job, /* index= */ -1, list, reason, detail, err);
}

int fl_kjob_make_one(struct fl_kjob *job, struct fl_kjob_list *list, enum fl_kjob_reason *reason,
		     const char **detail, fairlead_error *err)
{
	bool found = false;
	int r;

	*reason = fl_kjob_reconcile(job);
	if (*reason != FL_KJOB_MADE)
		return 0;
	r = fl_kjob_existing(job, list, &found, reason, detail, err);
	if (r < 0 || found)
		return r;
	if (job->id == FL_FRAMEWORK_STATEFUL_SET || job->id == FL_FRAMEWORK_LEADER_WORKER_SET)
		return make_set(job, list, reason, detail, err);
	/* A job that runs without a Workload is suspended first. */
	if (!fl_kjob_is_elastic(job) && !fl_kjob_finished(job))
		job->suspended = true;
	*reason = fl_kjob_wait(job);
	return *reason == FL_KJOB_MADE ? add(job, /* index= */ -1, list, reason, detail, err) : 0;
}
