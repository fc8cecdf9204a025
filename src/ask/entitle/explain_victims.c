/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/explain_victims.h"

#include "ask/entitle/explain_run.h"

int fl_entitle_victims_init(struct fl_entitle_victims *v, struct fl_entitle_run *r,
			    fairlead_error *err)
{
	size_t n = (size_t)r->model->n_workloads + 1;

	*v = (struct fl_entitle_victims){ .model = r->model, .asks = r->x->workload };
	v->refused = fl_arena_alloc(r->arena, n, sizeof(*v->refused), err);
	v->considered = fl_arena_alloc(r->arena, n, sizeof(*v->considered), err);
	return v->refused && v->considered ? 0 : FAIRLEAD_ENOMEM;
}

static struct fl_explain_refusal refusal_of(const struct fl_evidence *row)
{
	return (struct fl_explain_refusal){
		.check = row->check,
		.victim = row->victim,
		.n = 1,
		.node = row->node,
		.flavor = { FL_NONE },
		.resource = row->resource,
		.lhs = row->lhs,
		.rhs = row->rhs,
	};
}

/*
 * A victim passes by one of two rules, each with a row a resource.  What is kept of one that
 * passes by neither is the first rule, in the resource of which its side holds something;
 * where the second lets it pass, its last row is about the same side, and holds.
 */
void fl_entitle_victims_row(struct fl_entitle_victims *v, const struct fl_evidence *row)
{
	if (row->workload.v != v->asks.v)
		return;
	if (row->victim.v == FL_NONE) {
		if (row->check == FL_CHECK_SATURATION && !row->holds)
			v->all = refusal_of(row);
		return;
	}
	struct fl_explain_refusal *kept = &v->refused[row->victim.v];
	bool second = row->check == FL_CHECK_GUARANTEE_DESERVED;

	v->considered[row->victim.v] = true;
	if (row->holds) {
		if (!second || row->node.v == kept->node.v)
			kept->n = 0;
	} else if (row->check == FL_CHECK_MAINTAIN_FAIR_SHARE) {
		if (kept->n == 0 || kept->check != row->check || row->rhs.share > 0)
			*kept = refusal_of(row);
	} else if (!second) {
		*kept = refusal_of(row);
	}
}

/* Nothing stood against it by itself: it is what all of them come to. */
static struct fl_explain_refusal together(const struct fl_entitle_victims *v, uint32_t w)
{
	struct fl_explain_refusal row = {
		.check = FL_CHECK_FITS_WITHOUT,
		.n = 1,
		.node = v->model->workloads[w].cluster_queue,
		.flavor = { FL_NONE },
		.resource = { FL_NONE },
	};

	if (v->all.n)
		row = v->all;
	row.victim.v = w;
	return row;
}

int fl_entitle_victims_list(const struct fl_entitle_victims *v, struct fl_entitle_run *r,
			    fairlead_error *err)
{
	struct fl_entitle_explain *x = r->x;
	uint32_t most = v->model->n_workloads;

	x->refusals = fl_arena_alloc(r->arena, (size_t)most + 1, sizeof(*x->refusals), err);
	if (!x->refusals)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < most; w++) {
		if (!v->considered[w])
			continue;
		x->n_considered++;
		if (v->refused[w].n)
			x->refusals[x->n_refusals++] = v->refused[w];
		else if (x->state == FL_EXPLAIN_WAITS)
			x->refusals[x->n_refusals++] = together(v, w);
	}
	return fl_explain_sort(v->model, r->arena, &x->refusals, x->n_refusals, &x->rules,
			       &x->n_rules, err);
}
