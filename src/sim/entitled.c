/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/entitled.h"

#include <math.h>

#include "base/sort.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"

#define ALLOC(ptr, n) (((ptr) = fl_arena_alloc(&e->arena, (n), sizeof *(ptr), err)) != NULL)

/* --- rows --- */

static bool takes_part(const struct fl_entitled *e, uint32_t node)
{
	const struct fl_node_row *row = &e->model->nodes[node];

	return e->own ? row->kind == FL_QUEUE && row->inactive == FL_ACTIVE : row->kind != FL_QUEUE;
}

static int cmp_names(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	int c = fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);

	if (c)
		return c;
	/* a cohort may have the name of a queue */
	return (m->nodes[a].kind < m->nodes[b].kind) - (m->nodes[a].kind > m->nodes[b].kind);
}

/* Down as far as it goes, else on to the next sibling of it or of one above it. */
static void walk(struct fl_entitled *e, const uint32_t *first, const uint32_t *next)
{
	uint32_t top = e->model->n_nodes, at = first[top];

	while (at != FL_NONE) {
		uint32_t above = e->model->nodes[at].parent.v, row = e->n++;

		e->node[row] = at;
		e->row_of[at] = row;
		e->parent[row] = above == FL_NONE ? FL_NONE : e->row_of[above];
		e->depth[row] = above == FL_NONE ? 0 : e->depth[e->parent[row]] + 1;
		e->root[row] = above == FL_NONE ? row : e->root[e->parent[row]];
		if (first[at] != FL_NONE) {
			at = first[at];
			continue;
		}
		while (at != FL_NONE && next[at] == FL_NONE)
			at = e->model->nodes[at].parent.v;
		at = at == FL_NONE ? at : next[at];
	}
}

/* Nodes below a cycle of cohorts hang on no top, so they are in no row. */
static int list_rows(struct fl_entitled *e, fairlead_error *err)
{
	uint32_t n = e->model->n_nodes, *by_name, *first, *next;

	if (!ALLOC(e->node, n) || !ALLOC(e->row_of, n) || !ALLOC(e->parent, n) ||
	    !ALLOC(e->depth, n) || !ALLOC(e->root, n) || !ALLOC(by_name, (size_t)n * 2) ||
	    !ALLOC(first, n + 1) || !ALLOC(next, n))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		by_name[i] = i;
		first[i] = e->row_of[i] = FL_NONE;
	}
	first[n] = FL_NONE;
	fl_sort(by_name, n, by_name + n, cmp_names, e->model);
	for (uint32_t i = n; i-- > 0;) {
		uint32_t above = e->model->nodes[by_name[i]].parent.v;

		if (!takes_part(e, by_name[i]))
			continue;
		above = above == FL_NONE ? n : above;
		next[by_name[i]] = first[above];
		first[above] = by_name[i];
	}
	walk(e, first, next);
	return 0;
}

/* --- resources --- */

static void note_resources(const struct fl_entitled *e, bool *found)
{
	const struct fl_model *m = e->model;

	if (e->own) {
		struct fl_bundle total = fl_entitle_total(e->policy);

		for (int r = 0; r < FL_BUNDLE; r++)
			if (m->axis[r].v != FL_NONE && total.of[r] > 0)
				found[m->axis[r].v] = true;
		return;
	}
	for (uint32_t i = 0; i < m->n_quotas; i++)
		found[m->quotas[i].resource.v] = true;
}

static int list_resources(struct fl_entitled *e, fairlead_error *err)
{
	uint32_t n = e->model->n_resources;
	bool *found;

	if (!ALLOC(found, n) || !ALLOC(e->index, n) || !ALLOC(e->resources, n) ||
	    !ALLOC(e->capacity, n))
		return FAIRLEAD_ENOMEM;
	note_resources(e, found);
	for (uint32_t r = 0; r < n; r++) {
		e->index[r] = found[r] ? e->n_resources : FL_NONE;
		if (found[r])
			e->resources[e->n_resources++].v = r;
	}
	return 0;
}

/* --- the numbers of borrow's tree --- */

static double *cell(const struct fl_entitled *e, double *of, uint32_t row, uint32_t k)
{
	return &of[(size_t)row * e->n_resources + k];
}

static void add_quota(double *to, fl_amount amount)
{
	if (amount == FL_UNLIMITED || *to == FL_UNBOUNDED)
		*to = FL_UNBOUNDED;
	else
		*to += (double)amount;
}

/* All flavors of a resource together; `limit` only the borrowing limits. */
static void read_row(struct fl_entitled *e, const struct fl_tree *t, uint32_t row)
{
	uint32_t node = e->node[row];
	const struct fl_tree_root *root = fl_tree_root_of(t, (struct fl_node){ node });

	for (uint32_t k = 0; k < e->n_resources; k++)
		*cell(e, e->deserved, row, k) = *cell(e, e->limit, row, k) = *cell(e, e->local, row,
										   k) = 0;
	for (uint32_t c = 0; c < root->n_columns; c++) {
		size_t at = t->row[node] + c;
		uint32_t k = e->index[root->columns[c].resource.v];

		if (k == FL_NONE)
			continue;
		add_quota(cell(e, e->deserved, row, k), t->nominal[at]);
		if (!t->known[at])
			continue;
		add_quota(cell(e, e->limit, row, k), t->borrowing_limit[at] == FL_NO_LIMIT ?
							     FL_UNLIMITED :
							     t->borrowing_limit[at]);
		add_quota(cell(e, e->local, row, k), t->local[at]);
	}
}

static void roll_up(struct fl_entitled *e, uint32_t row, uint32_t k)
{
	double mine = *cell(e, e->deserved, row, k), *limit = cell(e, e->limit, row, k);

	if (mine == FL_UNBOUNDED || e->parent[row] == FL_NONE)
		*limit = FL_UNBOUNDED;
	else if (*limit != FL_UNBOUNDED)
		*limit += mine;
	if (e->parent[row] == FL_NONE) {
		double all = mine == FL_UNBOUNDED ? (double)INFINITY : mine;

		*cell(e, e->top_capacity, row, k) = all;
		e->capacity[k] += all;
	} else {
		double *above = cell(e, e->deserved, e->parent[row], k);

		*above = mine == FL_UNBOUNDED || *above == FL_UNBOUNDED ? FL_UNBOUNDED :
									  *above + mine;
	}
}

/* A top takes no part in what others have: it has its own and no weight. */
static void set_dividers(struct fl_entitled *e, const struct fl_tree *t)
{
	for (uint32_t row = 0; row < e->n; row++) {
		double weight = e->parent[row] == FL_NONE ? 0 : t->weight[e->node[row]];

		for (uint32_t k = 0; k < e->n_resources; k++) {
			struct fl_divide_queue *of = &e->queues[(k / FL_BUNDLE) * e->n + row];
			int r = (int)(k % FL_BUNDLE);

			of->parent = e->parent[row];
			of->rank = row;
			of->deserved.of[r] = *cell(e, e->deserved, row, k);
			of->limit.of[r] = *cell(e, e->limit, row, k);
			of->weight.of[r] = weight;
		}
	}
}

static void read_tree(struct fl_entitled *e)
{
	const struct fl_tree *t = fl_borrow_tree(e->policy);

	for (uint32_t k = 0; k < e->n_resources; k++)
		e->capacity[k] = 0;
	for (uint32_t row = 0; row < e->n; row++)
		read_row(e, t, row);
	for (uint32_t row = e->n; row-- > 0;)
		for (uint32_t k = 0; k < e->n_resources; k++)
			roll_up(e, row, k);
	set_dividers(e, t);
}

static void read_machines(struct fl_entitled *e)
{
	struct fl_bundle total = fl_entitle_total(e->policy);

	for (int r = 0; r < FL_BUNDLE; r++) {
		uint32_t resource = e->model->axis[r].v;

		if (resource != FL_NONE && e->index[resource] != FL_NONE)
			e->capacity[e->index[resource]] = total.of[r];
	}
}

static int make_dividers(struct fl_entitled *e, fairlead_error *err)
{
	size_t cells = (size_t)e->n * e->n_resources;
	uint32_t n = (e->n_resources + FL_BUNDLE - 1) / FL_BUNDLE;

	if (!ALLOC(e->deserved, cells) || !ALLOC(e->limit, cells) || !ALLOC(e->local, cells) ||
	    !ALLOC(e->kept, cells) || !ALLOC(e->passes, cells) || !ALLOC(e->top_capacity, cells) ||
	    !ALLOC(e->dividers, n) || !ALLOC(e->queues, (size_t)n * e->n) ||
	    !ALLOC(e->request, e->n) || !ALLOC(e->share, e->n))
		return FAIRLEAD_ENOMEM;
	read_tree(e);
	for (; e->n_dividers < n; e->n_dividers++) {
		int r = fl_divider_new(e->arena.mem, e->queues + (size_t)e->n_dividers * e->n, e->n,
				       &e->dividers[e->n_dividers], err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- what is entitled --- */

/*
 * What lending limits keep from everybody: of what a node keeps to itself the part that it
 * and those below it do not want.
 */
static void find_kept(struct fl_entitled *e, const double *wanted)
{
	uint32_t n = e->n_resources;

	for (size_t i = 0; i < (size_t)e->n * n; i++)
		e->kept[i] = e->passes[i] = 0;
	for (uint32_t row = e->n; row-- > 0;) {
		bool leaf = row + 1 == e->n || e->parent[row + 1] != row;

		for (uint32_t k = 0; k < n; k++) {
			size_t at = (size_t)row * n + k;
			double wants = leaf ? wanted[at] : e->passes[at], local = e->local[at];

			if (local == FL_UNBOUNDED)
				continue; /* it wants nothing from above, and nobody counts it */
			if (local > wants)
				e->kept[at] += local - wants;
			if (e->parent[row] == FL_NONE)
				continue;
			*cell(e, e->kept, e->parent[row], k) += e->kept[at];
			*cell(e, e->passes, e->parent[row], k) += wants > local ? wants - local : 0;
		}
	}
}

static double less_kept(double deserved, double kept)
{
	if (deserved == FL_UNBOUNDED)
		return deserved;
	return deserved > kept ? deserved - kept : 0;
}

/* Dividers as they are with what is kept just now. */
static void keep_back(struct fl_entitled *e, uint32_t d)
{
	for (uint32_t row = 0; row < e->n; row++) {
		struct fl_divide_queue *q = &e->queues[(size_t)d * e->n + row];
		bool differs = false;

		for (uint32_t r = 0; r < FL_BUNDLE && d * FL_BUNDLE + r < e->n_resources; r++) {
			uint32_t k = d * FL_BUNDLE + r;
			double deserved = less_kept(*cell(e, e->deserved, row, k),
						    *cell(e, e->kept, row, k));

			differs |= deserved != q->deserved.of[r];
			q->deserved.of[r] = deserved;
		}
		if (differs)
			fl_divider_set(e->dividers[d], row, q);
	}
}

static void divide(struct fl_entitled *e, uint32_t d, const double *wanted, double *ret)
{
	uint32_t first = d * FL_BUNDLE, n = e->n_resources - first;
	struct fl_bundle total = { { 0 } };

	n = n < FL_BUNDLE ? n : FL_BUNDLE;
	for (uint32_t row = 0; row < e->n; row++) {
		e->request[row] = (struct fl_bundle){ { 0 } };
		for (uint32_t r = 0; r < n; r++) {
			double wants = wanted[(size_t)row * e->n_resources + first + r];

			e->request[row].of[r] = wants > 0 ? wants : 0;
			if (e->parent[row] == FL_NONE)
				total.of[r] += e->request[row].of[r];
		}
	}
	keep_back(e, d);
	fl_divide(e->dividers[d], &total, /* k= */ 0, e->request, /* usage= */ NULL,
		  FL_DIVIDE_BOUNDED, /* sink= */ NULL, e->share);
	for (uint32_t row = 0; row < e->n; row++)
		for (uint32_t r = 0; r < n; r++)
			ret[(size_t)row * e->n_resources + first + r] = e->share[row].of[r];
}

static void copy_shares(const struct fl_entitled *e, const double *wanted, double *ret)
{
	for (uint32_t row = 0; row < e->n; row++) {
		const struct fl_standing *s = fl_entitle_standing(e->policy,
								  (struct fl_node){ e->node[row] });

		for (int r = 0; r < FL_BUNDLE; r++) {
			uint32_t resource = e->model->axis[r].v;
			uint32_t k = resource == FL_NONE ? FL_NONE : e->index[resource];
			size_t at = (size_t)row * e->n_resources + k;

			if (k == FL_NONE)
				continue;
			ret[at] = s->fair_share.of[r];
			if (ret[at] == FL_UNBOUNDED || ret[at] > wanted[at])
				ret[at] = wanted[at];
		}
	}
}

void fl_entitled_find(struct fl_entitled *e, const double *wanted, double *ret)
{
	if (e->own) {
		copy_shares(e, wanted, ret);
		return;
	}
	find_kept(e, wanted);
	for (uint32_t d = 0; d < e->n_dividers; d++)
		divide(e, d, wanted, ret);
}

const double *fl_entitled_capacity(const struct fl_entitled *e, uint32_t row)
{
	return e->own ? e->capacity : e->top_capacity + (size_t)e->root[row] * e->n_resources;
}

/* --- life --- */

void fl_entitled_changed(struct fl_entitled *e)
{
	if (e->own) {
		read_machines(e);
		return;
	}
	read_tree(e);
	for (uint32_t d = 0; d < e->n_dividers; d++)
		for (uint32_t row = 0; row < e->n; row++)
			fl_divider_set(e->dividers[d], row, &e->queues[(size_t)d * e->n + row]);
}

int fl_entitled_init(struct fl_entitled *e, const struct fl_mem *mem, const struct fl_model *model,
		     const struct fl_policy_ops *ops, const struct fl_policy *policy,
		     fairlead_error *err)
{
	int r;

	*e = (struct fl_entitled){ .model = model,
				   .policy = policy,
				   .own = ops == &fl_entitle_policy };
	fl_arena_init(&e->arena, mem);
	r = list_rows(e, err);
	if (r >= 0)
		r = list_resources(e, err);
	if (r >= 0 && e->own)
		read_machines(e);
	else if (r >= 0)
		r = make_dividers(e, err);
	if (r < 0)
		fl_entitled_done(e);
	return r;
}

void fl_entitled_done(struct fl_entitled *e)
{
	for (uint32_t d = 0; d < e->n_dividers; d++)
		fl_divider_free(e->dividers[d]);
	e->n_dividers = 0;
	fl_arena_done(&e->arena);
}
