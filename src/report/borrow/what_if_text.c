/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and cohorts of the borrow policy in a what-if, for people. */
#include <string.h>

#include "ask/borrow/outcome.h"
#include "report/borrow/face.h"
#include "report/out/table.h"

enum { SHORT_LIST = 20 };

static const char *share_of(const struct fl_outcome *o, uint32_t n, char buffer[32])
{
	if (n == FL_NONE)
		return "-";
	if (!o->nodes[n].active)
		return "inactive";
	return o->model->settings.fair_sharing ?
		       fl_report_share(&fl_borrow_stand(o)->shares[n], buffer) :
		       "-";
}

static int print_shares(const struct fl_what_if_report *w, fairlead_error *err)
{
	const struct fl_difference *d = w->d;
	struct fl_table *t = NULL;
	bool any = false;

	for (uint32_t i = 0; i < d->n_nodes; i++)
		any |= (d->nodes[i].what & FL_DIFF_SHARE) != 0;
	if (!any)
		return 0;
	fl_report_say(w->after, FL_STYLE_BOLD, 0, "Shares:");
	int rc = fl_table_new(w->after, &t, err);
	if (rc == 0)
		rc = fl_table_column(t, "NODE", FL_COL_WRAP, 0, err);
	if (rc == 0)
		rc = fl_table_column(t, "BEFORE", FL_COL_RIGHT, 0, err);
	if (rc == 0)
		rc = fl_table_column(t, "AFTER", FL_COL_RIGHT, 0, err);
	for (uint32_t i = 0; i < d->n_nodes && rc == 0; i++) {
		const struct fl_pair *pair = &d->nodes[i];
		char text[32];

		if (!(pair->what & FL_DIFF_SHARE))
			continue;
		rc = fl_table_row(t, -1, err);
		if (rc >= 0)
			rc = fl_table_cell(t, 0,
					   fl_report_node(d->after->model,
							  (struct fl_node){ pair->after }),
					   err);
		if (rc == 0)
			rc = fl_table_cell(t, 1, share_of(d->before, pair->before, text), err);
		if (rc == 0)
			rc = fl_table_cell(t, 2, share_of(d->after, pair->after, text), err);
	}
	if (rc == 0)
		rc = fl_table_print(t, 2, err);
	putc('\n', w->after->out);
	fl_table_free(t);
	return rc;
}

/* "4", or "4 -> 8" where that changes. */
static void amounts(const struct fl_what_if_report *w, const struct fl_cell_pair *cell,
		    size_t offset, char text[96])
{
	const struct fl_ledger_cell *sides[] = { cell->before, cell->after };
	const struct fl_report *r = cell->after ? w->after : w->before;
	fl_amount v[2] = { 0 };
	char said[2][32];

	for (int i = 0; i < 2; i++) {
		if (sides[i])
			memcpy(&v[i], (const char *)sides[i] + offset, sizeof(v[i]));
		if (v[i] == FL_NO_LIMIT)
			v[i] = FL_UNLIMITED;
	}
	fl_report_amounts(r, sides[sides[1] != NULL]->resource, v, 2, said);
	for (int i = 0; i < 2; i++)
		if (!sides[i])
			strcpy(said[i], "-");
	if (strcmp(said[0], said[1]) == 0)
		snprintf(text, 96, "%s", said[0]);
	else
		snprintf(text, 96, "%s -> %s", said[0], said[1]);
}

static const struct {
	const char *head;
	size_t offset;
	unsigned give_up;
} columns[] = {
	{ "QUOTA", offsetof(struct fl_ledger_cell, nominal), 0 },
	{ "MAY BORROW", offsetof(struct fl_ledger_cell, borrowing_limit), 1 },
	{ "MAY LEND", offsetof(struct fl_ledger_cell, lending_limit), 2 },
	{ "USAGE", offsetof(struct fl_ledger_cell, usage), 0 },
	{ "BORROWED", offsetof(struct fl_ledger_cell, borrowed), 3 },
};

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int add_cell(const struct fl_what_if_report *w, struct fl_table *t,
		    const struct fl_pair *pair, const struct fl_cell_pair *cell,
		    fairlead_error *err)
{
	const struct fl_report *r = cell->after ? w->after : w->before;
	const struct fl_ledger_cell *c = cell->after ? cell->after : cell->before;
	uint32_t n = cell->after ? pair->after : pair->before;
	char text[96];
	int rc = fl_table_row(t, -1, err);

	if (rc >= 0)
		rc = fl_table_cell(t, 0, fl_report_node(r->model, (struct fl_node){ n }), err);
	if (rc == 0)
		rc = fl_table_cell(t, 1, fl_report_flavor(r->model, c->flavor), err);
	if (rc == 0)
		rc = fl_table_cell(t, 2, fl_report_short_resource(r->model, c->resource), err);
	for (unsigned i = 0; i < N_COLUMNS && rc == 0; i++) {
		amounts(w, cell, columns[i].offset, text);
		rc = fl_table_cell(t, i + 3, text, err);
	}
	return rc;
}

static int print_cells(const struct fl_what_if_report *w, fairlead_error *err)
{
	const struct fl_difference *d = w->d;
	struct fl_table *t = NULL;
	uint32_t n = 0, rest = 0;

	int rc = fl_table_new(w->after, &t, err);
	for (unsigned i = 0; i < 3 && rc == 0; i++) {
		static const char *const heads[] = { "NODE", "FLAVOR", "RESOURCE" };

		rc = fl_table_column(t, heads[i], FL_COL_WRAP, 0, err);
	}
	for (unsigned i = 0; i < N_COLUMNS && rc == 0; i++)
		rc = fl_table_column(t, columns[i].head, FL_COL_RIGHT, columns[i].give_up, err);
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct fl_cell_walk walk = { 0 };
		struct fl_cell_pair cell;

		while (rc == 0 && fl_difference_cell(d, &d->nodes[i], &walk, &cell)) {
			if (!cell.differ)
				continue;
			if (n == 2 * SHORT_LIST && !w->after->all) {
				rest++;
				continue;
			}
			n++;
			rc = add_cell(w, t, &d->nodes[i], &cell, err);
		}
	}
	if (rc == 0 && n) {
		fl_report_say(w->after, FL_STYLE_BOLD, 0, "Quota and usage:");
		rc = fl_table_print(t, 2, err);
		if (rest)
			fl_report_say(w->after, FL_STYLE_DIM, 2,
				      "... and %u more; --all lists them", rest);
		putc('\n', w->after->out);
	}
	fl_table_free(t);
	return rc;
}

int fl_borrow_what_if_text(const struct fl_what_if_report *w, fairlead_error *err)
{
	int rc = print_shares(w, err);

	return rc < 0 ? rc : print_cells(w, err);
}
