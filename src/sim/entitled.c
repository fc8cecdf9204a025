/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/entitled.h"

#include <math.h>

#include "base/sort.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"

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
	uint32_t top = e->model->n_nodes, at = first[top], tops = 0;

	while (at != FL_NONE) {
		uint32_t above = e->model->nodes[at].parent.v, row = e->n++;

		e->node[row] = at;
		e->row_of[at] = row;
		e->parent[row] = above == FL_NONE ? FL_NONE : e->row_of[above];
		e->depth[row] = above == FL_NONE ? 0 : e->depth[e->parent[row]] + 1;
		e->root[row] = above == FL_NONE ? row : e->root[e->parent[row]];
		e->top_of[row] = above == FL_NONE ? tops++ : e->top_of[e->parent[row]];
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

	if (!FL_NEW(&e->arena, e->node, n, err) || !FL_NEW(&e->arena, e->row_of, n, err) ||
	    !FL_NEW(&e->arena, e->parent, n, err) || !FL_NEW(&e->arena, e->depth, n, err) ||
	    !FL_NEW(&e->arena, e->root, n, err) || !FL_NEW(&e->arena, e->top_of, n, err) ||
	    !FL_NEW(&e->arena, by_name, (size_t)n * 2, err) ||
	    !FL_NEW(&e->arena, first, n + 1, err) || !FL_NEW(&e->arena, next, n, err))
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

	if (!FL_NEW(&e->arena, found, n, err) || !FL_NEW(&e->arena, e->index, n, err) ||
	    !FL_NEW(&e->arena, e->resources, n, err) || !FL_NEW(&e->arena, e->capacity, n, err))
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

static void read_tree(struct fl_entitled *e, const struct fl_tree *t)
{
	for (uint32_t k = 0; k < e->n_resources; k++)
		e->capacity[k] = 0;
	for (uint32_t row = 0; row < e->n; row++)
		read_row(e, t, row);
	for (uint32_t row = e->n; row-- > 0;)
		for (uint32_t k = 0; k < e->n_resources; k++)
			roll_up(e, row, k);
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

/* --- divisions of trees --- */

static uint32_t bundles(const struct fl_entitled *e)
{
	return (e->n_resources + FL_BUNDLE - 1) / FL_BUNDLE;
}

/* The division of @row's tree that has resource @k. */
static size_t division(const struct fl_entitled *e, uint32_t row, uint32_t k)
{
	return (size_t)e->top_of[row] * bundles(e) + k / FL_BUNDLE;
}

static struct fl_divide_queue *queue_of(struct fl_entitled *e, uint32_t row, uint32_t k)
{
	return &e->queues[(size_t)(k / FL_BUNDLE) * e->n + row];
}

static void is_due(struct fl_entitled *e, uint32_t row)
{
	uint32_t top = e->root[row];

	if (!e->is_due[top])
		e->due[e->n_due++] = top;
	e->is_due[top] = true;
}

/* What is deserved, less what lending limits keep from everybody just now. */
static double less_kept(const struct fl_entitled *e, uint32_t row, uint32_t k)
{
	double deserved = *cell(e, e->deserved, row, k), kept = *cell(e, e->kept, row, k);

	if (deserved == FL_UNBOUNDED)
		return deserved;
	return deserved > kept ? deserved - kept : 0;
}

/* A top takes no part in what others have: it has its own and no weight. */
static void fill_queue(struct fl_entitled *e, const struct fl_tree *t, uint32_t row, uint32_t k)
{
	struct fl_divide_queue *of = queue_of(e, row, k);
	uint32_t top = e->root[row], r = k % FL_BUNDLE;

	of->parent = row == top ? FL_NONE : e->parent[row] - top;
	of->rank = row - top;
	of->deserved.of[r] = less_kept(e, row, k);
	of->limit.of[r] = *cell(e, e->limit, row, k);
	of->weight.of[r] = row == top ? 0 : t->weight[e->node[row]];
}

static double unused(double local, double wants) { return local > wants ? local - wants : 0; }
static double beyond(double local, double wants) { return wants > local ? wants - local : 0; }

/*
 * @row, or those below it of it, want @wants of resource @k: what lending limits keep changes up
 * the tree as far as it matters.  Amounts are whole numbers, so differences add up exactly.
 */
static void ask(struct fl_entitled *e, uint32_t row, uint32_t k, double wants)
{
	double kept = 0, passes = 0;

	for (bool leaf = true; row != FL_NONE; row = e->parent[row], leaf = false) {
		double local = *cell(e, e->local, row, k), *had = cell(e, e->wants, row, k);
		double now = leaf ? wants : *had + passes;

		if (!leaf && kept == 0 && passes == 0)
			return;
		if (local != FL_UNBOUNDED) {
			kept += unused(local, now) - unused(local, *had);
			passes = beyond(local, now) - beyond(local, *had);
		}
		*had = now;
		if (kept != 0) {
			*cell(e, e->kept, row, k) += kept;
			queue_of(e, row, k)->deserved.of[k % FL_BUNDLE] = less_kept(e, row, k);
			fl_redivider_set(e->dividers[division(e, row, k)], row - e->root[row],
					 queue_of(e, row, k));
		}
		if (local == FL_UNBOUNDED)
			return; /* it wants nothing from above, and nobody counts what it keeps */
	}
}

/* Nobody wants anything. */
static void keep_all(struct fl_entitled *e)
{
	size_t cells = (size_t)e->n * e->n_resources;

	for (size_t i = 0; i < cells; i++)
		e->wants[i] = e->kept[i] = 0;
	for (uint32_t row = e->n; row-- > 0;)
		for (uint32_t k = 0; k < e->n_resources; k++) {
			double local = *cell(e, e->local, row, k);

			if (local == FL_UNBOUNDED)
				continue;
			*cell(e, e->kept, row, k) += local;
			if (e->parent[row] != FL_NONE)
				*cell(e, e->kept, e->parent[row], k) += *cell(e, e->kept, row, k);
		}
}

static void read_all(struct fl_entitled *e)
{
	const struct fl_tree *t = fl_borrow_tree(e->policy);

	read_tree(e, t);
	keep_all(e);
	for (uint32_t row = 0; row < e->n; row++)
		for (uint32_t k = 0; k < e->n_resources; k++)
			fill_queue(e, t, row, k);
}

static int make_dividers(struct fl_entitled *e, fairlead_error *err)
{
	size_t cells = (size_t)e->n * e->n_resources;
	uint32_t n = bundles(e), tops = e->n ? e->top_of[e->n - 1] + 1 : 0;

	if (!FL_NEW(&e->arena, e->deserved, cells, err) ||
	    !FL_NEW(&e->arena, e->limit, cells, err) || !FL_NEW(&e->arena, e->local, cells, err) ||
	    !FL_NEW(&e->arena, e->kept, cells, err) ||
	    !FL_NEW(&e->arena, e->top_capacity, cells, err) ||
	    !FL_NEW(&e->arena, e->dividers, (size_t)n * tops, err) ||
	    !FL_NEW(&e->arena, e->totals, (size_t)n * tops, err) ||
	    !FL_NEW(&e->arena, e->queues, (size_t)n * e->n, err) ||
	    !FL_NEW(&e->arena, e->due, tops, err) || !FL_NEW(&e->arena, e->is_due, e->n, err))
		return FAIRLEAD_ENOMEM;
	read_all(e);
	for (uint32_t top = 0, end; top < e->n; top = end) {
		for (end = top + 1; end < e->n && e->root[end] == top;)
			end++;
		for (uint32_t d = 0; d < n; d++, e->n_dividers++) {
			int r = fl_redivider_new(e->arena.mem, queue_of(e, top, d * FL_BUNDLE),
						 end - top, &e->dividers[e->n_dividers], err);
			if (r < 0)
				return r;
		}
		is_due(e, top);
	}
	return 0;
}

/* --- what is entitled --- */

static bool is_leaf(const struct fl_entitled *e, uint32_t row)
{
	return row + 1 == e->n || e->parent[row + 1] != row;
}

/* Of resources @first up to three; inner rows sum up what their leaves request. */
static void request(struct fl_entitled *e, uint32_t row, uint32_t first, const double *wanted)
{
	uint32_t n = e->n_resources - first;
	struct fl_bundle all = { { 0 } };
	size_t d = division(e, row, first);

	for (uint32_t r = 0; r < FL_BUNDLE && r < n; r++)
		all.of[r] = wanted[first + r] > 0 ? wanted[first + r] : 0;
	if (is_leaf(e, row))
		fl_redivider_request(e->dividers[d], row - e->root[row], &all);
	if (row == e->root[row])
		e->totals[d] = all;
}

void fl_entitled_want(struct fl_entitled *e, uint32_t row, const double *wanted)
{
	if (e->own) {
		for (uint32_t k = 0; k < e->n_resources; k++)
			*cell(e, e->wants, row, k) = wanted[k];
		return;
	}
	is_due(e, row);
	for (uint32_t k = 0; k < e->n_resources; k += FL_BUNDLE)
		request(e, row, k, wanted);
	for (uint32_t k = 0; k < e->n_resources && is_leaf(e, row); k++)
		ask(e, row, k, wanted[k]);
}

/* Returns whether it is another one. */
static bool copy_share(struct fl_entitled *e, uint32_t row, uint32_t first,
		       const struct fl_bundle *share)
{
	bool differs = false;

	for (uint32_t r = 0; r < FL_BUNDLE && first + r < e->n_resources; r++) {
		double *of = cell(e, e->shares, row, first + r);

		differs |= *of != share->of[r];
		*of = share->of[r];
	}
	return differs;
}

static uint32_t divide(struct fl_entitled *e, uint32_t top, uint32_t *changed)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < e->n_resources; k += FL_BUNDLE) {
		size_t d = division(e, top, k);
		struct fl_redivided now = fl_redivide(e->dividers[d], &e->totals[d], /* k= */ 0,
						      FL_DIVIDE_BOUNDED);

		for (uint32_t i = 0; i < now.n_changed; i++) {
			uint32_t row = top + now.changed[i];

			if (copy_share(e, row, k, &now.fair_share[now.changed[i]]) &&
			    !e->is_changed[row]) {
				e->is_changed[row] = true;
				changed[n++] = row;
			}
		}
	}
	for (uint32_t i = 0; i < n; i++)
		e->is_changed[changed[i]] = false;
	e->is_due[top] = false;
	return n;
}

/* The policy's own, but never more than what is wanted. */
static uint32_t copy_shares(struct fl_entitled *e, uint32_t *changed)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < e->n; row++) {
		const struct fl_standing *s = fl_entitle_standing(e->policy,
								  (struct fl_node){ e->node[row] });
		bool differs = false;

		for (int r = 0; r < FL_BUNDLE; r++) {
			uint32_t resource = e->model->axis[r].v;
			uint32_t k = resource == FL_NONE ? FL_NONE : e->index[resource];
			double share = s->fair_share.of[r], *of;

			if (k == FL_NONE)
				continue;
			of = cell(e, e->shares, row, k);
			if (share == FL_UNBOUNDED || share > *cell(e, e->wants, row, k))
				share = *cell(e, e->wants, row, k);
			differs |= *of != share;
			*of = share;
		}
		if (differs)
			changed[n++] = row;
	}
	return n;
}

uint32_t fl_entitled_find(struct fl_entitled *e, uint32_t *changed)
{
	uint32_t n = 0;

	if (e->own)
		return copy_shares(e, changed);
	for (uint32_t i = 0; i < e->n_due; i++)
		n += divide(e, e->due[i], changed + n);
	e->n_due = 0;
	return n;
}

const double *fl_entitled_capacity(const struct fl_entitled *e, uint32_t row)
{
	return e->own ? e->capacity : e->top_capacity + (size_t)e->root[row] * e->n_resources;
}

/* --- life --- */

static int make_shares(struct fl_entitled *e, fairlead_error *err)
{
	size_t cells = (size_t)e->n * e->n_resources;

	return FL_NEW(&e->arena, e->wants, cells, err) &&
			       FL_NEW(&e->arena, e->shares, cells, err) &&
			       FL_NEW(&e->arena, e->is_changed, e->n, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

void fl_entitled_changed(struct fl_entitled *e)
{
	if (e->own) {
		read_machines(e);
		return;
	}
	read_all(e);
	for (uint32_t row = 0; row < e->n; row++) {
		for (uint32_t k = 0; k < e->n_resources; k += FL_BUNDLE)
			fl_redivider_set(e->dividers[division(e, row, k)], row - e->root[row],
					 queue_of(e, row, k));
		is_due(e, row);
	}
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
	if (r >= 0)
		r = make_shares(e, err);
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
		fl_redivider_free(e->dividers[d]);
	e->n_dividers = 0;
	fl_arena_done(&e->arena);
}
