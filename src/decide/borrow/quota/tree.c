/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/quota/tree.h"

#include <string.h>

#include "base/limits.h"
#include "base/sort.h"

enum { CELLS_PER_LINE = 64 / sizeof(fl_amount) };

/* Cohorts before queues, each by name. */
static int cmp_nodes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_node_row *x = &m->nodes[a], *y = &m->nodes[b];

	if (x->kind != y->kind)
		return x->kind == FL_COHORT ? -1 : 1;
	return fl_names_cmp(&m->names, x->name, y->name);
}

static bool in_no_tree(const struct fl_node_row *row)
{
	return row->inactive == FL_INACTIVE_COHORT_CYCLE;
}

/* Roots first, then the spans of children in one array; @sorted has all nodes in name order. */
static int link_nodes(struct fl_tree *t, const uint32_t *sorted, fairlead_error *err)
{
	const struct fl_model *m = t->model;
	uint32_t *at;

	if (!FL_NEW(&t->arena, at, t->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < t->n_nodes; n++) {
		const struct fl_node_row *row = &m->nodes[n];

		t->is_cohort[n] = row->kind == FL_COHORT;
		t->weight[n] = row->weight;
		t->root[n] = t->root_index[n] = FL_NONE;
		t->parent[n] = in_no_tree(row) ? FL_NONE : row->parent.v;
		if (t->parent[n] != FL_NONE)
			t->children[t->parent[n]].n++;
		else if (!in_no_tree(row))
			t->n_roots++;
	}
	uint32_t sum = 0;

	for (uint32_t n = 0; n < t->n_nodes; n++) {
		t->children[n].first = at[n] = sum;
		sum += t->children[n].n;
	}
	for (uint32_t i = 0; i < t->n_nodes; i++)
		if (t->parent[sorted[i]] != FL_NONE)
			t->child_ids[at[t->parent[sorted[i]]]++] = sorted[i];
	return 0;
}

/* Breadth first from one root: parents come before children, and a tree's nodes are together. */
static void order_root(struct fl_tree *t, uint32_t root_index, uint32_t root)
{
	struct fl_tree_root *r = &t->roots[root_index];
	uint32_t first = t->n_order;

	*r = (struct fl_tree_root){ .node = { root }, .order = { .first = first } };
	t->order[t->n_order++] = root;
	for (uint32_t i = first; i < t->n_order; i++) {
		uint32_t n = t->order[i];

		t->root[n] = root;
		t->root_index[n] = root_index;
		t->depth[n] = t->parent[n] == FL_NONE ? 0 : t->depth[t->parent[n]] + 1;
		for (uint32_t c = 0; c < t->children[n].n; c++)
			t->order[t->n_order++] = t->child_ids[t->children[n].first + c];
	}
	r->order.n = t->n_order - first;
	for (uint32_t i = first; i < t->n_order; i++)
		t->place[t->order[i]] = i;
	/*
	 * The height of a cohort is one more than that of its highest child cohort, and at least 1
	 * if it has a child.
	 */
	for (uint32_t i = t->n_order; i-- > first;) {
		uint32_t n = t->order[i], p = t->parent[n];
		uint32_t above = t->is_cohort[n] ? t->height[n] + 1 : 1;

		if (p != FL_NONE && t->height[p] < above)
			t->height[p] = above;
	}
}

/* Some walks to the root are recursive: their depth is bounded here. */
static int check_depth(const struct fl_tree *t, fairlead_error *err)
{
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t n = t->order[i];

		if (t->depth[n] > FL_MAX_TREE_DEPTH) {
			(void)fl_fail(err, FAIRLEAD_ELIMIT, "cohorts nest deeper than %d levels",
				      FL_MAX_TREE_DEPTH);
			return fl_fail_in(err, "%s/%s", t->is_cohort[n] ? "Cohort" : "ClusterQueue",
					  fl_model_text(t->model, t->model->nodes[n].name));
		}
	}
	return 0;
}

static void list_queues(struct fl_tree *t)
{
	uint32_t n_queues = 0;

	for (uint32_t r = 0; r < t->n_roots; r++) {
		struct fl_span order = t->roots[r].order;

		t->queues[r].first = n_queues;
		for (uint32_t i = 0; i < order.n; i++)
			if (!t->is_cohort[t->order[order.first + i]])
				t->queue_ids[n_queues++] = t->order[order.first + i];
		t->queues[r].n = n_queues - t->queues[r].first;
	}
}

/* A (flavor, resource) pair that is new in this tree gets the next number. */
static int add_pair(struct fl_tree *t, uint32_t root_index, struct fl_flavor f,
		    struct fl_resource r, fairlead_error *err)
{
	struct fl_tree_root *root = &t->roots[root_index];
	int added = fl_pairs_add(&t->column_of[root_index], f.v, r.v, root->n_columns, NULL, err);

	if (added != 0)
		return added < 0 ? added : 0;
	if (++root->n_columns > FL_MAX_COLUMNS)
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "more than %d flavor and resource pairs in one tree of cohorts",
			       FL_MAX_COLUMNS);
	return 0;
}

static int collect_columns(struct fl_tree *t, fairlead_error *err)
{
	const struct fl_model *m = t->model;
	int r;

	for (uint32_t n = 0; n < t->n_nodes; n++) {
		struct fl_quota_walk walk = { 0 };
		const struct fl_quota *q;

		while (t->root[n] != FL_NONE &&
		       (q = fl_model_next_quota(m, (struct fl_node){ n }, &walk)))
			if ((r = add_pair(t, t->root_index[n], q->flavor, q->resource, err)) < 0)
				return r;
	}
	/* Workloads may hold a flavor for which no queue has quota any more. */
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];
		uint32_t q = row->admitted_queue.v;

		if (q == FL_NONE || t->root[q] == FL_NONE)
			continue;
		for (uint32_t p = row->admission.first; p < row->admission.first + row->admission.n;
		     p++) {
			struct fl_span a = m->podset_assignments[p].assignments;

			for (uint32_t i = a.first; i < a.first + a.n; i++)
				if ((r = add_pair(t, t->root_index[q], m->assignments[i].flavor,
						  m->assignments[i].resource, err)) < 0)
					return r;
		}
	}
	return 0;
}

struct column_order {
	const struct fl_model *model;
	const struct fl_column_info *columns;
};

static int cmp_columns(const void *ctx, uint32_t a, uint32_t b)
{
	const struct column_order *o = ctx;
	const struct fl_column_info *x = &o->columns[a], *y = &o->columns[b];
	int order = fl_names_cmp(&o->model->names, o->model->flavors[x->flavor.v].name,
				 o->model->flavors[y->flavor.v].name);

	if (order)
		return order;
	return (x->resource.v > y->resource.v) - (x->resource.v < y->resource.v);
}

/* Numbers a tree's columns by name, so that nothing depends on the order of the input. */
static int name_columns(struct fl_tree *t, uint32_t root_index, fairlead_error *err)
{
	struct fl_tree_root *root = &t->roots[root_index];
	struct fl_pairs *pairs = &t->column_of[root_index];
	struct fl_column_info *found;
	uint32_t *ids, *scratch, n = root->n_columns;
	bool *seen;

	if (!FL_NEW(&t->arena, found, n, err) || !FL_NEW(&t->arena, root->columns, n, err) ||
	    !FL_NEW(&t->arena, ids, n, err) || !FL_NEW(&t->arena, scratch, n, err) ||
	    !FL_NEW(&t->arena, root->resources, n, err) ||
	    !FL_NEW(&t->arena, seen, t->model->n_resources, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t s = 0; s < pairs->slots; s++)
		if (pairs->slot[s].used) {
			found[pairs->slot[s].value].flavor.v = pairs->slot[s].a;
			found[pairs->slot[s].value].resource.v = pairs->slot[s].b;
			seen[pairs->slot[s].b] = true;
		}
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	fl_sort(ids, n, scratch, cmp_columns, &(struct column_order){ t->model, found });
	for (uint32_t r = 0; r < t->model->n_resources; r++)
		if (seen[r])
			root->resources[root->n_resources++] = (struct fl_resource){ r };
	fl_pairs_clear(pairs);
	for (uint32_t i = 0; i < n; i++) {
		struct fl_column_info *c = &root->columns[i];

		*c = found[ids[i]];
		while (root->resources[c->res].v != c->resource.v)
			c->res++;
		int added = fl_pairs_add(pairs, c->flavor.v, c->resource.v, i, NULL, err);
		if (added < 0)
			return added;
	}
	root->stride = (n + CELLS_PER_LINE - 1) / CELLS_PER_LINE * CELLS_PER_LINE;
	return 0;
}

static void place_rows(struct fl_tree *t)
{
	for (uint32_t i = 0; i < t->n_order; i++) {
		uint32_t n = t->order[i];
		const struct fl_tree_root *root = &t->roots[t->root_index[n]];

		t->row[n] = (uint32_t)t->cells;
		t->res_row[n] = (uint32_t)t->res_cells;
		t->cells += root->stride;
		t->res_cells += root->n_resources;
	}
}

static void read_quotas(struct fl_tree *t)
{
	const struct fl_model *m = t->model;

	for (size_t i = 0; i < t->cells; i++)
		t->borrowing_limit[i] = t->lending_limit[i] = FL_NO_LIMIT;
	for (uint32_t n = 0; n < t->n_nodes; n++) {
		struct fl_quota_walk walk = { 0 };
		struct fl_node node = { n };
		const struct fl_quota *q;

		while (t->root[n] != FL_NONE && (q = fl_model_next_quota(m, node, &walk))) {
			size_t at = fl_tree_cell(t, node,
						 fl_tree_column(t, node, q->flavor, q->resource));

			t->nominal[at] = q->nominal;
			t->borrowing_limit[at] = q->borrowing_limit;
			t->lending_limit[at] = q->lending_limit;
			t->known[at] = true;
		}
	}
	/* A cohort knows all columns that its subtree knows. */
	for (uint32_t i = t->n_order; i-- > 0;) {
		uint32_t n = t->order[i], p = t->parent[n];

		for (uint32_t c = 0; p != FL_NONE && c < t->roots[t->root_index[n]].n_columns; c++)
			t->known[t->row[p] + c] |= t->known[t->row[n] + c];
	}
}

static int alloc_nodes(struct fl_tree *t, fairlead_error *err)
{
	uint32_t n = t->n_nodes;

	return FL_NEW(&t->arena, t->order, n, err) && FL_NEW(&t->arena, t->parent, n, err) &&
			       FL_NEW(&t->arena, t->root, n, err) &&
			       FL_NEW(&t->arena, t->root_index, n, err) &&
			       FL_NEW(&t->arena, t->height, n, err) &&
			       FL_NEW(&t->arena, t->depth, n, err) &&
			       FL_NEW(&t->arena, t->is_cohort, n, err) &&
			       FL_NEW(&t->arena, t->weight, n, err) &&
			       FL_NEW(&t->arena, t->children, n, err) &&
			       FL_NEW(&t->arena, t->child_ids, n, err) &&
			       FL_NEW(&t->arena, t->row, n, err) &&
			       FL_NEW(&t->arena, t->place, n, err) &&
			       FL_NEW(&t->arena, t->res_row, n, err) &&
			       FL_NEW(&t->arena, t->queue_ids, n, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static int alloc_cells(struct fl_tree *t, fairlead_error *err)
{
	size_t n = t->cells;

	if (n > UINT32_MAX || t->res_cells > UINT32_MAX)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than 2^32 quota cells");
	return FL_NEW(&t->arena, t->nominal, n, err) &&
			       FL_NEW(&t->arena, t->borrowing_limit, n, err) &&
			       FL_NEW(&t->arena, t->lending_limit, n, err) &&
			       FL_NEW(&t->arena, t->known, n, err) &&
			       FL_NEW(&t->arena, t->subtree, n, err) &&
			       FL_NEW(&t->arena, t->local, n, err) &&
			       FL_NEW(&t->arena, t->potential, n, err) &&
			       FL_NEW(&t->arena, t->lendable, t->res_cells, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static int build(struct fl_tree *t, fairlead_error *err)
{
	uint32_t *sorted, *scratch;
	int r;

	if ((r = alloc_nodes(t, err)) < 0)
		return r;
	if (!FL_NEW(&t->arena, sorted, t->n_nodes, err) ||
	    !FL_NEW(&t->arena, scratch, t->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < t->n_nodes; n++)
		sorted[n] = n;
	fl_sort(sorted, t->n_nodes, scratch, cmp_nodes, t->model);
	if ((r = link_nodes(t, sorted, err)) < 0)
		return r;
	if (!FL_NEW(&t->arena, t->roots, t->n_roots, err) ||
	    !FL_NEW(&t->arena, t->column_of, t->n_roots, err) ||
	    !FL_NEW(&t->arena, t->queues, t->n_roots, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0, at = 0; i < t->n_nodes; i++)
		if (t->parent[sorted[i]] == FL_NONE && !in_no_tree(&t->model->nodes[sorted[i]])) {
			fl_pairs_init(&t->column_of[at], t->arena.mem);
			order_root(t, at++, sorted[i]);
		}
	if ((r = check_depth(t, err)) < 0)
		return r;
	list_queues(t);
	if ((r = collect_columns(t, err)) < 0)
		return r;
	for (uint32_t i = 0; i < t->n_roots; i++)
		if ((r = name_columns(t, i, err)) < 0)
			return r;
	place_rows(t);
	if ((r = alloc_cells(t, err)) < 0)
		return r;
	read_quotas(t);
	for (uint32_t i = 0; i < t->n_roots; i++)
		fl_tree_derive(t, i);
	return 0;
}

int fl_tree_init(struct fl_tree *t, const struct fl_model *model, const struct fl_mem *mem,
		 fairlead_error *err)
{
	int r;

	*t = (struct fl_tree){ .model = model, .n_nodes = model->n_nodes };
	fl_arena_init(&t->arena, mem);
	r = build(t, err);
	if (r < 0)
		fl_tree_done(t);
	return r;
}

void fl_tree_done(struct fl_tree *t)
{
	for (uint32_t i = 0; t->column_of && i < t->n_roots; i++)
		fl_pairs_done(&t->column_of[i]);
	if (t->arena.mem)
		fl_arena_done(&t->arena);
	*t = (struct fl_tree){ 0 };
}

struct fl_column fl_tree_column(const struct fl_tree *t, struct fl_node n, struct fl_flavor f,
				struct fl_resource r)
{
	if (t->root_index[n.v] == FL_NONE)
		return (struct fl_column){ FL_NONE };
	return (struct fl_column){ fl_pairs_find(&t->column_of[t->root_index[n.v]], f.v, r.v) };
}

static uint32_t climb(const struct fl_tree *t, uint32_t n, uint32_t depth)
{
	while (t->depth[n] > depth)
		n = t->parent[n];
	return n;
}

struct fl_node fl_tree_lca(const struct fl_tree *t, struct fl_node a, struct fl_node b)
{
	uint32_t x = climb(t, a.v, t->depth[b.v]), y = climb(t, b.v, t->depth[a.v]);

	while (x != y) {
		x = t->parent[x];
		y = t->parent[y];
	}
	return (struct fl_node){ x };
}

struct fl_node fl_tree_almost_lca(const struct fl_tree *t, struct fl_node a, struct fl_node b)
{
	return (struct fl_node){ climb(t, a.v, t->depth[fl_tree_lca(t, a, b).v] + 1) };
}
