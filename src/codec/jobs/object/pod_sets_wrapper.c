/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sets of pods of an AppWrapper: those that a component declares, by the path of their template,
 * or what its kind says.  The wrapper takes over a part of a pod only (fl_kjob_strip_pod).
 */
#include "codec/jobs/object/pod_sets_wrapper.h"

#include <string.h>

#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod.h"
#include "codec/jobs/object/pod_sets.h"

static int add(const struct fl_kjob *job, struct fl_kjob_sets *sets, int64_t count,
	       struct fl_kjob_value template, fairlead_error *err)
{
	char *name = fl_kjobs_format(job->run, err, "%s-%u", job->row->name, sets->n);
	int r;

	if (!name)
		return FAIRLEAD_ENOMEM;
	r = fl_kjob_add_set(job, sets, name, count, template, err);
	if (r == 0)
		fl_kjob_strip_pod(&sets->items[sets->n - 1].pod);
	return r;
}

/* The next step of "template.spec.list[2]"; no value when it leads nowhere. */
static struct fl_kjob_value step(struct fl_kjob_value n, const char **path)
{
	char key[64];
	size_t len;

	if (**path == '[') {
		struct fl_kjob_value i = fl_kjob_is_list(n) ? fl_kjob_first(n) : FL_KJOB_NO_VALUE;
		int64_t index;

		len = strcspn(++*path, "]");
		if ((*path)[len] != ']' || len >= sizeof key)
			return FL_KJOB_NO_VALUE;
		memcpy(key, *path, len);
		key[len] = '\0';
		*path += len + 1;
		if (!fl_kjob_atoi(key, &index) || index < 0)
			return FL_KJOB_NO_VALUE;
		for (; index > 0 && fl_kjob_has(i); index--)
			i = fl_kjob_next(n, i);
		return i;
	}
	*path += **path == '.';
	len = strcspn(*path, ".[");
	if (len == 0 || len >= sizeof key)
		return FL_KJOB_NO_VALUE;
	memcpy(key, *path, len);
	key[len] = '\0';
	*path += len;
	return fl_kjob_get(n, key);
}

static int declared(const struct fl_kjob *job, struct fl_kjob_value component,
		    struct fl_kjob_value list, struct fl_kjob_sets *sets, fairlead_error *err)
{
	int r = 0;

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(list, i)) {
		const char *path = fl_kjob_text(fl_kjob_get(i, "path"));
		struct fl_kjob_value at = component;

		while (*path && fl_kjob_has(at))
			at = step(at, &path);
		if (fl_kjob_is_map(at))
			r = add(job, sets, fl_kjob_int_or(fl_kjob_get(i, "replicas"), 1), at, err);
	}
	return r;
}

static int replicated(const struct fl_kjob *job, struct fl_kjob_value list,
		      struct fl_kjob_sets *sets, fairlead_error *err)
{
	int r = 0;

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(list, i)) {
		struct fl_kjob_value spec = fl_kjob_at(i, "template.spec");

		r = add(job, sets,
			fl_sat_mul(fl_kjob_int_or(fl_kjob_get(i, "replicas"), 1),
				   fl_kjob_pods_of(spec)),
			fl_kjob_get(spec, "template"), err);
	}
	return r;
}

static int ray(const struct fl_kjob *job, struct fl_kjob_value cluster, struct fl_kjob_sets *sets,
	       fairlead_error *err)
{
	struct fl_kjob_value groups = fl_kjob_get(cluster, "workerGroupSpecs");
	int r = add(job, sets, 1, fl_kjob_at(cluster, "headGroupSpec.template"), err);

	for (struct fl_kjob_value i = fl_kjob_first(groups); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(groups, i))
		r = add(job, sets, fl_kjob_int_or(fl_kjob_get(i, "replicas"), 1),
			fl_kjob_get(i, "template"), err);
	return r;
}

static int torch(const struct fl_kjob *job, struct fl_kjob_value specs, struct fl_kjob_sets *sets,
		 fairlead_error *err)
{
	static const char *const roles[] = { "Master", "Worker" };
	int r = 0;

	for (size_t k = 0; k < 2 && r == 0; k++) {
		struct fl_kjob_value spec = fl_kjob_get(specs, roles[k]);

		if (fl_kjob_has(spec))
			r = add(job, sets, fl_kjob_int_or(fl_kjob_get(spec, "replicas"), 1),
				fl_kjob_get(spec, "template"), err);
	}
	return r;
}

/* Without the API's own defaults. */
static int inferred(const struct fl_kjob *job, struct fl_kjob_value object,
		    struct fl_kjob_sets *sets, fairlead_error *err)
{
	struct fl_kjob_value spec = fl_kjob_get(object, "spec");

	switch (fl_kjobs_kind(fl_kjob_text(fl_kjob_get(object, "apiVersion")),
			      fl_kjob_text(fl_kjob_get(object, "kind")))) {
	case FL_FRAMEWORK_JOB:
		return add(job, sets, fl_kjob_pods_of(spec), fl_kjob_get(spec, "template"), err);
	case FL_FRAMEWORK_JOB_SET:
		return replicated(job, fl_kjob_get(spec, "replicatedJobs"), sets, err);
	case FL_FRAMEWORK_PYTORCH_JOB:
		return torch(job, fl_kjob_get(spec, "pytorchReplicaSpecs"), sets, err);
	case FL_FRAMEWORK_RAY_CLUSTER:
		return ray(job, spec, sets, err);
	case FL_FRAMEWORK_RAY_JOB:
		return ray(job, fl_kjob_get(spec, "rayClusterSpec"), sets, err);
	case FL_FRAMEWORK_POD:
		return add(job, sets, 1, object, err);
	case FL_FRAMEWORK_DEPLOYMENT:
	case FL_FRAMEWORK_STATEFUL_SET:
		return add(job, sets, fl_kjob_int_or(fl_kjob_get(spec, "replicas"), 1),
			   fl_kjob_get(spec, "template"), err);
	default:
		return 0;
	}
}

int fl_kjob_wrapper_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	struct fl_kjob_value list = fl_kjob_get(job->spec, "components");
	int r = 0;

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(list, i)) {
		struct fl_kjob_value own = fl_kjob_get(i, "podSets");

		r = fl_kjob_count(own) > 0 ? declared(job, i, own, sets, err) :
					     inferred(job, fl_kjob_get(i, "template"), sets, err);
	}
	return r;
}
