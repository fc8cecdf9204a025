/* SPDX-License-Identifier: Apache-2.0 */
/* LimitRange and RuntimeClass: requests of pods that do not set them. */
#include <string.h>

#include "codec/object/workload.h"

/* --- LimitRange --- */

/* One entry of spec.limits: a row for each resource, the last ones in the pool. */
struct item {
	struct fl_span ranges;
	bool counts; /* for containers or pods */
	enum fl_range_scope scope;
};

static int read_type(struct fl_kube *k, uint32_t v, void *row)
{
	struct item *item = row;
	struct fl_sym sym;
	int r = fl_kube_text(k, v, &sym);

	if (r < 0)
		return r;
	item->scope = strcmp(fl_doc_text(&k->doc, v), "Pod") == 0 ? FL_RANGE_POD :
								    FL_RANGE_CONTAINER;
	item->counts = item->scope == FL_RANGE_POD ||
		       strcmp(fl_doc_text(&k->doc, v), "Container") == 0;
	return 0;
}

static int range_of(struct fl_kube *k, uint32_t key, struct item *item, struct fl_range **ret)
{
	struct fl_model *m = k->m;
	struct fl_range row = {
		.limit = FL_NO_LIMIT, .request = FL_NO_LIMIT, .min = FL_NO_LIMIT, .max = FL_NO_LIMIT
	};
	int r = fl_model_sym(m, fl_doc_text(&k->doc, key), k->doc.values[key].len,
			     &row.resource_name, k->err);

	if (r < 0)
		return r;
	for (uint32_t i = item->ranges.first; i < m->n_ranges; i++)
		if (m->ranges[i].resource_name.v == row.resource_name.v) {
			*ret = &m->ranges[i];
			return 0;
		}
	if (m->n_ranges - item->ranges.first == FL_MAX_AMOUNTS)
		return fl_kube_fail(k, key + 1, FAIRLEAD_ELIMIT, "more than %d resources",
				    FL_MAX_AMOUNTS);
	r = fl_model_push_ranges(m, &row, /* ret_id= */ NULL, k->err);
	if (r == 0)
		*ret = &m->ranges[m->n_ranges - 1];
	return r;
}

/* Reads a map of quantities into one member of the item's rows. */
static int read_bounds(struct fl_kube *k, uint32_t v, struct item *item, size_t member)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_range *range = NULL;
		fl_amount amount = 0;

		r = range_of(k, key, item, &range);
		if (r == 0)
			r = fl_kube_quantity(k, key + 1, fl_doc_text(&k->doc, key), &amount);
		if (r == 0)
			memcpy((char *)range + member, &amount, sizeof amount);
	}
	return r;
}

#define BOUND(function, member)                                                                    \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return read_bounds(k, v, row, offsetof(struct fl_range, member));                  \
	}

BOUND(read_default, limit)
BOUND(read_default_request, request)
BOUND(read_max, max)
BOUND(read_min, min)

static const struct fl_field limit[] = {
	{ .name = "type", .read = read_type, .text = FL_TEXT_WORD },
	{ .name = "default", .read = read_default, .keys = FL_TEXT_RESOURCE },
	{ .name = "defaultRequest", .read = read_default_request, .keys = FL_TEXT_RESOURCE },
	{ .name = "max", .read = read_max, .keys = FL_TEXT_RESOURCE },
	{ .name = "min", .read = read_min, .keys = FL_TEXT_RESOURCE },
	FL_NOTED("maxLimitRequestRatio",
		 "Kueue admits workloads that violate it; the API server then refuses the pods"),
	{ .name = NULL },
};

/* Fills in defaults from bounds, as the API server does. */
static void fill_defaults(struct fl_range *range)
{
	if (range->limit == FL_NO_LIMIT)
		range->limit = range->max;
	if (range->request == FL_NO_LIMIT)
		range->request = range->limit;
	if (range->request == FL_NO_LIMIT)
		range->request = range->min;
}

static int read_item(struct fl_kube *k, uint32_t v)
{
	struct item item = { .ranges = { k->m->n_ranges, 0 } };
	uint32_t unused;
	int r = fl_kube_need(k, v, "type", &unused);

	if (r == 0)
		r = fl_kube_map(k, v, limit, &item);
	if (!item.counts) /* for example of volumes */
		k->m->n_ranges = item.ranges.first;
	for (uint32_t i = item.ranges.first; i < k->m->n_ranges; i++) {
		k->m->ranges[i].scope = item.scope;
		if (item.scope == FL_RANGE_CONTAINER)
			fill_defaults(&k->m->ranges[i]);
	}
	return r;
}

static int read_limits(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *span = &((struct fl_limit_range_row *)row)->ranges;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	span->first = k->m->n_ranges;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item))
		r = read_item(k, item);
	span->n = k->m->n_ranges - span->first;
	return r;
}

static const struct fl_field limit_range_spec[] = {
	{ .name = "limits", .read = read_limits, .fields = limit, .list = true },
	{ .name = NULL },
};

static const struct fl_field limit_range_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = limit_range_spec },
	{ .name = NULL },
};

static int read_limit_range(struct fl_kube *k)
{
	struct fl_limit_range_row row = {
		.namespace = k->namespace,
		.name = k->name,
		.place = fl_kube_place_of(k, 0),
	};
	int r = fl_kube_map(k, 0, limit_range_fields, &row);

	return r < 0 ? r : fl_model_add_limit_range(k->m, &row, k->err);
}

const struct fl_kind fl_kind_limit_range = {
	"", "LimitRange", true, limit_range_fields, read_limit_range, FL_TEXT_NAME, "v1"
};

/* --- RuntimeClass --- */

static int read_pod_fixed(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *overhead = &((struct fl_runtime_class_row *)row)->overhead;

	*overhead = (struct fl_span){ k->m->n_amounts, 0 };
	return fl_kube_amounts(k, v, /* limits= */ false, overhead);
}

static const struct fl_field overhead[] = {
	{ .name = "podFixed", .read = read_pod_fixed, .keys = FL_TEXT_RESOURCE },
	{ .name = NULL },
};

static const struct fl_field runtime_class_fields[] = {
	FL_HEAD,
	{ .name = "overhead", .fields = overhead },
	FL_IGNORED("handler"),
	FL_PASSED("scheduling", "Kueue does not use it either"),
	{ .name = NULL },
};

static int read_runtime_class(struct fl_kube *k)
{
	struct fl_runtime_class_row row = { .name = k->name, .place = fl_kube_place_of(k, 0) };
	int r = fl_kube_map(k, 0, runtime_class_fields, &row);

	return r < 0 ? r : fl_model_add_runtime_class(k->m, &row, k->err);
}

const struct fl_kind fl_kind_runtime_class = {
	"node.k8s.io",      "RuntimeClass", false, runtime_class_fields,
	read_runtime_class, FL_TEXT_CLASS,  "v1"
};
