/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's Queue: its deserved quota, limit and weight. */
#include "codec/object/types.h"

/* One resource of a queue. */
struct share {
	double quota, weight, limit;
	bool has_limit;
};

struct reading {
	struct fl_node_row node;
	struct fl_entitlement says;
	struct share of[FL_BUNDLE];
	bool has_resources, has[FL_BUNDLE];
};

static const char *const axis_names[FL_BUNDLE] = { "cpu", "memory", "gpu" };

static int read_weight(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int r = fl_kube_finite(k, v, to);

	(void)f;
	if (r == 0 && *(double *)to < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a weight below 0");
	return r;
}

#define FL_C_queue_weight double
static const struct fl_type fl_type_queue_weight = { .read = read_weight };

static const struct fl_field share[] = {
	{ FL_IS("quota", finite, struct share, quota) },
	{ FL_IS("overQuotaWeight", queue_weight, struct share, weight) },
	{ FL_IS("limit", finite, struct share, limit), FL_SAID(struct share, has_limit) },
	{ .name = NULL },
};

/*
 * A quota or limit in the units of a bundle: memory is given in millions of bytes, and -1 means
 * unlimited.
 */
static int convert(struct fl_kube *k, uint32_t v, const char *what, int axis, double *value)
{
	if (*value == FL_UNBOUNDED)
		return 0;
	if (axis == FL_MEMORY && *value < 0) {
		*value = FL_UNBOUNDED;
		return fl_kube_notice(k, v, FL_NOTICE_NEGATIVE_MEMORY, "write -1",
				      "a memory %s below 0 means unlimited", what);
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

	if (below && !s->has_limit)
		r = fl_kube_notice(k, v, FL_NOTICE_LIMIT_BELOW_QUOTA,
				   "write limit: -1 for no limit",
				   "no limit: KAI reads a missing limit as 0, so the queue can "
				   "hold nothing of it, not even its quota");
	else if (below)
		r = fl_kube_notice(
			k, v, FL_NOTICE_LIMIT_BELOW_QUOTA, /* hint= */ NULL,
			"the limit is less than the quota: the queue never gets its quota");
	if (r == 0 && s->quota == 0 && s->weight == 0 && s->limit != 0)
		r = fl_kube_notice(k, v, FL_NOTICE_NO_SHARE, /* hint= */ NULL,
				   "quota 0 and overQuotaWeight 0: the queue's fair share is 0");
	return r;
}

static int read_units(struct fl_kube *k, uint32_t v, int axis, struct share *s)
{
	int r = fl_kube_map(k, v, share, s);

	if (r == 0)
		r = convert(k, v, "quota", axis, &s->quota);
	if (r == 0)
		r = convert(k, v, "limit", axis, &s->limit);
	return r < 0 ? r : warn_of_share(k, v, s);
}

static int read_share(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	return read_units(k, v, FL_CPU, to); /* GPUs are whole units, too */
}

static int read_memory(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	return read_units(k, v, FL_MEMORY, to);
}

#define FL_C_share struct share
#define FL_C_memory struct share
static const struct fl_type fl_type_share = { .read = read_share };
static const struct fl_type fl_type_memory = { .read = read_memory };

#define SHARE(field, type, axis)                                                                   \
	{                                                                                          \
		FL_IS(field, type, struct reading, of[axis]), FL_SAID(struct reading, has[axis]),  \
			.fields = share                                                            \
	}

static const struct fl_field resources[] = {
	SHARE("cpu", share, FL_CPU),
	SHARE("memory", memory, FL_MEMORY),
	SHARE("gpu", share, FL_GPU),
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

#define QUEUE(field, type, member) FL_IS(field, type, struct reading, member)

const struct fl_field fl_fields_entitled_spec[] = {
	FL_IGNORED("displayName"),
	{ QUEUE("parentQueue", name, node.parent_name), .text = FL_TEXT_CLUSTER_QUEUE },
	{ QUEUE("priority", int32, says.priority) },
	{ QUEUE("preemptMinRuntime", duration, says.preempt_min_run) },
	{ QUEUE("reclaimMinRuntime", duration, says.reclaim_min_run) },
	{ .name = "resources", .read = read_resources, .fields = resources },
	{ .name = NULL },
};

static const struct fl_field metadata[] = {
	{ QUEUE("creationTimestamp", time, says.created) },
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
	FL_PASSED("status", "usage is counted from the pods"),
	{ .name = NULL },
};

/* Reads the queue at @v by @fields, all but its name. */
static int read_at(struct fl_kube *k, uint32_t v, const struct fl_field *fields,
		   struct fl_node_row *ret)
{
	struct reading q = { .node = fl_entitled_default, .says = fl_entitlement_default };
	int r = fl_kube_map(k, v, fields, &q);

	if (r == 0 && !q.has_resources)
		r = fl_kube_notice(k, v, FL_NOTICE_NO_RESOURCES, "write .spec.resources",
				   "a queue without resources can run no workload");
	for (int i = 0; i < FL_BUNDLE; i++)
		if (q.has[i]) {
			q.says.deserved.of[i] = q.of[i].quota;
			q.says.limit.of[i] = q.of[i].limit;
			q.says.weight.of[i] = q.of[i].weight;
		}
	q.node.place = fl_kube_place_of(k, v);
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
