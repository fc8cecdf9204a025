/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "quota/tree.h"

int fl_usage_init(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		  fairlead_error *err)
{
	u->undo = NULL;
	u->cell = fl_arena_alloc(a, t->cells, sizeof *u->cell, err);
	u->borrowed = fl_arena_alloc(a, t->res_cells, sizeof *u->borrowed, err);
	u->borrowing = fl_arena_alloc(a, t->n_nodes, sizeof *u->borrowing, err);
	u->stale = fl_arena_alloc(a, t->n_nodes, sizeof *u->stale, err);
	if (!u->cell || !u->borrowed || !u->borrowing || !u->stale)
		return FAIRLEAD_ENOMEM;
	memset(u->stale, true, t->n_nodes);
	return 0;
}

void fl_usage_copy(struct fl_usage *to, const struct fl_usage *from, const struct fl_tree *t)
{
	memcpy(to->cell, from->cell, t->cells * sizeof *to->cell);
	memcpy(to->borrowed, from->borrowed, t->res_cells * sizeof *to->borrowed);
	memcpy(to->borrowing, from->borrowing, t->n_nodes * sizeof *to->borrowing);
	memset(to->stale, true, t->n_nodes);
}

static fl_amount beyond(const struct fl_tree *t, size_t at, fl_amount usage)
{
	return t->known[at] && usage > t->subtree[at] ? fl_sat_sub(usage, t->subtree[at]) : 0;
}

/* Set one cell and what is kept beside it. */
static void set(struct fl_usage *u, const struct fl_tree *t, uint32_t n, struct fl_column c,
		fl_amount usage)
{
	size_t at = t->row[n] + c.v;
	fl_amount before = beyond(t, at, u->cell[at]), after = beyond(t, at, usage);

	fl_undo_note(u->undo, &u->cell[at], sizeof u->cell[at]);
	u->cell[at] = usage;
	if (before == after)
		return;
	fl_amount *borrowed =
		&u->borrowed[t->res_row[n] + t->roots[t->root_index[n]].columns[c.v].res];

	fl_undo_note(u->undo, borrowed, sizeof *borrowed);
	fl_undo_note(u->undo, &u->borrowing[n], sizeof u->borrowing[n]);
	/* Modulo 2^64: right whenever the sum itself fits. */
	*borrowed = (fl_amount)((uint64_t)*borrowed - (uint64_t)before + (uint64_t)after);
	u->borrowing[n] = u->borrowing[n] - (before > 0) + (after > 0);
	u->stale[n] = true;
}

void fl_usage_add(struct fl_usage *u, const struct fl_tree *t, struct fl_node n, struct fl_column c,
		  fl_amount v)
{
	for (;;) {
		fl_amount room = fl_quota_local_available(t, u, n, c);

		set(u, t, n.v, c, fl_sat_add(u->cell[fl_tree_cell(t, n, c)], v));
		if (v <= room || !fl_tree_has_parent(t, n))
			return;
		v -= room;
		n = fl_tree_parent(t, n);
	}
}

void fl_usage_remove(struct fl_usage *u, const struct fl_tree *t, struct fl_node n,
		     struct fl_column c, fl_amount v)
{
	for (;;) {
		size_t at = fl_tree_cell(t, n, c);
		fl_amount usage = u->cell[at];

		set(u, t, n.v, c, fl_sat_sub(usage, v));
		if (t->local[at] >= usage || !fl_tree_has_parent(t, n))
			return;
		v = fl_amount_min(v, usage - t->local[at]);
		n = fl_tree_parent(t, n);
	}
}

bool fl_usage_overflows(const struct fl_usage *u, const struct fl_tree *t, struct fl_node n,
			struct fl_column c, fl_amount v)
{
	for (;;) {
		fl_amount room = fl_quota_local_available(t, u, n, c), sum;

		if (__builtin_add_overflow(u->cell[fl_tree_cell(t, n, c)], v, &sum) ||
		    sum == FL_UNLIMITED)
			return true;
		if (v <= room || !fl_tree_has_parent(t, n))
			return false;
		v -= room;
		n = fl_tree_parent(t, n);
	}
}

void fl_usage_derive(struct fl_usage *u, const struct fl_tree *t, uint32_t root_index)
{
	const struct fl_tree_root *root = &t->roots[root_index];

	for (uint32_t i = 0; i < root->order.n; i++) {
		uint32_t n = t->order[root->order.first + i];

		u->borrowing[n] = 0;
		u->stale[n] = true;
		memset(u->borrowed + t->res_row[n], 0, root->n_resources * sizeof *u->borrowed);
		for (uint32_t c = 0; c < root->n_columns; c++) {
			fl_amount over = beyond(t, t->row[n] + c, u->cell[t->row[n] + c]);

			fl_amount *borrowed = &u->borrowed[t->res_row[n] + root->columns[c].res];

			*borrowed = (fl_amount)((uint64_t)*borrowed + (uint64_t)over);
			u->borrowing[n] += over > 0;
		}
	}
}
