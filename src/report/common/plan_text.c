/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/common/face.h"
#include "report/out/table.h"
#include "report/prove/prove_report.h"

enum { SHORT_LIST = 20 }; /* longer lists are cut, unless all was asked for */

struct out {
	const struct fl_report *report;
	const struct fl_plan_answer *answer;
};

static void say_rest(const struct out *o, uint32_t rest)
{
	if (rest)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more; --all lists them",
			      rest);
}

static int add_row(const struct out *o, const struct fl_plan_table *what, struct fl_table *t,
		   const struct fl_plan_row *row, fairlead_error *err)
{
	char name[FL_REPORT_NAME], cells[4][FL_PLAN_CELL] = { "", "", "", "" };
	int rc = fl_table_row(t, -1, err);

	if (rc >= 0)
		rc = fl_table_cell(
			t, 0, fl_report_who(o->report, o->report->model, row->workload, name), err);
	what->fill(o->report, o->answer->log, row, cells);
	for (unsigned c = 1; c < what->n_columns && rc == 0; c++)
		rc = fl_table_cell(t, c, cells[c - 1], err);
	if (rc == 0)
		fl_table_style(t, 0, what->style);
	return rc;
}

/* The decisions of one kind in rows [first, end), as a table. */
static int print_decisions(const struct out *o, uint32_t first, uint32_t end,
			   const struct fl_plan_table *what, fairlead_error *err)
{
	struct fl_table *t = NULL;
	uint32_t n = 0, rest = 0;

	int rc = fl_table_new(o->report, &t, err);
	for (unsigned c = 0; c < what->n_columns && rc == 0; c++)
		rc = fl_table_column(t, what->heads[c], what->flags[c], c == 1 ? 1 : 0, err);
	for (uint32_t i = first; i < end && rc == 0; i++) {
		const struct fl_plan_row *row = &o->answer->log->rows[i];

		if (row->kind != what->kind)
			continue;
		if (n == SHORT_LIST && !o->report->all) {
			rest++;
			continue;
		}
		n++;
		rc = add_row(o, what, t, row, err);
	}
	if (rc == 0 && n)
		rc = fl_table_print(t, 2, err);
	if (rc == 0)
		say_rest(o, rest);
	fl_table_free(t);
	return rc;
}

/* "Cycle 1: 2 admitted, 1 preempted": the first two kinds always, others where there are any. */
static void say_cycle(const struct out *o, uint32_t first, uint32_t end)
{
	const struct fl_plan_log *log = o->answer->log;
	char text[160];
	const struct fl_plan_table *tables = o->answer->face->tables;
	unsigned n_tables = o->answer->face->n_tables;
	int at = snprintf(text, sizeof(text), "Cycle %u:", log->rows[first].cycle);

	for (unsigned t = 0; t < n_tables; t++) {
		uint32_t n = 0;

		for (uint32_t i = first; i < end; i++)
			n += log->rows[i].kind == tables[t].kind;
		if (n || t < 2)
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s %u %s",
				       t ? "," : "", n, tables[t].counted);
	}
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "%s", text);
}

static int print_cycles(const struct out *o, fairlead_error *err)
{
	const struct fl_plan_log *log = o->answer->log;
	const struct fl_plan_table *tables = o->answer->face->tables;
	unsigned n_tables = o->answer->face->n_tables;
	int rc = 0;

	for (uint32_t i = 0, last; i < log->n_rows && rc == 0; i = last) {
		for (last = i; last < log->n_rows && log->rows[last].cycle == log->rows[i].cycle;)
			last++;
		say_cycle(o, i, last);
		for (unsigned t = 0; t < n_tables && rc == 0; t++)
			rc = print_decisions(o, i, last, &tables[t], err);
		putc('\n', o->report->out);
	}
	if (log->n_rows == 0) {
		fl_report_say(o->report, FL_STYLE_BOLD, 0, "%s", o->answer->face->nothing);
		putc('\n', o->report->out);
	}
	return rc;
}

struct by_group {
	const struct fl_model *model;
	const struct fl_pending *rows;
};

/* By queue, then reason, then the order in which the queue takes them. */
static int cmp_pending(const void *ctx, uint32_t a, uint32_t b)
{
	const struct by_group *o = ctx;
	const struct fl_pending *x = &o->rows[a], *y = &o->rows[b];
	const struct fl_workload_row *v = &o->model->workloads[x->workload.v];
	const struct fl_workload_row *w = &o->model->workloads[y->workload.v];

	if (x->cluster_queue.v != y->cluster_queue.v) {
		if (x->cluster_queue.v == FL_NONE || y->cluster_queue.v == FL_NONE)
			return x->cluster_queue.v == FL_NONE ? 1 : -1;
		return strcmp(fl_report_node(o->model, x->cluster_queue),
			      fl_report_node(o->model, y->cluster_queue));
	}
	if (x->head != y->head)
		return x->head ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	if (v->priority != w->priority)
		return v->priority > w->priority ? -1 : 1;
	if (v->created != w->created)
		return v->created < w->created ? -1 : 1;
	return (a > b) - (a < b); /* rows are by name */
}

/* @behind: how many of the @n only wait behind this one, which is the head; the reason is not theirs. */
static int add_group(const struct out *o, struct fl_table *t, const struct fl_pending *p,
		     uint32_t n, uint32_t behind, bool new_queue, fairlead_error *err)
{
	const struct fl_report *r = o->report;
	char name[FL_REPORT_NAME], text[1024], count[24];
	const char *queue = p->cluster_queue.v == FL_NONE ?
				    "(none)" :
				    fl_report_node(r->model, p->cluster_queue);

	int rc = fl_table_row(t, -1, err);
	if (rc >= 0)
		rc = fl_table_cell(t, 0, new_queue || r->all ? queue : "", err);
	snprintf(count, sizeof(count), "%u", n);
	if (rc == 0)
		rc = fl_table_cell(t, 1, r->all ? (p->head ? "head" : "") : count, err);
	if (rc == 0)
		rc = fl_table_cell(t, 2, fl_report_who(r, r->model, p->workload, name), err);
	if (rc == 0 && p->head)
		fl_table_style(t, 2, FL_STYLE_BOLD);
	fl_plan_message(r, o->answer->face, p, o->answer->why, /* people= */ true, text,
			sizeof(text));
	if (behind && strlen(text) < sizeof(text) - 64)
		snprintf(text + strlen(text), 64, "; %u more wait%s behind it", behind,
			 behind == 1 ? "s" : "");
	return rc == 0 ? fl_table_cell(t, 3, text, err) : rc;
}

/* Rows of one group: same queue, same reason, head or not. */
static uint32_t group_end(const struct fl_pending_list *pending, const uint32_t *order,
			  uint32_t first)
{
	const struct fl_pending *p = &pending->rows[order[first]];
	uint32_t i = first + 1;

	for (; i < pending->n; i++) {
		const struct fl_pending *q = &pending->rows[order[i]];

		if (q->cluster_queue.v != p->cluster_queue.v || q->reason != p->reason ||
		    q->head != p->head)
			break;
	}
	return i;
}

/* Workloads that wait only behind this head are counted with it. */
static uint32_t behind(const struct fl_pending_list *pending, const uint32_t *order, uint32_t head)
{
	struct fl_node queue = pending->rows[order[head]].cluster_queue;
	uint32_t n = 0;

	for (uint32_t i = head + 1; i < pending->n; i++) {
		const struct fl_pending *q = &pending->rows[order[i]];

		if (q->cluster_queue.v != queue.v)
			break;
		n += !q->head && q->reason == FL_REASON_BEHIND_HEAD;
	}
	return n;
}

static int add_groups(const struct out *o, struct fl_table *t, const uint32_t *order,
		      uint32_t *ret_rest, fairlead_error *err)
{
	const struct fl_pending_list *pending = o->answer->pending;
	uint32_t groups = 0, last, n, more;
	bool has_head = false;
	int rc = 0;

	for (uint32_t i = 0; i < pending->n && rc == 0; i = last) {
		const struct fl_pending *p = &pending->rows[order[i]];
		bool new_queue = i == 0 ||
				 pending->rows[order[i - 1]].cluster_queue.v != p->cluster_queue.v;

		last = o->report->all ? i + 1 : group_end(pending, order, i);
		n = last - i;
		more = 0;
		has_head = new_queue ? p->head : has_head;
		if (!o->report->all && has_head && p->head)
			more = behind(pending, order, i);
		else if (!o->report->all && has_head && p->reason == FL_REASON_BEHIND_HEAD)
			continue;
		if (++groups > 2 * SHORT_LIST && !o->report->all)
			*ret_rest += n + more;
		else
			rc = add_group(o, t, p, n + more, more, new_queue, err);
	}
	return rc;
}

static int print_pending(const struct out *o, fairlead_error *err)
{
	const struct fl_pending_list *pending = o->answer->pending;
	struct by_group by = { o->report->model, pending->rows };
	bool all = o->report->all;
	struct fl_table *t = NULL;
	uint32_t rest = 0;

	if (pending->n == 0) {
		fl_report_say(o->report, FL_STYLE_BOLD, 0, "No workload waits.");
		return 0;
	}
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "%u wait%s:", pending->n,
		      pending->n == 1 ? "s" : "");
	uint32_t *order = malloc(sizeof(*order) * pending->n * 2);
	if (!order)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < pending->n; i++)
		order[i] = i;
	if (!all)
		fl_sort(order, pending->n, order + pending->n, cmp_pending, &by);

	int rc = fl_table_new(o->report, &t, err);
	if (rc == 0)
		rc = fl_table_column(t, "QUEUE", 0, 0, err);
	if (rc == 0)
		rc = fl_table_column(t, all ? "" : "WAIT", all ? 0 : FL_COL_RIGHT, 1, err);
	if (rc == 0)
		rc = fl_table_column(t, all ? "WORKLOAD" : "FIRST", FL_COL_WRAP, 0, err);
	if (rc == 0)
		rc = fl_table_column(t, "WHY", FL_COL_WRAP, 0, err);
	if (rc == 0)
		rc = add_groups(o, t, order, &rest, err);
	if (rc == 0)
		rc = fl_table_print(t, 2, err);
	if (rc == 0)
		say_rest(o, rest);
	fl_table_free(t);
	free(order);
	return rc;
}

/* "Taking turns:", and the preemptions of a round. */
static int print_turns(const struct out *o, fairlead_error *err)
{
	const struct fl_report *r = o->report;
	const struct fl_plan_log *log = o->answer->log;
	const struct fl_settle_result *s = &o->answer->end->result;
	struct fl_workload *who = malloc(sizeof(*who) * 2 * (log->n_rows + 1));
	uint32_t *scratch = malloc(sizeof(*scratch) * 4 * (log->n_rows + 1));
	char name[2][FL_REPORT_NAME];
	uint32_t n = 0;
	int rc = 0;

	if (who && scratch)
		n = fl_plan_log_loop(log, r->model, s, who, scratch);
	else
		rc = fl_fail_nomem(err);
	if (n)
		fl_report_say(r, FL_STYLE_BAD, 0, "Taking turns:");
	for (uint32_t i = 0; i < n; i++)
		fl_report_say(r, FL_STYLE_BAD, 2, "%s",
			      fl_report_who(r, r->model, who[i], name[0]));
	n = 0;
	for (uint32_t i = 0; i < log->n_rows && rc == 0; i++) {
		const struct fl_plan_row *row = &log->rows[i];

		if (!fl_plan_log_in_loop(row, s) || row->preemptor.v == FL_NONE)
			continue;
		if (n++ == SHORT_LIST && !r->all)
			break;
		if (n == 1)
			fl_report_say(r, FL_STYLE_BAD, 0, "In each round:");
		fl_report_say(r, FL_STYLE_BAD, 2, "%s preempts %s (%s)",
			      fl_report_who(r, r->model, row->preemptor, name[0]),
			      fl_report_who(r, r->model, row->workload, name[1]),
			      fl_reason_name(row->reason));
	}
	free(who);
	free(scratch);
	return rc;
}

/* What other orders do, and which settings would end it. */
static int print_closer(const struct out *o, fairlead_error *err)
{
	const struct fl_plan_end *end = o->answer->end;
	const struct fl_prove_result *p = end->proof;

	if (!p)
		return 0;
	fl_report_say(o->report, FL_STYLE_BAD, 0, "In other orders (%llu state%s%s): %s.",
		      (unsigned long long)p->states, p->states == 1 ? "" : "s",
		      p->complete ? "" : " of more",
		      p->loop == FL_LOOP_NONE ? "no loop was found" : fl_loop_meaning(p));
	putc('\n', o->report->out);
	return fl_remedies_text(o->report, end->remedies, err);
}

static int print_loop(const struct out *o, fairlead_error *err)
{
	const struct fl_plan_end *end = o->answer->end;
	uint32_t first = end->result.loop_first, last = first + end->result.loop_period - 1;

	fl_report_say(
		o->report, FL_STYLE_BAD, 0,
		"Never settles%s: after cycle %u the state is again that before cycle %u, and cycles "
		"%u to %u repeat for ever (period %u).",
		end->given ? " in the order that is given (Moves)" : "", last, first, first, last,
		end->result.loop_period);
	int rc = print_turns(o, err);
	return rc < 0 ? rc : print_closer(o, err);
}

static int print_end(const struct out *o, fairlead_error *err)
{
	const struct fl_report *r = o->report;
	const struct fl_plan_end *end = o->answer->end;
	const struct fl_settle_result *s = &end->result;

	if (s->loop_first)
		return print_loop(o, err);
	if (s->settled && (end->settle || s->cycles > 1))
		fl_report_say(r, FL_STYLE_GOOD, 0,
			      "Settled after %u cycle%s: nothing changes any more.", s->kept,
			      s->kept == 1 ? "" : "s");
	else if (end->given)
		fl_report_say(r, FL_STYLE_PLAIN, 0,
			      "%u move%s made as given (Moves): they do not loop.", s->cycles,
			      s->cycles == 1 ? "" : "s");
	else if (end->settle)
		fl_report_say(r, FL_STYLE_BAD, 0, "Not settled after %u cycles, the limit.",
			      s->cycles);
	else if (!s->settled)
		fl_report_say(r, FL_STYLE_DIM, 0,
			      "More may follow: --settle goes on until nothing changes.");
	return 0;
}

int fl_plan_text(const struct fl_report *r, const struct fl_plan_answer *a, fairlead_error *err)
{
	struct out o = { r, a };

	if (a->face->headline)
		a->face->headline(r);
	int rc = print_cycles(&o, err);
	if (rc == 0)
		rc = print_pending(&o, err);
	if (rc == 0 && a->face->end_text)
		rc = a->face->end_text(r, a->stand, err);
	if (rc < 0)
		return rc;
	putc('\n', r->out);
	rc = print_end(&o, err);
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return rc;
}
