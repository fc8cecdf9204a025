/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest change: for every resource that is short in the flavor nearest to
 * fitting, raise what is short by exactly the deficit, until nothing is, and let
 * the policy itself say whether it then admits.  What it does not confirm is not
 * proposed.
 *
 * Quota first: where there is too little in the whole tree, the queue's nominal
 * quota grows, which makes room under every limit as well.  What borrowing
 * limits then still withhold, they are raised by.
 */
#include "ask/explain_parts.h"

enum { MAX_CHANGES = 64 };

static struct fl_explain_change *change_of(struct fl_explain *x, enum fl_cell_kind kind,
					   struct fl_node n, const struct fl_explain_need *need,
					   fl_amount from)
{
	for (uint32_t i = 0; i < x->n_changes; i++) {
		struct fl_explain_change *c = &x->changes[i];

		if (c->kind == kind && c->node.v == n.v && c->flavor.v == need->flavor.v &&
		    c->resource.v == need->resource.v)
			return c;
	}
	if (x->n_changes == MAX_CHANGES)
		return NULL;
	struct fl_explain_change *c = &x->changes[x->n_changes++];
	*c = (struct fl_explain_change){
		.kind = kind,
		.node = n,
		.flavor = need->flavor,
		.resource = need->resource,
		.from = from,
		.to = from,
	};
	return c;
}

/* One edit towards room for @need. 0 done, 1 room is there already, 2 no way; or an error. */
static int widen(struct fl_explain_run *r, const struct fl_explain_need *need, fairlead_error *err)
{
	const struct fl_tree *t = r->tree;
	struct fl_node q = r->x->cluster_queue;
	struct fl_column c = fl_tree_column(t, q, need->flavor, need->resource);

	if (c.v == FL_NONE)
		return 2;
	struct fl_bind b = fl_path_bind(t, r->usage, q, c);
	struct fl_bind ever = fl_path_bind_potential(t, q, c);
	fl_amount reach = fl_amount_min(fl_path_reach(t, r->usage, q, c),
					fl_path_reach_potential(t, q, c));
	if (ever.available < b.available)
		b = ever;
	if (need->requested <= b.available)
		return 1;

	bool limit = need->requested <= reach;
	if (limit && b.kind != FL_BIND_BORROWING_LIMIT)
		return 2;
	fl_amount deficit = fl_sat_sub(need->requested, limit ? b.available : reach);
	struct fl_node n = limit ? b.node : q;
	enum fl_cell_kind kind = limit ? FL_CELL_BORROWING_LIMIT : FL_CELL_NOMINAL;
	size_t cell = fl_tree_cell(t, n, c);
	fl_amount from = limit ? t->borrowing_limit[cell] : t->nominal[cell];
	if (from >= FL_UNLIMITED - deficit)
		return 2;
	struct fl_explain_change *change = change_of(r->x, kind, n, need, from);
	if (!change)
		return 2;
	change->to = from + deficit;
	struct fl_event event = {
		.kind = FL_EV_CELL,
		.workload = { FL_NONE },
		.cell = { .kind = kind,
			  .node = n,
			  .flavor = need->flavor,
			  .resource = need->resource,
			  .amount = change->to,
			  .weight = t->weight[n.v] },
	};
	return r->ops->apply(r->policy, r->now, &event, err);
}

static int confirm(struct fl_explain_run *r, bool *ret, fairlead_error *err)
{
	struct fl_decisions d;

	int rc = r->ops->try(r->policy, r->now, r->x->workload, /* sink= */ NULL, &d, err);
	for (uint32_t i = 0; rc == 0 && i < d.n; i++)
		if (d.rows[i].workload.v == r->x->workload.v && d.rows[i].kind == FL_ADMIT)
			*ret = true;
	return rc;
}

int fl_explain_changes(struct fl_explain_run *r, fairlead_error *err)
{
	struct fl_explain *x = r->x;
	bool admitted = false;
	fairlead_error refused;

	if (x->failing == FL_NONE)
		return 0;
	struct fl_explain_need target = x->needs[x->failing];
	if (target.verdict != FL_NEED_WAITS && target.verdict != FL_NEED_NEVER)
		return 0;
	x->changes = fl_arena_alloc(r->arena, MAX_CHANGES, sizeof(*x->changes), err);
	if (!x->changes)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < x->n_needs; i++) {
		const struct fl_explain_need *need = &x->needs[i];
		int rc = 0;

		if (need->podset != target.podset || need->flavor.v != target.flavor.v ||
		    need->resource.v == FL_NONE)
			continue;
		/* Each edit moves what binds one node up; no path is longer than the tree. */
		for (uint32_t k = 0; rc == 0 && k <= r->tree->n_nodes; k++)
			rc = widen(r, need, &refused);
		if (rc == FAIRLEAD_ENOMEM)
			return fl_fail_nomem(err);
		if (rc != 1) {
			x->n_changes = 0;
			return 0;
		}
	}
	int rc = confirm(r, &admitted, err);
	if (!admitted)
		x->n_changes = 0;
	return rc;
}
