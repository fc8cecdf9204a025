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

static bool same_flavor(const struct fl_difference *d, struct fl_flavor a, struct fl_flavor b)
{
	if (a.v == FL_NONE || b.v == FL_NONE)
		return a.v == b.v;
	return same_text(d, d->before->model->flavors[a.v].name,
			 d->after->model->flavors[b.v].name);
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

static bool same_machine(const struct fl_difference *d, struct fl_machine a, struct fl_machine b)
{
	if (a.v == FL_NONE || b.v == FL_NONE)
		return a.v == b.v;
	return same_text(d, d->before->model->machines[a.v].name,
			 d->after->model->machines[b.v].name);
}

static bool same_place(const struct fl_difference *d, const struct fl_placement *p,
		       const struct fl_placement *q)
{
	return d->before->entitle ? same_machine(d, p->machine, q->machine) :
				    same_flavor(d, p->flavor, q->flavor);
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
		    !same_place(d, p, q) || !same_resource(d, p->resource, q->resource))
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

/* --- nodes --- */

static int cmp_cells(const struct fl_difference *d, const struct fl_ledger_cell *x,
		     const struct fl_ledger_cell *y)
{
	const struct fl_model *m = d->before->model, *n = d->after->model;
	int order = strcmp(fl_model_text(m, m->flavors[x->flavor.v].name),
			   fl_model_text(n, n->flavors[y->flavor.v].name));

	return order ? order :
		       strcmp(fl_model_text(m, m->resources[x->resource.v]),
			      fl_model_text(n, n->resources[y->resource.v]));
}

static bool same_cell(const struct fl_ledger_cell *x, const struct fl_ledger_cell *y)
{
	return x->nominal == y->nominal && x->borrowing_limit == y->borrowing_limit &&
	       x->lending_limit == y->lending_limit && x->usage == y->usage &&
	       x->borrowed == y->borrowed;
}

bool fl_difference_cell(const struct fl_difference *d, const struct fl_pair *node,
			struct fl_cell_walk *walk, struct fl_cell_pair *ret)
{
	const struct fl_span none = { 0, 0 };
	struct fl_span x = node->before == FL_NONE ? none : d->before->nodes[node->before].cells;
	struct fl_span y = node->after == FL_NONE ? none : d->after->nodes[node->after].cells;
	const struct fl_ledger_cell *p = walk->before < x.n ?
						 &d->before->cells[x.first + walk->before] :
						 NULL;
	const struct fl_ledger_cell *q = walk->after < y.n ?
						 &d->after->cells[y.first + walk->after] :
						 NULL;

	if (!p && !q)
		return false;
	int order = !p ? 1 : !q ? -1 : cmp_cells(d, p, q);
	*ret = (struct fl_cell_pair){ order <= 0 ? p : NULL, order >= 0 ? q : NULL, false };
	ret->differ = order != 0 || !same_cell(p, q);
	walk->before += order <= 0;
	walk->after += order >= 0;
	return true;
}

static bool same_share(const struct fl_difference *d, const struct fl_pair *pair)
{
	const struct fl_outcome_node *x = &d->before->nodes[pair->before];
	const struct fl_outcome_node *y = &d->after->nodes[pair->after];

	if (x->active != y->active)
		return false;
	/* Without fair sharing nobody goes by it. */
	if (!d->before->model->settings.fair_sharing && !d->after->model->settings.fair_sharing)
		return true;
	return !x->active || x->share.precise == y->share.precise;
}

static bool same_bundle(const struct fl_bundle *x, const struct fl_bundle *y)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (x->of[r] != y->of[r])
			return false;
	return true;
}

/* Of a queue of the entitle policy. */
static unsigned compare_standings(const struct fl_difference *d, const struct fl_pair *pair)
{
	bool both = pair->before != FL_NONE && pair->after != FL_NONE;
	unsigned what = pair->what;

	if (!both)
		return what | FL_DIFF_CELLS;
	const struct fl_standing *x = &d->before->standings.rows[pair->before];
	const struct fl_standing *y = &d->after->standings.rows[pair->after];
	if (d->before->nodes[pair->before].active != d->after->nodes[pair->after].active ||
	    !same_bundle(&x->fair_share, &y->fair_share))
		what |= FL_DIFF_SHARE;
	if (!same_bundle(&x->deserved, &y->deserved) || !same_bundle(&x->limit, &y->limit) ||
	    !same_bundle(&x->weight, &y->weight) || !same_bundle(&x->allocated, &y->allocated) ||
	    x->priority != y->priority)
		what |= FL_DIFF_CELLS;
	return what;
}

static unsigned compare_nodes(const struct fl_difference *d, const struct fl_pair *pair)
{
	struct fl_cell_walk walk = { 0 };
	struct fl_cell_pair cell;
	unsigned what = pair->what;

	if (pair->before != FL_NONE && pair->after != FL_NONE && !same_share(d, pair))
		what |= FL_DIFF_SHARE;
	while (fl_difference_cell(d, pair, &walk, &cell))
		what |= cell.differ ? FL_DIFF_CELLS : 0;
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
		d.nodes[i].what = before->entitle ? compare_standings(&d, &d.nodes[i]) :
						    compare_nodes(&d, &d.nodes[i]);
		d.any |= d.nodes[i].what != 0;
	}
	*ret = d;
	return 0;
}
