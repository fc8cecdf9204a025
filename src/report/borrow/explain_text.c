/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/borrow/explain_report.h"
#include "report/borrow/explain_set.h"
#include "report/out/placement_text.h"
#include "report/out/table.h"

enum { ROWS_OF_A_RULE = 3 };

struct out {
	const struct fl_report *report;
	const struct fl_explain_report *e;
};

static void title(const struct out *o, const char *text)
{
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "%s", text);
}

static const char *verdict_text(enum fl_explain_verdict verdict)
{
	static const char *const texts[] = {
		[FL_NEED_FITS] = "fits",
		[FL_NEED_WAITS] = "not enough now",
		[FL_NEED_NEVER] = "never enough",
		[FL_NEED_REFUSED] = "refused",
		[FL_NEED_NOT_COVERED] = "no quota",
		[FL_NEED_NO_MATCH] = "labels or taints",
	};

	return texts[verdict];
}

static int put_need(const struct out *o, struct fl_table *t, const struct fl_explain_need *need,
		    bool first, fairlead_error *err)
{
	const struct fl_report *r = o->report;
	const struct fl_workload_row *w = &r->model->workloads[o->e->x->workload.v];
	bool amounts = need->verdict != FL_NEED_NO_MATCH;
	bool quota = amounts && need->verdict != FL_NEED_NOT_COVERED;
	const fl_amount three[] = { need->requested, need->available, need->potential };
	char said[3][32]; /* asked, now, at most */

	fl_report_amounts(r, need->resource, three, quota ? 3 : 1, said);
	const char *texts[] = {
		first ? fl_model_text(r->model,
				      r->model->podsets[w->podsets.first + need->podset].name) :
			"",
		first ? fl_report_flavor(r->model, need->flavor) : "",
		fl_report_short_resource(r->model, need->resource),
		amounts ? said[0] : "",
		quota ? said[1] : "",
		quota ? said[2] : "",
		verdict_text(need->verdict),
	};
	int rc = fl_table_texts(t, texts, 7, err);
	if (rc == 0)
		fl_table_style(t, 6, need->verdict == FL_NEED_FITS ? FL_STYLE_GOOD : FL_STYLE_BAD);
	return rc;
}

/* Needs of one podset and flavor stand together, in the order they were first tried. */
static int print_needs(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "PODS", 0, 1 },
		{ "FLAVOR", 0, 0 },
		{ "RESOURCE", 0, 0 },
		{ "ASKED", FL_COL_RIGHT, 0 },
		{ "AVAILABLE", FL_COL_RIGHT, 0 },
		{ "AT MOST", FL_COL_RIGHT, 2 },
		{ "", 0, 0 },
	};
	const struct fl_explain *x = o->e->x;
	struct fl_table *t = NULL;

	if (x->n_needs == 0)
		return 0;
	title(o, "Flavors tried");
	int rc = fl_table_begin(o->report, columns, 7, &t, err);
	for (uint32_t i = 0; i < x->n_needs && rc == 0; i++) {
		const struct fl_explain_need *a = &x->needs[i];
		bool first = true;

		for (uint32_t k = 0; k < i && first; k++)
			first = x->needs[k].podset != a->podset ||
				x->needs[k].flavor.v != a->flavor.v;
		for (uint32_t k = i; k < x->n_needs && first && rc == 0; k++)
			if (x->needs[k].podset == a->podset && x->needs[k].flavor.v == a->flavor.v)
				rc = put_need(o, t, &x->needs[k], k == i, err);
	}
	return fl_table_end(t, rc, err);
}

static int put_holder(const struct out *o, struct fl_table *t, const struct fl_explain_holder *h,
		      struct fl_resource resource, bool kept, fairlead_error *err)
{
	const struct fl_report *r = o->report;
	char own[32] = "-", borrowed[32] = "-", idle[32] = "-", count[24];

	if (h->own)
		fl_report_amount(r, resource, h->own, own);
	if (h->borrowed)
		fl_report_amount(r, resource, h->borrowed, borrowed);
	if (h->kept)
		fl_report_amount(r, resource, h->kept, idle);
	snprintf(count, sizeof(count), "%u", h->workloads);
	const char *texts[] = { fl_report_node(r->model, h->queue), own, borrowed, count, idle };
	return fl_table_texts(t, texts, kept ? 5 : 4, err);
}

static int print_holders(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "QUEUE", 0, 0 },
		{ "OWN", FL_COL_RIGHT, 0 },
		{ "BORROWED", FL_COL_RIGHT, 0 },
		{ "WORKLOADS", FL_COL_RIGHT, 0 },
		{ "IDLE, NOT LENT", FL_COL_RIGHT, 0 },
	};
	const struct fl_explain *x = o->e->x;
	const struct fl_model *m = o->report->model;
	struct fl_table *t = NULL;
	bool kept = false;

	if (x->n_holders == 0)
		return 0;
	const struct fl_explain_need *need = &x->needs[x->failing];
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0,
		      "Queues that hold %s in flavor '%s' below %s '%s'",
		      fl_report_short_resource(m, need->resource),
		      fl_report_flavor(m, need->flavor), fl_report_kind(m, need->bind.node),
		      fl_report_node(m, need->bind.node));
	for (uint32_t i = 0; i < x->n_holders; i++)
		kept |= x->holders[i].kept != 0;
	int rc = fl_table_begin(o->report, columns, kept ? 5 : 4, &t, err);
	uint32_t shown = o->report->all || x->n_holders <= 20 ? x->n_holders : 20;
	for (uint32_t i = 0; i < shown && rc == 0; i++)
		rc = put_holder(o, t, &x->holders[i], need->resource, kept, err);
	rc = fl_table_end(t, rc, err);
	if (shown < x->n_holders)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more queues",
			      x->n_holders - shown);
	return rc;
}

/* The first of the workloads that come before it. */
static int print_workloads(const struct out *o, const uint32_t *ids, uint32_t n,
			   fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "WORKLOAD", 0, 0 },
		{ "PRIORITY", FL_COL_RIGHT, 0 },
		{ "AGE", FL_COL_RIGHT, 0 },
		{ "ASKS FOR", FL_COL_WRAP, 1 },
	};
	const struct fl_model *m = o->report->model;
	uint32_t shown = n < FL_EXPLAIN_AHEAD ? n : FL_EXPLAIN_AHEAD;
	struct fl_table *t = NULL;

	int rc = fl_table_begin(o->report, columns, 4, &t, err);
	for (uint32_t i = 0; i < shown && rc == 0; i++) {
		const struct fl_workload_row *row = &m->workloads[ids[i]];
		char name[FL_REPORT_NAME], priority[24], age[32] = "", size[512];

		snprintf(priority, sizeof(priority), "%d", row->priority);
		if (row->created != FL_TIME_NONE)
			fl_report_age(fl_sat_sub(o->e->now, row->created), age);
		fl_request_text(o->report, (struct fl_workload){ ids[i] }, size, sizeof(size));
		const char *texts[] = {
			fl_report_who(o->report, m, (struct fl_workload){ ids[i] }, name),
			priority,
			age,
			size,
		};
		rc = fl_table_texts(t, texts, 4, err);
	}
	rc = fl_table_end(t, rc, err);
	if (shown < n)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more", n - shown);
	return rc;
}

static int print_ahead(const struct out *o, fairlead_error *err)
{
	const struct fl_explain *x = o->e->x;

	if (x->n_ahead == 0)
		return 0;
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "Ahead in queue '%s': %u",
		      fl_report_node(o->report->model, x->cluster_queue), x->n_ahead);
	return print_workloads(o, x->ahead, x->n_ahead, err);
}

static int print_served(const struct out *o, fairlead_error *err)
{
	const struct fl_explain *x = o->e->x;

	if (x->n_served == 0)
		return 0;
	putc('\n', o->report->out);
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "Served in the coming cycle: %u", x->n_served);
	return print_workloads(o, x->served, x->n_served, err);
}

static int print_victims(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = { { "PREEMPTED FOR IT", 0, 0 },
							 { "QUEUE", 0, 1 },
							 { "REASON", 0, 0 } };
	const struct fl_explain *x = o->e->x;
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
			fl_report_node(m, fl_report_queue(m, v)),
			fl_reason_name(x->victims[i].reason),
		};
		rc = fl_table_texts(t, texts, 3, err);
	}
	return fl_table_end(t, rc, err);
}

/* One line a rule: how many it refused, and what it says. */
static int print_rules(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = { { "REFUSED", FL_COL_RIGHT, 0 },
							 { "RULE", 0, 0 },
							 { "WHY", FL_COL_WRAP, 0 } };
	const struct fl_explain *x = o->e->x;
	struct fl_table *t = NULL;
	char count[24];

	int rc = fl_table_begin(o->report, columns, 3, &t, err);
	for (uint32_t i = 0; i < x->n_rules && rc == 0; i++) {
		const char *texts[] = { count, fl_check_name(x->rules[i].check),
					fl_explain_refused(x->rules[i].check) };

		snprintf(count, sizeof(count), "%u", x->rules[i].workloads);
		rc = fl_table_texts(t, texts, 3, err);
	}
	return fl_table_end(t, rc, err);
}

static struct fl_node queue_of(const struct out *o, const struct fl_explain_refusal *row)
{
	const struct fl_model *m = o->report->model;

	return row->victim.v == FL_NONE ? row->node : fl_report_queue(m, row->victim);
}

/* How many rows from @first are of one queue and have the same numbers. */
static uint32_t alike(const struct out *o, const struct fl_explain_rule *rule, uint32_t first,
		      const char *numbers)
{
	const struct fl_explain_refusal *rows = o->e->x->refusals + rule->first;
	char other[FL_NUMBERS];
	uint32_t n = 1;

	while (!o->report->all && rows[first].victim.v != FL_NONE && first + n < rule->n &&
	       rows[first + n].victim.v != FL_NONE &&
	       queue_of(o, &rows[first + n]).v == queue_of(o, &rows[first]).v &&
	       strcmp(fl_explain_numbers(o->report, &rows[first + n], other), numbers) == 0)
		n++;
	return n;
}

/* A row of the table for those like @first; *ret: how many that are. */
static int put_refusals(const struct out *o, struct fl_table *t, const struct fl_explain_rule *rule,
			uint32_t first, uint32_t *ret, fairlead_error *err)
{
	const struct fl_model *m = o->report->model;
	const struct fl_explain_refusal *row = &o->e->x->refusals[rule->first + first];
	char name[FL_REPORT_NAME + 32], who[FL_REPORT_NAME], numbers[FL_NUMBERS];

	fl_explain_numbers(o->report, row, numbers);
	*ret = alike(o, rule, first, numbers);
	if (row->victim.v == FL_NONE)
		snprintf(name, sizeof(name), "all %u", row->n);
	else
		snprintf(name, sizeof(name), "%s", fl_report_who(o->report, m, row->victim, who));
	if (*ret > 1)
		snprintf(name + strlen(name), 32, " and %u more", *ret - 1);
	const char *texts[] = { name, fl_report_node(m, queue_of(o, row)),
				fl_check_name(row->check), numbers };
	return fl_table_texts(t, texts, 4, err);
}

/* The first of each rule, or all. */
static int print_refused(const struct out *o, fairlead_error *err)
{
	static const struct fl_column_head columns[] = { { "NEAREST TO PREEMPTION", 0, 0 },
							 { "QUEUE", 0, 2 },
							 { "RULE", 0, 1 },
							 { "NUMBERS", FL_COL_WRAP, 0 } };
	const struct fl_explain *x = o->e->x;
	uint32_t left = 0, n = 0;
	struct fl_table *t = NULL;

	putc('\n', o->report->out);
	int rc = fl_table_begin(o->report, columns, 4, &t, err);
	for (uint32_t i = 0; i < x->n_rules && rc == 0; i++) {
		const struct fl_explain_rule *rule = &x->rules[i];
		uint32_t k = 0, rows = 0;

		for (; k < rule->n && rc == 0 && (o->report->all || rows < ROWS_OF_A_RULE);
		     k += n) {
			rc = put_refusals(o, t, rule, k, &n, err);
			rows++;
		}
		for (; k < rule->n; k++)
			left += x->refusals[rule->first + k].n;
	}
	rc = fl_table_end(t, rc, err);
	if (left)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more (--all)", left);
	return rc;
}

static int print_preemption(const struct out *o, fairlead_error *err)
{
	const struct fl_explain *x = o->e->x;
	const struct fl_report *r = o->report;
	char go[32];

	if (x->failing == FL_NONE || x->needs[x->failing].verdict != FL_NEED_WAITS)
		return 0;
	if (!x->searched) {
		title(o, "Preemption");
		fl_report_say(
			r, FL_STYLE_PLAIN, 2,
			"It asks for more than its queue owns, and that queue may not preempt while it borrows: "
			"no victims were searched.");
		return 0;
	}
	if (x->n_considered == 0) {
		title(o, "Preemption");
		fl_report_say(r, FL_STYLE_PLAIN, 2, "No other workload holds what is needed.");
		return 0;
	}
	if (x->n_rules == 0)
		return 0;
	putc('\n', r->out);
	snprintf(go, sizeof(go), "%u can be preempted", x->n_victims);
	fl_report_say(r, FL_STYLE_BOLD, 0, "Preemption: %u considered, %s", x->n_considered,
		      x->n_victims ? go : "none can be preempted");
	int rc = print_rules(o, err);
	return rc == 0 ? print_refused(o, err) : rc;
}

static void print_proposal(const struct out *o, enum fl_style style,
			   const struct fl_explain_proposal *p)
{
	const struct fl_explain_sets sets = { &o->e->x->changes[p->first], o->e->x->workload };
	char text[FL_SENTENCE], then[160];

	for (uint32_t i = 0; i < p->n; i++) {
		bool last = i + 1 == p->n;

		fl_explain_change_text(o->report, o->e, &o->e->x->changes[p->first + i], text);
		fl_report_say(o->report, style, 2, "%s%s%s", text, last ? "; then " : ", and",
			      last ? fl_explain_outcome(p, then) : "");
	}
	fl_trial_text(o->report, o->e->x->alone != FL_WAIT, /* object= */ NULL, fl_explain_set,
		      &sets, p->n);
}

static void print_changes(const struct out *o)
{
	const struct fl_explain *x = o->e->x;

	if (x->n_proposals == 0)
		return;
	title(o, "The smallest change that admits it");
	print_proposal(o, FL_STYLE_GOOD, &x->proposals[0]);
	if (x->n_proposals == 1)
		return;
	title(o, x->n_proposals == 2 ? "Another change that is enough" :
				       "Other changes, each of which is enough");
	for (uint32_t i = 1; i < x->n_proposals; i++)
		print_proposal(o, FL_STYLE_PLAIN, &x->proposals[i]);
}

static void print_placement(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	char pods[32], text[1024], size[512];

	fl_request_text(o->report, x->workload, size, sizeof(size));
	if (*size)
		fl_report_say(o->report, FL_STYLE_PLAIN, 2, "%s %s",
			      x->n_placement && x->state != FL_EXPLAIN_NEXT ? "asked for:" :
									      "asks for:",
			      size);
	if (x->n_placement == 0)
		return;
	fl_placement_text(o->report, x->workload, x->placement, x->n_placement, pods, text,
			  sizeof(text));
	fl_report_say(o->report, FL_STYLE_PLAIN, 2, "flavors: %s (%s pod%s)", text, pods,
		      strcmp(pods, "1") == 0 ? "" : "s");
}

/* Where others hold some, too. */
static void print_own(const struct out *o)
{
	const struct fl_report *r = o->report;
	const struct fl_model *m = r->model;
	const struct fl_explain *x = o->e->x;
	const struct fl_explain_own *own = &x->own;
	const struct fl_workload_row *row = &m->workloads[x->workload.v];
	char said[2][32], workloads[64] = "";

	if (own->n == own->n_queue || (!o->e->user && row->queue.v == FL_NONE))
		return;
	fl_report_amounts(r, own->resource, (const fl_amount[]){ own->holds, own->queue_holds }, 2,
			  said);
	if (own->n)
		snprintf(workloads, sizeof(workloads), ", in %u of %u %ss", own->n, own->n_queue,
			 r->jobs ? "job" : "workload");
	fl_report_say(r, FL_STYLE_PLAIN, 2,
		      "%s '%s%s%s' holds %s of the %s %s that queue '%s' holds in flavor '%s'%s",
		      o->e->user ? "user" : "local queue",
		      o->e->user ? "" : fl_model_text(m, row->namespace), o->e->user ? "" : "/",
		      o->e->user ? o->e->user : fl_model_text(m, m->queues[row->queue.v].name),
		      own->n ? said[0] : "nothing", said[1],
		      fl_report_short_resource(m, own->resource),
		      fl_report_node(m, x->cluster_queue), fl_report_flavor(m, own->flavor),
		      workloads);
}

int fl_explain_text(const struct fl_report *r, const struct fl_explain_report *e,
		    fairlead_error *err)
{
	static int (*const tables[])(const struct out *, fairlead_error *) = {
		print_victims, print_needs, print_holders,
		print_served,  print_ahead, print_preemption,
	};
	struct out o = { r, e };
	char sentence[FL_SENTENCE];
	bool good = e->x->state == FL_EXPLAIN_RUNS || e->x->state == FL_EXPLAIN_NEXT;
	int rc = 0;

	fl_report_warnings(r);
	fl_report_paragraph(r, good ? FL_STYLE_GOOD : FL_STYLE_BOLD, 0,
			    fl_explain_sentence(r, e, sentence));
	if (e->evicted)
		fl_evicted_text(r, e->evicted);
	if (e->eta)
		fl_eta_text(r, e->eta);
	print_placement(&o);
	print_own(&o);
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
