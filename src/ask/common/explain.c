/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/explain.h"

#include <math.h>

#include "base/sort.h"

struct sorting {
	const struct fl_model *model;
	const struct fl_explain_refusal *rows;
	uint32_t of_check[FL_CHECKS]; /* workloads */
};

/* How far an inequality is from holding. */
static double gap(const struct fl_explain_refusal *row)
{
	bool doubles = row->lhs.kind == FL_NUMBER_SHARE || row->lhs.kind == FL_NUMBER_BUNDLE ||
		       row->lhs.kind == FL_NUMBER_RATIO;
	double d = doubles ? fabs(row->lhs.share - row->rhs.share) :
			     fabs((double)row->lhs.amount - (double)row->rhs.amount);

	return isnan(d) ? 0 : d; /* both infinite */
}

static int cmp_names(const struct fl_model *m, struct fl_workload a, struct fl_workload b)
{
	const struct fl_workload_row *x = &m->workloads[a.v], *y = &m->workloads[b.v];
	int order = fl_names_cmp(&m->names, x->namespace, y->namespace);

	return order ? order : fl_names_cmp(&m->names, x->name, y->name);
}

static int cmp_refusals(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sorting *s = ctx;
	const struct fl_explain_refusal *x = &s->rows[a], *y = &s->rows[b];
	double near_x = gap(x), near_y = gap(y);

	if (s->of_check[x->check] != s->of_check[y->check])
		return s->of_check[x->check] > s->of_check[y->check] ? -1 : 1;
	if (x->check != y->check)
		return x->check < y->check ? -1 : 1;
	if (near_x != near_y)
		return near_x < near_y ? -1 : 1;
	if ((x->victim.v == FL_NONE) != (y->victim.v == FL_NONE))
		return x->victim.v == FL_NONE ? 1 : -1;
	if (x->victim.v != FL_NONE)
		return cmp_names(s->model, x->victim, y->victim);
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return fl_names_cmp(&s->model->names, s->model->nodes[x->node.v].name,
			    s->model->nodes[y->node.v].name);
}

int fl_explain_sort(const struct fl_model *m, struct fl_arena *arena,
		    struct fl_explain_refusal **rows, uint32_t n,
		    struct fl_explain_rule **ret_rules, uint32_t *ret_n_rules, fairlead_error *err)
{
	struct sorting s = { .model = m, .rows = *rows };
	uint32_t n_rules = 0, *ids = fl_arena_alloc(arena, n, 2 * sizeof(*ids), err);
	struct fl_explain_refusal *sorted = ids ? fl_arena_alloc(arena, n, sizeof(*sorted), err) :
						  NULL;
	struct fl_explain_rule *rules =
		sorted ? fl_arena_alloc(arena, FL_CHECKS, sizeof(*rules), err) : NULL;

	if (!rules)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = i;
		s.of_check[s.rows[i].check] += s.rows[i].n;
	}
	fl_sort(ids, n, ids + n, cmp_refusals, &s);
	for (uint32_t i = 0; i < n; i++) {
		enum fl_check check = s.rows[ids[i]].check;

		sorted[i] = s.rows[ids[i]];
		if (i == 0 || check != sorted[i - 1].check)
			rules[n_rules++] = (struct fl_explain_rule){ .check = check,
								     .workloads = s.of_check[check],
								     .first = i };
		rules[n_rules - 1].n++;
	}
	*rows = sorted;
	*ret_rules = rules;
	*ret_n_rules = n_rules;
	return 0;
}
