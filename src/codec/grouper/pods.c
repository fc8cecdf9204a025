/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/pods.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets_ray.h"

/* --- sets of pods ------------------------------------------------------------------------------- */

static struct fl_kjob job_of(const struct fl_kjobs_run *run, const struct fl_kjobs_row *row,
			     enum fl_framework_id like)
{
	struct fl_kjob_value object = fl_kjob_root(&row->doc);

	return (struct fl_kjob){
		.run = run,
		.row = row,
		.id = like,
		.framework = &fl_frameworks[like],
		.object = object,
		.spec = fl_kjob_get(object, "spec"),
		.annotations = fl_kjob_at(object, "metadata.annotations"),
	};
}

/* A Job creates no more pods than are still to be completed. */
static void leave_done(const struct fl_kjob *job, struct fl_kjob_sets *sets)
{
	int64_t completions;

	if (fl_kjob_int(fl_kjob_get(job->spec, "completions"), &completions)) {
		int64_t done = fl_kjob_int_or(fl_kjob_at(job->object, "status.succeeded"), 0);
		int64_t left = fl_sat_sub(completions, done);

		if (left < sets->items[0].count)
			sets->items[0].count = left;
	}
}

/* Groups of workers that are suspended have no pods. */
static void leave_suspended(const struct fl_kjob *job, struct fl_kjob_sets *sets)
{
	struct fl_kjob_value groups = fl_kjob_get(fl_kjob_ray_cluster(job), "workerGroupSpecs");
	uint32_t at = 1; /* behind the head */

	for (struct fl_kjob_value i = fl_kjob_first(groups); fl_kjob_has(i) && at < sets->n;
	     i = fl_kjob_next(groups, i), at++)
		if (fl_kjob_true(fl_kjob_get(i, "suspended")))
			sets->items[at].count = 0;
}

static int read_sets(const struct fl_kjobs_run *run, struct fl_grouper_pods *ret, const char **why,
		     fairlead_error *err)
{
	struct fl_kjob job = job_of(run, ret->row, ret->kind->like);
	enum fl_kjob_reason reason = FL_KJOB_MADE;
	int r;

	if (ret->kind->pods == FL_GROUPER_LEADER) {
		ret->groups = fl_kjob_int_or(fl_kjob_get(job.spec, "replicas"), 1);
		return fl_kjob_leader_sets(&job, &ret->sets, err);
	}
	if (ret->kind->kind == FL_KJOBS_NOTEBOOK)
		return fl_kjob_add_set(&job, &ret->sets, "main", 1,
				       fl_kjob_get(job.spec, "template"), err);
	r = fl_kjob_sets(&job, &ret->sets, &reason, err);
	if (r == 0 && reason == FL_KJOB_RUNTIME_NOT_FOUND) {
		*why = "its training runtime does not exist";
		return 1;
	}
	if (r == 0 && job.id == FL_FRAMEWORK_JOB)
		leave_done(&job, &ret->sets);
	if (r == 0 && ret->kind->ray)
		leave_suspended(&job, &ret->sets);
	return r;
}

/* KubeRay writes its scheduler into pods that name none, but for what submits a job. */
static bool is_kais(const struct fl_grouper_pods *pods, const struct fl_kjob_pod_set *set)
{
	struct fl_kjob_value labels = fl_kjob_at(fl_kjob_root(&pods->row->doc), "metadata.labels");
	struct fl_kjob_value name = fl_kjob_at(set->pod.template, "spec.schedulerName");

	if (*fl_kjob_text(name))
		return fl_kjob_is(name, "kai-scheduler");
	return pods->kind->ray && strcmp(set->name, "submitter") != 0 &&
	       (fl_kjob_has(fl_kjob_get(labels, FL_GROUPER_LABEL_QUEUE)) ||
		fl_kjob_has(fl_kjob_get(labels, FL_GROUPER_LABEL_OLD_QUEUE)));
}

int fl_grouper_pods(const struct fl_kjobs_run *run, const struct fl_kjobs_row *row,
		    struct fl_grouper_pods *ret, const char **why, fairlead_error *err)
{
	int r;

	*ret = (struct fl_grouper_pods){
		.kind = fl_grouper_kind(row->kind),
		.row = row,
		.groups = 1,
	};
	r = read_sets(run, ret, why, err);
	if (r)
		return r;
	for (uint32_t i = 0; i < ret->sets.n; i++) {
		struct fl_kjob_pod_set *set = &ret->sets.items[i];

		if (set->count < 0)
			set->count = 0;
		if (set->count > 0 && !is_kais(ret, set)) {
			set->count = 0;
			ret->foreign = true;
		}
		ret->n = fl_sat_add(ret->n, set->count);
	}
	ret->n = fl_sat_mul(ret->n, ret->groups > 0 ? ret->groups : 0);
	ret->foreign &= ret->n == 0;
	return 0;
}

/* --- one of the pods ---------------------------------------------------------------------------- */

/* The leader of a group, or its first pod, is the worker 0. */
static int64_t worker_index(const struct fl_grouper_pods *pods, uint32_t set, int64_t index)
{
	return pods->sets.n > 1 && set == 1 ? index + 1 : index;
}

static int add_number(const struct fl_kjobs_run *run, struct fl_kjob_pairs *pairs, const char *key,
		      int64_t n, fairlead_error *err)
{
	const char *text = fl_kjobs_format(run, err, "%" PRId64, n);

	return text ? fl_kjob_set_pair(run, pairs, key, text, err) : FAIRLEAD_ENOMEM;
}

int fl_grouper_labels(const struct fl_kjobs_run *run, const struct fl_grouper_pods *pods,
		      uint32_t set, int64_t group, int64_t index, struct fl_kjob_pairs *ret,
		      fairlead_error *err)
{
	int r;

	switch (pods->kind->kind) {
	case FL_FRAMEWORK_JOB_SET:
	case FL_FRAMEWORK_TRAIN_JOB:
		return fl_kjob_set_pair(run, ret, FL_GROUPER_LABEL_REPLICATED,
					pods->sets.items[set].name, err);
	case FL_FRAMEWORK_LEADER_WORKER_SET:
		r = add_number(run, ret, FL_GROUPER_LABEL_GROUP, group, err);
		return r < 0 ? r :
			       add_number(run, ret, FL_GROUPER_LABEL_WORKER,
					  worker_index(pods, set, index), err);
	default:
		return 0;
	}
}

void fl_grouper_pod_name(const struct fl_grouper_pods *pods, uint32_t set, int64_t group,
			 int64_t index, char *buffer, size_t size)
{
	enum { SET = 63, ROOM = FL_MAX_NAME - SET - 48 }; /* two numbers and their dashes */
	const char *name = pods->row->name;

	if (pods->kind->pods == FL_GROUPER_LEADER) {
		int64_t worker = worker_index(pods, set, index);

		(void)(worker ? snprintf(buffer, size, "%.*s-%" PRId64 "-%" PRId64, ROOM, name,
					 group, worker) :
				snprintf(buffer, size, "%.*s-%" PRId64, ROOM, name, group));
	} else if (pods->kind->pods == FL_GROUPER_SET) {
		(void)snprintf(buffer, size, "%.*s-%.*s-%" PRId64, ROOM, name, SET,
			       pods->sets.items[set].name, index);
	} else {
		(void)snprintf(buffer, size, "%.*s-%" PRId64, ROOM + SET, name, index);
	}
}

/* --- owners ------------------------------------------------------------------------------------- */

/* NULL: it is not in the input, or is another one of that name. */
static const struct fl_kjobs_row *find_owner(const struct fl_kjobs_run *run,
					     struct fl_kjob_value reference, const char *namespace)
{
	const char *uid = fl_kjob_text(fl_kjob_get(reference, "uid"));
	const char *name = fl_kjob_text(fl_kjob_get(reference, "name"));
	uint32_t kind = fl_kjobs_kind(fl_kjob_text(fl_kjob_get(reference, "apiVersion")),
				      fl_kjob_text(fl_kjob_get(reference, "kind")));
	const struct fl_kjobs_row *row;

	if (!fl_grouper_kind(kind))
		return NULL;
	row = fl_kjobs_find(run, kind, namespace, name);
	if (!row && kind == FL_FRAMEWORK_POD)
		row = fl_kjobs_find(run, FL_KJOBS_KAI_POD, namespace, name);
	return row && *row->uid && *uid && strcmp(row->uid, uid) != 0 ? NULL : row;
}

int fl_grouper_owners(const struct fl_kjobs_run *run, struct fl_kjob_value object,
		      const char *namespace, struct fl_grouper_pod *ret, const char **why)
{
	struct fl_kjob_value list = fl_kjob_at(object, "metadata.ownerReferences");
	const struct fl_kjobs_row *row;

	while (fl_kjob_is_list(list) && (row = find_owner(run, fl_kjob_first(list), namespace))) {
		if (ret->n_owners == FL_GROUPER_OWNERS) {
			*why = "too many owners stand above each other";
			return 1;
		}
		ret->owners[ret->n_owners++] = row;
		list = fl_kjob_at(fl_kjob_root(&row->doc), "metadata.ownerReferences");
		if (fl_kjob_count(list) > 1) {
			*why = "an owner of its pods has several owners";
			return 1;
		}
	}
	return 0;
}
