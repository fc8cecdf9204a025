/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's PodGroup: a workload as a gang. Its tasks are Pods (pod.c). */
#include "codec/kai/kai.h"
#include "codec/own/life.h"

struct reading {
	struct fl_workload_row row;
	struct fl_gang gang;
};

static int read_min_member(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int32_t *least = to;
	int r = fl_kube_count(k, v, least);

	(void)f;
	if (r == 0 && *least == 0) /* as left out */
		*least = 1;
	return r;
}

#define FL_C_min_member int32_t
static const struct fl_type fl_type_min_member = { .read = read_min_member };

#define GROUP(field, type, member) FL_IS(field, type, struct reading, member)

static const struct fl_field spec[] = {
	{ GROUP("minMember", min_member, gang.min_tasks) },
	{ GROUP("queue", name, row.queue_name), .text = FL_TEXT_CLUSTER_QUEUE },
	{ GROUP("priorityClassName", name, row.priority_class), .text = FL_TEXT_CLASS },
	{ FL_IS_PREEMPTIBILITY("preemptibility", struct reading, gang.stated) },
	FL_IGNORED("backoffLimit"),
	FL_IGNORED("completions"),
	FL_IGNORED("markUnschedulable"),
	FL_IGNORED("parallelism"),
	FL_IGNORED("schedulingBackoff"),
	FL_NOTED("subGroups", "only the minimum of the whole group counts"),
	FL_NOTED("topologyConstraint", "topology does not count"),
	{ .name = NULL },
};

static const struct fl_field known_annotations[] = {
	FL_LIFE_ANNOTATIONS,
	{ GROUP("kai.scheduler/last-start-timestamp", time, gang.started) },
	{ GROUP("kai.scheduler/stale-podgroup-timestamp", time, gang.stale_since) },
	{ .name = NULL },
};

/* What it belongs to, for "job/name"; the first of several, as KAI writes one. */
static int read_owners(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *g = row;
	uint32_t end = 0, name;
	int r = fl_kube_list(k, v, &end);

	if (r < 0 || v + 1 == end)
		return r;
	name = fl_doc_find(&k->doc, v + 1, "name");
	return name == FL_NONE ? 0 : fl_kube_text(k, name, &g->row.owner_job);
}

static const struct fl_field owner[] = {
	FL_RECORDED("apiVersion", .text = FL_TEXT_WORD),
	FL_RECORDED("kind", .text = FL_TEXT_WORD),
	FL_RECORDED("uid", .text = FL_TEXT_UID),
	{ .name = "name", .text = FL_TEXT_JOB },
	{ .name = NULL },
};

static const struct fl_field metadata[] = {
	{ GROUP("creationTimestamp", time, row.created) },
	{ .name = "annotations", .type = &fl_type_some, .fields = known_annotations },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("deletionTimestamp"),
	FL_IGNORED("labels"),
	{ .name = "ownerReferences", .read = read_owners, .fields = owner, .list = true },
	FL_IGNORED("uid"),
	FL_METADATA_REST,
	{ .name = NULL },
};

static const struct fl_field group_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = metadata },
	{ .name = "spec", .fields = spec },
	FL_PASSED("status", "usage is counted from the pods"),
	{ .name = NULL },
};

static int read_group(struct fl_kube *k)
{
	struct reading g = { .row = fl_workload_default, .gang = fl_gang_default };
	int r = fl_kube_map(k, 0, group_fields, &g);
	uint32_t life;

	g.row.namespace = k->namespace;
	g.row.name = k->name;
	g.row.place = fl_kube_place_of(k, 0);
	if (r == 0)
		r = fl_model_push_gangs(k->m, &g.gang, &g.row.gang, k->err);
	if (r == 0)
		r = fl_model_add_workload(k->m, &g.row, k->err);
	if (r == 0 && !k->made)
		r = fl_kube_note_owners(k);
	return r < 0 ? r : fl_life_push(k, k->m->n_workloads - 1, &life);
}

const struct fl_kind fl_kind_pod_group = { "scheduling.run.ai", "PodGroup", true,
					   group_fields,        read_group, FL_TEXT_WORKLOAD,
					   "v2alpha2" };
