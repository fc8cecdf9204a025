/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/guarantee/yield.h"

#include <math.h>

#include "decide/borrow/guarantee/rung_state.h"

bool fl_yielded(const struct fl_policy *p, struct fl_workload w, struct fl_yield *ret)
{
	const struct fl_rungs *k = p->rungs;
	bool yields;

	*ret = (struct fl_yield){ .workload = w, .to = { FL_NONE } };
	if (!k || w.v >= p->model->n_workloads)
		return false;
	yields = fl_rung_has_yielded(p, w.v);
	ret->forgiven = k->forgiven[w.v];
	if (yields)
		ret->to.v = k->yielded[w.v].to;
	for (uint32_t d = 1; yields && d <= k->depth && ret->n < FL_YIELD_FLOORS; d++) {
		const struct fl_rung *least = &k->least[fl_rung_place(p, w.v, d)];

		if (least->kind != FL_WITHIN)
			ret->floors[ret->n++] = (struct fl_yield_floor){
				.depth = d,
				.kind = (uint32_t)least->kind,
				.weighted = least->weighted,
				.ratio = least->ratio,
			};
	}
	return yields || ret->forgiven;
}

static bool is_valid(const struct fl_policy *p, const struct fl_yield *y)
{
	const uint32_t n = p->model->n_workloads;
	uint32_t depth = 0;

	if (y->workload.v >= n || (y->to.v != FL_NONE && y->to.v >= n) ||
	    y->to.v == y->workload.v || y->n > FL_YIELD_FLOORS)
		return false;
	for (uint32_t i = 0; i < y->n; i++) {
		const struct fl_yield_floor *f = &y->floors[i];

		if (f->depth <= depth || f->depth > p->rungs->depth || f->kind == FL_WITHIN ||
		    f->kind > FL_BORROWS || isnan(f->weighted) || isnan(f->ratio))
			return false;
		depth = f->depth;
	}
	return true;
}

/* A promise was made by what was known then; what was forgiven since is not taken back. */
static bool is_known(const struct fl_policy *p, const struct fl_yield *y)
{
	const uint32_t w = y->workload.v;

	return fl_rung_has_yielded(p, w) || p->jobs[w].promised ||
	       (p->rungs->forgiven[w] && !y->forgiven);
}

/* The tree in which it is on WITHIN at a node where it has a floor; FL_NONE. */
static uint32_t root_above(const struct fl_policy *p, const struct fl_yield *y)
{
	const struct fl_job *j = &p->jobs[y->workload.v];

	return fl_holds_quota(j) && p->rungs->within[y->workload.v] >= y->floors[0].depth ?
		       p->tree.root_index[j->held_by.v] :
		       FL_NONE;
}

void fl_yield_enter(struct fl_policy *p, struct fl_view *room, const struct fl_yield *y)
{
	struct fl_rungs *k = p->rungs;
	const uint32_t w = y->workload.v;

	if (!k || !is_valid(p, y) || is_known(p, y))
		return;
	k->forgiven[w] |= y->forgiven;
	if (y->to.v == FL_NONE || !y->n)
		return;
	for (uint32_t d = 1; d <= k->depth; d++)
		k->least[fl_rung_place(p, w, d)] = (struct fl_rung){ .kind = FL_WITHIN };
	for (uint32_t i = 0; i < y->n; i++) {
		const struct fl_yield_floor *f = &y->floors[i];

		k->least[fl_rung_place(p, w, f->depth)] = (struct fl_rung){ .kind = f->kind,
									    .weighted = f->weighted,
									    .ratio = f->ratio };
	}
	k->yielded[w] = (struct fl_yielded){ y->to.v, k->lives[y->to.v] };
	if (root_above(p, y) != FL_NONE)
		fl_rung_renew(p, room, root_above(p, y));
}
