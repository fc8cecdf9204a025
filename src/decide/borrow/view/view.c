/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/view/view.h"

#include "decide/borrow/state/least.h"

int fl_view_new(struct fl_policy *p, struct fl_view *v, fairlead_error *err)
{
	struct fl_arena *a = &p->arena;
	int r = fl_usage_init_view(&v->usage, &p->tree, a, err);

	if (r < 0)
		return r;
	v->drs = fl_arena_alloc(a, p->tree.n_nodes, sizeof *v->drs, err);
	v->gone = fl_arena_alloc(a, fl_tree_most_columns(&p->tree), sizeof *v->gone, err);
	return v->drs && v->gone ? 0 : FAIRLEAD_ENOMEM;
}

/* How much of @amount, which leaves queue @q, leaves its ancestor @n as well. */
static fl_amount counted_at(const struct fl_tree *t, const struct fl_usage *u, struct fl_node q,
			    struct fl_node n, struct fl_column column, fl_amount amount)
{
	for (uint32_t at = q.v; at != n.v && amount > 0; at = t->parent[at]) {
		size_t cell = t->row[at] + column.v;

		amount = t->local[cell] >= u->cell[cell] ?
				 0 :
				 fl_amount_min(amount, u->cell[cell] - t->local[cell]);
	}
	return amount;
}

struct fl_drs fl_view_drs_without(const struct fl_policy *p, struct fl_view *v, struct fl_node n,
				  struct fl_workload holder)
{
	const struct fl_job *j = &p->jobs[holder.v];
	const struct fl_use *uses = fl_uses(p, j);
	struct fl_drs_extra *gone = v->gone;

	for (uint32_t i = 0; i < j->n_use; i++)
		gone[i] = (struct fl_drs_extra){ uses[i].column,
						 counted_at(&p->tree, &v->usage, j->held_by, n,
							    uses[i].column, uses[i].amount) };
	return fl_drs_without(&p->tree, &v->usage, n, gone, j->n_use);
}

struct fl_drs fl_view_drs_without_least(struct fl_policy *p, struct fl_view *v, struct fl_node n,
					struct fl_node q)
{
	const fl_amount *least = fl_least(p, q);
	struct fl_drs_extra *gone = v->gone;
	uint32_t n_gone = 0;

	for (uint32_t c = 0; c < fl_tree_root_of(&p->tree, q)->n_columns; c++) {
		struct fl_column column = { c };

		if (least[c] > 0)
			gone[n_gone++] = (struct fl_drs_extra){
				column, counted_at(&p->tree, &v->usage, q, n, column, least[c])
			};
	}
	return fl_drs_without(&p->tree, &v->usage, n, gone, n_gone);
}

void fl_view_take(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder)
{
	const struct fl_job *j = &p->jobs[holder.v];
	const struct fl_use *uses = fl_uses(p, j);

	for (uint32_t i = 0; i < j->n_use; i++)
		fl_usage_remove(&v->usage, &p->tree, j->held_by, uses[i].column, uses[i].amount);
}

void fl_view_give(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder)
{
	const struct fl_job *j = &p->jobs[holder.v];
	const struct fl_use *uses = fl_uses(p, j);

	for (uint32_t i = j->n_use; i-- > 0;)
		fl_usage_add(&v->usage, &p->tree, j->held_by, uses[i].column, uses[i].amount);
}

void fl_view_add(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	for (uint32_t i = 0; i < ask->n; i++)
		fl_usage_add(&v->usage, &p->tree, ask->queue, ask->uses[i].column,
			     ask->uses[i].amount);
}

void fl_view_sub(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	for (uint32_t i = ask->n; i-- > 0;)
		fl_usage_remove(&v->usage, &p->tree, ask->queue, ask->uses[i].column,
				ask->uses[i].amount);
}
