/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "report/borrow/tree_report.h"
#include "report/out/table.h"

enum { NODE, FLAVOR, RESOURCE, QUOTA, OWN, USED, BORROWED, LENT, FREE, SHARE, WAITING };

struct out {
	const struct fl_report *report;
	const struct fl_tree_report *tree;
	struct fl_table *table;
	int *row_of; /* by node */
	uint32_t *ids, *scratch;
};

static int add_columns(const struct out *o, fairlead_error *err)
{
	static const struct {
		const char *head;
		unsigned flags, give_up;
	} columns[] = {
		[NODE] = { "QUEUE", FL_COL_TREE, 0 },
		[FLAVOR] = { "FLAVOR", 0, 0 },
		[RESOURCE] = { "RESOURCE", 0, 0 },
		[QUOTA] = { "QUOTA", FL_COL_RIGHT, 0 },
		[OWN] = { "OWN", FL_COL_RIGHT, 1 },
		[USED] = { "USED", FL_COL_RIGHT, 0 },
		[BORROWED] = { "BORROWED", FL_COL_RIGHT, 5 },
		[LENT] = { "LENT", FL_COL_RIGHT, 4 },
		[FREE] = { "AVAILABLE", FL_COL_RIGHT, 0 },
		[SHARE] = { "SHARE", FL_COL_RIGHT, 3 },
		[WAITING] = { "WAITING", FL_COL_RIGHT, 2 },
	};

	for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		int rc = fl_table_column(o->table, columns[i].head, columns[i].flags,
					 columns[i].give_up, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int add_cell(const struct out *o, const struct fl_ledger_cell *c, bool new_flavor,
		    fairlead_error *err)
{
	const struct fl_model *m = o->report->model;
	static const unsigned columns[] = { QUOTA, OWN, USED, LENT, FREE, BORROWED };
	bool limited = c->borrowed && c->borrowing_limit != FL_NO_LIMIT;
	const fl_amount amounts[] = { c->subtree,   c->nominal,  c->usage,          c->lent,
				      c->available, c->borrowed, c->borrowing_limit };
	char texts[7][32], both[72];

	fl_report_amounts(o->report, c->resource, amounts, limited ? 7 : 6, texts);
	int rc = fl_table_line(o->table, FLAVOR, new_flavor ? fl_report_flavor(m, c->flavor) : "",
			       err);
	if (rc == 0)
		rc = fl_table_line(o->table, RESOURCE, fl_report_short_resource(m, c->resource),
				   err);
	for (unsigned i = 0; rc == 0 && i < 6; i++) {
		/* Zero is dimmed, so that other numbers stand out. */
		const char *text = amounts[i] == 0 ? "-" : texts[i];

		if (columns[i] == BORROWED && limited) {
			snprintf(both, sizeof(both), "%.31s/%.31s", texts[i], texts[6]);
			text = both;
		}
		rc = fl_table_line(o->table, columns[i], text, err);
	}
	return rc;
}

/* Columns in the order of flavors and resources by name, whatever the tree's numbering. */
static int cmp_columns(const struct fl_model *m, const struct fl_column_info *a,
		       const struct fl_column_info *b)
{
	int d = fl_names_cmp(&m->names, m->flavors[a->flavor.v].name, m->flavors[b->flavor.v].name);

	return d ? d : (a->resource.v > b->resource.v) - (a->resource.v < b->resource.v);
}

static uint32_t next_column(const struct fl_model *m, const struct fl_tree_root *root,
			    uint32_t last)
{
	uint32_t best = FL_NONE;

	for (uint32_t c = 0; c < root->n_columns; c++) {
		if (last != FL_NONE && cmp_columns(m, &root->columns[c], &root->columns[last]) <= 0)
			continue;
		if (best == FL_NONE || cmp_columns(m, &root->columns[c], &root->columns[best]) < 0)
			best = c;
	}
	return best;
}

static int add_amounts(const struct out *o, struct fl_node n, fairlead_error *err)
{
	const struct fl_ledger *l = o->tree->ledger;
	const struct fl_tree_root *root = fl_tree_root_of(l->tree, n);
	uint32_t flavor = FL_NONE;
	int rc = 0;

	for (uint32_t c = next_column(o->report->model, root, FL_NONE); c != FL_NONE && rc == 0;
	     c = next_column(o->report->model, root, c)) {
		struct fl_ledger_cell cell;

		if (!fl_ledger_cell(l, n, c, &cell))
			continue;
		rc = add_cell(o, &cell, cell.flavor.v != flavor, err);
		flavor = cell.flavor.v;
	}
	return rc;
}

static int add_node(const struct out *o, struct fl_node n, fairlead_error *err)
{
	const struct fl_model *m = o->report->model;
	const struct fl_tree *t = o->tree->ledger->tree;
	bool below = n.v != o->tree->top.v && fl_tree_has_parent(t, n);
	char text[32];

	int row = fl_table_row(o->table, below ? o->row_of[t->parent[n.v]] : -1, err);
	if (row < 0)
		return row;
	o->row_of[n.v] = row;
	int rc = fl_table_line(o->table, NODE, fl_report_node(m, n), err);
	if (rc == 0 && m->nodes[n.v].inactive != FL_ACTIVE) {
		rc = fl_table_line(o->table, NODE, "(inactive)", err);
		fl_table_style(o->table, NODE, FL_STYLE_WARN);
	} else if (m->nodes[n.v].kind == FL_COHORT) {
		fl_table_style(o->table, NODE, FL_STYLE_BOLD);
	}
	if (rc == 0 && o->tree->shares && fl_tree_has_parent(t, n) &&
	    m->nodes[n.v].inactive == FL_ACTIVE)
		rc = fl_table_cell(o->table, SHARE, fl_report_share(&o->tree->shares[n.v], text),
				   err);
	if (rc == 0 && o->tree->waiting[n.v]) {
		snprintf(text, sizeof(text), "%u", o->tree->waiting[n.v]);
		rc = fl_table_cell(o->table, WAITING, text, err);
	}
	return rc < 0 ? rc : add_amounts(o, n, err);
}

static int print_table(struct out *o, fairlead_error *err)
{
	const struct fl_tree *t = o->tree->ledger->tree;
	uint32_t n = fl_tree_walk(o->report, t, o->tree->top, o->ids, o->scratch);
	int rc = add_columns(o, err);

	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = add_node(o, (struct fl_node){ o->ids[i] }, err);
	return rc < 0 ? rc : fl_table_print(o->table, 0, err);
}

/* Nodes that are in no tree, and why nodes are inactive. */
static void print_inactive(const struct fl_report *r, const struct fl_tree_report *t)
{
	const struct fl_model *m = r->model;
	char why[320];

	if (t->top.v != FL_NONE)
		return;
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		struct fl_node n = { i };

		if (m->nodes[i].inactive == FL_ACTIVE)
			continue;
		fl_report_say(r, FL_STYLE_WARN, 0, "%s %s is inactive: %s", fl_report_kind(m, n),
			      fl_report_node(m, n), fl_report_why_inactive(m, n, why));
	}
}

int fl_tree_text(const struct fl_report *r, const struct fl_tree_report *t, fairlead_error *err)
{
	uint32_t n = r->model->n_nodes + 1;
	struct out o = {
		.report = r,
		.tree = t,
		.row_of = calloc(n, sizeof(int)),
		.ids = calloc(n, sizeof(uint32_t)),
		.scratch = calloc((size_t)n * 3, sizeof(uint32_t)),
	};
	int rc = 0;

	fl_report_warnings(r);
	if (!o.row_of || !o.ids || !o.scratch)
		rc = fl_fail_nomem(err);
	if (rc == 0)
		rc = fl_table_new(r, &o.table, err);
	if (rc == 0)
		rc = print_table(&o, err);
	if (rc == 0)
		print_inactive(r, t);
	fl_table_free(o.table);
	free(o.row_of);
	free(o.ids);
	free(o.scratch);
	return rc;
}
