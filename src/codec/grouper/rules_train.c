/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a JobSet, and of a TrainJob, which makes one. */
#include "codec/grouper/rules_train.h"

#include <string.h>

#include "codec/grouper/grouping.h"
#include "codec/jobs/object/index.h"

/* Started one after another, each part is a group of its own, so that none waits for another. */
static bool in_order(struct fl_kjob_value spec)
{
	const char *order = fl_kjob_text(fl_kjob_at(spec, "startupPolicy.startupPolicyOrder"));

	return !*order || strcmp(order, "InOrder") == 0;
}

static int64_t above_zero(struct fl_kjob_value n, int64_t otherwise)
{
	int64_t value = fl_kjob_int_or(n, otherwise);

	return value > 0 ? value : otherwise;
}

/* The least number of pods of one replicated job. */
static int64_t least_of(struct fl_kjob_value part)
{
	struct fl_kjob_value spec = fl_kjob_at(part, "template.spec");
	int64_t parallel = above_zero(fl_kjob_get(spec, "parallelism"), 1);
	int64_t completions = above_zero(fl_kjob_get(spec, "completions"), INT64_MAX);

	return fl_sat_mul(above_zero(fl_kjob_get(part, "replicas"), 1),
			  completions < parallel ? completions : parallel);
}

static int add_part(const struct fl_grouping *g, const char *part, struct fl_made_group *ret,
		    fairlead_error *err)
{
	return fl_grouper_name(g, ret, err, "%s-%s", ret->name, part);
}

int fl_grouper_job_set(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	struct fl_kjob_value spec = fl_kjob_get(fl_kjob_root(&g->top->doc), "spec");
	struct fl_kjob_value list = fl_kjob_get(spec, "replicatedJobs");
	const char *part = "";

	if (!fl_grouper_pod_label(g->pod, FL_GROUPER_LABEL_REPLICATED, &part) || !*part)
		return fl_grouper_refuse(g, ret, err,
					 "pod '%.200s' has no label " FL_GROUPER_LABEL_REPLICATED,
					 g->pod->name);
	ret->least = 0;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (!in_order(spec) || fl_kjob_is(fl_kjob_get(i, "name"), part))
			ret->least = fl_sat_add(ret->least, least_of(i));
	if (ret->least == 0)
		return fl_grouper_refuse(g, ret, err, "it has no replicated job '%.100s'", part);
	return in_order(spec) ? add_part(g, part, ret, err) : 0;
}

/* Its JobSet is not there: what its runtime makes of it has the numbers. */
int fl_grouper_train(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	struct fl_kjob_value reference = fl_kjob_at(fl_kjob_root(&g->top->doc), "spec.runtimeRef");
	const char *name = fl_kjob_text(fl_kjob_get(reference, "name")), *part = "";
	bool own = fl_kjob_is(fl_kjob_get(reference, "kind"), "TrainingRuntime");
	const struct fl_kjobs_row *runtime =
		fl_kjobs_find(g->run, own ? FL_KJOBS_RUNTIME : FL_KJOBS_CLUSTER_RUNTIME,
			      own ? g->top->namespace : "", name);
	bool each = !runtime ||
		    in_order(fl_kjob_at(fl_kjob_root(&runtime->doc), "spec.template.spec"));

	if (!g->sets)
		return 0;
	(void)fl_grouper_pod_label(g->pod, FL_GROUPER_LABEL_REPLICATED, &part);
	ret->least = 0;
	for (uint32_t i = 0; i < g->sets->n; i++)
		if (!each || strcmp(g->sets->items[i].name, part) == 0)
			ret->least = fl_sat_add(ret->least, g->sets->items[i].count);
	return each ? add_part(g, part, ret, err) : 0;
}
