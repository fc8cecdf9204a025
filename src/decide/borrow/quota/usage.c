/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "decide/borrow/quota/tree.h"

int fl_usage_init(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		  fairlead_error *err)
{
	u->undo = NULL;
	u->cell = fl_arena_alloc(a, t->cells, sizeof *u->cell, err);
	u->borrowed = fl_arena_alloc(a, t->res_cells, sizeof *u->borrowed, err);
	u->borrowing = fl_arena_alloc(a, t->n_nodes, sizeof *u->borrowing, err);
	u->stale = fl_arena_alloc(a, t->n_nodes, sizeof *u->stale, err);
	u->written = fl_arena_alloc(a, t->n_nodes, sizeof *u->written, err);
	u->is_written = fl_arena_alloc(a, t->n_nodes, sizeof *u->is_written, err);
	u->moved = NULL;
	u->over = NULL;
	u->is_moved = NULL;
	u->n_moved = 0;
	u->all_moved = true;
	u->large = false;
	u->n_written = 0;
	u->all_written = true;
	if (!u->cell || !u->borrowed || !u->borrowing || !u->stale || !u->written || !u->is_written)
		return FAIRLEAD_ENOMEM;
	memset(u->stale, true, t->n_nodes);
	return 0;
}

static int init_over(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		     fairlead_error *err)
{
	u->over = fl_arena_alloc(a, t->n_roots, sizeof *u->over, err);
	for (uint32_t r = 0; u->over && r < t->n_roots; r++) {
		const struct fl_tree_root *root = &t->roots[r];

		u->over[r] = fl_arena_alloc(a, root->n_columns, sizeof *u->over[r], err);
		if (!u->over[r])
			return FAIRLEAD_ENOMEM;
		for (uint32_t c = 0; c < root->n_columns; c++)
			if (fl_bitset_init(&u->over[r][c], root->order.n, a, err) < 0)
				return FAIRLEAD_ENOMEM;
	}
	return u->over ? 0 : FAIRLEAD_ENOMEM;
}

int fl_usage_init_view(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		       fairlead_error *err)
{
	int r = fl_usage_init(u, t, a, err);

	if (r < 0)
		return r;
	u->moved = fl_arena_alloc(a, t->n_nodes, sizeof *u->moved, err);
	u->is_moved = fl_arena_alloc(a, t->n_nodes, sizeof *u->is_moved, err);
	if (!u->moved || !u->is_moved)
		return FAIRLEAD_ENOMEM;
	return t->model->settings.fair_sharing ? 0 : init_over(u, t, a, err);
}

static void note_written(struct fl_usage *u, uint32_t n)
{
	if (u->is_written[n])
		return;
	u->is_written[n] = true;
	u->written[u->n_written++] = n;
}

void fl_usage_touch(struct fl_usage *u, uint32_t n) { note_written(u, n); }

void fl_usage_move(struct fl_usage *u, uint32_t n)
{
	if (!u->moved || u->is_moved[n])
		return;
	u->is_moved[n] = true;
	u->moved[u->n_moved++] = n;
}

void fl_usage_looked(struct fl_usage *u)
{
	for (uint32_t i = 0; i < u->n_moved; i++)
		u->is_moved[u->moved[i]] = false;
	u->n_moved = 0;
	u->all_moved = false;
}

/* The share of @n must be computed again. */
static void make_stale(struct fl_usage *u, uint32_t n)
{
	u->stale[n] = true;
	fl_usage_move(u, n);
}

/* Updates whether @n uses more of column @c than its subtree quota. */
static void note_over(struct fl_usage *u, const struct fl_tree *t, uint32_t n, uint32_t c)
{
	uint32_t root = t->root_index[n], at = t->place[n] - t->roots[root].order.first;
	bool over = u->cell[t->row[n] + c] > t->subtree[t->row[n] + c];

	if (over && !fl_bitset_has(&u->over[root][c], at))
		fl_bitset_add(&u->over[root][c], at, NULL);
	else if (!over && fl_bitset_has(&u->over[root][c], at))
		fl_bitset_remove(&u->over[root][c], at, NULL);
}

static void copy_node(struct fl_usage *to, const struct fl_usage *from, const struct fl_tree *t,
		      uint32_t n)
{
	const struct fl_tree_root *root = &t->roots[t->root_index[n]];

	memcpy(to->cell + t->row[n], from->cell + t->row[n], root->n_columns * sizeof *to->cell);
	memcpy(to->borrowed + t->res_row[n], from->borrowed + t->res_row[n],
	       root->n_resources * sizeof *to->borrowed);
	to->borrowing[n] = from->borrowing[n];
	for (uint32_t c = 0; to->over && c < root->n_columns; c++)
		note_over(to, t, n, c);
	make_stale(to, n);
}

void fl_usage_copy(struct fl_usage *to, const struct fl_usage *from, const struct fl_tree *t)
{
	to->all_written |= from->all_written;
	to->all_moved |= to->all_written;
	to->large |= from->large;
	for (uint32_t i = 0; to->all_written && i < t->n_order; i++)
		copy_node(to, from, t, t->order[i]);
	for (uint32_t i = 0; !to->all_written && i < from->n_written; i++)
		note_written(to, from->written[i]);
	for (uint32_t i = 0; !to->all_written && i < to->n_written; i++)
		copy_node(to, from, t, to->written[i]);
}

void fl_usage_clean(struct fl_usage *u)
{
	for (uint32_t i = 0; i < u->n_written; i++)
		u->is_written[u->written[i]] = false;
	u->n_written = 0;
	u->all_written = false;
}

/*
 * Could a sum over columns of amounts up to @v wrap?  With two columns a sum wraps once at most,
 * and then counts as the largest amount.
 */
static bool is_large(const struct fl_tree_root *root, fl_amount v)
{
	return root->n_columns > 2 && v > INT64_MAX / root->n_columns;
}

static fl_amount beyond(const struct fl_tree *t, size_t at, fl_amount usage)
{
	return t->known[at] && usage > t->subtree[at] ? fl_sat_sub(usage, t->subtree[at]) : 0;
}

/* Sets one cell and what is kept up to date with it. */
static void set(struct fl_usage *u, const struct fl_tree *t, uint32_t n, struct fl_column c,
		fl_amount usage)
{
	size_t at = t->row[n] + c.v;
	fl_amount before = beyond(t, at, u->cell[at]), after = beyond(t, at, usage);

	fl_undo_note(u->undo, &u->cell[at], sizeof u->cell[at]);
	u->cell[at] = usage;
	note_written(u, n);
	if (u->over)
		note_over(u, t, n, c.v);
	if (before == after)
		return;
	const struct fl_tree_root *root = &t->roots[t->root_index[n]];
	fl_amount *borrowed = &u->borrowed[t->res_row[n] + root->columns[c.v].res];

	fl_undo_note(u->undo, borrowed, sizeof *borrowed);
	fl_undo_note(u->undo, &u->borrowing[n], sizeof u->borrowing[n]);
	/* Modulo 2^64: right whenever the sum itself fits into 64 bits. */
	*borrowed = (fl_amount)((uint64_t)*borrowed - (uint64_t)before + (uint64_t)after);
	u->borrowing[n] = u->borrowing[n] - (before > 0) + (after > 0);
	u->large |= is_large(root, after);
	make_stale(u, n);
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

	u->all_written = true;
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
			u->large |= is_large(root, over);
		}
	}
}
