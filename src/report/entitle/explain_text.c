/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/entitle/explain_report.h"
#include "report/entitle/explain_set.h"
#include "report/entitle/face.h"
#include "report/out/bundle_text.h"
#include "report/out/table.h"

enum { ROWS_OF_A_RULE = 3, MOST_HOLDERS = 20 };

struct out {
	const struct fl_report *report;
	const struct fl_entitle_answer *answer;
};

static void title(const struct out *o, const char *text)
{
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "%s", text);
}

/* What is short, for every queue from the leaf to the top. */
static int print_path(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "QUEUE", 0, 0 },
		{ "HOLDS", FL_COL_RIGHT, 0 },
		{ "WITH IT", FL_COL_RIGHT, 0 },
		{ "FAIR SHARE", FL_COL_RIGHT, 0 },
		{ "DESERVED", FL_COL_RIGHT, 0 },
		{ "LIMIT", FL_COL_RIGHT, 0 },
	};
	const struct fl_entitle_explain *x = o->answer->x;
	const struct fl_standings *s = &x->standings;
	struct fl_table *t = NULL;
	int res = x->resource;

	if (res == FL_BUNDLE)
		return 0;
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "From its queue up, %s", fl_bundle_name(res));
	int rc = fl_table_begin(o->report, columns, 6, &t, err);
	for (struct fl_node n = x->queue; n.v != FL_NONE && rc == 0; n = s->rows[n.v].parent) {
		const struct fl_standing *q = &s->rows[n.v];
		const double amounts[] = { q->allocated.of[res],
					   q->allocated.of[res] + x->amount.of[res],
					   q->fair_share.of[res], q->deserved.of[res],
					   q->limit.of[res] };
		char said[5][32];

		fl_bundle_amounts(o->report, res, amounts, 5, said);
		const char *texts[] = { fl_report_node(o->report->model, n),
					said[0],
					said[1],
					said[2],
					said[3],
					said[4] };
		rc = fl_table_texts(t, texts, 6, err);
	}
	return fl_table_end(t, rc, err);
}

static int print_holders(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "QUEUE", 0, 0 },
		{ "HOLDS", FL_COL_RIGHT, 0 },
		{ "FAIR SHARE", FL_COL_RIGHT, 0 },
		{ "DESERVED", FL_COL_RIGHT, 0 },
		{ "WORKLOADS", FL_COL_RIGHT, 1 },
	};
	const struct fl_entitle_explain *x = o->answer->x;
	struct fl_table *t = NULL;
	int res = x->resource;

	if (x->n_holders == 0)
		return 0;
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "Queues that hold %s", fl_bundle_name(res));
	uint32_t shown = o->report->all || x->n_holders <= MOST_HOLDERS ? x->n_holders :
									  MOST_HOLDERS;
	int rc = fl_table_begin(o->report, columns, 5, &t, err);
	for (uint32_t i = 0; i < shown && rc == 0; i++) {
		const struct fl_standing *q = &x->standings.rows[x->holders[i].queue.v];
		const double amounts[] = { q->allocated.of[res], q->fair_share.of[res],
					   q->deserved.of[res] };
		char said[3][32], count[24];

		fl_bundle_amounts(o->report, res, amounts, 3, said);
		snprintf(count, sizeof(count), "%u", x->holders[i].workloads);
		const char *texts[] = { fl_report_node(o->report->model, x->holders[i].queue),
					said[0], said[1], said[2], count };
		rc = fl_table_texts(t, texts, 5, err);
		if (rc == 0 && amounts[0] > amounts[1] && amounts[1] != FL_UNBOUNDED)
			fl_table_style(t, 1, FL_STYLE_WARN);
	}
	rc = fl_table_end(t, rc, err);
	if (shown < x->n_holders)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more queues",
			      x->n_holders - shown);
	return rc;
}

static int print_ahead(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "WORKLOAD", 0, 0 },
		{ "QUEUE", 0, 1 },
		{ "PRIORITY", FL_COL_RIGHT, 0 },
		{ "AGE", FL_COL_RIGHT, 0 },
	};
	const struct fl_entitle_explain *x = o->answer->x;
	const struct fl_model *m = o->report->model;
	uint32_t shown = x->n_ahead < FL_EXPLAIN_AHEAD ? x->n_ahead : FL_EXPLAIN_AHEAD;
	struct fl_table *t = NULL;

	if (x->n_ahead == 0)
		return 0;
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "Considered before it: %u", x->n_ahead);
	int rc = fl_table_begin(o->report, columns, 4, &t, err);
	for (uint32_t i = 0; i < shown && rc == 0; i++) {
		const struct fl_workload_row *row = &m->workloads[x->ahead[i]];
		char name[FL_REPORT_NAME], priority[24], age[32] = "";

		snprintf(priority, sizeof(priority), "%d", row->priority);
		if (row->created != FL_TIME_NONE)
			fl_report_age(fl_sat_sub(o->answer->now, row->created), age);
		const char *texts[] = { fl_report_who(o->report, m,
						      (struct fl_workload){ x->ahead[i] }, name),
					fl_report_node(m, row->cluster_queue), priority, age };
		rc = fl_table_texts(t, texts, 4, err);
	}
	rc = fl_table_end(t, rc, err);
	if (shown < x->n_ahead)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more", x->n_ahead - shown);
	return rc;
}

static int print_victims(const struct out *o, fairlead_error *err)
{
	const struct fl_entitle_explain *x = o->answer->x;
	bool waits = x->state == FL_EXPLAIN_WAITS; /* these are evicted only if it waits alone */
	const struct fl_column_head columns[] = {
		{ waits ? "EVICTED IF ALONE" : "EVICTED FOR IT", 0, 0 },
		{ "QUEUE", 0, 1 },
		{ "REASON", 0, 0 },
	};
	const struct fl_model *m = o->report->model;
	struct fl_table *t = NULL;
	char name[FL_REPORT_NAME];

	if (x->n_victims == 0)
		return 0;
	putc('\n', o->report->out);
	int rc = fl_table_begin(o->report, columns, 3, &t, err);
	for (uint32_t i = 0; i < x->n_victims && rc == 0; i++) {
		struct fl_workload v = x->victims[i].workload;
		const char *texts[] = {
			fl_report_who(o->report, m, v, name),
			fl_report_node(m, m->workloads[v.v].cluster_queue),
			fl_reason_name(x->victims[i].reason),
		};
		rc = fl_table_texts(t, texts, 3, err);
	}
	return fl_table_end(t, rc, err);
}

static int put_refusal(const struct out *o, struct fl_table *t,
		       const struct fl_explain_refusal *row, fairlead_error *err)
{
	const struct fl_model *m = o->report->model;
	char name[FL_REPORT_NAME + 32], who[FL_REPORT_NAME], numbers[FL_NUMBERS];
	struct fl_node queue = row->node;

	if (row->victim.v == FL_NONE) {
		snprintf(name, sizeof(name), "all %u", row->n);
	} else {
		snprintf(name, sizeof(name), "%s", fl_report_who(o->report, m, row->victim, who));
		queue = m->workloads[row->victim.v].cluster_queue;
	}
	const char *texts[] = { name, fl_report_node(m, queue), fl_check_name(row->check),
				fl_entitle_numbers(o->report, row, numbers) };
	return fl_table_texts(t, texts, 4, err);
}

/* How many each rule refused, and what it says; then the first of each, or all. */
static int print_refused(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head rules[] = { { "REFUSED", FL_COL_RIGHT, 0 },
						       { "RULE", 0, 0 },
						       { "WHY", FL_COL_WRAP, 0 } };
	static const struct fl_column_head rows[] = { { "NEAREST TO EVICTION", 0, 0 },
						      { "QUEUE", 0, 2 },
						      { "RULE", 0, 1 },
						      { "NUMBERS", FL_COL_WRAP, 0 } };
	const struct fl_entitle_explain *x = o->answer->x;
	struct fl_table *t = NULL;
	uint32_t left = 0;
	char count[24];

	if (x->n_rules == 0)
		return 0;
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "Workloads it might have evicted: %u considered",
		      x->n_considered);
	int rc = fl_table_begin(o->report, rules, 3, &t, err);
	for (uint32_t i = 0; i < x->n_rules && rc == 0; i++) {
		const char *texts[] = { count, fl_check_name(x->rules[i].check),
					fl_explain_refused(x->rules[i].check) };

		snprintf(count, sizeof(count), "%u", x->rules[i].workloads);
		rc = fl_table_texts(t, texts, 3, err);
	}
	rc = fl_table_end(t, rc, err);
	putc('\n', o->report->out);
	t = NULL;
	if (rc == 0)
		rc = fl_table_begin(o->report, rows, 4, &t, err);
	for (uint32_t i = 0; i < x->n_rules && rc == 0; i++) {
		const struct fl_explain_rule *rule = &x->rules[i];

		for (uint32_t k = 0; k < rule->n && rc == 0; k++)
			if (k < ROWS_OF_A_RULE || o->report->all)
				rc = put_refusal(o, t, &x->refusals[rule->first + k], err);
			else
				left += x->refusals[rule->first + k].n;
	}
	rc = fl_table_end(t, rc, err);
	if (left)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more (--all)", left);
	return rc;
}

static void print_changes(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;
	char text[FL_SENTENCE], class[256];
	struct fl_entitle_sets sets = { .workload = x->workload };

	if (x->n_changes == 0 && x->state == FL_EXPLAIN_WAITS) {
		putc('\n', o->report->out);
		fl_report_say(
			o->report, FL_STYLE_PLAIN, 0,
			"No change of a single limit, quota, weight, priority or machine would help it.");
	}
	for (uint32_t i = 0; i < x->n_changes; i++) {
		if (i == 0)
			title(o, "The smallest change that helps it");
		else if (i == 1)
			title(o, x->n_changes == 2 ? "Another change that is enough" :
						     "Other changes, each of which is enough");
		fl_report_say(o->report, i ? FL_STYLE_PLAIN : FL_STYLE_GOOD, 2, "%s",
			      fl_entitle_change_text(o->report, o->answer, &x->changes[i], text));
		sets.change = &x->changes[i];
		fl_trial_text(o->report, x->alone != FL_WAIT,
			      fl_entitle_class(o->report, &sets, class), fl_entitle_set, &sets,
			      fl_entitle_sets(o->report, &sets));
	}
}

static void print_gang(const struct out *o)
{
	const struct fl_entitle_explain *x = o->answer->x;
	const struct fl_model *m = o->report->model;
	struct fl_sym queue = m->workloads[x->workload.v].queue_name; /* it may not exist */
	bool none = queue.v == FL_NONE;
	char gang[256], least[64] = "";

	if (x->state == FL_EXPLAIN_RUNS || x->state == FL_EXPLAIN_EVICTING || x->n_tasks == 0)
		return;
	if (x->min_tasks > 1)
		snprintf(least, sizeof(least), "; it runs with %d at least", x->min_tasks);
	fl_report_say(o->report, FL_STYLE_PLAIN, 2, "asks for: %s, in %s%s%s%s%s",
		      fl_gang_text(o->report, x->n_tasks, &x->amount, gang, sizeof(gang)),
		      none ? "no queue" : "queue '", none ? "" : fl_model_text(m, queue),
		      none ? "" : "'", least, x->preemptible ? "" : "; it may not be preempted");
}

int fl_entitle_explain_text(const struct fl_report *r, const struct fl_entitle_answer *a,
			    fairlead_error *err)
{
	static int (*const tables[])(const struct out *, fairlead_error *) = {
		print_victims, print_path, print_holders, print_ahead, print_refused,
	};
	struct out o = { r, a };
	char sentence[FL_SENTENCE];
	bool good = a->x->state == FL_EXPLAIN_RUNS || a->x->state == FL_EXPLAIN_NEXT;
	int rc = 0;

	fl_entitle_headline(r);
	fl_report_paragraph(r, good ? FL_STYLE_GOOD : FL_STYLE_BOLD, 0,
			    fl_entitle_sentence(r, a, sentence));
	if (a->evicted)
		fl_evicted_text(r, a->evicted);
	if (a->eta)
		fl_eta_text(r, a->eta);
	print_gang(&o);
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]) && rc == 0; i++)
		rc = tables[i](&o, err);
	if (rc < 0)
		return rc;
	print_changes(&o);
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return 0;
}
