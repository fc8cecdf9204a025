/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/common/face.h"
#include "report/out/table.h"

enum { SHORT_LIST = 20, TEXT = 1024 };

/* One list of workloads: what they have in common, its heads, and how a row is
 * filled. */
struct section {
	unsigned what;
	enum fl_style style;
	const char *heads[4]; /* behind WORKLOAD; NULL ends them */
	void (*fill)(const struct fl_what_if_report *w, const struct fl_pair *pair,
		     char cells[3][TEXT]);
};

/* Replaced by the face's head of what is held. */
static const char held[] = "";

static const char *queue_of(const struct fl_outcome *o, uint32_t w)
{
	struct fl_node n = o->workloads[w].queue;

	return n.v == FL_NONE ? "(none)" : fl_report_node(o->model, n);
}

static void put(char *cell, const char *text) { snprintf(cell, TEXT, "%s", text); }

/* What @w holds on one side: pods, and flavors or machines. */
static void placement(const struct fl_what_if_report *x, bool after, uint32_t w, char pods[32],
		      char text[TEXT])
{
	const struct fl_outcome *o = after ? x->d->after : x->d->before;
	struct fl_span p = o->workloads[w].placement;

	x->face->held_text(after ? x->after : x->before, o->model, (struct fl_workload){ w },
			   o->placements + p.first, p.n, pods, text, TEXT);
}

static void fill_admitted(const struct fl_what_if_report *w, const struct fl_pair *pair,
			  char cells[3][TEXT])
{
	put(cells[0], queue_of(w->d->after, pair->after));
	placement(w, /* after= */ true, pair->after, cells[1], cells[2]);
}

static void fill_released(const struct fl_what_if_report *w, const struct fl_pair *pair,
			  char cells[3][TEXT])
{
	put(cells[0], queue_of(w->d->before, pair->before));
	fl_what_if_reason(w, /* after= */ true, pair->after, /* people= */ true, cells[1], TEXT);
}

/* "cpu: spot", with the pods, and the queue where that is another one. */
static void describe(const struct fl_what_if_report *x, bool after, uint32_t w, char cell[TEXT])
{
	const struct fl_outcome *o = after ? x->d->after : x->d->before;
	char text[TEXT], pods[32];

	placement(x, after, w, pods, text);
	snprintf(cell, TEXT, "%.300s, %s pod%s, %.600s", queue_of(o, w), pods,
		 strcmp(pods, "1") == 0 ? "" : "s", text);
}

static void fill_moved(const struct fl_what_if_report *w, const struct fl_pair *pair,
		       char cells[3][TEXT])
{
	describe(w, /* after= */ false, pair->before, cells[0]);
	describe(w, /* after= */ true, pair->after, cells[1]);
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
	fl_what_if_reason(w, /* after= */ true, pair->after, /* people= */ true, cells[2], TEXT);
}

static const struct section sections[FL_WHAT_IF_LISTS] = {
	[FL_LIST_ADMITTED] = { FL_DIFF_ADMITTED,
			       FL_STYLE_GOOD,
			       { "QUEUE", "PODS", held },
			       fill_admitted },
	[FL_LIST_RELEASED] = { FL_DIFF_RELEASED, FL_STYLE_BAD, { "QUEUE", "NOW" }, fill_released },
	[FL_LIST_MOVED] = { FL_DIFF_MOVED, FL_STYLE_WARN, { "BEFORE", "AFTER" }, fill_moved },
	[FL_LIST_EVICTED] = { FL_DIFF_PREEMPTED,
			      FL_STYLE_BAD,
			      { "QUEUE", "FOR", "REASON" },
			      fill_preempted },
	[FL_LIST_SPARED] = { FL_DIFF_SPARED,
			     FL_STYLE_GOOD,
			     { "QUEUE", "FOR", "REASON" },
			     fill_spared },
	[FL_LIST_WAITS] = { FL_DIFF_WAITS,
			    FL_STYLE_WARN,
			    { "QUEUE", "BEFORE", "AFTER" },
			    fill_waits },
	[FL_LIST_LEFT] = { FL_DIFF_LEFT, FL_STYLE_WARN, { "QUEUE", "NOW" }, fill_released },
};

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

static int print_section(const struct fl_what_if_report *w, enum fl_what_if_list list,
			 fairlead_error *err)
{
	const struct section *s = &sections[list];
	const struct fl_report *r = w->after;
	struct fl_table *t = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->d->n_workloads; i++)
		n += (w->d->workloads[i].what & s->what) != 0;
	if (!n)
		return 0;
	fl_report_say(r, FL_STYLE_BOLD, 0, "%s: %u", w->face->titles[list], n);
	int rc = fl_table_new(r, &t, err);
	if (rc == 0)
		rc = fl_table_column(t, "WORKLOAD", FL_COL_WRAP, 0, err);
	for (unsigned i = 0; i < 3 && s->heads[i] && rc == 0; i++)
		rc = fl_table_column(t, s->heads[i] == held ? w->face->held : s->heads[i],
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

/* --- the whole --- */

static void say_changes(const struct fl_what_if_report *w)
{
	const struct fl_report *r = w->after;

	fl_report_say(r, FL_STYLE_BOLD, 0, "The change:");
	for (uint32_t i = 0; i < w->n_changes; i++) {
		const struct fl_what_if_change *c = &w->changes[i];
		/* It is merged, so nothing else of it is replaced. */
		const char *what = strcmp(c->what, "replace") == 0 ? "change" : c->what;

		if (c->file)
			fl_report_say(r, FL_STYLE_PLAIN, 2, "%s %s (%s:%u)", what, c->object,
				      c->file, c->line);
		else if (strcmp(what, "set") != 0)
			fl_report_say(r, FL_STYLE_PLAIN, 2, "%s %s", what, c->object);
		for (uint32_t k = 0; k < c->n_sets; k++)
			fl_report_say(r, FL_STYLE_PLAIN, 2, "set %s: %s", c->object, c->sets[k]);
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
		      w->face->admitted, waits, waits == 1 ? "s" : "", evicted, w->face->evicted);
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
		      w->fails ? "Fails, because it is true" :
				 "Does not fail, because it is not true",
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

	if (w->face->headline)
		w->face->headline(r);
	say_changes(w);
	say_side(w, "Before", w->before, w->d->before);
	say_side(w, "After", w->after, w->d->after);
	putc('\n', r->out);
	if (!w->d->any) {
		fl_report_say(r, FL_STYLE_BOLD, 0, "Nothing would be different.");
		putc('\n', r->out);
	}
	for (int i = 0; i < FL_WHAT_IF_LISTS && rc == 0; i++)
		rc = print_section(w, (enum fl_what_if_list)i, err);
	if (rc == 0)
		rc = w->face->nodes_text(w, err);
	if (rc < 0)
		return rc;
	say_condition(w);
	fl_report_assumptions(r);
	return 0;
}
