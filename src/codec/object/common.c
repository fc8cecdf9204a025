/* SPDX-License-Identifier: Apache-2.0 */
/* What several kinds have: metadata, labels, selectors, tolerations. */
#include "codec/object/fields.h"

static int read_newest(struct fl_kube *k, uint32_t v, void *row)
{
	fl_time t;

	(void)row;
	return fl_kube_time(k, v, &t);
}

/* What a field is for is told by who reads it; here it is only known. */
static int read_nothing(struct fl_kube *k, uint32_t v, void *row)
{
	(void)k;
	(void)v;
	(void)row;
	return 0;
}

/* Names, namespaces and labels are read where they are used, before the fields. */
const struct fl_field fl_fields_metadata[] = {
	{ .name = "name", .read = read_nothing, .text = FL_TEXT_NAME },
	{ .name = "namespace", .read = read_nothing, .text = FL_TEXT_NAMESPACE },
	{ .name = "creationTimestamp", .read = read_newest },
	{ .name = "labels",
	  .read = read_nothing,
	  .text = FL_TEXT_LABEL_VALUE,
	  .keys = FL_TEXT_LABEL_KEY },
	{ .name = "uid", .read = read_nothing, .text = FL_TEXT_UID },
	{ .name = "ownerReferences",
	  .read = read_nothing,
	  .text = FL_TEXT_NAME,
	  .keys = FL_TEXT_NAME },
	FL_METADATA_IGNORED,
	{ .name = NULL },
};

int fl_kube_labels(struct fl_kube *k, uint32_t v, struct fl_span *ret)
{
	uint32_t first = k->m->n_labels, end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_label label;

		r = fl_kube_text(k, key + 1, &label.value);
		if (r == 0)
			r = fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len,
					 &label.key, k->err);
		if (r == 0)
			r = fl_model_push_labels(k->m, &label, /* ret_id= */ NULL, k->err);
	}
	*ret = (struct fl_span){ first, k->m->n_labels - first };
	return r;
}

/* --- requirements --- */

struct expression {
	struct fl_requirement requirement;
};

static int read_key(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct expression *)row)->requirement.key);
}

static int read_operator(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "In", "NotIn", "Exists", "DoesNotExist",
					     "Gt", "Lt",    NULL };
	uint32_t op = 0;
	int r = fl_kube_enum(k, v, names, &op);

	((struct expression *)row)->requirement.op = (enum fl_operator)op;
	return r;
}

int fl_kube_texts(struct fl_kube *k, uint32_t v, struct fl_span *ret)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	ret->first = k->m->n_syms;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_sym sym;

		r = fl_kube_text(k, item, &sym);
		if (r == 0)
			r = fl_model_push_syms(k->m, &sym, /* ret_id= */ NULL, k->err);
	}
	ret->n = k->m->n_syms - ret->first;
	return r;
}

static int read_values(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_texts(k, v, &((struct expression *)row)->requirement.values);
}

const struct fl_field fl_fields_expression[] = {
	{ .name = "key", .read = read_key, .text = FL_TEXT_LABEL_KEY },
	{ .name = "operator", .read = read_operator },
	{ .name = "values", .read = read_values, .text = FL_TEXT_LABEL_VALUE },
	{ .name = NULL },
};

int fl_kube_expressions(struct fl_kube *k, uint32_t v, uint32_t *n)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct expression e = { 0 };
		uint32_t unused;

		r = fl_kube_need(k, item, "key", &unused);
		if (r == 0)
			r = fl_kube_need(k, item, "operator", &unused);
		if (r == 0)
			r = fl_kube_map(k, item, fl_fields_expression, &e);
		if (r == 0)
			r = fl_model_push_requirements(k->m, &e.requirement, /* ret_id= */ NULL,
						       k->err);
		*n += r == 0;
	}
	return r;
}

static int read_match_labels(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_selector *selector = row;
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_requirement need = { .op = FL_OP_IN };
		struct fl_sym value;

		r = fl_kube_text(k, key + 1, &value);
		if (r == 0)
			r = fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len,
					 &need.key, k->err);
		need.values = (struct fl_span){ k->m->n_syms, 1 };
		if (r == 0)
			r = fl_model_push_syms(k->m, &value, /* ret_id= */ NULL, k->err);
		if (r == 0)
			r = fl_model_push_requirements(k->m, &need, /* ret_id= */ NULL, k->err);
		selector->requirements.n += r == 0;
	}
	return r;
}

static int read_match_expressions(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_expressions(k, v, &((struct fl_selector *)row)->requirements.n);
}

const struct fl_field fl_fields_selector[] = {
	{ .name = "matchLabels",
	  .read = read_match_labels,
	  .text = FL_TEXT_LABEL_VALUE,
	  .keys = FL_TEXT_LABEL_KEY },
	{ .name = "matchExpressions",
	  .read = read_match_expressions,
	  .fields = fl_fields_expression,
	  .list = true },
	{ .name = NULL },
};

int fl_kube_selector(struct fl_kube *k, uint32_t v, struct fl_selector *ret)
{
	*ret = (struct fl_selector){ .present = true, .requirements = { k->m->n_requirements, 0 } };
	return fl_kube_map(k, v, fl_fields_selector, ret);
}

/* --- tolerations --- */

static int read_toleration_key(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_toleration *)row)->key);
}

static int read_toleration_value(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_toleration *)row)->value);
}

static int read_toleration_operator(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "Equal", "Exists", "", NULL };
	uint32_t op = 0;
	int r = fl_kube_enum(k, v, names, &op);

	((struct fl_toleration *)row)->exists = op == 1;
	return r;
}

static int read_toleration_effect(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "NoSchedule", "PreferNoSchedule", "NoExecute", "",
					     NULL };
	uint32_t effect = 0;
	int r = fl_kube_enum(k, v, names, &effect);

	((struct fl_toleration *)row)->effect = (enum fl_effect)effect;
	return r;
}

const struct fl_field fl_fields_toleration[] = {
	{ .name = "key", .read = read_toleration_key, .text = FL_TEXT_LABEL_KEY },
	{ .name = "operator", .read = read_toleration_operator },
	{ .name = "value", .read = read_toleration_value, .text = FL_TEXT_LABEL_VALUE },
	{ .name = "effect", .read = read_toleration_effect },
	FL_IGNORED("tolerationSeconds"),
	{ .name = NULL },
};

int fl_kube_tolerations(struct fl_kube *k, uint32_t v, struct fl_span *ret)
{
	uint32_t first = k->m->n_tolerations, end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_toleration t = { .effect = FL_EFFECT_ANY };

		r = fl_kube_map(k, item, fl_fields_toleration, &t);
		if (r == 0)
			r = fl_model_push_tolerations(k->m, &t, /* ret_id= */ NULL, k->err);
	}
	*ret = (struct fl_span){ first, k->m->n_tolerations - first };
	return r;
}

/* --- taints --- */

static int read_taint_key(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_taint *)row)->key);
}

static int read_taint_value(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_taint *)row)->value);
}

static int read_taint_effect(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "NoSchedule", "PreferNoSchedule", "NoExecute", NULL };
	uint32_t effect = 0;
	int r = fl_kube_enum(k, v, names, &effect);

	((struct fl_taint *)row)->effect = (enum fl_effect)effect;
	return r;
}

const struct fl_field fl_fields_taint[] = {
	{ .name = "key", .read = read_taint_key, .text = FL_TEXT_LABEL_KEY },
	{ .name = "value", .read = read_taint_value, .text = FL_TEXT_LABEL_VALUE },
	{ .name = "effect", .read = read_taint_effect },
	FL_IGNORED("timeAdded"),
	{ .name = NULL },
};

int fl_kube_taints(struct fl_kube *k, uint32_t v, struct fl_span *span)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	span->first = k->m->n_taints;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_taint t = { 0 };
		uint32_t unused;

		r = fl_kube_need(k, item, "key", &unused);
		if (r == 0)
			r = fl_kube_need(k, item, "effect", &unused);
		if (r == 0)
			r = fl_kube_map(k, item, fl_fields_taint, &t);
		if (r == 0)
			r = fl_model_push_taints(k->m, &t, /* ret_id= */ NULL, k->err);
	}
	span->n = k->m->n_taints - span->first;
	return r;
}
