/* SPDX-License-Identifier: Apache-2.0 */
/* borrow - trees divide what they have: the yardstick of entitled.h for queues in cohorts */
#include "decide/borrow/borrow.h"

#include <math.h>

#include "decide/share/redivide.h"
#include "sim/face.h"

struct trees {
	/* By row and resource. */
	double *deserved, *limit; /* FL_UNBOUNDED: no bound */
	double *local;            /* of what it and those below it have for others, what it keeps */
	double *kept;             /* of that, what it and those below it do not want */
	double *top_capacity;     /* by row of a top, and resource; as `capacity` */
	/* A tree is a span of rows; it has a division for each three resources. */
	struct fl_redivider **dividers;
	uint32_t n_dividers;
	struct fl_bundle *totals;       /* by division */
	struct fl_divide_queue *queues; /* by division of its tree, and row */
	uint32_t *due, n_due;           /* tops of trees that are to be divided again */
	bool *is_due;                   /* by row of a top */
	bool *is_changed;               /* by row: it stands in `changed` already */
};

static bool takes_part(const struct fl_node_row *row) { return row->kind != FL_QUEUE; }

static void note_resources(const struct fl_entitled *e, bool *found)
{
	for (uint32_t i = 0; i < e->model->n_quotas; i++)
		found[e->model->quotas[i].resource.v] = true;
}

/* --- the numbers of a tree --- */

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
	struct trees *x = e->own;
	uint32_t node = e->node[row];
	const struct fl_tree_root *root = fl_tree_root_of(t, (struct fl_node){ node });

	for (uint32_t k = 0; k < e->n_resources; k++)
		*fl_entitled_cell(e, x->deserved, row, k) = *fl_entitled_cell(e, x->limit, row, k) =
			*fl_entitled_cell(e, x->local, row, k) = 0;
	for (uint32_t c = 0; c < root->n_columns; c++) {
		size_t at = t->row[node] + c;
		uint32_t k = e->index[root->columns[c].resource.v];

		if (k == FL_NONE)
			continue;
		add_quota(fl_entitled_cell(e, x->deserved, row, k), t->nominal[at]);
		if (!t->known[at])
			continue;
		add_quota(fl_entitled_cell(e, x->limit, row, k),
			  t->borrowing_limit[at] == FL_NO_LIMIT ? FL_UNLIMITED :
								  t->borrowing_limit[at]);
		add_quota(fl_entitled_cell(e, x->local, row, k), t->local[at]);
	}
}

static void roll_up(struct fl_entitled *e, uint32_t row, uint32_t k)
{
	struct trees *x = e->own;
	double mine = *fl_entitled_cell(e, x->deserved, row, k),
	       *limit = fl_entitled_cell(e, x->limit, row, k);

	if (mine == FL_UNBOUNDED || e->parent[row] == FL_NONE)
		*limit = FL_UNBOUNDED;
	else if (*limit != FL_UNBOUNDED)
		*limit += mine;
	if (e->parent[row] == FL_NONE) {
		double all = mine == FL_UNBOUNDED ? (double)INFINITY : mine;

		*fl_entitled_cell(e, x->top_capacity, row, k) = all;
		e->capacity[k] += all;
	} else {
		double *above = fl_entitled_cell(e, x->deserved, e->parent[row], k);

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
	struct trees *x = e->own;

	return &x->queues[(size_t)(k / FL_BUNDLE) * e->n + row];
}

static void is_due(struct fl_entitled *e, uint32_t row)
{
	struct trees *x = e->own;
	uint32_t top = e->root[row];

	if (!x->is_due[top])
		x->due[x->n_due++] = top;
	x->is_due[top] = true;
}

/* What is deserved, less what lending limits keep from all others at present. */
static double less_kept(const struct fl_entitled *e, uint32_t row, uint32_t k)
{
	struct trees *x = e->own;
	double deserved = *fl_entitled_cell(e, x->deserved, row, k),
	       kept = *fl_entitled_cell(e, x->kept, row, k);

	if (deserved == FL_UNBOUNDED)
		return deserved;
	return deserved > kept ? deserved - kept : 0;
}

/* A top shares with no other tree: it has its own quota and no weight. */
static void fill_queue(struct fl_entitled *e, const struct fl_tree *t, uint32_t row, uint32_t k)
{
	struct trees *x = e->own;
	struct fl_divide_queue *of = queue_of(e, row, k);
	uint32_t top = e->root[row], r = k % FL_BUNDLE;

	of->parent = row == top ? FL_NONE : e->parent[row] - top;
	of->rank = row - top;
	of->deserved.of[r] = less_kept(e, row, k);
	of->limit.of[r] = *fl_entitled_cell(e, x->limit, row, k);
	of->weight.of[r] = row == top ? 0 : t->weight[e->node[row]];
}

static double unused(double local, double wants) { return local > wants ? local - wants : 0; }
static double beyond(double local, double wants) { return wants > local ? wants - local : 0; }

/*
 * @row (an inner one: the rows below it) wants @wants of resource @k.  What lending limits keep
 * changes from there up the tree, as far as it matters.  Amounts are whole numbers, so differences
 * add up exactly.
 */
static void ask(struct fl_entitled *e, uint32_t row, uint32_t k, double wants)
{
	struct trees *x = e->own;
	double kept = 0, passes = 0;

	for (bool leaf = true; row != FL_NONE; row = e->parent[row], leaf = false) {
		double local = *fl_entitled_cell(e, x->local, row, k),
		       *had = fl_entitled_cell(e, e->wants, row, k);
		double now = leaf ? wants : *had + passes;

		if (!leaf && kept == 0 && passes == 0)
			return;
		if (local != FL_UNBOUNDED) {
			kept += unused(local, now) - unused(local, *had);
			passes = beyond(local, now) - beyond(local, *had);
		}
		*had = now;
		if (kept != 0) {
			*fl_entitled_cell(e, x->kept, row, k) += kept;
			queue_of(e, row, k)->deserved.of[k % FL_BUNDLE] = less_kept(e, row, k);
			fl_redivider_set(x->dividers[division(e, row, k)], row - e->root[row],
					 queue_of(e, row, k));
		}
		if (local == FL_UNBOUNDED)
			return; /* it wants nothing from above, and what it keeps counts nowhere */
	}
}

/* No row wants anything. */
static void keep_all(struct fl_entitled *e)
{
	struct trees *x = e->own;
	size_t cells = (size_t)e->n * e->n_resources;

	for (size_t i = 0; i < cells; i++)
		e->wants[i] = x->kept[i] = 0;
	for (uint32_t row = e->n; row-- > 0;)
		for (uint32_t k = 0; k < e->n_resources; k++) {
			double local = *fl_entitled_cell(e, x->local, row, k);

			if (local == FL_UNBOUNDED)
				continue;
			*fl_entitled_cell(e, x->kept, row, k) += local;
			if (e->parent[row] != FL_NONE)
				*fl_entitled_cell(e, x->kept, e->parent[row],
						  k) += *fl_entitled_cell(e, x->kept, row, k);
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

static int begin(struct fl_entitled *e, fairlead_error *err)
{
	size_t cells = (size_t)e->n * e->n_resources;
	uint32_t n = bundles(e), tops = e->n ? e->top_of[e->n - 1] + 1 : 0;
	struct trees *x;

	if (!FL_NEW(&e->arena, x, 1, err) || !FL_NEW(&e->arena, x->deserved, cells, err) ||
	    !FL_NEW(&e->arena, x->limit, cells, err) || !FL_NEW(&e->arena, x->local, cells, err) ||
	    !FL_NEW(&e->arena, x->kept, cells, err) ||
	    !FL_NEW(&e->arena, x->top_capacity, cells, err) ||
	    !FL_NEW(&e->arena, x->dividers, (size_t)n * tops, err) ||
	    !FL_NEW(&e->arena, x->totals, (size_t)n * tops, err) ||
	    !FL_NEW(&e->arena, x->queues, (size_t)n * e->n, err) ||
	    !FL_NEW(&e->arena, x->due, tops, err) || !FL_NEW(&e->arena, x->is_due, e->n, err) ||
	    !FL_NEW(&e->arena, x->is_changed, e->n, err))
		return FAIRLEAD_ENOMEM;
	e->own = x;
	read_all(e);
	for (uint32_t top = 0, end; top < e->n; top = end) {
		for (end = top + 1; end < e->n && e->root[end] == top;)
			end++;
		for (uint32_t d = 0; d < n; d++, x->n_dividers++) {
			int r = fl_redivider_new(e->arena.mem, queue_of(e, top, d * FL_BUNDLE),
						 end - top, &x->dividers[x->n_dividers], err);
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

/* Three resources from @first on, or fewer; inner rows sum up what their leaves request. */
static void request(struct fl_entitled *e, uint32_t row, uint32_t first, const double *wanted)
{
	struct trees *x = e->own;
	uint32_t n = e->n_resources - first;
	struct fl_bundle all = { { 0 } };
	size_t d = division(e, row, first);

	for (uint32_t r = 0; r < FL_BUNDLE && r < n; r++)
		all.of[r] = wanted[first + r] > 0 ? wanted[first + r] : 0;
	if (is_leaf(e, row))
		fl_redivider_request(x->dividers[d], row - e->root[row], &all);
	if (row == e->root[row])
		x->totals[d] = all;
}

/* Returns whether it is a different one. */
static bool copy_share(struct fl_entitled *e, uint32_t row, uint32_t first,
		       const struct fl_bundle *share)
{
	bool differs = false;

	for (uint32_t r = 0; r < FL_BUNDLE && first + r < e->n_resources; r++) {
		double *of = fl_entitled_cell(e, e->shares, row, first + r);

		differs |= *of != share->of[r];
		*of = share->of[r];
	}
	return differs;
}

static uint32_t divide(struct fl_entitled *e, uint32_t top, uint32_t *changed)
{
	struct trees *x = e->own;
	uint32_t n = 0;

	for (uint32_t k = 0; k < e->n_resources; k += FL_BUNDLE) {
		size_t d = division(e, top, k);
		struct fl_redivided now = fl_redivide(x->dividers[d], &x->totals[d], /* k= */ 0,
						      FL_DIVIDE_BOUNDED);

		for (uint32_t i = 0; i < now.n_changed; i++) {
			uint32_t row = top + now.changed[i];

			if (copy_share(e, row, k, &now.fair_share[now.changed[i]]) &&
			    !x->is_changed[row]) {
				x->is_changed[row] = true;
				changed[n++] = row;
			}
		}
	}
	for (uint32_t i = 0; i < n; i++)
		x->is_changed[changed[i]] = false;
	x->is_due[top] = false;
	return n;
}

static void want(struct fl_entitled *e, uint32_t row, const double *wanted)
{
	is_due(e, row);
	for (uint32_t k = 0; k < e->n_resources; k += FL_BUNDLE)
		request(e, row, k, wanted);
	for (uint32_t k = 0; k < e->n_resources && is_leaf(e, row); k++)
		ask(e, row, k, wanted[k]);
}

static uint32_t find(struct fl_entitled *e, uint32_t *changed)
{
	struct trees *x = e->own;
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->n_due; i++)
		n += divide(e, x->due[i], changed + n);
	x->n_due = 0;
	return n;
}

static const double *capacity(const struct fl_entitled *e, uint32_t row)
{
	const struct trees *x = e->own;

	return x->top_capacity + (size_t)e->root[row] * e->n_resources;
}

static void changed(struct fl_entitled *e)
{
	struct trees *x = e->own;

	read_all(e);
	for (uint32_t row = 0; row < e->n; row++) {
		for (uint32_t k = 0; k < e->n_resources; k += FL_BUNDLE)
			fl_redivider_set(x->dividers[division(e, row, k)], row - e->root[row],
					 queue_of(e, row, k));
		is_due(e, row);
	}
}

static void done(struct fl_entitled *e)
{
	struct trees *x = e->own;

	for (uint32_t d = 0; d < x->n_dividers; d++)
		fl_redivider_free(x->dividers[d]);
	x->n_dividers = 0;
}

extern const struct fl_entitled_face fl_borrow_entitles;
const struct fl_entitled_face fl_borrow_entitles = {
	.takes_part = takes_part,
	.note_resources = note_resources,
	.begin = begin,
	.done = done,
	.changed = changed,
	.want = want,
	.find = find,
	.capacity = capacity,
};
