/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's Queue: what it deserves, may have at most, and weighs. */
#include "codec/object/fields.h"

/* One resource of a queue. */
struct share {
	double quota, weight, limit;
};

struct reading {
	struct fl_node_row node;
	struct fl_entitlement says;
	bool has_resources, has[FL_BUNDLE];
};

static const char *const axis_names[FL_BUNDLE] = { "cpu", "memory", "gpu" };

static int read_quota(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_finite(k, v, &((struct share *)row)->quota);
}

static int read_limit(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_finite(k, v, &((struct share *)row)->limit);
}

static int read_weight(struct fl_kube *k, uint32_t v, void *row)
{
	double *weight = &((struct share *)row)->weight;
	int r = fl_kube_finite(k, v, weight);

	if (r == 0 && *weight < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a weight below 0");
	return r;
}

static const struct fl_field share[] = {
	{ .name = "quota", .read = read_quota },
	{ .name = "overQuotaWeight", .read = read_weight },
	{ .name = "limit", .read = read_limit },
	{ .name = NULL },
};

/* A bound in the units of a bundle: memory is given in millions of bytes, and -1 is no bound. */
static int convert(struct fl_kube *k, uint32_t v, const char *what, int axis, double *value)
{
	if (*value == FL_UNBOUNDED)
		return 0;
	if (axis == FL_MEMORY && *value < 0) {
		*value = FL_UNBOUNDED;
		return fl_kube_notice(k, v, FL_NOTICE_NEGATIVE_MEMORY, "write -1",
				      "a memory %s below 0 means no bound", what);
	}
	if (*value < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a %s of %g: below 0 only -1, no bound",
				    what, *value);
	if (axis == FL_MEMORY)
		*value *= 1e6;
	return 0;
}

static int warn_of_share(struct fl_kube *k, uint32_t v, const struct share *s)
{
	bool below = s->limit != FL_UNBOUNDED && (s->quota == FL_UNBOUNDED || s->limit < s->quota);
	int r = 0;

	if (below)
		r = fl_kube_notice(
			k, v, FL_NOTICE_LIMIT_BELOW_QUOTA, /* hint= */ NULL,
			"the limit is less than the quota: the queue never has its quota");
	if (r == 0 && s->quota == 0 && s->weight == 0 && s->limit != 0)
		r = fl_kube_notice(k, v, FL_NOTICE_NO_SHARE, /* hint= */ NULL,
				   "quota 0 and overQuotaWeight 0: the queue's fair share is 0");
	return r;
}

static int read_share(struct fl_kube *k, uint32_t v, int axis, struct reading *q)
{
	struct share s = { 0 };
	uint32_t end;
	int r = fl_kube_pairs(k, v, &end);

	q->has[axis] = true;
	if (r == 0)
		r = fl_kube_map(k, v, share, &s);
	if (r == 0)
		r = convert(k, v, "quota", axis, &s.quota);
	if (r == 0)
		r = convert(k, v, "limit", axis, &s.limit);
	if (r == 0)
		r = warn_of_share(k, v, &s);
	q->says.deserved.of[axis] = s.quota;
	q->says.limit.of[axis] = s.limit;
	q->says.weight.of[axis] = s.weight;
	return r;
}

static int read_cpu(struct fl_kube *k, uint32_t v, void *row)
{
	return read_share(k, v, FL_CPU, row);
}

static int read_memory(struct fl_kube *k, uint32_t v, void *row)
{
	return read_share(k, v, FL_MEMORY, row);
}

static int read_gpu(struct fl_kube *k, uint32_t v, void *row)
{
	return read_share(k, v, FL_GPU, row);
}

static const struct fl_field resources[] = {
	{ .name = "cpu", .read = read_cpu, .fields = share },
	{ .name = "memory", .read = read_memory, .fields = share },
	{ .name = "gpu", .read = read_gpu, .fields = share },
	{ .name = NULL },
};

static int read_resources(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *q = row;
	int r = fl_kube_map(k, v, resources, row);

	q->has_resources = true;
	for (int i = 0; i < FL_BUNDLE && r == 0; i++)
		if (!q->has[i])
			r = fl_kube_notice(k, v, FL_NOTICE_NO_RESOURCES, /* hint= */ NULL,
					   "no '%s': nothing that asks for it can run",
					   axis_names[i]);
	return r;
}

static int read_parent(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct reading *)row)->node.parent_name);
}

static int read_priority(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_int32(k, v, &((struct reading *)row)->says.priority);
}

static int read_preempt_min_run(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct reading *)row)->says.preempt_min_run);
}

static int read_reclaim_min_run(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_duration(k, v, &((struct reading *)row)->says.reclaim_min_run);
}

const struct fl_field fl_fields_entitled_spec[] = {
	FL_IGNORED("displayName"),
	{ .name = "parentQueue", .read = read_parent, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "priority", .read = read_priority },
	{ .name = "preemptMinRuntime", .read = read_preempt_min_run },
	{ .name = "reclaimMinRuntime", .read = read_reclaim_min_run },
	{ .name = "resources", .read = read_resources, .fields = resources },
	{ .name = NULL },
};

static int read_created(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct reading *)row)->says.created);
}

static const struct fl_field metadata[] = {
	{ .name = "creationTimestamp", .read = read_created },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("labels"),
	FL_IGNORED("ownerReferences"),
	FL_IGNORED("uid"),
	FL_METADATA_IGNORED,
	{ .name = NULL },
};

static const struct fl_field queue_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = metadata },
	{ .name = "spec", .fields = fl_fields_entitled_spec },
	FL_PASSED("status", "what is held is counted from the pods"),
	{ .name = NULL },
};

/* The queue at @v by @fields, all but its name. */
static int read_at(struct fl_kube *k, uint32_t v, const struct fl_field *fields,
		   struct fl_node_row *ret)
{
	struct reading q = { .node = fl_entitled_default, .says = fl_entitlement_default };
	int r = fl_kube_map(k, v, fields, &q);

	if (r == 0 && !q.has_resources)
		r = fl_kube_notice(k, v, FL_NOTICE_NO_RESOURCES, "write .spec.resources",
				   "a queue without resources: it can run nothing");
	q.node.place = fl_kube_place(k, v);
	if (r == 0)
		r = fl_model_push_entitlements(k->m, &q.says, &q.node.entitlement, k->err);
	if (r == 0)
		*ret = q.node;
	return r;
}

int fl_kube_entitled_spec(struct fl_kube *k, uint32_t v, struct fl_node_row *ret)
{
	return read_at(k, v, fl_fields_entitled_spec, ret);
}

static int read_queue(struct fl_kube *k)
{
	struct fl_node_row row;
	int r = read_at(k, 0, queue_fields, &row);

	if (r < 0)
		return r;
	row.name = k->name;
	return fl_model_add_node(k->m, &row, k->err);
}

const struct fl_kind fl_kind_entitled = {
	"scheduling.run.ai", "Queue", false, queue_fields, read_queue, FL_TEXT_CLUSTER_QUEUE, "v2"
};
