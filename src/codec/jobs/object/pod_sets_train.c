/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sets of pods of a TrainJob: the replicated jobs of its runtime, with the runtimePatches and the
 * trainer of the TrainJob laid over them.
 */
#include "codec/jobs/object/pod_sets_train.h"

#include <string.h>

#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets.h"

#define STEP_LABEL "trainer.kubeflow.org/trainjob-ancestor-step"

const struct fl_kjobs_row *fl_kjob_train_runtime(const struct fl_kjob *job)
{
	struct fl_kjob_value reference = fl_kjob_get(job->spec, "runtimeRef");
	const char *name = fl_kjob_text(fl_kjob_get(reference, "name"));
	bool own = fl_kjob_is(fl_kjob_get(reference, "kind"), "TrainingRuntime");

	return fl_kjobs_find(job->run, own ? FL_KJOBS_RUNTIME : FL_KJOBS_CLUSTER_RUNTIME,
			     own ? job->row->namespace : "", name);
}

/* One replicated job of the runtime. */
struct part {
	struct fl_kjob_value value;
	const char *name;
	bool trainer; /* its role */
	bool first;   /* of this role */
};

/* How many pods; the trainer's number of nodes counts most. */
static int64_t count(const struct fl_kjob *job, struct fl_kjob_value policy,
		     const struct part *part)
{
	struct fl_kjob_value spec = fl_kjob_at(part->value, "template.spec");
	int64_t n = fl_kjob_int_or(fl_kjob_get(spec, "parallelism"), 1);
	int64_t replicas = fl_kjob_int_or(fl_kjob_get(part->value, "replicas"), 1);
	struct fl_kjob_value mpi = fl_kjob_get(policy, "mpi");
	int64_t nodes;

	if (part->trainer && fl_kjob_has(policy))
		n = fl_kjob_int_or(fl_kjob_get(policy, "numNodes"), 1);
	if (!fl_kjob_int(fl_kjob_at(job->spec, "trainer.numNodes"), &nodes))
		return fl_sat_mul(n, replicas);
	if (fl_kjob_has(mpi) && fl_kjob_true(fl_kjob_get(mpi, "runLauncherAsNode")) &&
	    strcmp(part->name, "node") == 0)
		n = nodes > 2 ? nodes - 1 : 1;
	else if (fl_kjob_has(mpi) ? strcmp(part->name, "node") == 0 : part->first)
		n = nodes;
	return fl_sat_mul(n, replicas);
}

/* Resources of a node over those of the container "node". */
static int lay_resources(const struct fl_kjob *job, struct fl_kjob_value policy,
			 const struct part *part, struct fl_kjob_pod *pod, fairlead_error *err)
{
	struct fl_kjob_value over = fl_kjob_at(job->spec, "trainer.resourcesPerNode");
	struct fl_kjob_value mpi = fl_kjob_get(policy, "mpi");
	bool node = fl_kjob_true(fl_kjob_get(mpi, "runLauncherAsNode")) &&
		    strcmp(part->name, "node") == 0;
	int r = 0;

	if (!fl_kjob_has(over) || !fl_kjob_has(policy) || !(part->trainer || node))
		return 0;
	for (uint32_t i = 0; i < pod->n_containers && r == 0; i++) {
		struct fl_kjob_container *c = &pod->containers[i];

		if (strcmp(c->name, "node") != 0)
			continue;
		pod->rebuilt = true;
		r = fl_kjob_read_amounts(job->run, fl_kjob_get(over, "requests"), &c->requests,
					 err);
		if (r == 0)
			r = fl_kjob_read_amounts(job->run, fl_kjob_get(over, "limits"), &c->limits,
						 err);
	}
	return r;
}

static int lay_patch(const struct fl_kjob *job, struct fl_kjob_value patch, struct fl_kjob_pod *pod,
		     fairlead_error *err)
{
	struct fl_kjob_value tolerations = fl_kjob_get(patch, "tolerations");
	struct fl_kjob_value affinity = fl_kjob_get(patch, "affinity");

	if (fl_kjob_has(tolerations))
		pod->tolerations = tolerations;
	if (fl_kjob_has(affinity))
		pod->affinity = affinity;
	pod->rebuilt = true;
	return fl_kjob_read_pairs(job->run, fl_kjob_get(patch, "nodeSelector"), &pod->node_selector,
				  err);
}

/* All patches of that replicated job, in their order. */
static int lay_patches(const struct fl_kjob *job, const struct part *part, struct fl_kjob_pod *pod,
		       fairlead_error *err)
{
	struct fl_kjob_value patches = fl_kjob_get(job->spec, "runtimePatches");
	int r = 0;

	for (struct fl_kjob_value i = fl_kjob_first(patches); fl_kjob_has(i);
	     i = fl_kjob_next(patches, i)) {
		struct fl_kjob_value list =
			fl_kjob_at(i, "trainingRuntimeSpec.template.spec.replicatedJobs");

		for (struct fl_kjob_value k = fl_kjob_first(list); fl_kjob_has(k) && r == 0;
		     k = fl_kjob_next(list, k))
			if (fl_kjob_is(fl_kjob_get(k, "name"), part->name))
				r = lay_patch(job, fl_kjob_at(k, "template.spec.template.spec"),
					      pod, err);
	}
	return r;
}

int fl_kjob_train_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets,
		       enum fl_kjob_reason *reason, fairlead_error *err)
{
	const struct fl_kjobs_row *runtime = fl_kjob_train_runtime(job);
	struct fl_kjob_value spec, list;
	bool found = false;
	int r = 0;

	if (!runtime) {
		*reason = FL_KJOB_RUNTIME_NOT_FOUND;
		return 0;
	}
	spec = fl_kjob_get(fl_kjob_root(&runtime->doc), "spec");
	list = fl_kjob_at(spec, "template.spec.replicatedJobs");
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(list, i)) {
		struct fl_kjob_value policy = fl_kjob_get(spec, "mlPolicy"), template;
		struct part part = {
			.value = i,
			.name = fl_kjob_text(fl_kjob_get(i, "name")),
			.trainer = fl_kjob_is(fl_kjob_get(fl_kjob_at(i, "template.metadata.labels"),
							  STEP_LABEL),
					      "trainer"),
		};

		part.first = part.trainer && !found;
		found |= part.trainer;
		template = fl_kjob_at(i, "template.spec.template");
		if ((r = fl_kjob_add_set(job, sets, part.name, count(job, policy, &part), template,
					 err)) < 0 ||
		    (r = lay_patches(job, &part, &sets->items[sets->n - 1].pod, err)) < 0)
			return r;
		r = lay_resources(job, policy, &part, &sets->items[sets->n - 1].pod, err);
	}
	return r;
}
