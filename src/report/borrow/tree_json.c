/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "report/borrow/tree_report.h"
#include "report/out/json.h"
#include "report/out/report_json.h"

static void put_amount(struct fl_json *j, const char *key, fl_amount v)
{
	if (v == FL_UNLIMITED)
		fl_json_text(j, key, "unlimited");
	else
		fl_json_int(j, key, v);
}

static void put_limit(struct fl_json *j, const char *key, fl_amount v)
{
	if (v != FL_NO_LIMIT)
		put_amount(j, key, v);
}

static void put_cell(struct fl_json *j, const struct fl_model *m, const struct fl_ledger_cell *c)
{
	fl_json_object(j, NULL);
	fl_json_text(j, "flavor", fl_report_flavor(m, c->flavor));
	fl_json_text(j, "resource", fl_report_resource(m, c->resource));
	put_amount(j, "nominal", c->nominal);
	put_amount(j, "subtree", c->subtree);
	put_limit(j, "borrowingLimit", c->borrowing_limit);
	put_limit(j, "lendingLimit", c->lending_limit);
	fl_json_int(j, "usage", c->usage);
	fl_json_int(j, "borrowed", c->borrowed);
	fl_json_int(j, "lent", c->lent);
	put_amount(j, "available", c->available);
	fl_json_end_object(j);
}

static void put_quota(struct fl_json *j, const struct fl_report *r, const struct fl_ledger *l,
		      struct fl_node n)
{
	uint32_t columns = l->tree->root[n.v] == FL_NONE ? 0 :
							   fl_tree_root_of(l->tree, n)->n_columns;

	fl_json_list(j, "quota");
	for (uint32_t c = 0; c < columns; c++) {
		struct fl_ledger_cell cell;

		if (fl_ledger_cell(l, n, c, &cell))
			put_cell(j, r->model, &cell);
	}
	fl_json_end_list(j);
}

static void put_share(struct fl_json *j, const struct fl_report *r, const struct fl_share *s)
{
	char text[32];

	fl_json_object(j, "share");
	fl_json_text(j, "weightedShare", fl_report_share(s, text));
	fl_json_text(j, "precise", fl_report_precise(s, text));
	if (s->dominant.v != FL_NONE)
		fl_json_text(j, "dominantResource", fl_report_resource(r->model, s->dominant));
	fl_json_bool(j, "borrowing", s->borrowing);
	fl_json_end_object(j);
}

static void put_node(struct fl_json *j, const struct fl_report *r, const struct fl_tree_report *t,
		     struct fl_node n)
{
	const struct fl_model *m = r->model;
	const struct fl_node_row *row = &m->nodes[n.v];
	char text[320];

	fl_json_object(j, NULL);
	fl_json_text(j, "kind", fl_report_kind(m, n));
	fl_json_text(j, "name", fl_report_node(m, n));
	if (row->parent.v != FL_NONE)
		fl_json_text(j, "parent", fl_report_node(m, row->parent));
	fl_json_bool(j, "declared", row->declared);
	snprintf(text, sizeof(text), "%.17g", row->weight);
	fl_json_text(j, "weight", text);
	if (row->inactive != FL_ACTIVE) {
		fl_json_text(j, "inactive", fl_inactive_name(row->inactive));
		fl_json_text(j, "message", fl_report_why_inactive(m, n, text));
	}
	if (row->kind == FL_CLUSTER_QUEUE) {
		fl_json_int(j, "admittedWorkloads", t->running[n.v]);
		fl_json_int(j, "pendingWorkloads", t->waiting[n.v]);
	}
	put_quota(j, r, t->ledger, n);
	if (t->shares && row->inactive == FL_ACTIVE)
		put_share(j, r, &t->shares[n.v]);
	fl_json_end_object(j);
}

int fl_tree_json(const struct fl_report *r, const struct fl_tree_report *t, fairlead_error *err)
{
	const struct fl_tree *tree = t->ledger->tree;
	uint32_t n_nodes = r->model->n_nodes + 1;
	uint32_t *ids = calloc(n_nodes, sizeof(*ids)),
		 *scratch = calloc((size_t)n_nodes * 3, sizeof(*scratch));
	struct fl_json j;

	if (!ids || !scratch) {
		free(ids);
		free(scratch);
		return fl_fail_nomem(err);
	}
	fl_json_start(&j, r, "Tree", t->policy);
	fl_json_list(&j, "nodes");
	uint32_t n = fl_tree_walk(r, tree, t->top, ids, scratch);
	for (uint32_t i = 0; i < n; i++)
		put_node(&j, r, t, (struct fl_node){ ids[i] });
	for (uint32_t i = 0; t->top.v == FL_NONE && i < r->model->n_nodes; i++)
		if (tree->root[i] == FL_NONE)
			put_node(&j, r, t, (struct fl_node){ i });
	fl_json_end_list(&j);
	fl_json_finish(&j);
	free(ids);
	free(scratch);
	return 0;
}
