/* SPDX-License-Identifier: Apache-2.0 */
/* Why one workload waits under drf, in words and as JSON. */
#include <string.h>

#include "report/common/explain_words.h"
#include "report/drf/face.h"
#include "report/out/held_shape.h"
#include "report/out/placement_text.h"

static const char *sentence(const struct fl_report *r, const struct fl_drf_explain *x,
			    char text[FL_SENTENCE])
{
	char who[FL_REPORT_NAME];

	fl_report_who(r, r->model, x->workload, who);
	if (x->state == FL_EXPLAIN_NEXT)
		snprintf(text, FL_SENTENCE, "Workload %s is admitted in the coming cycle.", who);
	else if (x->reason == FL_REASON_NONE)
		snprintf(text, FL_SENTENCE, "Workload %s takes no part.", who);
	else
		snprintf(text, FL_SENTENCE, "Workload %s %s.", who, fl_reason_sentence(x->reason));
	return text;
}

static bool waits(const struct fl_drf_explain *x)
{
	return x->state == FL_EXPLAIN_WAITS || x->state == FL_EXPLAIN_NEXT;
}

/* --- JSON --- */

#define ROW struct fl_shortage
static const struct fl_json_field shortage_fields[] = {
	FL_FIELD(FLAVOR, "flavor", flavor, NULL),
	FL_FIELD(RESOURCE, "resource", resource, NULL),
	FL_FIELD(WHOLE, "requested", requested, NULL),
	FL_FIELD(AMOUNT, "available", available, "what no workload holds", FL_IF(never, 1u << 0)),
	FL_FIELD(AMOUNT, "capacity", available, "all of the cluster: it never fits",
		 FL_IF_TRUE(never)),
};
static const struct fl_json_shape shortage_shape = FL_SHAPE(shortage_fields, "shortage");
#undef ROW

static const char *const decisions[] = { "admit", "wait" };

static const char *decision(const struct fl_shape_at *at, const void *row,
			    char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return decisions[((const struct fl_drf_explain *)row)->alone != FL_REASON_FITS];
}

static const char *queue_of_next(const struct fl_shape_at *at, const void *row,
				 char buffer[FL_SHAPE_TEXT])
{
	struct fl_workload next = ((const struct fl_drf_explain *)row)->next;

	(void)buffer;
	return fl_report_node(at->model, fl_report_queue(at->model, next));
}

static const char *message(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	return sentence(at->report, row, buffer);
}

static bool has_queue(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_drf_explain *)row)->queue.v != FL_NONE;
}

static bool has_next(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_drf_explain *)row)->next.v != FL_NONE;
}

static bool is_waiting(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return waits(row);
}

static bool fill_held(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_drf_explain *x = source;

	(void)at;
	(void)i;
	*(struct fl_held *)row = (struct fl_held){ x->workload, x->placement, x->n_placement };
	return x->n_placement;
}

#define ROW struct fl_held
static const struct fl_json_shape held_shape = FL_SHAPE_MADE(fl_held_podsets, fill_held,
							     sizeof(struct fl_drf_explain), "held");
#undef ROW

#define ROW struct fl_drf_explain
static const struct fl_json_field alone_fields[] = {
	FL_FIELD_TEXT("decision", decision, NULL, FL_NAMES(decisions)),
	FL_FIELD(REASON, "reason", alone, NULL),
};
static const struct fl_json_shape alone_shape = FL_SHAPE(alone_fields, "alone");

static const struct fl_json_field next_fields[] = {
	FL_FIELD(WORKLOAD, "workload", next, NULL),
	FL_FIELD_TEXT("clusterQueue", queue_of_next, NULL),
	FL_FIELD_IN("share", next_share, fl_drf_share_shape, "of that queue, then"),
};
static const struct fl_json_shape next_shape = FL_SHAPE(next_fields, "next");

static const struct fl_json_field waiting_fields[] = {
	FL_FIELD(COUNT, "ahead", n_ahead, "of its queue"),
	FL_FIELD_SAME("alone", alone_shape, "whichever queue is next"),
	FL_FIELD_IN("shortage", shortage, shortage_shape, "alone", FL_IF_TRUE(is_short)),
	FL_FIELD_SAME("next", next_shape, "the workload at which the coming cycle ends",
		      .when = has_next),
};
static const struct fl_json_shape waiting_shape = FL_SHAPE(waiting_fields, "waiting");

static const struct fl_json_field explain_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "clusterQueue", queue, NULL, .maybe = true),
	FL_FIELD_ENUM("state", state, fl_explain_states, NULL),
	FL_FIELD(REASON, "reason", reason, NULL),
	FL_FIELD_TEXT("message", message, "the answer in one sentence"),
	FL_FIELD_IN("share", share, fl_drf_share_shape, "of its queue, now", .when = has_queue),
	FL_FIELD_ALSO(held_shape, NULL, .maybe = true),
	FL_FIELD_ALSO(waiting_shape, NULL, .when = is_waiting),
};
static const struct fl_json_shape explain_shape = FL_SHAPE(explain_fields, "explain");
#undef ROW

#define ROW struct fl_drf_answer
static const struct fl_json_field fields[] = {
	FL_FIELD_INLINE_TO(x, explain_shape, NULL),
	FL_FIELD_INLINE_TO(evicted, fl_evicted_shape, NULL, .maybe = true),
	FL_FIELD_TO("eta", eta, fl_eta_shape,
		    "with --eta: when it will start, from many simulated runs", .maybe = true),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "drf");
#undef ROW

const struct fl_document fl_drf_explain_document = { .kind = "Explanation",
						     .policy = "drf",
						     .shape = &shape };

/* --- text --- */

static void say_holding(const struct fl_report *r, const struct fl_drf_explain *x)
{
	char pods[32], text[1024], size[512];

	fl_request_text(r, x->workload, size, sizeof size);
	if (*size)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "asks for: %s", size);
	if (x->n_placement == 0)
		return;
	fl_placement_text(r, x->workload, x->placement, x->n_placement, pods, text, sizeof text);
	fl_report_say(r, FL_STYLE_PLAIN, 2, "flavors: %s (%s pod%s)", text, pods,
		      strcmp(pods, "1") == 0 ? "" : "s");
}

static void say_share(const struct fl_report *r, struct fl_node n, const struct fl_share *s)
{
	char text[32];

	fl_report_say(r, FL_STYLE_PLAIN, 2, "queue '%s' has a dominant share of %s thousandths%s%s",
		      fl_report_node(r->model, n), fl_report_share(s, text),
		      s->dominant.v == FL_NONE ? "" : ", of ",
		      s->dominant.v == FL_NONE ? "" :
						 fl_report_short_resource(r->model, s->dominant));
}

static void say_waiting(const struct fl_report *r, const struct fl_drf_explain *x)
{
	const struct fl_model *m = r->model;
	const struct fl_shortage *s = &x->shortage;
	const fl_amount both[] = { s->requested, s->available };
	char who[FL_REPORT_NAME], said[2][32];

	if (x->n_ahead)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "%u workload%s of its queue come%s before it",
			      x->n_ahead, x->n_ahead == 1 ? "" : "s", x->n_ahead == 1 ? "s" : "");
	if (x->is_short)
		fl_report_amounts(r, s->resource, both, 2, said);
	if (x->is_short)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "it asks for %s %s in flavor '%s'; %s %s",
			      said[0], fl_report_short_resource(m, s->resource),
			      fl_report_flavor(m, s->flavor),
			      s->never ? "the cluster has only" : "free now:", said[1]);
	else if (x->state == FL_EXPLAIN_WAITS && x->alone == FL_REASON_FITS)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "it would fit into what is free now");
	if (x->next.v == FL_NONE || x->next.v == x->workload.v)
		return;
	fl_report_say(r, FL_STYLE_PLAIN, 2,
		      "what is free then is reserved for %s, which comes first:",
		      fl_report_who(r, m, x->next, who));
	say_share(r, fl_report_queue(m, x->next), &x->next_share);
}

int fl_drf_explain_text(const struct fl_report *r, const struct fl_drf_answer *a,
			fairlead_error *err)
{
	const struct fl_drf_explain *x = a->x;
	char text[FL_SENTENCE];
	bool good = x->state == FL_EXPLAIN_RUNS || x->state == FL_EXPLAIN_NEXT;

	(void)err;
	fl_report_paragraph(r, good ? FL_STYLE_GOOD : FL_STYLE_BOLD, 0, sentence(r, x, text));
	if (a->evicted)
		fl_evicted_text(r, a->evicted);
	if (a->eta)
		fl_eta_text(r, a->eta);
	say_holding(r, x);
	if (x->queue.v != FL_NONE)
		say_share(r, x->queue, &x->share);
	if (waits(x))
		say_waiting(r, x);
	if (r->n_assumptions)
		putc('\n', r->out);
	fl_report_assumptions(r);
	return 0;
}
