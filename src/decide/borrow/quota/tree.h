/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree - borrow's quota trees as columns (KEP-79, Hierarchical Cohorts)
 *
 * Guarantees: every walk is bounded (nodes below a cohort cycle are in no tree); usage propagates
 * exactly, and removing it is the exact inverse; adding to one row of usage changes only rows of
 * its ancestors, and stops at the level that absorbs it.
 *
 * A row has the amounts of one node, with one cell for each column; a column is a (flavor,
 * resource) pair that some node of that root's tree knows.  Columns are numbered per tree, so rows
 * stay dense.  In `order` parents come before children.
 *
 * Terms, per node and column (L, B: lending and borrowing limit):
 *   subtree    the quota of the node and all nodes below it: of a queue its nominal
 *              quota, of a cohort its own plus what its children lend
 *   local      what is not lent: max(0, subtree - L), 0 without L
 *   potential  what the node could have if there were no usage at all
 *   usage      of a queue what its workloads hold, of a cohort what its children
 *              use beyond their local quota
 *   available  what one more workload could get; T(x, r) of KEP-79 is `balance`
 */
#ifndef FL_DECIDE_BORROW_QUOTA_TREE_H
#define FL_DECIDE_BORROW_QUOTA_TREE_H

#include "base/bitset.h"
#include "model/model.h"

/* The flavor and resource of a column. */
struct fl_column_info {
	struct fl_flavor flavor;
	struct fl_resource resource;
	uint32_t res; /* index of the resource in its tree's resources */
};

/* One tree: its columns, by flavor and resource name, and its nodes. */
struct fl_tree_root {
	struct fl_node node;
	uint32_t n_columns, n_resources;
	uint32_t stride; /* cells of a row: n_columns, rounded up to whole cache lines */
	struct fl_column_info *columns;
	struct fl_resource *resources; /* by name */
	struct fl_span order;          /* its nodes: a span of fl_tree.order */
};

/* Structure that events do not change; fl_tree_derive updates what depends on quotas and limits. */
struct fl_tree {
	const struct fl_model *model;
	struct fl_arena arena; /* lives as long as the engine */

	uint32_t n_nodes, n_roots;
	uint32_t *order; /* active nodes, parents before children, those of one parent together */
	uint32_t n_order;
	uint32_t *place;      /* by node: its index in `order` */
	uint32_t *parent;     /* FL_NONE at a root */
	uint32_t *root;       /* id of the root's node; FL_NONE: in no tree (cohort cycle) */
	uint32_t *root_index; /* 0 .. n_roots - 1; FL_NONE */
	uint32_t *height;     /* 0: a queue, or a cohort without children */
	uint32_t *depth;      /* 0 at a root */
	bool *is_cohort;
	double *weight;
	struct fl_span *children; /* into child_ids: child cohorts, then child queues, by name */
	uint32_t *child_ids;
	uint32_t *row; /* by node: the offset of its row in every array of cells */
	size_t cells;  /* length of an array of cells */

	/* per root, by root_index */
	struct fl_tree_root *roots;
	struct fl_pairs *column_of; /* per root: (flavor, resource) -> column */
	struct fl_span *queues;     /* per root: its queues, a span of queue_ids, by name */
	uint32_t *queue_ids;
	uint32_t *res_row; /* by node: offset in arrays per resource (lendable, borrowed) */
	size_t res_cells;

	/* arrays of cells */
	fl_amount *nominal, *borrowing_limit, *lending_limit;
	bool *known; /* the node, or for a cohort a node below it, has quota here */
	fl_amount *subtree, *local, *potential;
	/*
	 * per resource: what the children of this cohort could borrow at most, summed over flavors
	 */
	fl_amount *lendable;
};

/*
 * Usage of every node, and what shares need, which is kept up to date with it.  With an undo log
 * each write is noted; the views of cycles have none.
 */
struct fl_usage {
	fl_amount *cell;     /* t->cells */
	fl_amount *borrowed; /* t->res_cells: usage beyond subtree, summed over known columns */
	uint32_t *borrowing; /* per node: in how many known columns usage > subtree */
	bool *stale;         /* per node: borrowed changed after its share was last computed */
	bool large;          /* sums may have wrapped once: shares may rise as usage falls */
	struct fl_undo *undo;

	/*
	 * Views only: nodes whose share, or whose place among nodes of equal share, may have
	 * changed since fl_usage_looked, each once; or any node may have.
	 */
	uint32_t *moved, n_moved;
	bool *is_moved; /* per node: it is listed */
	bool all_moved;
	/*
	 * Views without fair sharing only: by root and column, the nodes with usage > subtree, by
	 * place less the place of the root.
	 */
	struct fl_bitset **over;

	/*
	 * Nodes whose rows were written since fl_usage_clean, each once; or any row may have
	 * been.
	 */
	uint32_t *written, n_written;
	bool *is_written; /* per node: it is listed */
	bool all_written;
};

int fl_tree_init(struct fl_tree *t, const struct fl_model *model, const struct fl_mem *mem,
		 fairlead_error *err);
void fl_tree_done(struct fl_tree *t);

/*
 * Recomputes subtree, local, potential and lendable of one root's tree from nominal quotas and
 * limits.
 */
void fl_tree_derive(struct fl_tree *t, uint32_t root_index);

/* The column of (flavor, resource) in the tree of @n; FL_NONE: there is none. */
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
/* The number of columns of the tree that has most. */
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

/* The lowest common ancestor of two nodes of one tree, and the node just below it on a's side. */
struct fl_node fl_tree_lca(const struct fl_tree *t, struct fl_node a, struct fl_node b);
struct fl_node fl_tree_almost_lca(const struct fl_tree *t, struct fl_node a, struct fl_node b);

int fl_usage_init(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		  fairlead_error *err);
/* For a view: lists moved nodes too. */
int fl_usage_init_view(struct fl_usage *u, const struct fl_tree *t, struct fl_arena *a,
		       fairlead_error *err);
/*
 * @to becomes equal to @from.  They were equal when both were settled, so only what was written
 * since is copied; in @to that is listed as written.
 */
void fl_usage_copy(struct fl_usage *to, const struct fl_usage *from, const struct fl_tree *t);
/* From here on nothing counts as written; to be called for usages that are equal. */
void fl_usage_clean(struct fl_usage *u);
/*
 * Copies are to treat @n as written although its amounts are the same: its rank among nodes
 * changed.
 */
void fl_usage_touch(struct fl_usage *u, uint32_t n);
/* move lists @n as moved; after looked no node counts as moved. */
void fl_usage_move(struct fl_usage *u, uint32_t n);
void fl_usage_looked(struct fl_usage *u);

/*
 * Adds @v at queue @n (remove: takes it back), and passes on to the parent what its level does not
 * absorb.
 */
void fl_usage_add(struct fl_usage *u, const struct fl_tree *t, struct fl_node n, struct fl_column c,
		  fl_amount v);
void fl_usage_remove(struct fl_usage *u, const struct fl_tree *t, struct fl_node n,
		     struct fl_column c, fl_amount v);
/* Room in the undo log for either: at each level a cell, and what is kept up to date with it. */
static inline size_t fl_usage_undo(const struct fl_tree *t, struct fl_node n)
{
	return (t->depth[n.v] + (size_t)1) * (2 * FL_UNDO_OF(fl_amount) + FL_UNDO_OF(uint32_t));
}
/*
 * Would adding @v exceed int64 anywhere on the path to the root?  There sums saturate, and a
 * remove would not restore them: callers refuse such an amount.
 */
bool fl_usage_overflows(const struct fl_usage *u, const struct fl_tree *t, struct fl_node n,
			struct fl_column c, fl_amount v);
/* Recomputes borrowed and borrowing of every node of one tree (after fl_tree_derive). */
void fl_usage_derive(struct fl_usage *u, const struct fl_tree *t, uint32_t root_index);

/* max(0, local - usage) */
fl_amount fl_quota_local_available(const struct fl_tree *t, const struct fl_usage *u,
				   struct fl_node n, struct fl_column c);
/* What one more workload of queue @n could get; may be negative. */
fl_amount fl_quota_available(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			     struct fl_column c);
/* T(x, r) of KEP-79: subtree - usage; if negative, so much is borrowed from outside. */
fl_amount fl_quota_balance(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			   struct fl_column c);
/* subtree < usage + v: does the node borrow with @v more? */
bool fl_quota_borrows_with(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			   struct fl_column c, fl_amount v);

/*
 * The lowest subtree around queue @n that has room for @v: its height, and whether it is less than
 * the whole tree.
 */
struct fl_level {
	uint32_t height;
	bool below_root;
};
struct fl_level fl_quota_lowest_subtree(const struct fl_tree *t, const struct fl_usage *u,
					struct fl_node n, struct fl_column c, fl_amount v);

#endif
