/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/explain_holders.h"

#include "ask/borrow/explain_run.h"
#include "base/sort.h"
#include "decide/borrow/borrow.h"

static bool below(const struct fl_tree *t, struct fl_node n, struct fl_node top)
{
	for (; n.v != top.v; n = fl_tree_parent(t, n))
		if (!fl_tree_has_parent(t, n))
			return false;
	return true;
}

/* How many workloads of @q hold some of (flavor, resource). */
static uint32_t count_workloads(const struct fl_explain_run *r, const struct fl_explain_need *need,
				struct fl_node q)
{
	uint32_t n_holders, ret = 0;
	const uint32_t *holders = fl_borrow_holders(r->policy, q, &n_holders);

	for (uint32_t h = 0; h < n_holders; h++) {
		uint32_t n = 0;
		const struct fl_placement *rows =
			r->ops->placement(r->policy, (struct fl_workload){ holders[h] }, &n);

		for (uint32_t i = 0; i < n; i++) {
			if (rows[i].flavor.v != need->flavor.v ||
			    rows[i].resource.v != need->resource.v || rows[i].amount == 0)
				continue;
			ret++;
			break;
		}
	}
	return ret;
}

struct order {
	const struct fl_model *model;
	const struct fl_explain_holder *rows;
};

static int cmp_holders(const void *ctx, uint32_t a, uint32_t b)
{
	const struct order *o = ctx;
	const struct fl_explain_holder *x = &o->rows[a], *y = &o->rows[b];

	if (x->borrowed != y->borrowed)
		return x->borrowed > y->borrowed ? -1 : 1;
	if (x->usage != y->usage)
		return x->usage > y->usage ? -1 : 1;
	return fl_names_cmp(&o->model->names, o->model->nodes[x->queue.v].name,
			    o->model->nodes[y->queue.v].name);
}

static uint32_t fill(const struct fl_explain_run *r, const struct fl_explain_need *need,
		     struct fl_column c, struct fl_explain_holder *rows)
{
	const struct fl_tree *t = r->tree;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node q = { t->order[i] };

		if (t->is_cohort[q.v] || t->root[q.v] != t->root[need->bind.node.v] ||
		    !below(t, q, need->bind.node))
			continue;
		size_t cell = fl_tree_cell(t, q, c);
		struct fl_explain_holder h = {
			.queue = q,
			.usage = r->usage->cell[cell],
			.own = fl_amount_min(r->usage->cell[cell], t->nominal[cell]),
			.workloads = count_workloads(r, need, q),
		};
		h.borrowed = h.usage - h.own;
		/* The asking queue's own is not out of its reach. */
		if (q.v != r->x->cluster_queue.v)
			h.kept = fl_quota_local_available(t, r->usage, q, c);
		if (h.usage != 0 || h.kept != 0)
			rows[n++] = h;
	}
	return n;
}

int fl_explain_holders(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_explain *x = r->x;

	if (x->failing == FL_NONE)
		return 0;
	const struct fl_explain_need *need = &x->needs[x->failing];
	if (need->verdict != FL_NEED_WAITS)
		return 0;
	struct fl_column c = fl_tree_column(r->tree, x->cluster_queue, need->flavor,
					    need->resource);
	if (c.v == FL_NONE)
		return 0;

	struct fl_explain_holder *rows = fl_arena_alloc(r->arena, r->tree->n_order, sizeof(*rows),
							err);
	uint32_t *ids = rows ? fl_arena_alloc(r->arena, r->tree->n_order, sizeof(*ids) * 2, err) :
			       NULL;
	if (!ids)
		return FAIRLEAD_ENOMEM;
	uint32_t n = fill(r, need, c, rows);
	x->holders = fl_arena_alloc(r->arena, n, sizeof(*rows), err);
	if (!x->holders)
		return FAIRLEAD_ENOMEM;

	struct order o = { .model = r->model, .rows = rows };
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	fl_sort(ids, n, ids + n, cmp_holders, &o);
	for (uint32_t i = 0; i < n; i++)
		x->holders[i] = rows[ids[i]];
	x->n_holders = n;
	return 0;
}
