/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of pods of each kind of job; Ray's, wrappers' and trainers' have files of their own. */
#include "codec/jobs/object/pod_sets.h"

#include <string.h>

#include "base/limits.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod.h"
#include "codec/jobs/object/pod_sets_ray.h"
#include "codec/jobs/object/pod_sets_train.h"
#include "codec/jobs/object/pod_sets_wrapper.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

int fl_kjob_add_set(const struct fl_kjob *job, struct fl_kjob_sets *sets, const char *name,
		    int64_t count, struct fl_kjob_value template, fairlead_error *err)
{
	struct fl_kjob_pod_set *set, *items;
	char *text;
	int r;

	if (sets->n == FL_MAX_LIST)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d pod sets", FL_MAX_LIST);
	if (sets->n == sets->cap) {
		uint32_t cap = sets->cap ? 2 * sets->cap : 4;

		if (!FL_NEW(job->run->arena, items, cap, err))
			return FAIRLEAD_ENOMEM;
		if (sets->n)
			memcpy(items, sets->items, sets->n * sizeof *items);
		sets->items = items;
		sets->cap = cap;
	}
	text = fl_kjobs_format(job->run, err, "%s", name);
	if (!text)
		return FAIRLEAD_ENOMEM;
	for (char *c = text; *c; c++)
		*c = lower(*c);
	set = &sets->items[sets->n];
	*set = (struct fl_kjob_pod_set){ .name = text, .count = count, .min_count = -1 };
	r = fl_kjob_read_pod(job->run, template, &set->pod, err);
	if (r < 0)
		return fl_fail_in(err, "pod set '%.100s'", text);
	sets->n++;
	return 0;
}

int64_t fl_kjob_pods_of(struct fl_kjob_value spec)
{
	int64_t parallel = fl_kjob_int_or(fl_kjob_get(spec, "parallelism"), 1);
	int64_t completions = fl_kjob_int_or(fl_kjob_get(spec, "completions"), INT64_MAX);

	return completions < parallel ? completions : parallel;
}

static int job_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	const char *least = fl_kjob_text(
		fl_kjob_get(job->annotations, FL_KJOB_PREFIX_KUEUE "job-min-parallelism"));
	int64_t n;
	int r = fl_kjob_add_set(job, sets, "main", fl_kjob_pods_of(job->spec),
				fl_kjob_get(job->spec, "template"), err);

	/* A negative number is no "none": it is refused. */
	if (r == 0 && fl_kjobs_gate(job->run, FL_KJOBS_PARTIAL_ADMISSION) &&
	    fl_kjob_atoi(least, &n))
		sets->items[0].min_count = n < 0 ? 0 : n;
	return r;
}

static int job_set_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	struct fl_kjob_value list = fl_kjob_get(job->spec, "replicatedJobs");
	int r = 0;

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(list, i)) {
		struct fl_kjob_value spec = fl_kjob_at(i, "template.spec");

		r = fl_kjob_add_set(job, sets, fl_kjob_text(fl_kjob_get(i, "name")),
				    fl_sat_mul(fl_kjob_int_or(fl_kjob_get(i, "replicas"), 1),
					       fl_kjob_pods_of(spec)),
				    fl_kjob_get(spec, "template"), err);
	}
	return r;
}

/* Roles in the order of their pod sets, wherever they stand in the object. */
static const struct {
	enum fl_framework_id id;
	const char *field, *roles[6];
} replicas[] = {
	{ FL_FRAMEWORK_PYTORCH_JOB, "pytorchReplicaSpecs", { "Master", "Worker" } },
	{ FL_FRAMEWORK_XGBOOST_JOB, "xgbReplicaSpecs", { "Master", "Worker" } },
	{ FL_FRAMEWORK_PADDLE_JOB, "paddleReplicaSpecs", { "Master", "Worker" } },
	{ FL_FRAMEWORK_TF_JOB,
	  "tfReplicaSpecs",
	  { "Chief", "Master", "PS", "Worker", "Evaluator" } },
	{ FL_FRAMEWORK_JAX_JOB, "jaxReplicaSpecs", { "Worker" } },
	{ FL_FRAMEWORK_MPI_JOB, "mpiReplicaSpecs", { "Launcher", "Worker" } },
};

static int replica_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	size_t k = 0;
	int r = 0;

	while (replicas[k].id != job->id)
		k++;
	for (const char *const *role = replicas[k].roles; *role && r == 0; role++) {
		struct fl_kjob_value spec = fl_kjob_get(fl_kjob_get(job->spec, replicas[k].field),
							*role);

		if (fl_kjob_has(spec))
			r = fl_kjob_add_set(job, sets, *role,
					    fl_kjob_int_or(fl_kjob_get(spec, "replicas"), 1),
					    fl_kjob_get(spec, "template"), err);
	}
	return r;
}

int fl_kjob_leader_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	struct fl_kjob_value group = fl_kjob_get(job->spec, "leaderWorkerTemplate");
	struct fl_kjob_value leader = fl_kjob_get(group, "leaderTemplate");
	struct fl_kjob_value worker = fl_kjob_get(group, "workerTemplate");
	int64_t size = fl_kjob_int_or(fl_kjob_get(group, "size"), 1);
	int r;

	if (!fl_kjob_has(leader))
		return fl_kjob_add_set(job, sets, "main", size, worker, err);
	r = fl_kjob_add_set(job, sets, "leader", 1, leader, err);
	return r < 0 ? r : fl_kjob_add_set(job, sets, "worker", fl_sat_sub(size, 1), worker, err);
}

int fl_kjob_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, enum fl_kjob_reason *reason,
		 fairlead_error *err)
{
	switch (job->id) {
	case FL_FRAMEWORK_JOB:
		return job_sets(job, sets, err);
	case FL_FRAMEWORK_POD:
		return fl_kjob_add_set(job, sets, "main", 1, job->object, err);
	case FL_FRAMEWORK_JOB_SET:
		return job_set_sets(job, sets, err);
	case FL_FRAMEWORK_STATEFUL_SET:
		return fl_kjob_add_set(job, sets, "main",
				       fl_kjob_int_or(fl_kjob_get(job->spec, "replicas"), 1),
				       fl_kjob_get(job->spec, "template"), err);
	case FL_FRAMEWORK_LEADER_WORKER_SET:
		return fl_kjob_leader_sets(job, sets, err);
	case FL_FRAMEWORK_RAY_CLUSTER:
	case FL_FRAMEWORK_RAY_JOB:
	case FL_FRAMEWORK_RAY_SERVICE:
		return fl_kjob_ray_sets(job, sets, err);
	case FL_FRAMEWORK_APP_WRAPPER:
		return fl_kjob_wrapper_sets(job, sets, err);
	case FL_FRAMEWORK_TRAIN_JOB:
		return fl_kjob_train_sets(job, sets, reason, err);
	case FL_FRAMEWORK_DEPLOYMENT: /* its pods are jobs */
		return 0;
	default:
		return replica_sets(job, sets, err);
	}
}
