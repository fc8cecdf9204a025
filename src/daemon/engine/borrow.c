/* SPDX-License-Identifier: Apache-2.0 */
/* borrow - figures of queues in cohorts, for API and metrics */
#include "decide/borrow/borrow.h"

#include <math.h>
#include <string.h>

#include "ask/borrow/ledger.h"
#include "daemon/engine/face.h"
#include "decide/match.h"
#include "model/table.h"
#include "report/out/report.h"

struct stand {
	const struct fl_model *m;
	struct fl_ledger ledger;
};

static int look(const struct fl_live_view *v, struct fl_arena *arena, void **ret,
		fairlead_error *err)
{
	struct stand *s = fl_arena_alloc(arena, 1, sizeof *s, err);

	if (!s)
		return FAIRLEAD_ENOMEM;
	s->m = v->model;
	*ret = s;
	return fl_ledger_init(&s->ledger, fl_borrow_tree(v->policy), fl_borrow_usage(v->policy),
			      arena, err);
}

static fl_amount amount_of(const struct fl_ledger_cell *c, enum fl_figure what)
{
	switch (what) {
	case FL_FIGURE_NOMINAL:
		return c->nominal;
	case FL_FIGURE_SUBTREE:
		return c->subtree;
	case FL_FIGURE_BORROWED:
		return c->borrowed;
	case FL_FIGURE_LENT:
		return c->lent;
	default:
		return c->usage;
	}
}

static void figures(const void *stand, struct fl_node n, enum fl_figure what, fl_figure_tell *tell,
		    void *user)
{
	const struct fl_ledger *l = &((const struct stand *)stand)->ledger;
	uint32_t columns = l->tree->root[n.v] == FL_NONE ? 0 :
							   fl_tree_root_of(l->tree, n)->n_columns;

	for (uint32_t c = 0; c < columns && what != FL_FIGURE_FAIR_SHARE; c++) {
		struct fl_ledger_cell cell;
		fl_amount v;

		if (!fl_ledger_cell(l, n, c, &cell))
			continue;
		v = amount_of(&cell, what);
		tell(user, n, cell.flavor, cell.resource,
		     v == FL_UNLIMITED ? (double)INFINITY : (double)v);
	}
}

/* Flavors of a resource are summed. */
static uint32_t resources(const void *stand, struct fl_node n, const fl_amount *pending,
			  struct fl_queue_amounts *ret)
{
	const struct stand *s = stand;
	const struct fl_tree *t = s->ledger.tree;
	uint32_t all = 0;

	if (t->root[n.v] == FL_NONE)
		return 0;

	const struct fl_tree_root *root = fl_tree_root_of(t, n);

	for (uint32_t i = 0; i < root->n_resources; i++) {
		struct fl_ledger_cell sum = { 0 }, cell;
		struct fl_resource r = root->resources[i];
		bool known = false;

		for (uint32_t c = 0; c < root->n_columns; c++) {
			if (root->columns[c].resource.v != r.v ||
			    !fl_ledger_cell(&s->ledger, n, c, &cell))
				continue;
			known = true;
			sum.nominal = fl_sat_add(sum.nominal, cell.nominal);
			sum.usage = fl_sat_add(sum.usage, cell.usage);
			sum.borrowed = fl_sat_add(sum.borrowed, cell.borrowed);
			sum.lent = fl_sat_add(sum.lent, cell.lent);
		}
		const char *name = fl_report_resource(s->m, r);

		if (!known && !pending[r.v])
			continue;
		ret[all] = (struct fl_queue_amounts){ .resource = name };
		fl_daemon_amount(name, sum.nominal, ret[all].nominal);
		fl_daemon_amount(name, sum.usage, ret[all].usage);
		fl_daemon_amount(name, sum.borrowed, ret[all].borrowed);
		fl_daemon_amount(name, sum.lent, ret[all].lent);
		fl_daemon_amount(name, pending[r.v], ret[all++].pending);
	}
	return all;
}

/* The weighted share; of queues that are not compared none. */
static double share(const struct fl_live_view *v, const void *stand, struct fl_node n)
{
	struct fl_share share;

	(void)stand;
	if (!v->model->settings.fair_sharing)
		return (double)NAN;
	v->ops->share(v->policy, n, &share);
	return share.precise;
}

/* --- limits --- */

/* May the workload have something of the flavor? */
static bool may_use(const struct fl_model *m, struct fl_workload w, struct fl_flavor f)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return row->podsets.n == 0 || fl_match_flavor(m, &m->podsets[row->podsets.first], f);
}

/* The limit of one node. false: it has none. */
static bool room_at(const struct stand *s, struct fl_node n, struct fl_workload w,
		    struct fl_resource r, struct fl_live_room *ret)
{
	const struct fl_tree *t = s->ledger.tree;
	const struct fl_tree_root *root = fl_tree_root_of(t, n);
	bool has_parent = fl_tree_has_parent(t, n), known = false;
	struct fl_live_room sum = { .node = { has_parent || !t->is_cohort[n.v] ? n.v : FL_NONE } };

	for (uint32_t c = 0; c < root->n_columns; c++) {
		struct fl_ledger_cell cell;
		fl_amount beyond;

		if (root->columns[c].resource.v != r.v ||
		    !fl_ledger_cell(&s->ledger, n, c, &cell) || !may_use(s->m, w, cell.flavor))
			continue;
		beyond = !has_parent                         ? 0 :
			 cell.borrowing_limit == FL_NO_LIMIT ? FL_UNLIMITED :
							       cell.borrowing_limit;
		sum.used = fl_sat_add(sum.used, cell.usage);
		sum.most = fl_quota_add(sum.most, fl_quota_add(cell.subtree, beyond));
		known = true;
	}
	*ret = sum;
	return known && sum.most != FL_UNLIMITED;
}

static bool tightest(const void *stand, struct fl_workload w, struct fl_resource r,
		     struct fl_live_room *ret)
{
	const struct stand *s = stand;
	const struct fl_tree *t = s->ledger.tree;
	struct fl_node n = s->m->workloads[w.v].cluster_queue;
	struct fl_live_room room;
	bool has = false;

	if (n.v == FL_NONE || t->root[n.v] == FL_NONE)
		return false;
	for (;; n = fl_tree_parent(t, n)) {
		if (room_at(s, n, w, r, &room))
			fl_live_room_tighten(ret, &has, &room);
		if (!fl_tree_has_parent(t, n))
			return has;
	}
}

/* --- the machine --- */

/* The nominal quotas of queues and cohorts other than @rest in a flavor and resource. */
static fl_amount promised(const struct fl_live_view *v, struct fl_node rest,
			  const struct fl_explain_spare *of)
{
	const struct fl_tree *t = fl_borrow_tree(v->policy);
	fl_amount sum = 0;

	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node n = { t->order[i] };
		struct fl_column c = fl_tree_column(t, n, of->flavor, of->resource);

		if (n.v != rest.v && c.v != FL_NONE)
			sum = fl_quota_add(sum, t->nominal[fl_tree_cell(t, n, c)]);
	}
	return sum;
}

static struct fl_flavor flavor_of(const struct fl_model *m, const char *name)
{
	static const struct fl_sym no_namespace = { 0 };
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	return (struct fl_flavor){ sym.v == FL_NONE ?
					   FL_NONE :
					   fl_table_find(m, FL_TABLE_FLAVOR, no_namespace, sym) };
}

static int machine(const struct fl_live_view *v, struct fl_arena *arena,
		   struct fl_explain_machine *ret, fairlead_error *err)
{
	const struct fl_model *m = v->model;
	const struct fl_capacity *capacity = v->of.capacity;
	struct fl_explain_spare *rows = fl_arena_alloc(arena, capacity->n, sizeof *rows, err);

	if (!rows)
		return FAIRLEAD_ENOMEM;
	ret->spare = rows;
	if (m->daemon.cohort.v != 0)
		ret->rest = fl_model_find_node(m, FL_COHORT, fl_model_text(m, m->daemon.cohort));
	for (uint32_t i = 0; i < capacity->n; i++) {
		const struct fl_capacity_row *has = &capacity->rows[i];
		struct fl_explain_spare *row = &rows[ret->n];

		row->flavor = flavor_of(m, has->flavor);
		row->resource = fl_model_find_resource(m, has->resource);
		if (row->flavor.v == FL_NONE || row->resource.v == FL_NONE)
			continue;
		row->amount = fl_quota_sub(has->amount, promised(v, ret->rest, row));
		row->beyond = row->amount < 0 ? fl_quota_sub(0, row->amount) : 0;
		row->amount = row->amount < 0 ? 0 : row->amount;
		ret->n++;
	}
	return 0;
}

extern const struct fl_daemon_face fl_borrow_daemon;
const struct fl_daemon_face fl_borrow_daemon = {
	.look = look,
	.figures = figures,
	.resources = resources,
	.share = share,
	.tightest = tightest,
	.machine = machine,
};
