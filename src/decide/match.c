/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/match.h"

#include <string.h>

static bool tolerates(const struct fl_toleration *t, const struct fl_taint *taint)
{
	if (t->effect != FL_EFFECT_ANY && t->effect != taint->effect)
		return false;
	if (t->key.v != taint->key.v)
		return t->key.v == 0 && t->exists;
	return t->exists || t->value.v == taint->value.v;
}

static bool any_tolerates(const struct fl_model *m, struct fl_span tolerations,
			  const struct fl_taint *taint)
{
	for (uint32_t i = 0; i < tolerations.n; i++)
		if (tolerates(&m->tolerations[tolerations.first + i], taint))
			return true;
	return false;
}

/* The value of @key in @labels; NULL: @labels do not have @key. */
static const struct fl_sym *label(const struct fl_model *m, struct fl_span labels,
				  struct fl_sym key)
{
	for (uint32_t i = 0; i < labels.n; i++)
		if (m->labels[labels.first + i].key.v == key.v)
			return &m->labels[labels.first + i].value;
	return NULL;
}

static bool is_one_of(const struct fl_model *m, struct fl_span values, struct fl_sym value)
{
	for (uint32_t i = 0; i < values.n; i++)
		if (m->syms[values.first + i].v == value.v)
			return true;
	return false;
}

/* Compares both as decimal integers of at most 64 bits; a value that is not one does not match. */
static bool compare_integers(const char *a, const char *b, bool greater)
{
	long long x = 0, y = 0;
	const char *texts[] = { a, b };
	long long *numbers[] = { &x, &y };

	for (int i = 0; i < 2; i++) {
		const char *s = texts[i];
		bool minus = *s == '-';

		s += minus || *s == '+';
		if (!*s || strspn(s, "0123456789") != strlen(s))
			return false;
		for (; *s; s++)
			if (__builtin_mul_overflow(*numbers[i], 10, numbers[i]) ||
			    __builtin_add_overflow(*numbers[i], minus ? '0' - *s : *s - '0',
						   numbers[i]))
				return false;
	}
	return greater ? x > y : x < y;
}

/*
 * A requirement that the API server would refuse (In without values, Exists with values) matches
 * nothing.
 */
static bool holds(const struct fl_model *m, const struct fl_requirement *r,
		  const struct fl_sym *value)
{
	switch (r->op) {
	case FL_OP_IN:
		return value && is_one_of(m, r->values, *value);
	case FL_OP_NOT_IN:
		return r->values.n && (!value || !is_one_of(m, r->values, *value));
	case FL_OP_EXISTS:
		return r->values.n == 0 && value;
	case FL_OP_NOT_EXISTS:
		return r->values.n == 0 && !value;
	case FL_OP_GT:
	case FL_OP_LT:
		return value && r->values.n == 1 &&
		       compare_integers(fl_model_text(m, *value),
					fl_model_text(m, m->syms[r->values.first]),
					r->op == FL_OP_GT);
	}
	return false;
}

/*
 * LABELS_KNOWN, for flavors: a key that the flavor does not define is unknown, and does not count.
 * LABELS_ALL, for machines: a key that the machine does not have is absent.
 */
enum labels { LABELS_KNOWN, LABELS_ALL };

static bool suits_selector(const struct fl_model *m, struct fl_span selector, struct fl_span labels,
			   enum labels which)
{
	for (uint32_t i = 0; i < selector.n; i++) {
		const struct fl_label *want = &m->labels[selector.first + i];
		const struct fl_sym *value = label(m, labels, want->key);

		if (value ? value->v != want->value.v : which == LABELS_ALL)
			return false;
	}
	return true;
}

/* True when at least one of the terms matches, and when there are no terms. */
static bool suits_affinity(const struct fl_model *m, struct fl_span terms, struct fl_span labels,
			   enum labels which)
{
	for (uint32_t t = 0; t < terms.n; t++) {
		struct fl_span all = m->terms[terms.first + t].requirements;
		bool term = true;

		for (uint32_t i = 0; i < all.n && term; i++) {
			const struct fl_requirement *r = &m->requirements[all.first + i];
			const struct fl_sym *value = label(m, labels, r->key);

			term = (!value && which == LABELS_KNOWN) || holds(m, r, value);
		}
		if (term)
			return true;
	}
	return terms.n == 0;
}

bool fl_match_flavor(const struct fl_model *m, const struct fl_podset *pods,
		     struct fl_flavor flavor)
{
	const struct fl_flavor_row *row = &m->flavors[flavor.v];

	if (!row->declared)
		return false;
	for (uint32_t i = 0; i < row->taints.n; i++) {
		const struct fl_taint *taint = &m->taints[row->taints.first + i];

		if (taint->effect != FL_PREFER_NO_SCHEDULE &&
		    !any_tolerates(m, pods->tolerations, taint) &&
		    !any_tolerates(m, row->tolerations, taint))
			return false;
	}
	return suits_selector(m, pods->node_selector, row->labels, LABELS_KNOWN) &&
	       (!pods->has_affinity ||
		suits_affinity(m, pods->affinity, row->labels, LABELS_KNOWN));
}

bool fl_match_machine(const struct fl_model *m, const struct fl_task_row *pod,
		      const struct fl_machine_row *machine)
{
	for (uint32_t i = 0; i < machine->taints.n; i++) {
		const struct fl_taint *taint = &m->taints[machine->taints.first + i];

		if (taint->effect != FL_PREFER_NO_SCHEDULE &&
		    !any_tolerates(m, pod->tolerations, taint))
			return false;
	}
	return suits_selector(m, pod->node_selector, machine->labels, LABELS_ALL) &&
	       (!pod->has_affinity ||
		suits_affinity(m, pod->affinity, machine->labels, LABELS_ALL));
}

bool fl_match_namespace_exists(const struct fl_model *m, struct fl_sym namespace)
{
	return m->n_namespaces == 0 || fl_model_find_namespace(m, namespace);
}

bool fl_match_namespace(const struct fl_model *m, const struct fl_selector *selector,
			struct fl_sym namespace)
{
	static const char name_label[] = "kubernetes.io/metadata.name";
	const struct fl_namespace_row *row;

	if (!selector->present)
		return false;
	row = selector->requirements.n ? fl_model_find_namespace(m, namespace) : NULL;
	for (uint32_t i = 0; i < selector->requirements.n; i++) {
		const struct fl_requirement *r = &m->requirements[selector->requirements.first + i];
		const struct fl_sym *value = row ? label(m, row->labels, r->key) : NULL;

		/* The API server gives every namespace this label. */
		if (!value && strcmp(fl_model_text(m, r->key), name_label) == 0)
			value = &namespace;
		if (!holds(m, r, value))
			return false;
	}
	return true;
}
