/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of pods of a Ray cluster: the head with what Ray adds to it, groups of workers, the submitter. */
#include "codec/jobs/object/pod_sets_ray.h"

#include <string.h>

#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/pod.h"
#include "codec/jobs/object/pod_sets.h"

#define MEBI ((fl_nanos)1048576 * 1000000000)
#define MILLI ((fl_nanos)1000000)

static int put_cpu_memory(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a, fl_nanos cpu,
			  fl_nanos memory, enum fl_kjob_put how, fairlead_error *err)
{
	int r = fl_kjob_put(run, a, "cpu", cpu * MILLI, how, err);

	return r < 0 ? r : fl_kjob_put(run, a, "memory", memory * MEBI, how, err);
}

struct fl_kjob_value fl_kjob_ray_cluster(const struct fl_kjob *job)
{
	switch (job->id) {
	case FL_FRAMEWORK_RAY_CLUSTER:
		return job->spec;
	case FL_FRAMEWORK_RAY_JOB:
		return fl_kjob_get(job->spec, "rayClusterSpec");
	case FL_FRAMEWORK_RAY_SERVICE:
		return fl_kjob_get(job->spec, "rayClusterConfig");
	default:
		return FL_KJOB_NO_VALUE;
	}
}

static bool is_true(const char *text)
{
	static const char word[] = "true";
	size_t i = 0;

	while (word[i] && (text[i] == word[i] || text[i] == word[i] - 'a' + 'A'))
		i++;
	return word[i] == '\0' && text[i] == '\0';
}

/* What submits the job, where its template does not say: 500m and 200Mi. */
static int add_submitter(const struct fl_kjob *job, struct fl_kjob_pod *pod, fairlead_error *err)
{
	struct fl_kjob_container *c;
	int r = fl_kjob_add_container(job->run, pod, &c, err);

	if (r < 0)
		return r;
	c->name = "ray-job-submitter";
	r = put_cpu_memory(job->run, &c->requests, 500, 200, FL_KJOB_PUT, err);
	return r < 0 ? r : put_cpu_memory(job->run, &c->limits, 1000, 1024, FL_KJOB_PUT, err);
}

static int add_autoscaler(const struct fl_kjob *job, struct fl_kjob_value cluster,
			  struct fl_kjob_pod *pod, fairlead_error *err)
{
	struct fl_kjob_value resources = fl_kjob_at(cluster, "autoscalerOptions.resources");
	struct fl_kjob_container *c;
	int r = fl_kjob_add_container(job->run, pod, &c, err);

	if (r < 0)
		return r;
	c->name = "autoscaler";
	if (!fl_kjob_has(resources)) {
		r = put_cpu_memory(job->run, &c->requests, 500, 512, FL_KJOB_PUT, err);
		return r < 0 ? r : put_cpu_memory(job->run, &c->limits, 500, 512, FL_KJOB_PUT, err);
	}
	r = fl_kjob_read_amounts(job->run, fl_kjob_get(resources, "requests"), &c->requests, err);
	return r < 0 ? r :
		       fl_kjob_read_amounts(job->run, fl_kjob_get(resources, "limits"), &c->limits,
					    err);
}

/* What Ray changes in its head. */
static int change_head(const struct fl_kjob *job, struct fl_kjob_value cluster,
		       struct fl_kjob_pod *pod, fairlead_error *err)
{
	bool tolerant = fl_kjob_has(fl_kjob_get(cluster, "gcsFaultToleranceOptions")) ||
			is_true(fl_kjob_text(fl_kjob_get(job->annotations, "ray.io/ft-enabled")));
	int r = 0;

	if (tolerant && pod->n_containers) {
		r = put_cpu_memory(job->run, &pod->containers[0].requests, 200, 256,
				   FL_KJOB_PUT_MAX, err);
		pod->rebuilt = true;
	}
	if (r == 0 && fl_kjob_true(fl_kjob_get(cluster, "enableInTreeAutoscaling")))
		r = add_autoscaler(job, cluster, pod, err);
	return r;
}

static int submitter_set(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	struct fl_kjob_value mode = fl_kjob_get(job->spec, "submissionMode");
	struct fl_kjob_value template = fl_kjob_get(job->spec, "submitterPodTemplate");
	int r;

	if (fl_kjob_is(mode, "SidecarMode"))
		return add_submitter(job, &sets->items[0].pod, err);
	if (*fl_kjob_text(mode) && !fl_kjob_is(mode, "K8sJobMode"))
		return 0;
	r = fl_kjob_add_set(job, sets, "submitter", 1, template, err);
	if (r == 0 && !fl_kjob_has(template))
		r = add_submitter(job, &sets->items[sets->n - 1].pod, err);
	return r;
}

int fl_kjob_ray_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err)
{
	struct fl_kjob_value cluster = fl_kjob_ray_cluster(job);
	struct fl_kjob_value groups = fl_kjob_get(cluster, "workerGroupSpecs");
	int r = fl_kjob_add_set(job, sets, "head", 1, fl_kjob_at(cluster, "headGroupSpec.template"),
				err);

	if (r == 0)
		r = change_head(job, cluster, &sets->items[0].pod, err);
	for (struct fl_kjob_value i = fl_kjob_first(groups); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(groups, i)) {
		int64_t hosts = fl_kjob_int_or(fl_kjob_get(i, "numOfHosts"), 1);
		int64_t count = fl_kjob_int_or(fl_kjob_get(i, "replicas"), 0);

		r = fl_kjob_add_set(job, sets, fl_kjob_text(fl_kjob_get(i, "groupName")),
				    fl_sat_mul(count, hosts > 1 ? hosts : 1),
				    fl_kjob_get(i, "template"), err);
	}
	return r == 0 && job->id == FL_FRAMEWORK_RAY_JOB ? submitter_set(job, sets, err) : r;
}
