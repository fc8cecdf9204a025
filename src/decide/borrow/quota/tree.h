/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree - borrow's quota trees as columns (KEP-79, Hierarchical Cohorts)
 *
 * Guarantees: every walk is bounded (nodes below a cohort cycle are in no tree);
 * usage propagates exactly and its removal is the exact inverse; one row of
 * usage touches only its ancestors and stops where a level absorbs it.
 *
 * A row is one node's amounts, one cell a column; a column is a (flavor,
 * resource) pair known somewhere in that root's tree.  Columns are numbered per
 * tree, so rows stay dense.  Parents stand before children in `order`.
 *
 * The words, per node and column (L, B: lending and borrowing limit):
 *   subtree    what the node and all below it bring along; of a queue its nominal
 *              quota, of a cohort its own plus what its children lend
 *   local      what is not lent out: max(0, subtree - L), 0 without L
 *   potential  what the node could have if nobody used anything
 *   usage      of a queue what its workloads hold, of a cohort what its children
 *              use beyond their local quota
 *   available  what one more workload could take; T(x, r) of KEP-79 is `balance`
 */
#ifndef FL_DECIDE_BORROW_QUOTA_TREE_H
#define FL_DECIDE_BORROW_QUOTA_TREE_H

#include "base/bitset.h"
#include "model/model.h"

/* What a column counts. */
struct fl_column_info {
	struct fl_flavor flavor;
	struct fl_resource resource;
	uint32_t res; /* index of the resource in its tree's resources */
};

/* One tree: its columns, by flavor and resource name, and its nodes. */
struct fl_tree_root {
	struct fl_node node;
	uint32_t n_columns, n_resources;
	uint32_t stride; /* cells of a row: n_columns, rounded up to a cache line */
	struct fl_column_info *columns;
	struct fl_resource *resources; /* by name */
	struct fl_span order;          /* its nodes, into fl_tree.order */
};

/* Static structure; rebuilt by fl_tree_derive after a cell changed. */
struct fl_tree {
	const struct fl_model *model;
	struct fl_arena arena; /* engine lifetime */

	uint32_t n_nodes, n_roots;
	uint32_t *order; /* active nodes, parents before children, those of one parent together */
	uint32_t n_order;
	uint32_t *place;      /* node -> where in `order` */
	uint32_t *parent;     /* FL_NONE at a root */
	uint32_t *root;       /* id of the root's node; FL_NONE: in no tree (cohort cycle) */
	uint32_t *root_index; /* 0 .. n_roots - 1; FL_NONE */
	uint32_t *height;     /* 0: a queue, or a cohort without children */
	uint32_t *depth;      /* 0 at a root */
	bool *is_cohort;
	double *weight;
	struct fl_span *children; /* into child_ids: child cohorts, then child queues, by name */
	uint32_t *child_ids;
	uint32_t *row; /* node -> offset of its row in every column array */
	size_t cells;  /* length of a column array */

	/* per root, by root_index */
	struct fl_tree_root *roots;
	struct fl_pairs *column_of; /* per root: (flavor, resource) -> column */
	struct fl_span *queues;     /* per root: its queues, into queue_ids, by name */
	uint32_t *queue_ids;
	uint32_t *res_row; /* node -> offset in per-resource arrays (lendable, borrowed) */
	size_t res_cells;

	/* cells */
	fl_amount *nominal, *borrowing_limit, *lending_limit;
	bool *known; /* the node, or for a cohort its subtree, has quota here */
	fl_amount *subtree, *local, *potential;
	/* per resource: what the children of this cohort could borrow at most, all flavors */
	fl_amount *lendable;
};

/*
 * Usage of every node, with what the share needs kept up to date beside it.
 * With an undo log each write is noted; views of one cycle have none.
 */
struct fl_usage {
	fl_amount *cell;     /* t->cells */
	fl_amount *borrowed; /* t->res_cells: usage beyond subtree, summed over known columns */
	uint32_t *borrowing; /* per node: in how many known columns usage > subtree */
	bool *stale;         /* per node: borrowed changed since the share was last computed */
	bool large; /* sums in `borrowed` may have wrapped, some time: shares may rise as usage falls */
	struct fl_undo *undo;

	/*
	 * Views only: nodes whose share, or whose place among those of equal share, may have
	 * changed since fl_usage_looked, each once; or any may have.
	 */
	uint32_t *moved, n_moved;
	bool *is_moved; /* per node: it is listed */
	bool all_moved;
	/*
	 * Views without fair sharing only: by root and column, who uses more than its subtree's
	 * quota, as places less that of the root.
	 */
	struct fl_bitset **over;

	/* Nodes whose rows were written since fl_usage_settle, each once; or all may have been. */
	uint32_t *written, n_written;
	bool *is_written; /* per node: it is listed */
	bool all_written;
};

int fl_tree_init(struct fl_tree *t, const struct fl_model *model, const struct fl_mem *mem,
		 fairlead_error *err);
void fl_tree_done(struct fl_tree *t);

/* Recompute subtree, local, potential and lendable from nominal and limits, one root's tree. */
void fl_tree_derive(struct fl_tree *t, uint32_t root_index);

/* Column of (flavor, resource) in @n's tree; FL_NONE. */
struct fl_column fl_tree_column(const struct fl_tree *t, struct fl_node n, struct fl_flavor f,
				struct fl_resource r);

static inline bool fl_tree_has_parent(const struct fl_tree *t, struct fl_node n)
{
	return t->parent[n.v] != FL_NONE;
}
static inline struct fl_node fl_tree_parent(const struct fl_tree *t, struct fl_node n)
{
	return (struct fl_node){ t->parent[n.v] };
}
static inline const struct fl_tree_root *fl_tree_root_of(const struct fl_tree *t, struct fl_node n)
{
	return &t->roots[t->root_index[n.v]];
}
/* Of the tree that has most. */
static inline uint32_t fl_tree_most_columns(const struct fl_tree *t)
{
	uint32_t columns = 0;

	for (uint32_t i = 0; i < t->n_roots; i++)
		columns = t->roots[i].n_columns > columns ? t->roots[i].n_columns : columns;
	return columns;
}
static inline size_t fl_tree_cell(const struct fl_tree *t, struct fl_node n, struct fl_column c)
{
	return t->row[n.v] + c.v;
}

/* Lowest common ancestor of two nodes of one tree, and the last node below it on a's side. */
struct fl_node fl_tree_lca(const struct fl_tree *t, struct fl_node a, struct fl_node b);
struct fl_node fl_tree_almost_lca(const struct fl_tree *t, struct fl_node a, struct fl_node b);

int fl_usage_init(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		  fairlead_error *err);
/* Of a view, too: who moved is kept. */
int fl_usage_init_view(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		       fairlead_error *err);
/*
 * @to becomes as @from.  They were equal when both were settled, so only what was written since
 * is copied; that is listed as written in @to.
 */
void fl_usage_copy(struct fl_usage *to, const struct fl_usage *from, const struct fl_tree *t);
/* Nothing was written, from here on; for usages that are equal now. */
void fl_usage_settle(struct fl_usage *u);
/* Copies are to take @n as written, though its amounts are the same: what is ranked by changed. */
void fl_usage_touch(struct fl_usage *u, uint32_t n);
/* List @n as moved; nothing has moved from here on. */
void fl_usage_move(struct fl_usage *u, uint32_t n);
void fl_usage_looked(struct fl_usage *u);

/* Add (or with remove, take back) @v at queue @n and pass on what its level does not absorb. */
void fl_usage_add(struct fl_usage *u, const struct fl_tree *t, struct fl_node n, struct fl_column c,
		  fl_amount v);
void fl_usage_remove(struct fl_usage *u, const struct fl_tree *t, struct fl_node n,
		     struct fl_column c, fl_amount v);
/* Room to undo either of these: at each level a cell, and what is kept beside it. */
static inline size_t fl_usage_undo(const struct fl_tree *t, struct fl_node n)
{
	return (t->depth[n.v] + (size_t)1) * (2 * FL_UNDO_OF(fl_amount) + FL_UNDO_OF(uint32_t));
}
/* Whether adding @v would pass int64 somewhere on the way to the root. Sums saturate there, and
 * would not come back by a remove: callers refuse such an amount. */
bool fl_usage_overflows(const struct fl_usage *u, const struct fl_tree *t, struct fl_node n,
			struct fl_column c, fl_amount v);
/* Recompute borrowed and borrowing of every node of one tree (after fl_tree_derive). */
void fl_usage_derive(struct fl_usage *u, const struct fl_tree *t, uint32_t root_index);

/* max(0, local - usage) */
fl_amount fl_quota_local_available(const struct fl_tree *t, const struct fl_usage *u,
				   struct fl_node n, struct fl_column c);
/* What one more workload of queue @n could take; may be negative. */
fl_amount fl_quota_available(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			     struct fl_column c);
/* T(x, r) of KEP-79: subtree - usage; negative is borrowed from outside. */
fl_amount fl_quota_balance(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			   struct fl_column c);
/* subtree < usage + v: with @v more, the node borrows */
bool fl_quota_borrows_with(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			   struct fl_column c, fl_amount v);

/* The lowest subtree around queue @n with room for @v: its height, and whether it is less than the whole tree. */
struct fl_level {
	uint32_t height;
	bool below_root;
};
struct fl_level fl_quota_lowest_subtree(const struct fl_tree *t, const struct fl_usage *u,
					struct fl_node n, struct fl_column c, fl_amount v);

#endif
