/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/history/fairness.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A node at this moment. */
struct now {
	uint32_t node, parent, depth; /* parent: index of the node plus 1; 0: the root of all */
	double wants;                 /* sum of all below */
	double own, gets;
	bool full;
};

/* A span begins, or ends. */
struct edge {
	fl_time at;
	uint32_t node;
	double wants; /* change of what is wanted and held from now on */
};

struct fl_fair_divider {
	struct fl_fair_node *nodes;
	uint32_t n;
	struct now *order; /* parents first, siblings together; [0]: the root of all */
	uint32_t *place;   /* the place of a node in `places` */
	struct edge *edges;
};

static int by_depth(const void *a, const void *b)
{
	const struct now *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Cohorts may form a loop: no more steps than nodes. */
static uint32_t depth_of(const struct fl_fair_divider *f, uint32_t node)
{
	uint32_t depth = 1;

	for (; f->nodes[node].parent != FL_NONE && depth <= f->n; depth++)
		node = f->nodes[node].parent;
	return depth;
}

static void put_in_order(struct fl_fair_divider *f)
{
	f->order[0] = (struct now){ .node = FL_NONE };
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t parent = f->nodes[i].parent;

		f->order[i + 1] = (struct now){ .node = i,
						.parent = parent == FL_NONE ? 0 : parent + 1,
						.depth = depth_of(f, i) };
	}
	qsort(f->order + 1, f->n, sizeof *f->order, by_depth);
	for (uint32_t i = 1; i <= f->n; i++)
		f->place[f->order[i].node] = i;
}

static uint32_t place_above(const struct fl_fair_divider *f, const struct now *o)
{
	return o->parent == 0 ? 0 : f->place[o->parent - 1];
}

static void add(struct fl_fair_divider *f, const struct edge *e)
{
	for (uint32_t at = f->place[e->node];; at = place_above(f, &f->order[at])) {
		f->order[at].wants += e->wants;
		if (at == 0)
			return;
	}
}

/* Nodes of weight 0 divide equally what no other node wants. */
static double weight_of(const struct fl_fair_divider *f, const struct now *kid, bool alike)
{
	return kid->full ? 0 : alike ? 1 : f->nodes[kid->node].weight;
}

/* Divides @rest among the @n @kids by weight, to none more than it wants. */
static void pour(const struct fl_fair_divider *f, struct now *kids, uint32_t n, double rest)
{
	bool again = true, alike = false;

	for (uint32_t i = 0; i < n; i++)
		kids[i].full = kids[i].wants - kids[i].own <= 1e-9;
	while (again && rest > 1e-9) {
		double weights = 0, level;

		again = false;
		for (uint32_t i = 0; i < n; i++)
			weights += weight_of(f, &kids[i], alike);
		if (weights <= 0 && alike)
			return;
		if (weights <= 0) {
			again = alike = true;
			continue;
		}
		level = rest / weights;
		for (uint32_t i = 0; i < n; i++) {
			double most = kids[i].wants - kids[i].own;

			if (kids[i].full || weight_of(f, &kids[i], alike) * level < most)
				continue;
			kids[i].gets += most;
			rest -= most;
			kids[i].full = again = true;
		}
		for (uint32_t i = 0; i < n && !again; i++)
			kids[i].gets += weight_of(f, &kids[i], alike) * level;
	}
}

/*
 * Quotas of siblings together may be more than there is, as one without a limit always is: then each
 * gets the same part of its own.
 */
static double rest_of(struct now *kids, uint32_t n, double all)
{
	double own = 0;

	for (uint32_t i = 0; i < n; i++)
		own += kids[i].own;
	if (own <= all)
		return all - own;
	for (uint32_t i = 0; i < n; i++)
		kids[i].gets = kids[i].own *= all / own;
	return 0;
}

static void divide(struct fl_fair_divider *f, double capacity)
{
	for (uint32_t i = 0; i <= f->n; i++)
		f->order[i].own = 0;
	for (uint32_t i = f->n; i > 0; i--) {
		struct now *o = &f->order[i];

		o->own = fmin(o->wants, fmax(f->nodes[o->node].own, o->own));
		o->gets = o->own;
		f->order[place_above(f, o)].own += o->own;
	}
	f->order[0].gets = fmin(capacity, f->order[0].wants);
	for (uint32_t first = 1, end; first <= f->n; first = end) {
		struct now *kids = f->order + first;
		const double all = f->order[place_above(f, kids)].gets;

		for (end = first; end <= f->n && f->order[end].parent == kids->parent;)
			end++;
		pour(f, kids, end - first, rest_of(kids, end - first, all));
	}
}

static void sweep(struct fl_fair_divider *f, size_t n_edges, double capacity)
{
	for (size_t i = 0; i < n_edges; i++) {
		double seconds = i ? (double)(f->edges[i].at - f->edges[i - 1].at) / FL_SECOND : 0;

		if (seconds > 0) {
			divide(f, capacity);
			for (uint32_t k = 1; k <= f->n; k++)
				f->nodes[f->order[k].node].due += f->order[k].gets * seconds;
		}
		add(f, &f->edges[i]);
	}
}

int fl_fair_divider_new(struct fl_fair_node *nodes, uint32_t n, struct fl_fair_divider **ret,
			fairlead_error *err)
{
	struct fl_fair_divider *d = calloc(1, sizeof *d);

	if (d)
		*d = (struct fl_fair_divider){ .nodes = nodes,
					       .n = n,
					       .order = calloc(n + 1, sizeof *d->order),
					       .place = calloc(n + 1, sizeof *d->place) };
	if (!d || !d->order || !d->place) {
		fl_fair_divider_free(d);
		return fl_fail_nomem(err);
	}
	put_in_order(d);
	*ret = d;
	return 0;
}

struct fl_fair_divider *fl_fair_divider_free(struct fl_fair_divider *d)
{
	if (!d)
		return NULL;
	free(d->order);
	free(d->place);
	free(d->edges);
	free(d);
	return NULL;
}

void fl_fair_divide(struct fl_fair_divider *d, double capacity, const double *wants, double *ret)
{
	for (uint32_t i = 0; i <= d->n; i++) {
		d->order[i].wants = i ? wants[d->order[i].node] : 0;
		d->order[i].gets = 0;
	}
	for (uint32_t i = d->n; i > 0; i--)
		d->order[place_above(d, &d->order[i])].wants += d->order[i].wants;
	divide(d, capacity);
	for (uint32_t i = 1; i <= d->n; i++)
		ret[d->order[i].node] = d->order[i].gets;
}

uint32_t fl_fair_ordered(const struct fl_fair_divider *d, uint32_t i)
{
	return d->order[i + 1].node;
}

int fl_fairness(struct fl_fair_node *nodes, uint32_t n, double capacity,
		const struct fl_fair_span *spans, size_t n_spans, fairlead_error *err)
{
	struct fl_fair_divider *d;
	int r = fl_fair_divider_new(nodes, n, &d, err);

	if (r < 0)
		return r;
	d->edges = calloc(2 * n_spans + 1, sizeof *d->edges);
	for (size_t i = 0; i < n_spans && d->edges; i++) {
		const struct fl_fair_span *s = &spans[i];

		d->edges[2 * i] = (struct edge){ s->from, s->node, s->amount };
		d->edges[2 * i + 1] = (struct edge){ s->to, s->node, -s->amount };
	}
	if (d->edges) {
		qsort(d->edges, 2 * n_spans, sizeof *d->edges, by_time);
		sweep(d, 2 * n_spans, capacity);
	} else {
		r = fl_fail_nomem(err);
	}
	fl_fair_divider_free(d);
	return r;
}
