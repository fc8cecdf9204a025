/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of kinds that differ from the default, but for those of trainers (rules_train.c). */
#include "codec/grouper/rules.h"

#include <string.h>

#include "codec/grouper/grouping.h"
#include "codec/jobs/object/index.h"

/* --- numbers as KAI reads them: a text is none, and no number is taken for 0 --- */

enum number { ABSENT, NUMBER, WRONG };

static enum number number_at(struct fl_kjob_value map, const char *field, int64_t *ret)
{
	struct fl_kjob_value v = fl_kjob_get(map, field);

	if (!fl_kjob_has(v))
		return ABSENT;
	return fl_kjob_int(v, ret) && *ret <= INT32_MAX && *ret >= INT32_MIN ? NUMBER : WRONG;
}

static int wrong(const struct fl_grouping *g, struct fl_made_group *ret, const char *field,
		 fairlead_error *err)
{
	return fl_grouper_refuse(g, ret, err, "'%s' is not a whole number of 32 bits", field);
}

static struct fl_kjob_value spec_of(const struct fl_kjobs_row *row)
{
	return fl_kjob_get(fl_kjob_root(&row->doc), "spec");
}

/* --- a group for each pod --- */

int fl_grouper_each_of_job(const struct fl_grouping *g, struct fl_made_group *ret,
			   fairlead_error *err)
{
	return fl_grouper_name(g, ret, err, "pg-%s-%s", g->pod->name, fl_grouper_uid(g));
}

int fl_grouper_each_pod(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	return fl_grouper_name(g, ret, err, "pg-%s-%s", g->pod->name,
			       *g->pod->uid ? g->pod->uid : "pod");
}

/* --- roles: the training operator's kinds --- */

/* All of them together, however they are called. */
static int sum_roles(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	struct fl_kjob_value specs = fl_kjob_get(spec_of(g->top), g->kind->specs);

	ret->least = 0;
	if (!fl_kjob_is_map(specs))
		return fl_grouper_refuse(g, ret, err, "it has no '%s'", g->kind->specs);
	for (int i = 0; i < 2 && g->kind->needed[i]; i++)
		if (!fl_kjob_has(fl_kjob_get(specs, g->kind->needed[i])))
			return fl_grouper_refuse(g, ret, err, "'%s' has no '%s'", g->kind->specs,
						 g->kind->needed[i]);
	for (struct fl_kjob_value i = fl_kjob_first(specs); fl_kjob_has(i);
	     i = fl_kjob_next(specs, i)) {
		int64_t n = 0;
		enum number is = number_at(fl_kjob_of_key(i), "replicas", &n);

		if (is == WRONG)
			return wrong(g, ret, "replicas", err);
		if (n == 0)
			return fl_grouper_refuse(g, ret, err, "'%.100s' has %s", fl_kjob_key(i),
						 is == ABSENT ? "no 'replicas'" : "0 replicas");
		ret->least += n;
	}
	if (ret->least <= 0)
		return fl_grouper_refuse(g, ret, err, "it has no replicas");
	return 0;
}

/* 1: it is not said, and nothing was changed. */
static int stated_least(const struct fl_grouping *g, struct fl_made_group *ret, enum number *is)
{
	int64_t n = 0;

	*is = number_at(fl_kjob_at(spec_of(g->top), "runPolicy.schedulingPolicy"), "minAvailable",
			&n);
	if (*is != NUMBER)
		return 1;
	ret->least = n;
	return 0;
}

int fl_grouper_roles(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	enum number is;

	if (stated_least(g, ret, &is) == 0)
		return 0;
	return is == WRONG ? wrong(g, ret, "minAvailable", err) : sum_roles(g, ret, err);
}

/* Does the launcher come only after the workers, and is it not there yet? */
static bool launcher_waits(const struct fl_grouping *g)
{
	struct fl_kjob_value root = fl_kjob_root(&g->top->doc);

	return fl_kjob_is(fl_kjob_at(root, "spec.launcherCreationPolicy"), "WaitForWorkersReady") &&
	       fl_kjob_int_or(fl_kjob_at(root, "status.replicaStatuses.Launcher.active"), 0) == 0;
}

int fl_grouper_mpi(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	struct fl_kjob_value specs = fl_kjob_get(spec_of(g->top), g->kind->specs);
	int64_t n = 0;
	int r = fl_grouper_roles(g, ret, err);

	if (r || !launcher_waits(g))
		return r;
	(void)number_at(fl_kjob_get(specs, "Launcher"), "replicas", &n);
	ret->least -= n;
	return 0;
}

int fl_grouper_pytorch(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	enum number is;
	int64_t n = 0;
	int r = fl_grouper_roles(g, ret, err);

	if (r)
		return r;
	if (number_at(fl_kjob_get(spec_of(g->top), "elasticPolicy"), "minReplicas", &n) == NUMBER)
		ret->least = n;
	(void)stated_least(g, ret, &is); /* counts before the other one */
	ret->has_sub_groups = true;
	return 0;
}

/* --- Ray --- */

/* Where the cluster of a RayJob or RayService is named; the first that is counts. */
static const struct {
	uint32_t kind;
	const char *path;
} cluster_names[] = {
	{ FL_FRAMEWORK_RAY_JOB, "status.rayClusterName" },
	{ FL_FRAMEWORK_RAY_SERVICE, "status.activeServiceStatus.rayClusterName" },
	{ FL_FRAMEWORK_RAY_SERVICE, "status.pendingServiceStatus.rayClusterName" },
};

/* The spec of the cluster: as it is in the input, else as it will be made. */
static struct fl_kjob_value cluster_of(const struct fl_grouping *g)
{
	struct fl_kjob_value root = fl_kjob_root(&g->top->doc);
	const struct fl_kjobs_row *row = NULL;

	if (g->top->kind == FL_FRAMEWORK_RAY_CLUSTER)
		return fl_kjob_get(root, "spec");
	for (size_t i = 0; i < sizeof cluster_names / sizeof *cluster_names && !row; i++)
		if (cluster_names[i].kind == g->top->kind)
			row = fl_kjobs_find(g->run, FL_FRAMEWORK_RAY_CLUSTER, g->top->namespace,
					    fl_kjob_text(fl_kjob_at(root, cluster_names[i].path)));
	for (uint32_t i = 0; i < g->pod->n_owners && !row; i++)
		if (g->pod->owners[i]->kind == FL_FRAMEWORK_RAY_CLUSTER)
			row = g->pod->owners[i];
	if (row)
		return spec_of(row);
	return fl_kjob_at(root, g->top->kind == FL_FRAMEWORK_RAY_JOB ? "spec.rayClusterSpec" :
								       "spec.rayClusterConfig");
}

/* What one group of workers adds to the least number of pods. */
static int count_workers(const struct fl_grouping *g, struct fl_kjob_value group,
			 struct fl_made_group *ret, fairlead_error *err)
{
	int64_t n = 0, least = 0, hosts = 1;

	if (fl_kjob_true(fl_kjob_get(group, "suspended")))
		return 0;
	if (number_at(group, "replicas", &n) == WRONG)
		return wrong(g, ret, "replicas", err);
	if (number_at(group, "minReplicas", &least) == WRONG)
		return wrong(g, ret, "minReplicas", err);
	if (number_at(group, "numOfHosts", &hosts) == WRONG)
		return wrong(g, ret, "numOfHosts", err);
	if (least > n)
		return fl_grouper_refuse(g, ret, err,
					 "group '%.100s' has fewer replicas than minReplicas",
					 fl_kjob_text(fl_kjob_get(group, "groupName")));
	ret->least = fl_sat_add(ret->least, fl_sat_mul(least > 0 ? least : n, hosts));
	return 0;
}

int fl_grouper_ray(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	struct fl_kjob_value groups = fl_kjob_get(cluster_of(g), "workerGroupSpecs");
	const char *class;
	int r = 0;

	ret->has_sub_groups = true;
	for (struct fl_kjob_value i = fl_kjob_first(groups); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(groups, i))
		r = count_workers(g, i, ret, err);
	class = fl_kjob_text(fl_kjob_get(fl_kjob_at(fl_kjob_root(&g->top->doc), "metadata.labels"),
					 "ray.io/priority-class-name"));
	if (*class) {
		ret->class = class;
		ret->missing_class = NULL;
	}
	return r;
}

/* --- LeaderWorkerSet: a group for each of its groups --- */

int fl_grouper_leaders(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	struct fl_kjob_value spec = spec_of(g->top), policy = fl_kjob_get(spec, "startupPolicy");
	int64_t size = 1; /* as the API server adds it */
	const char *group, *worker = "0";

	if (number_at(fl_kjob_get(spec, "leaderWorkerTemplate"), "size", &size) == WRONG)
		return wrong(g, ret, "size", err);
	if (size <= 0)
		return fl_grouper_refuse(g, ret, err, "its size is not above 0");
	if (*fl_kjob_text(policy) && !fl_kjob_is(policy, "LeaderCreated") &&
	    !fl_kjob_is(policy, "LeaderReady"))
		return fl_grouper_refuse(g, ret, err, "its startupPolicy '%.100s' is not known",
					 fl_kjob_text(policy));
	(void)fl_grouper_pod_label(g->pod, FL_GROUPER_LABEL_WORKER, &worker);
	ret->least = size;
	if (fl_kjob_is(policy, "LeaderReady") && strcmp(worker, "0") == 0 && !g->pod->placed)
		ret->least = 1; /* its workers come when it is ready */
	ret->has_sub_groups = true;
	return fl_grouper_pod_label(g->pod, FL_GROUPER_LABEL_GROUP, &group) ?
		       fl_grouper_name(g, ret, err, "%s-group-%s", ret->name, group) :
		       0;
}
