/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/outcome.h"

#include <string.h>

#include "ask/common/shortage.h"
#include "base/sort.h"
#include "decide/borrow/borrow.h"

/* --- one end --- */

struct by_name {
	const struct fl_model *model;
	const struct fl_ledger_cell *cells;
};

static int cmp_cells(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_name *o = ctx;
	const struct fl_model *m = o->model;
	const struct fl_ledger_cell *x = &o->cells[a], *y = &o->cells[b];
	int order = fl_names_cmp(&m->names, m->flavors[x->flavor.v].name,
				 m->flavors[y->flavor.v].name);

	return order ? order :
		       fl_names_cmp(&m->names, m->resources[x->resource.v],
				    m->resources[y->resource.v]);
}

/* The cells of one node, sorted; @order and @sorted have room for a tree's columns. */
static void look_at_cells(const struct fl_model *m, struct fl_borrow_stand *s,
			  const struct fl_ledger *l, struct fl_node n, uint32_t *ret_total,
			  uint32_t *order, struct fl_ledger_cell *sorted)
{
	struct by_name by = { m, s->cells };
	struct fl_span *span = &s->of[n.v];
	uint32_t columns = l->tree->root[n.v] == FL_NONE ? 0 :
							   fl_tree_root_of(l->tree, n)->n_columns;

	*span = (struct fl_span){ *ret_total, 0 };
	for (uint32_t c = 0; c < columns; c++)
		if (fl_ledger_cell(l, n, c, &s->cells[span->first + span->n]))
			order[span->n] = span->first + span->n, span->n++;
	fl_sort(order, span->n, order + columns, cmp_cells, &by);
	for (uint32_t i = 0; i < span->n; i++)
		sorted[i] = s->cells[order[i]];
	if (span->n)
		memcpy(s->cells + span->first, sorted, span->n * sizeof(*sorted));
	*ret_total += span->n;
}

static int look(const struct fl_outcome *o, const struct fl_policy_ops *ops,
		const struct fl_policy *p, struct fl_arena *a, void **ret, fairlead_error *err)
{
	const struct fl_model *m = o->model;
	const struct fl_tree *t = fl_borrow_tree(p);
	struct fl_borrow_stand *s = fl_arena_alloc(a, 1, sizeof(*s), err);
	struct fl_ledger ledger;
	uint32_t total = 0, widest = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (t->root[n] != FL_NONE) {
			uint32_t columns = fl_tree_root_of(t, (struct fl_node){ n })->n_columns;

			total += columns;
			widest = columns > widest ? columns : widest;
		}
	int rc = s ? fl_ledger_init(&ledger, t, fl_borrow_usage(p), a, err) : FAIRLEAD_ENOMEM;
	if (rc < 0)
		return rc;
	s->shares = fl_arena_alloc(a, (size_t)m->n_nodes + 1, sizeof(*s->shares), err);
	s->of = fl_arena_alloc(a, (size_t)m->n_nodes + 1, sizeof(*s->of), err);
	s->cells = fl_arena_alloc(a, (size_t)total + 1, sizeof(*s->cells), err);
	uint32_t *order = fl_arena_alloc(a, (size_t)widest * 2 + 1, sizeof(*order), err);
	struct fl_ledger_cell *sorted = fl_arena_alloc(a, (size_t)widest + 1, sizeof(*sorted), err);
	if (!s->shares || !s->of || !s->cells || !order || !sorted)
		return FAIRLEAD_ENOMEM;
	total = 0;
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		if (o->nodes[n].active)
			ops->share(p, (struct fl_node){ n }, &s->shares[n]);
		look_at_cells(m, s, &ledger, (struct fl_node){ n }, &total, order, sorted);
	}
	*ret = s;
	return 0;
}

static double share(const struct fl_outcome *o, struct fl_node n)
{
	return fl_borrow_stand(o)->shares[n.v].precise;
}

static fl_amount amount_of(enum fl_node_amount what, const struct fl_ledger_cell *cell)
{
	return what == FL_NODE_USAGE    ? cell->usage :
	       what == FL_NODE_BORROWED ? cell->borrowed :
					  cell->subtree;
}

/* Over all flavors. */
static fl_nanos amount(const struct fl_outcome *o, struct fl_node n, enum fl_node_amount what,
		       const char *resource)
{
	const struct fl_borrow_stand *s = fl_borrow_stand(o);
	/* Of milli-cores; of bytes and pieces. */
	fl_nanos scale = strcmp(resource, "cpu") == 0 ? 1000000 : 1000000000, sum = 0;

	for (uint32_t i = 0; i < s->of[n.v].n; i++) {
		const struct fl_ledger_cell *cell = &s->cells[s->of[n.v].first + i];
		fl_amount more = amount_of(what, cell);

		if (strcmp(fl_model_text(o->model, o->model->resources[cell->resource.v]),
			   resource) != 0)
			continue;
		if (more == FL_UNLIMITED)
			return FL_NANOS_INFINITE;
		sum += more * scale;
	}
	return sum;
}

/* --- two ends --- */

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

static bool same_place(const struct fl_difference *d, const struct fl_placement *p,
		       const struct fl_placement *q)
{
	return same_flavor(d, p->flavor, q->flavor);
}

static int cmp_sides(const struct fl_difference *d, const struct fl_ledger_cell *x,
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
	struct fl_span x = node->before == FL_NONE ? none :
						     fl_borrow_stand(d->before)->of[node->before];
	struct fl_span y = node->after == FL_NONE ? none :
						    fl_borrow_stand(d->after)->of[node->after];
	const struct fl_ledger_cell *p =
		walk->before < x.n ? &fl_borrow_stand(d->before)->cells[x.first + walk->before] :
				     NULL;
	const struct fl_ledger_cell *q =
		walk->after < y.n ? &fl_borrow_stand(d->after)->cells[y.first + walk->after] : NULL;

	if (!p && !q)
		return false;
	int order = !p ? 1 : !q ? -1 : cmp_sides(d, p, q);
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
	/* Without fair sharing no decision depends on it. */
	if (!d->before->model->settings.fair_sharing && !d->after->model->settings.fair_sharing)
		return true;
	return !x->active || fl_borrow_stand(d->before)->shares[pair->before].precise ==
				     fl_borrow_stand(d->after)->shares[pair->after].precise;
}

static unsigned compare(const struct fl_difference *d, const struct fl_pair *pair)
{
	struct fl_cell_walk walk = { 0 };
	struct fl_cell_pair cell;
	unsigned what = 0;

	if (pair->before != FL_NONE && pair->after != FL_NONE && !same_share(d, pair))
		what |= FL_DIFF_SHARE;
	while (fl_difference_cell(d, pair, &walk, &cell))
		what |= cell.differ ? FL_DIFF_CELLS : 0;
	return what;
}

const struct fl_ask_face fl_borrow_asks = {
	.why_new = fl_shortage_new,
	.look = look,
	.compare = compare,
	.same_place = same_place,
	.share = share,
	.amount = amount,
};
