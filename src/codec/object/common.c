/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of several kinds: metadata, labels, selectors, tolerations. */
#include <string.h>

#include "codec/object/types.h"

/*
 * Names, namespaces and labels are read where they are used, before the fields: here they are only
 * listed as known.
 */
const struct fl_field fl_fields_metadata[] = {
	FL_METADATA_NAMES,
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
			r = fl_kube_key(k, key, &label.key);
		if (r == 0)
			r = fl_model_push_labels(k->m, &label, /* ret_id= */ NULL, k->err);
	}
	*ret = (struct fl_span){ first, k->m->n_labels - first };
	return r;
}

/* --- requirements --- */

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

#define NEED(field, type, member) FL_IS(field, type, struct fl_requirement, member)

const struct fl_field fl_fields_expression[] = {
	{ NEED("key", text, key), .needed = true, .text = FL_TEXT_LABEL_KEY },
	{ FL_IS_ENUM("operator", struct fl_requirement, op, enum fl_operator, "In", "NotIn",
		     "Exists", "DoesNotExist", "Gt", "Lt"),
	  .needed = true },
	{ NEED("values", texts, values), .text = FL_TEXT_LABEL_VALUE },
	{ .name = NULL },
};

int fl_kube_expressions(struct fl_kube *k, uint32_t v, uint32_t *n)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_requirement need = { .values = { 0, 0 } };

		r = fl_kube_whole(k, item, fl_fields_expression, &need);
		if (r == 0)
			r = fl_model_push_requirements(k->m, &need, /* ret_id= */ NULL, k->err);
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
			r = fl_kube_key(k, key, &need.key);
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

#define TOLERATION(field, type, member) FL_IS(field, type, struct fl_toleration, member)

const struct fl_field fl_fields_toleration[] = {
	{ TOLERATION("key", text, key), .text = FL_TEXT_LABEL_KEY },
	{ FL_IS_EITHER("operator", struct fl_toleration, exists, "Equal", "Exists", ""),
	  .text = FL_TEXT_WORD },
	{ TOLERATION("value", text, value), .text = FL_TEXT_LABEL_VALUE },
	{ FL_IS_ENUM("effect", struct fl_toleration, effect, enum fl_effect, "NoSchedule",
		     "PreferNoSchedule", "NoExecute", ""),
	  .text = FL_TEXT_WORD },
	FL_IGNORED("tolerationSeconds"),
	{ .name = NULL },
};

/* No server holds a pod's words against a list: a toleration with a word that none knows tolerates nothing. */
static bool is_known(const struct fl_kube *k, uint32_t item, const char *field,
		     const char *const *words)
{
	uint32_t v = fl_doc_find(&k->doc, item, field);
	size_t i = 0;

	if (v == FL_NONE || k->doc.values[v].kind != FL_TOKEN_SCALAR ||
	    k->doc.values[v].type != FL_SCALAR_STRING)
		return true;
	while (words[i] && strcmp(words[i], fl_doc_text(&k->doc, v)) != 0)
		i++;
	return words[i];
}

static int pass_unknown(struct fl_kube *k, uint32_t item)
{
	static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute", "",
					       NULL };
	static const char *const operators[] = { "Equal", "Exists", "", NULL };
	bool effect = is_known(k, item, "effect", effects);
	int r;

	if (effect && is_known(k, item, "operator", operators))
		return 0;
	r = fl_kube_notice(k, item, FL_NOTICE_IGNORED_FIELD, /* hint= */ NULL,
			   "a toleration with an unknown %s tolerates nothing",
			   effect ? "operator" : "effect");
	return r < 0 ? r : 1;
}

int fl_kube_tolerations(struct fl_kube *k, uint32_t v, struct fl_span *ret)
{
	uint32_t first = k->m->n_tolerations, end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_toleration t = { .effect = FL_EFFECT_ANY };

		r = pass_unknown(k, item);
		if (r > 0) {
			r = 0;
			continue;
		}
		if (r == 0)
			r = fl_kube_map(k, item, fl_fields_toleration, &t);
		if (r == 0)
			r = fl_model_push_tolerations(k->m, &t, /* ret_id= */ NULL, k->err);
	}
	*ret = (struct fl_span){ first, k->m->n_tolerations - first };
	return r;
}

/* --- taints --- */

#define TAINT(field, type, member) FL_IS(field, type, struct fl_taint, member)

const struct fl_field fl_fields_taint[] = {
	{ TAINT("key", text, key), .needed = true, .text = FL_TEXT_LABEL_KEY },
	{ TAINT("value", text, value), .text = FL_TEXT_LABEL_VALUE },
	{ FL_IS_ENUM("effect", struct fl_taint, effect, enum fl_effect, "NoSchedule",
		     "PreferNoSchedule", "NoExecute"),
	  .needed = true },
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

		r = fl_kube_whole(k, item, fl_fields_taint, &t);
		if (r == 0)
			r = fl_model_push_taints(k->m, &t, /* ret_id= */ NULL, k->err);
	}
	span->n = k->m->n_taints - span->first;
	return r;
}
