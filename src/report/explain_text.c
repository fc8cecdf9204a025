/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/explain_report.h"
#include "report/placement_text.h"
#include "report/table.h"

struct out {
	const struct fl_report *report;
	const struct fl_explain_report *e;
};

struct column {
	const char *head;
	unsigned flags, give_up;
};

static int new_table(const struct out *o, const struct column *columns, unsigned n,
		     struct fl_table **ret, fairlead_error *err)
{
	int rc = fl_table_new(o->report, ret, err);

	for (unsigned c = 0; c < n && rc == 0; c++)
		rc = fl_table_column(*ret, columns[c].head, columns[c].flags, columns[c].give_up,
				     err);
	return rc;
}

/* A row of @n texts. */
static int put_row(struct fl_table *t, const char *const *texts, unsigned n, fairlead_error *err)
{
	int rc = fl_table_row(t, -1, err);

	for (unsigned c = 0; c < n && rc >= 0; c++)
		rc = fl_table_cell(t, c, texts[c], err);
	return rc < 0 ? rc : 0;
}

static int print_and_free(struct fl_table *t, int rc, fairlead_error *err)
{
	if (rc == 0)
		rc = fl_table_print(t, 2, err);
	fl_table_free(t);
	return rc;
}

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
	char asked[32] = "", now[32] = "", most[32] = "";

	if (amounts)
		fl_report_amount(r, need->resource, need->requested, asked);
	if (quota) {
		fl_report_amount(r, need->resource, need->available, now);
		fl_report_amount(r, need->resource, need->potential, most);
	}
	const char *texts[] = {
		first ? fl_model_text(r->model,
				      r->model->podsets[w->podsets.first + need->podset].name) :
			"",
		first ? fl_report_flavor(r->model, need->flavor) : "",
		fl_report_short_resource(r->model, need->resource),
		asked,
		now,
		most,
		verdict_text(need->verdict),
	};
	int rc = put_row(t, texts, 7, err);
	if (rc == 0)
		fl_table_style(t, 6, need->verdict == FL_NEED_FITS ? FL_STYLE_GOOD : FL_STYLE_BAD);
	return rc;
}

/* Needs of one podset and flavor stand together, in the order they were first tried. */
static int print_needs(const struct out *o, fairlead_error *err)
{
	static const struct column columns[] = {
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
	int rc = new_table(o, columns, 7, &t, err);
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
	return print_and_free(t, rc, err);
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
	return put_row(t, texts, kept ? 5 : 4, err);
}

static int print_holders(const struct out *o, fairlead_error *err)
{
	static const struct column columns[] = {
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
	fl_report_say(o->report, FL_STYLE_BOLD, 0, "Who holds %s in flavor '%s' below %s '%s'",
		      fl_report_short_resource(m, need->resource),
		      fl_report_flavor(m, need->flavor), fl_report_kind(m, need->bind.node),
		      fl_report_node(m, need->bind.node));
	for (uint32_t i = 0; i < x->n_holders; i++)
		kept |= x->holders[i].kept != 0;
	int rc = new_table(o, columns, kept ? 5 : 4, &t, err);
	uint32_t shown = o->report->all || x->n_holders <= 20 ? x->n_holders : 20;
	for (uint32_t i = 0; i < shown && rc == 0; i++)
		rc = put_holder(o, t, &x->holders[i], need->resource, kept, err);
	rc = print_and_free(t, rc, err);
	if (shown < x->n_holders)
		fl_report_say(o->report, FL_STYLE_DIM, 2, "... and %u more queues",
			      x->n_holders - shown);
	return rc;
}

/* Who comes before it, the first of them. */
static int print_workloads(const struct out *o, const uint32_t *ids, uint32_t n,
			   fairlead_error *err)
{
	static const struct column columns[] = {
		{ "WORKLOAD", 0, 0 },
		{ "PRIORITY", FL_COL_RIGHT, 0 },
		{ "AGE", FL_COL_RIGHT, 0 },
		{ "ASKS FOR", FL_COL_WRAP, 1 },
	};
	const struct fl_model *m = o->report->model;
	uint32_t shown = n < FL_EXPLAIN_AHEAD ? n : FL_EXPLAIN_AHEAD;
	struct fl_table *t = NULL;

	int rc = new_table(o, columns, 4, &t, err);
	for (uint32_t i = 0; i < shown && rc == 0; i++) {
		const struct fl_workload_row *row = &m->workloads[ids[i]];
		char name[FL_REPORT_NAME], priority[24], age[32] = "", size[512];

		snprintf(priority, sizeof(priority), "%d", row->priority);
		if (row->created != FL_TIME_NONE)
			fl_report_age(fl_sat_sub(o->e->now, row->created), age);
		fl_request_text(o->report, (struct fl_workload){ ids[i] }, size, sizeof(size));
		const char *texts[] = {
			fl_report_workload(m, (struct fl_workload){ ids[i] }, name),
			priority,
			age,
			size,
		};
		rc = put_row(t, texts, 4, err);
	}
	rc = print_and_free(t, rc, err);
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
	static const struct column columns[] = { { "PREEMPTED FOR IT", 0, 0 },
						 { "QUEUE", 0, 1 },
						 { "REASON", 0, 0 } };
	const struct fl_explain *x = o->e->x;
	const struct fl_model *m = o->report->model;
	struct fl_table *t = NULL;
	char name[FL_REPORT_NAME];

	if (x->n_victims == 0)
		return 0;
	putc('\n', o->report->out);
	int rc = new_table(o, columns, 3, &t, err);
	for (uint32_t i = 0; i < x->n_victims && rc == 0; i++) {
		struct fl_workload v = x->victims[i].workload;
		const char *texts[] = {
			fl_report_workload(m, v, name),
			fl_report_node(m, m->workloads[v.v].admitted_queue),
			fl_reason_name(x->victims[i].reason),
		};
		rc = put_row(t, texts, 3, err);
	}
	return print_and_free(t, rc, err);
}

static void print_refusals(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	const struct fl_model *m = o->report->model;
	char name[FL_REPORT_NAME];

	if (x->state != FL_EXPLAIN_WAITS || x->failing == FL_NONE ||
	    x->needs[x->failing].verdict != FL_NEED_WAITS || x->alone == FL_RESERVE)
		return;
	const struct fl_node_row *queue = &m->nodes[x->cluster_queue.v];
	title(o, "Preemption");
	if (queue->within_queue == FL_PREEMPT_NEVER)
		fl_report_say(o->report, FL_STYLE_PLAIN, 2,
			      "withinClusterQueue: Never (nobody in its own queue)");
	if (queue->reclaim == FL_PREEMPT_NEVER)
		fl_report_say(o->report, FL_STYLE_PLAIN, 2,
			      "reclaimWithinCohort: Never (nobody in other queues)");
	if (x->n_considered == 0)
		fl_report_say(o->report, FL_STYLE_PLAIN, 2,
			      "No workload came into question as a victim.");
	for (uint32_t i = 0; i < x->n_refusals; i++)
		fl_report_say(o->report, FL_STYLE_PLAIN, 2, "%u ruled out, such as %s: %s",
			      x->refusals[i].n, fl_report_workload(m, x->refusals[i].example, name),
			      fl_explain_refused(x->refusals[i].check));
	if (x->n_considered && x->n_refusals == 0)
		fl_report_say(o->report, FL_STYLE_PLAIN, 2,
			      "Even without all %u possible victims it does not fit.",
			      x->n_considered);
}

static void print_changes(const struct out *o)
{
	const struct fl_explain *x = o->e->x;
	const struct fl_report *r = o->report;
	char from[32], to[32];

	if (x->n_changes == 0)
		return;
	title(o, x->n_ahead ? "The smallest change that makes it fit" :
			      "The smallest change that admits it");
	for (uint32_t i = 0; i < x->n_changes; i++) {
		const struct fl_explain_change *c = &x->changes[i];

		fl_report_say(r, FL_STYLE_PLAIN, 2,
			      "%s '%s': %s of %s in flavor '%s' from %s to %s",
			      fl_report_kind(r->model, c->node), fl_report_node(r->model, c->node),
			      fl_explain_field(c->kind),
			      fl_report_short_resource(r->model, c->resource),
			      fl_report_flavor(r->model, c->flavor),
			      fl_report_amount(r, c->resource, c->from, from),
			      fl_report_amount(r, c->resource, c->to, to));
	}
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

int fl_explain_text(const struct fl_report *r, const struct fl_explain_report *e,
		    fairlead_error *err)
{
	static int (*const tables[])(const struct out *, fairlead_error *) = {
		print_victims, print_needs, print_holders, print_served, print_ahead,
	};
	struct out o = { r, e };
	char sentence[FL_SENTENCE];
	bool good = e->x->state == FL_EXPLAIN_RUNS || e->x->state == FL_EXPLAIN_NEXT;
	int rc = 0;

	fl_report_paragraph(r, good ? FL_STYLE_GOOD : FL_STYLE_BOLD, 0,
			    fl_explain_sentence(r, e, sentence));
	print_placement(&o);
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]) && rc == 0; i++)
		rc = tables[i](&o, err);
	if (rc < 0)
		return rc;
	print_refusals(&o);
	print_changes(&o);
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return 0;
}
