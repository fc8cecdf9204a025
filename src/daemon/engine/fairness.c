/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/fairness.h"

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

struct fairness {
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
static uint32_t depth_of(const struct fairness *f, uint32_t node)
{
	uint32_t depth = 1;

	for (; f->nodes[node].parent != FL_NONE && depth <= f->n; depth++)
		node = f->nodes[node].parent;
	return depth;
}

static void put_in_order(struct fairness *f)
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

static uint32_t place_above(const struct fairness *f, const struct now *o)
{
	return o->parent == 0 ? 0 : f->place[o->parent - 1];
}

static void add(struct fairness *f, const struct edge *e)
{
	for (uint32_t at = f->place[e->node];; at = place_above(f, &f->order[at])) {
		f->order[at].wants += e->wants;
		if (at == 0)
			return;
	}
}

/* Nodes of weight 0 divide equally what no other node wants. */
static double weight_of(const struct fairness *f, const struct now *kid, bool alike)
{
	return kid->full ? 0 : alike ? 1 : f->nodes[kid->node].weight;
}

/* Divides @rest among the @n @kids by weight, to none more than it wants. */
static void pour(const struct fairness *f, struct now *kids, uint32_t n, double rest)
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

static void divide(struct fairness *f, double capacity)
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
		double rest = f->order[place_above(f, &f->order[first])].gets;

		for (end = first; end <= f->n && f->order[end].parent == f->order[first].parent;
		     end++)
			rest -= f->order[end].own;
		pour(f, f->order + first, end - first, rest);
	}
}

static void sweep(struct fairness *f, size_t n_edges, double capacity)
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

int fl_fairness(struct fl_fair_node *nodes, uint32_t n, double capacity,
		const struct fl_fair_span *spans, size_t n_spans, fairlead_error *err)
{
	struct fairness f = { nodes, n, calloc(n + 1, sizeof *f.order),
			      calloc(n + 1, sizeof *f.place),
			      calloc(2 * n_spans + 1, sizeof *f.edges) };
	bool there = f.order && f.place && f.edges;

	for (size_t i = 0; i < n_spans && there; i++) {
		const struct fl_fair_span *s = &spans[i];

		f.edges[2 * i] = (struct edge){ s->from, s->node, s->amount };
		f.edges[2 * i + 1] = (struct edge){ s->to, s->node, -s->amount };
	}
	if (there) {
		qsort(f.edges, 2 * n_spans, sizeof *f.edges, by_time);
		put_in_order(&f);
		sweep(&f, 2 * n_spans, capacity);
	}
	free(f.order);
	free(f.place);
	free(f.edges);
	return there ? 0 : fl_fail_nomem(err);
}
