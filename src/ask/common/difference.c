/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/difference.h"

#include <string.h>

/* Of "a/b" as one text. */
static int cmp_joined(const char *a, const char *b, const char *x, const char *y)
{
	while (*a && *a == *x)
		a++, x++;
	if (!*a && !*x)
		return strcmp(b, y);
	unsigned char c = *a ? (unsigned char)*a : '/', d = *x ? (unsigned char)*x : '/';
	return (c > d) - (c < d);
}

static int cmp_workloads(const struct fl_difference *d, uint32_t a, uint32_t b)
{
	const struct fl_model *m = d->before->model, *n = d->after->model;
	const struct fl_workload_row *x = &m->workloads[a], *y = &n->workloads[b];

	return cmp_joined(fl_model_text(m, x->namespace), fl_model_text(m, x->name),
			  fl_model_text(n, y->namespace), fl_model_text(n, y->name));
}

static int cmp_nodes(const struct fl_difference *d, uint32_t a, uint32_t b)
{
	const struct fl_model *m = d->before->model, *n = d->after->model;
	const struct fl_node_row *x = &m->nodes[a], *y = &n->nodes[b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(fl_model_text(m, x->name), fl_model_text(n, y->name));
}

/* Two lists in one order, paired: how many. */
static uint32_t join(const struct fl_difference *d, const uint32_t *before, uint32_t n_before,
		     const uint32_t *after, uint32_t n_after,
		     int (*cmp)(const struct fl_difference *d, uint32_t a, uint32_t b),
		     struct fl_pair *ret)
{
	uint32_t i = 0, k = 0, n = 0;

	while (i < n_before || k < n_after) {
		int order = i == n_before ? 1 : k == n_after ? -1 : cmp(d, before[i], after[k]);

		ret[n++] = (struct fl_pair){
			.before = order <= 0 ? before[i] : FL_NONE,
			.after = order >= 0 ? after[k] : FL_NONE,
			.what = order < 0 ? FL_DIFF_REMOVED :
				order > 0 ? FL_DIFF_ADDED :
					    0,
		};
		i += order <= 0;
		k += order >= 0;
	}
	return n;
}

/* --- workloads --- */

static bool same_text(const struct fl_difference *d, struct fl_sym a, struct fl_sym b)
{
	return strcmp(fl_model_text(d->before->model, a), fl_model_text(d->after->model, b)) == 0;
}

static bool same_resource(const struct fl_difference *d, struct fl_resource a, struct fl_resource b)
{
	if (a.v == FL_NONE || b.v == FL_NONE)
		return a.v == b.v;
	return same_text(d, d->before->model->resources[a.v], d->after->model->resources[b.v]);
}

static bool same_node(const struct fl_difference *d, struct fl_node a, struct fl_node b)
{
	if (a.v == FL_NONE || b.v == FL_NONE)
		return a.v == b.v;
	return same_text(d, d->before->model->nodes[a.v].name, d->after->model->nodes[b.v].name);
}

static bool same_quota(const struct fl_difference *d, const struct fl_outcome_workload *x,
		       const struct fl_outcome_workload *y)
{
	if (x->placement.n != y->placement.n || !same_node(d, x->queue, y->queue))
		return false;
	for (uint32_t i = 0; i < x->placement.n; i++) {
		const struct fl_placement *p = &d->before->placements[x->placement.first + i];
		const struct fl_placement *q = &d->after->placements[y->placement.first + i];

		if (p->podset != q->podset || p->count != q->count || p->amount != q->amount ||
		    !d->before->face->same_place(d, p, q) ||
		    !same_resource(d, p->resource, q->resource))
			return false;
	}
	return true;
}

static unsigned compare_workloads(const struct fl_difference *d, const struct fl_pair *pair)
{
	static const struct fl_outcome_workload nobody;
	const struct fl_outcome_workload *x = pair->before == FL_NONE ?
						      &nobody :
						      &d->before->workloads[pair->before];
	const struct fl_outcome_workload *y = pair->after == FL_NONE ?
						      &nobody :
						      &d->after->workloads[pair->after];
	unsigned what = pair->what;

	what |= y->holds && !x->holds ? FL_DIFF_ADMITTED : 0;
	what |= x->holds && !y->holds ? FL_DIFF_RELEASED : 0;
	what |= x->holds && y->holds && !same_quota(d, x, y) ? FL_DIFF_MOVED : 0;
	what |= y->evicted && !x->evicted ? FL_DIFF_PREEMPTED : 0;
	what |= x->evicted && !y->evicted ? FL_DIFF_SPARED : 0;
	what |= x->waits && !y->waits && !y->holds ? FL_DIFF_LEFT : 0;
	what |= y->waits && !x->waits && !x->holds ? FL_DIFF_WAITS : 0;
	if (x->waits && y->waits &&
	    d->before->pending.rows[x->pending].reason != d->after->pending.rows[y->pending].reason)
		what |= FL_DIFF_WAITS;
	return what;
}

static bool same_end(const struct fl_settle_result *x, const struct fl_settle_result *y)
{
	return x->settled == y->settled && !x->loop_first == !y->loop_first;
}

int fl_difference(const struct fl_outcome *before, const struct fl_outcome *after,
		  struct fl_arena *arena, struct fl_difference *ret, fairlead_error *err)
{
	const struct fl_model *m = before->model, *n = after->model;
	struct fl_difference d = { .before = before, .after = after };

	d.workloads = fl_arena_alloc(arena, (size_t)m->n_workloads + n->n_workloads,
				     sizeof(*d.workloads), err);
	d.nodes = fl_arena_alloc(arena, (size_t)m->n_nodes + n->n_nodes, sizeof(*d.nodes), err);
	if (!d.workloads || !d.nodes)
		return FAIRLEAD_ENOMEM;
	d.n_workloads = join(&d, before->pending.order, m->n_workloads, after->pending.order,
			     n->n_workloads, cmp_workloads, d.workloads);
	d.n_nodes = join(&d, before->node_order, m->n_nodes, after->node_order, n->n_nodes,
			 cmp_nodes, d.nodes);
	d.any = !same_end(&before->result, &after->result);
	for (uint32_t i = 0; i < d.n_workloads; i++) {
		d.workloads[i].what = compare_workloads(&d, &d.workloads[i]);
		d.any |= d.workloads[i].what != 0;
	}
	for (uint32_t i = 0; i < d.n_nodes; i++) {
		d.nodes[i].what |= before->face->compare(&d, &d.nodes[i]);
		d.any |= d.nodes[i].what != 0;
	}
	*ret = d;
	return 0;
}
