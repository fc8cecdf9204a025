/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/entitle/divide_report.h"
#include "report/entitle/face.h"
#include "report/out/bundle_text.h"
#include "report/out/table.h"

/* GPUs first: they matter most. */
static const int shown[] = { FL_GPU, FL_CPU, FL_MEMORY };

/* Of a step, unless all are wanted. */
enum { SHOWN_PARTS = 10 };

struct out {
	const struct fl_report *report;
	const struct fl_division *division;
	struct fl_table *table;
	bool usage; /* history counts somewhere */
};

static const char *name_of(const struct out *o, uint32_t node)
{
	return fl_report_node(o->report->model, (struct fl_node){ node });
}

/* One line of a cell; zero is dimmed. */
static int line(const struct out *o, unsigned column, const char *text, bool zero,
		fairlead_error *err)
{
	return fl_table_line(o->table, column, zero ? "-" : text, err);
}

static int amount(const struct out *o, unsigned column, int resource, double value,
		  fairlead_error *err)
{
	char text[32];

	return line(o, column, fl_bundle_amount(o->report, resource, value, text), value == 0, err);
}

static int number(const struct out *o, unsigned column, double value, fairlead_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	return line(o, column, text, value == 0, err);
}

struct column {
	const char *head;
	unsigned flags, give_up;
};

static int add_columns(const struct out *o, const struct column *columns, unsigned n,
		       fairlead_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = fl_table_column(o->table, columns[i].head, columns[i].flags,
				     columns[i].give_up, err);
	return rc;
}

/* --- a group of siblings -------------------------------------------------------------------- */

static int add_resource(const struct out *o, uint32_t node, int res, fairlead_error *err)
{
	const struct fl_standing *q = &o->division->standings->rows[node];
	const double amounts[] = { q->deserved.of[res], q->limit.of[res], q->request.of[res] };
	unsigned column = 2;
	int rc = line(o, column++, fl_bundle_name(res), /* zero= */ false, err);

	if (rc == 0)
		rc = number(o, column++, q->weight.of[res], err);
	for (unsigned i = 0; i < 3 && rc == 0; i++)
		rc = amount(o, column++, res, amounts[i], err);
	if (rc == 0 && o->usage)
		rc = number(o, column++, o->division->standings->usage[node].of[res], err);
	return rc < 0 ? rc : amount(o, column, res, o->division->fair_share[node].of[res], err);
}

/*
 * A row a resource: cells of several lines lose some where libsmartcols gets no memory, and
 * it does not say so.
 */
static int add_queue(const struct out *o, uint32_t node, fairlead_error *err)
{
	const struct fl_standings *s = o->division->standings;
	char priority[32];
	bool first = true;
	int rc = 0;

	snprintf(priority, sizeof(priority), "%d", s->rows[node].priority);
	for (unsigned i = 0; i < FL_BUNDLE && rc == 0; i++) {
		if (!s->used[shown[i]])
			continue;
		rc = fl_table_row(o->table, -1, err);
		if (rc >= 0)
			rc = first ? line(o, 0, name_of(o, node), /* zero= */ false, err) : 0;
		if (rc == 0 && first)
			rc = line(o, 1, priority, /* zero= */ false, err);
		if (rc == 0)
			rc = add_resource(o, node, shown[i], err);
		first = false;
	}
	return rc;
}

/* @first: where the first of them stands in the order; behind them are the deeper ones below. */
static int print_siblings(struct out *o, uint32_t first, fairlead_error *err)
{
	static const struct column columns[] = {
		{ "QUEUE", 0, 0 },
		{ "PRIORITY", FL_COL_RIGHT, 4 },
		{ "RESOURCE", 0, 0 },
		{ "WEIGHT", FL_COL_RIGHT, 1 },
		{ "DESERVED", FL_COL_RIGHT, 0 },
		{ "LIMIT", FL_COL_RIGHT, 2 },
		{ "REQUEST", FL_COL_RIGHT, 3 },
	};
	static const struct column usage = { "USAGE", FL_COL_RIGHT, 1 };
	static const struct column share = { "FAIR SHARE", FL_COL_RIGHT, 0 };
	const struct fl_standings *s = o->division->standings;
	int rc = fl_table_new(o->report, &o->table, err);

	if (rc == 0)
		rc = add_columns(o, columns, 7, err);
	if (rc == 0 && o->usage)
		rc = add_columns(o, &usage, 1, err);
	if (rc == 0)
		rc = add_columns(o, &share, 1, err);
	for (uint32_t i = first; i < s->n && rc == 0; i++) {
		uint32_t depth = s->rows[s->order[i]].depth;

		if (depth < s->rows[s->order[first]].depth)
			break;
		if (depth == s->rows[s->order[first]].depth)
			rc = add_queue(o, s->order[i], err);
	}
	if (rc == 0)
		rc = fl_table_print(o->table, /* indent= */ 2, err);
	o->table = fl_table_free(o->table);
	return rc;
}

/* --- steps ---------------------------------------------------------------------------------- */

static const char *text_of(const struct out *o, const struct fl_divide_step *s, double value,
			   char buffer[32])
{
	return fl_bundle_amount(o->report, s->resource, value, buffer);
}

static void say_begin(const struct out *o, const struct fl_divide_step *s)
{
	char amount_text[32];
	const char *of = text_of(o, s, s->amount, amount_text);
	const char *res = fl_bundle_name(s->resource);

	switch (s->phase) {
	case FL_DIVIDE_DESERVED:
		fl_report_say(o->report, FL_STYLE_BOLD, 2,
			      "%s: %s to divide; first deserved quota, as far as it can be used",
			      res, of);
		return;
	case FL_DIVIDE_SHORT:
		fl_report_say(o->report, FL_STYLE_BOLD, 2,
			      "%s: more is deserved than there is; priority %d, round %u: %s "
			      "in proportion to what is deserved",
			      res, s->priority, s->round, of);
		return;
	case FL_DIVIDE_ROUND:
		fl_report_say(o->report, FL_STYLE_BOLD, 2,
			      "%s: priority %d, round %u: %s by weights of %g in sum%s", res,
			      s->priority, s->round, of, s->weights,
			      !o->usage    ? "" :
			      s->by_weight ? ", usage does not count" :
					     ", less for queues that used more than their part");
		return;
	case FL_DIVIDE_REMAINDERS:
		fl_report_say(o->report, FL_STYLE_BOLD, 2,
			      "%s: priority %d: %s left by rounding, a unit each, "
			      "the largest remainder first",
			      res, s->priority, of);
		return;
	}
}

/* @last: of this resource and group, so that what is left was not given. */
static void say_end(const struct out *o, const struct fl_divide_step *s, bool last)
{
	char left[32];
	const char *why = "";

	text_of(o, s, fabs(s->left), left);
	if (s->left < 0) {
		fl_report_say(o->report, FL_STYLE_WARN, 4, "%s more than there is", left);
		return;
	}
	switch (s->stop) {
	case FL_DIVIDE_GOES_ON:
		why = s->phase == FL_DIVIDE_ROUND || s->phase == FL_DIVIDE_SHORT ?
			      ": a queue wanted less than its part, so there is another round" :
		      last ? ": no queue with a weight wants more" :
			     "";
		break;
	case FL_DIVIDE_CONTENT:
		why = s->phase == FL_DIVIDE_REMAINDERS ? ": each queue got one" :
							 ": no queue of this priority wants more";
		break;
	case FL_DIVIDE_PENALISED:
		why = ": usage has reduced every portion to 0";
		break;
	case FL_DIVIDE_ONLY_PARTS:
		why = ": parts of units; no queue wanted less than its part";
		break;
	case FL_DIVIDE_ALL_GIVEN:
		break;
	}
	fl_report_say(o->report, FL_STYLE_DIM, 4, "%s left%s", s->left == 0 ? "nothing" : left,
		      why);
}

static int add_part(const struct out *o, const struct fl_divide_step *s,
		    const struct fl_divide_part *p, fairlead_error *err)
{
	unsigned column = 0;
	int rc = fl_table_row(o->table, -1, err);

	if (rc >= 0)
		rc = line(o, column++, name_of(o, p->queue), /* zero= */ false, err);
	if (rc == 0)
		rc = amount(o, column++, s->resource, p->want, err);
	if (rc == 0 && s->phase != FL_DIVIDE_DESERVED && s->phase != FL_DIVIDE_REMAINDERS) {
		rc = number(o, column++, p->weight, err);
		if (rc == 0)
			rc = number(o, column++, p->portion, err);
		if (rc == 0)
			rc = amount(o, column++, s->resource, p->part, err);
	}
	if (rc == 0 && s->phase != FL_DIVIDE_DESERVED)
		rc = number(o, column++, p->remainder, err);
	if (rc == 0)
		rc = amount(o, column, s->resource, p->given, err);
	return rc;
}

static int print_parts(struct out *o, const struct fl_divide_step *s, fairlead_error *err)
{
	static const struct column of_round[] = {
		{ "QUEUE", 0, 0 },
		{ "WANTS", FL_COL_RIGHT, 0 },
		{ "WEIGHT", FL_COL_RIGHT, 1 },
		{ "PORTION", FL_COL_RIGHT, 2 },
		{ "PART", FL_COL_RIGHT, 3 },
		{ "REMAINDER", FL_COL_RIGHT, 4 },
		{ "GETS", FL_COL_RIGHT, 0 },
	};
	static const struct column of_remainders[] = { { "QUEUE", 0, 0 },
						       { "WANTS", FL_COL_RIGHT, 0 },
						       { "REMAINDER", FL_COL_RIGHT, 1 },
						       { "GETS", FL_COL_RIGHT, 0 } };
	static const struct column of_deserved[] = { { "QUEUE", 0, 0 },
						     { "CAN USE", FL_COL_RIGHT, 0 },
						     { "GETS", FL_COL_RIGHT, 0 } };
	uint32_t left_out = 0, put = 0;
	int rc = fl_table_new(o->report, &o->table, err);

	if (rc == 0)
		rc = s->phase == FL_DIVIDE_DESERVED   ? add_columns(o, of_deserved, 3, err) :
		     s->phase == FL_DIVIDE_REMAINDERS ? add_columns(o, of_remainders, 4, err) :
							add_columns(o, of_round, 7, err);
	for (uint32_t i = 0; i < s->n_parts && rc == 0; i++) {
		if (put == SHOWN_PARTS && !o->report->all) {
			left_out++;
		} else {
			rc = add_part(o, s, &s->parts[i], err);
			put++;
		}
	}
	if (rc == 0 && put)
		rc = fl_table_print(o->table, /* indent= */ 4, err);
	if (rc == 0 && left_out)
		fl_report_say(o->report, FL_STYLE_DIM, 4, "and %u more (--all lists them)",
			      left_out);
	o->table = fl_table_free(o->table);
	return rc;
}

static int print_steps(struct out *o, const struct fl_division_step *at, fairlead_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < FL_BUNDLE; i++)
		for (const struct fl_division_step *s = at; s && rc == 0; s = s->next) {
			if (s->step.resource != shown[i] || !o->division->standings->used[shown[i]])
				continue;
			putc('\n', o->report->out);
			say_begin(o, &s->step);
			rc = print_parts(o, &s->step, err);
			say_end(o, &s->step, !s->next || s->next->step.resource != shown[i]);
		}
	return rc;
}

static bool has_usage(const struct fl_division *d)
{
	const struct fl_standings *s = d->standings;

	for (uint32_t i = 0; d->k > 0 && i < s->n; i++)
		for (int r = 0; r < FL_BUNDLE; r++)
			if (s->usage[s->order[i]].of[r] > 0)
				return true;
	return false;
}

static int print_group(struct out *o, struct fl_node parent, uint32_t first, fairlead_error *err)
{
	const struct fl_division *d = o->division;
	const struct fl_bundle *of = parent.v == FL_NONE ? &d->standings->total :
							   &d->fair_share[parent.v];
	uint32_t group = parent.v == FL_NONE ? o->report->model->n_nodes : parent.v;
	char text[128];
	int rc;

	fl_bundle_text(o->report, of, text, sizeof(text));
	if (parent.v == FL_NONE)
		fl_report_say(o->report, FL_STYLE_BOLD, 0, "All queues divide %s", text);
	else
		fl_report_say(o->report, FL_STYLE_BOLD, 0, "Below %s: %s", name_of(o, parent.v),
			      text);
	rc = print_siblings(o, first, err);
	if (rc == 0 && d->steps)
		rc = print_steps(o, d->steps[group], err);
	return rc;
}

int fl_divide_text(const struct fl_report *r, const struct fl_division *d, fairlead_error *err)
{
	const struct fl_standings *s = d->standings;
	struct out o = { .report = r, .division = d, .usage = has_usage(d) };

	fl_entitle_headline(r);
	int rc = print_group(&o, (struct fl_node){ FL_NONE }, /* first= */ 0, err);

	/* A queue with children stands right before the first of them. */
	for (uint32_t i = 0; i + 1 < s->n && rc == 0; i++) {
		struct fl_node n = { s->order[i] };

		if (s->rows[s->order[i + 1]].parent.v != n.v)
			continue;
		putc('\n', r->out);
		rc = print_group(&o, n, i + 1, err);
	}
	if (rc < 0)
		return rc;
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return 0;
}
