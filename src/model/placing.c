/* SPDX-License-Identifier: Apache-2.0 */
#include "model/placing.h"

static int cmp(int64_t a, int64_t b) { return (a > b) - (a < b); }

enum {
	SORTED =
		16 /* labels of one selector that are compared in whatever order they are written */
};

static int cmp_label(const struct fl_model *m, const struct fl_label *x, const struct fl_label *y)
{
	int order = fl_names_cmp(&m->names, x->key, y->key);

	return order ? order : fl_names_cmp(&m->names, x->value, y->value);
}

static int cmp_in_order(const struct fl_model *m, const struct fl_label *a,
			const struct fl_label *b, uint32_t n)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < n; i++)
		order = cmp_label(m, &a[i], &b[i]);
	return order;
}

static void sort(const struct fl_model *m, const struct fl_label *from, uint32_t n,
		 struct fl_label *to)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;

		for (; at > 0 && cmp_label(m, &to[at - 1], &from[i]) > 0; at--)
			to[at] = to[at - 1];
		to[at] = from[i];
	}
}

static int cmp_labels(const struct fl_model *m, struct fl_span a, struct fl_span b)
{
	const struct fl_label *x = m->labels + a.first, *y = m->labels + b.first;
	struct fl_label xs[SORTED], ys[SORTED];
	int order = cmp(a.n, b.n);

	if (!order && a.n)
		order = cmp_in_order(m, x, y, a.n);
	if (!order || a.n != b.n || a.n > SORTED)
		return order;
	sort(m, x, a.n, xs);
	sort(m, y, b.n, ys);
	return cmp_in_order(m, xs, ys, a.n);
}

static int cmp_requirement(const struct fl_model *m, const struct fl_requirement *x,
			   const struct fl_requirement *y)
{
	int order = fl_names_cmp(&m->names, x->key, y->key);

	if (!order)
		order = cmp(x->op, y->op);
	if (!order)
		order = cmp(x->values.n, y->values.n);
	for (uint32_t i = 0; !order && i < x->values.n; i++)
		order = fl_names_cmp(&m->names, m->syms[x->values.first + i],
				     m->syms[y->values.first + i]);
	return order;
}

static int cmp_terms(const struct fl_model *m, struct fl_span a, struct fl_span b)
{
	int order = cmp(a.n, b.n);

	for (uint32_t i = 0; !order && i < a.n; i++) {
		const struct fl_span x = m->terms[a.first + i].requirements;
		const struct fl_span y = m->terms[b.first + i].requirements;

		order = cmp(x.n, y.n);
		for (uint32_t k = 0; !order && k < x.n; k++)
			order = cmp_requirement(m, &m->requirements[x.first + k],
						&m->requirements[y.first + k]);
	}
	return order;
}

static int cmp_tolerations(const struct fl_model *m, struct fl_span a, struct fl_span b)
{
	int order = cmp(a.n, b.n);

	for (uint32_t i = 0; !order && i < a.n; i++) {
		const struct fl_toleration *x = &m->tolerations[a.first + i];
		const struct fl_toleration *y = &m->tolerations[b.first + i];

		order = fl_names_cmp(&m->names, x->key, y->key);
		if (!order)
			order = fl_names_cmp(&m->names, x->value, y->value);
		if (!order)
			order = cmp(x->exists, y->exists);
		if (!order)
			order = cmp(x->effect, y->effect);
	}
	return order;
}

int fl_podset_cmp_placing(const struct fl_model *m, const struct fl_podset *a,
			  const struct fl_podset *b)
{
	int order = cmp_labels(m, a->node_selector, b->node_selector);

	if (!order)
		order = cmp(a->has_affinity, b->has_affinity);
	if (!order)
		order = cmp_terms(m, a->affinity, b->affinity);
	return order ? order : cmp_tolerations(m, a->tolerations, b->tolerations);
}
