/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/common/plan_report.h"
#include "report/common/what_if_report.h"
#include "report/out/placement_text.h"
#include "report/out/table.h"

enum { SHORT_LIST = 20, TEXT = 1024 };

/* One list of workloads: what they have in common, its heads, and how a row is
 * filled. */
struct section {
	unsigned what;
	const char *title;
	enum fl_style style;
	const char *heads[4]; /* behind WORKLOAD; NULL ends them */
	void (*fill)(const struct fl_what_if_report *w, const struct fl_pair *pair,
		     char cells[3][TEXT]);
};

/* What is admitted and preempted here is allocated and evicted there. */
static const char *word(const struct fl_what_if_report *w, const char *borrow)
{
	static const struct {
		const char *borrow, *entitle;
	} words[] = {
		{ "admitted", "allocated" },
		{ "preempted", "evicted" },
		{ "FLAVORS", "MACHINES" },
		{ "Admitted, and was not", "Allocated, and was not" },
		{ "No longer admitted", "No longer allocated" },
		{ "Admitted otherwise", "Allocated otherwise" },
		{ "Preempted, and was not", "Evicted, and was not" },
		{ "No longer preempted", "No longer evicted" },
	};

	for (unsigned i = 0; w->d->before->entitle && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(borrow, words[i].borrow) == 0)
			return words[i].entitle;
	return borrow;
}

static const char *queue_of(const struct fl_outcome *o, uint32_t w)
{
	struct fl_node n = o->workloads[w].queue;

	return n.v == FL_NONE ? "(none)" : fl_report_node(o->model, n);
}

static void put(char *cell, const char *text) { snprintf(cell, TEXT, "%s", text); }

static void placement(const struct fl_report *r, const struct fl_outcome *o, uint32_t w,
		      char pods[32], char *text)
{
	struct fl_span p = o->workloads[w].placement;
	int32_t n = 0;

	if (o->entitle) {
		fl_machines_text(o->model, o->placements + p.first, p.n, text, TEXT);
		for (uint32_t i = 0; i < p.n; i++)
			n += o->placements[p.first + i].count;
		snprintf(pods, 32, "%d", n);
		return;
	}
	fl_placement_text(r, (struct fl_workload){ w }, o->placements + p.first, p.n, pods, text,
			  TEXT);
}

static void fill_admitted(const struct fl_what_if_report *w, const struct fl_pair *pair,
			  char cells[3][TEXT])
{
	put(cells[0], queue_of(w->d->after, pair->after));
	placement(w->after, w->d->after, pair->after, cells[1], cells[2]);
}

static void fill_released(const struct fl_what_if_report *w, const struct fl_pair *pair,
			  char cells[3][TEXT])
{
	put(cells[0], queue_of(w->d->before, pair->before));
	fl_what_if_reason(w->after, w->d->after, pair->after, /* people= */ true, cells[1], TEXT);
}

/* "cpu: spot", with the pods, and the queue where that is another one. */
static void describe(const struct fl_report *r, const struct fl_outcome *o, uint32_t w,
		     char cell[TEXT])
{
	char text[TEXT], pods[32];

	placement(r, o, w, pods, text);
	snprintf(cell, TEXT, "%.300s, %s pod%s, %.600s", queue_of(o, w), pods,
		 strcmp(pods, "1") == 0 ? "" : "s", text);
}

static void fill_moved(const struct fl_what_if_report *w, const struct fl_pair *pair,
		       char cells[3][TEXT])
{
	describe(w->before, w->d->before, pair->before, cells[0]);
	describe(w->after, w->d->after, pair->after, cells[1]);
}

static void eviction(const struct fl_report *r, const struct fl_outcome *o, uint32_t w,
		     char cells[3][TEXT])
{
	const struct fl_outcome_workload *row = &o->workloads[w];
	char name[FL_REPORT_NAME];

	put(cells[0], queue_of(o, w));
	if (row->preemptor.v != FL_NONE)
		put(cells[1], fl_report_who(r, o->model, row->preemptor, name));
	put(cells[2], fl_reason_name(row->evicted_for));
}

static void fill_preempted(const struct fl_what_if_report *w, const struct fl_pair *pair,
			   char cells[3][TEXT])
{
	eviction(w->after, w->d->after, pair->after, cells);
}

static void fill_spared(const struct fl_what_if_report *w, const struct fl_pair *pair,
			char cells[3][TEXT])
{
	eviction(w->before, w->d->before, pair->before, cells);
}

static void fill_waits(const struct fl_what_if_report *w, const struct fl_pair *pair,
		       char cells[3][TEXT])
{
	const struct fl_outcome *o = w->d->before;

	put(cells[0], queue_of(w->d->after, pair->after));
	if (pair->before != FL_NONE && o->workloads[pair->before].waits)
		put(cells[1],
		    fl_reason_sentence(o->pending.rows[o->workloads[pair->before].pending].reason));
	fl_what_if_reason(w->after, w->d->after, pair->after, /* people= */ true, cells[2], TEXT);
}

static const struct section sections[] = {
	{ FL_DIFF_ADMITTED,
	  "Admitted, and was not",
	  FL_STYLE_GOOD,
	  { "QUEUE", "PODS", "FLAVORS" },
	  fill_admitted },
	{ FL_DIFF_RELEASED, "No longer admitted", FL_STYLE_BAD, { "QUEUE", "NOW" }, fill_released },
	{ FL_DIFF_MOVED, "Admitted otherwise", FL_STYLE_WARN, { "BEFORE", "AFTER" }, fill_moved },
	{ FL_DIFF_PREEMPTED,
	  "Preempted, and was not",
	  FL_STYLE_BAD,
	  { "QUEUE", "FOR", "REASON" },
	  fill_preempted },
	{ FL_DIFF_SPARED,
	  "No longer preempted",
	  FL_STYLE_GOOD,
	  { "QUEUE", "FOR", "REASON" },
	  fill_spared },
	{ FL_DIFF_WAITS,
	  "Waits newly, or for another reason",
	  FL_STYLE_WARN,
	  { "QUEUE", "BEFORE", "AFTER" },
	  fill_waits },
	{ FL_DIFF_LEFT, "No longer waits", FL_STYLE_WARN, { "QUEUE", "NOW" }, fill_released },
};

enum { N_SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static const char *name_of(const struct fl_what_if_report *w, const struct fl_pair *pair,
			   char name[FL_REPORT_NAME])
{
	bool there = pair->after != FL_NONE;

	return fl_report_who(w->after, there ? w->d->after->model : w->d->before->model,
			     (struct fl_workload){ there ? pair->after : pair->before }, name);
}

static int add_row(const struct fl_what_if_report *w, const struct section *s, struct fl_table *t,
		   const struct fl_pair *pair, fairlead_error *err)
{
	char cells[3][TEXT] = { "", "", "" }, name[FL_REPORT_NAME];
	int rc = fl_table_row(t, -1, err);

	s->fill(w, pair, cells);
	if (rc >= 0)
		rc = fl_table_cell(t, 0, name_of(w, pair, name), err);
	if (rc == 0)
		fl_table_style(t, 0, s->style);
	for (unsigned i = 0; i < 3 && s->heads[i] && rc == 0; i++)
		rc = fl_table_cell(t, i + 1, cells[i], err);
	return rc;
}

static int print_section(const struct fl_what_if_report *w, const struct section *s,
			 fairlead_error *err)
{
	const struct fl_report *r = w->after;
	struct fl_table *t = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->d->n_workloads; i++)
		n += (w->d->workloads[i].what & s->what) != 0;
	if (!n)
		return 0;
	fl_report_say(r, FL_STYLE_BOLD, 0, "%s: %u", word(w, s->title), n);
	int rc = fl_table_new(r, &t, err);
	if (rc == 0)
		rc = fl_table_column(t, "WORKLOAD", FL_COL_WRAP, 0, err);
	for (unsigned i = 0; i < 3 && s->heads[i] && rc == 0; i++)
		rc = fl_table_column(t, word(w, s->heads[i]),
				     strcmp(s->heads[i], "PODS") == 0  ? FL_COL_RIGHT :
				     strcmp(s->heads[i], "QUEUE") == 0 ? 0 :
									 FL_COL_WRAP,
				     strcmp(s->heads[i], "QUEUE") == 0 ? 1 : 0, err);
	uint32_t shown = 0;
	for (uint32_t i = 0; i < w->d->n_workloads && rc == 0; i++) {
		if (!(w->d->workloads[i].what & s->what))
			continue;
		if (shown == SHORT_LIST && !r->all)
			break;
		shown++;
		rc = add_row(w, s, t, &w->d->workloads[i], err);
	}
	if (rc == 0)
		rc = fl_table_print(t, 2, err);
	if (rc == 0 && n > shown)
		fl_report_say(r, FL_STYLE_DIM, 2, "... and %u more; --all lists them", n - shown);
	putc('\n', r->out);
	fl_table_free(t);
	return rc;
}

/* --- nodes --- */

static const char *share_of(const struct fl_outcome *o, uint32_t n, char buffer[32])
{
	if (n == FL_NONE)
		return "-";
	if (!o->nodes[n].active)
		return "inactive";
	return o->model->settings.fair_sharing ? fl_report_share(&o->nodes[n].share, buffer) : "-";
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

static const char *amount_text(const struct fl_report *r, const struct fl_ledger_cell *c,
			       fl_amount v, char buffer[32])
{
	return v == FL_NO_LIMIT ? "unlimited" : fl_report_amount(r, c->resource, v, buffer);
}

/* "4", or "4 -> 8" where that changes. */
static void amounts(const struct fl_what_if_report *w, const struct fl_cell_pair *cell,
		    size_t offset, char text[96])
{
	char a[32], b[32];
	const char *x = "-", *y = "-";
	fl_amount v;

	if (cell->before) {
		memcpy(&v, (const char *)cell->before + offset, sizeof(v));
		x = amount_text(w->before, cell->before, v, a);
	}
	if (cell->after) {
		memcpy(&v, (const char *)cell->after + offset, sizeof(v));
		y = amount_text(w->after, cell->after, v, b);
	}
	if (strcmp(x, y) == 0)
		snprintf(text, 96, "%s", x);
	else
		snprintf(text, 96, "%s -> %s", x, y);
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

/* --- the whole --- */

static void say_changes(const struct fl_what_if_report *w)
{
	const struct fl_report *r = w->after;

	fl_report_say(r, FL_STYLE_BOLD, 0, "The change:");
	for (uint32_t i = 0; i < w->n_changes; i++) {
		const struct fl_what_if_change *c = &w->changes[i];

		if (c->file)
			fl_report_say(r, FL_STYLE_PLAIN, 2, "%s %s (%s:%u)", c->what, c->object,
				      c->file, c->line);
		else
			fl_report_say(r, FL_STYLE_PLAIN, 2, "%s %s", c->what, c->object);
	}
	putc('\n', r->out);
}

static void say_side(const struct fl_what_if_report *w, const char *when, const struct fl_report *r,
		     const struct fl_outcome *o)
{
	const struct fl_settle_result *s = &o->result;
	uint32_t holds, waits, evicted;
	char name[FL_REPORT_NAME];

	fl_what_if_count(o, &holds, &waits, &evicted);
	fl_report_say(r, FL_STYLE_PLAIN, 0, "%s: %u %s, %u wait%s, %u %s on the way.", when, holds,
		      word(w, "admitted"), waits, waits == 1 ? "s" : "", evicted,
		      word(w, "preempted"));
	if (!s->loop_first) {
		if (!s->settled)
			fl_report_say(r, FL_STYLE_WARN, 2,
				      "Not settled after %u cycles, the limit.", w->limit);
		return;
	}
	fl_report_say(r, FL_STYLE_BAD, 2,
		      "Never settles: cycles %u to %u repeat for ever. Taking turns:",
		      s->loop_first, s->loop_first + s->loop_period - 1);
	for (uint32_t i = 0; i < o->model->n_workloads; i++) {
		struct fl_workload who = { o->pending.order[i] };

		if (o->workloads[who.v].loops)
			fl_report_say(r, FL_STYLE_BAD, 4, "%s",
				      fl_report_who(r, o->model, who, name));
	}
}

static void say_condition(const struct fl_what_if_report *w)
{
	const struct fl_report *r = w->after;

	if (!w->condition)
		return;
	fl_report_say(r, w->fails ? FL_STYLE_BAD : FL_STYLE_GOOD, 0, "%s: %s",
		      w->fails ? "Fails, for it is true" : "Does not fail, for it is not true",
		      w->condition);
	for (uint32_t i = 0; i < w->n_parts; i++)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "%s: %s (%s %s %s)",
			      w->parts[i].holds ? "true" : "not true", w->parts[i].text,
			      w->parts[i].left, w->parts[i].op, w->parts[i].right);
	putc('\n', r->out);
}

int fl_what_if_text(const struct fl_what_if_report *w, fairlead_error *err)
{
	const struct fl_report *r = w->after;
	int rc = 0;

	say_changes(w);
	say_side(w, "Before", w->before, w->d->before);
	say_side(w, "After", w->after, w->d->after);
	putc('\n', r->out);
	if (!w->d->any) {
		fl_report_say(r, FL_STYLE_BOLD, 0, "Nothing would be different.");
		putc('\n', r->out);
	}
	for (unsigned i = 0; i < N_SECTIONS && rc == 0; i++)
		rc = print_section(w, &sections[i], err);
	if (rc == 0 && w->d->before->entitle)
		rc = fl_entitle_what_if_queues(w, err);
	if (rc == 0 && !w->d->before->entitle)
		rc = print_shares(w, err);
	if (rc == 0 && !w->d->before->entitle)
		rc = print_cells(w, err);
	if (rc < 0)
		return rc;
	say_condition(w);
	fl_report_assumptions(r);
	return 0;
}
