/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's PodGroup: a workload with a gang.  Its tasks are Pods (pod.c). */
#include "codec/kai/kai.h"
#include "codec/own/life.h"

struct reading {
	struct fl_workload_row row;
	struct fl_gang gang;
};

static int read_min_member(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *g = row;
	int r = fl_kube_count(k, v, &g->gang.min_tasks);

	if (r == 0 && g->gang.min_tasks == 0) /* as left out */
		g->gang.min_tasks = 1;
	return r;
}

static int read_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct reading *)row)->row.queue_name);
}

static int read_class(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct reading *)row)->row.priority_class);
}

int fl_kai_preemptibility(struct fl_kube *k, uint32_t v, enum fl_preemptibility *ret)
{
	static const char *const names[] = { "", "preemptible", "non-preemptible", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	*ret = (enum fl_preemptibility)i;
	return r;
}

static int read_preemptibility(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kai_preemptibility(k, v, &((struct reading *)row)->gang.stated);
}

static const struct fl_field spec[] = {
	{ .name = "minMember", .read = read_min_member },
	{ .name = "queue", .read = read_queue, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "priorityClassName", .read = read_class, .text = FL_TEXT_CLASS },
	{ .name = "preemptibility", .read = read_preemptibility },
	FL_IGNORED("backoffLimit"),
	FL_IGNORED("completions"),
	FL_IGNORED("markUnschedulable"),
	FL_IGNORED("parallelism"),
	FL_IGNORED("schedulingBackoff"),
	FL_NOTED("subGroups", "the minimum is of the whole group"),
	FL_NOTED("topologyConstraint", "where machines stand does not count"),
	{ .name = NULL },
};

static int read_created(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct reading *)row)->row.created);
}

static int read_started(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct reading *)row)->gang.started);
}

static int read_stale(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct reading *)row)->gang.stale_since);
}

static const struct fl_field known_annotations[] = {
	FL_LIFE_ANNOTATIONS,
	{ .name = "kai.scheduler/last-start-timestamp", .read = read_started },
	{ .name = "kai.scheduler/stale-podgroup-timestamp", .read = read_stale },
	{ .name = NULL },
};

static int read_annotations(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_some(k, v, known_annotations, row);
}

static const struct fl_field metadata[] = {
	{ .name = "creationTimestamp", .read = read_created },
	{ .name = "annotations", .read = read_annotations, .fields = known_annotations },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("deletionTimestamp"),
	FL_IGNORED("labels"),
	FL_IGNORED("ownerReferences"),
	FL_IGNORED("uid"),
	FL_METADATA_REST,
	{ .name = NULL },
};

static const struct fl_field group_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = metadata },
	{ .name = "spec", .fields = spec },
	FL_PASSED("status", "what is held is counted from the pods"),
	{ .name = NULL },
};

static int read_group(struct fl_kube *k)
{
	struct reading g = { .row = fl_workload_default, .gang = fl_gang_default };
	int r = fl_kube_map(k, 0, group_fields, &g);
	uint32_t life;

	g.row.namespace = k->namespace;
	g.row.name = k->name;
	g.row.place = fl_kube_place(k, 0);
	if (r == 0)
		r = fl_model_push_gangs(k->m, &g.gang, &g.row.gang, k->err);
	if (r == 0)
		r = fl_model_add_workload(k->m, &g.row, k->err);
	return r < 0 ? r : fl_life_push(k, k->m->n_workloads - 1, &life);
}

const struct fl_kind fl_kind_pod_group = { "scheduling.run.ai", "PodGroup", true,
					   group_fields,        read_group, FL_TEXT_WORKLOAD,
					   "v2alpha2" };
