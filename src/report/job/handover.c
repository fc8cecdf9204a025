/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/handover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/out/table.h"

enum { SHOWN = 20 /* workloads of a quota, for people */ };

/* --- JSON --- */

#define ROW struct fl_handover_standing
static const struct fl_json_field standing_fields[] = {
	FL_FIELD(TEXT, "stopPolicy", stop, "None, Hold or HoldAndDrain"),
	FL_FIELD(TEXT, "scheduler", mark,
		 "the value of the annotation fairlead.dev/scheduler; null: there is none",
		 .null = true),
	FL_FIELD(BOOL, "check", checked,
		 "the AdmissionCheck of fairlead is one of its admission checks"),
};
static const struct fl_json_shape standing_shape = FL_SHAPE(standing_fields, "handoverStanding");
#undef ROW

#define ROW struct fl_handover_queue
static const struct fl_json_field queue_fields[] = {
	FL_FIELD(TEXT, "clusterQueue", name, "its name"),
	FL_FIELD(TEXT, "nominalQuota", quota, "of each resource, over all flavors, for people"),
	FL_FIELD_IN("before", before, standing_shape, "as it was when it was read"),
	FL_FIELD_IN("after", after, standing_shape, "as it shall be"),
	FL_FIELD(COUNT, "pending", pending, "workloads that wait in it"),
	FL_FIELD(COUNT, "holding", holding, "workloads that hold its quota"),
	FL_FIELD(BOOL, "changes", changes, "false: it is as it shall be already"),
	FL_FIELD(BOOL, "done", done, "it was changed"),
};
static const struct fl_json_shape queue_shape = FL_SHAPE(queue_fields, "handoverQueue");
#undef ROW

#define ROW struct fl_handover_refusal
static const struct fl_json_field refusal_fields[] = {
	FL_FIELD(TEXT, "subject", subject, "the object, and the field if it is one"),
	FL_FIELD(TEXT, "rule", rule, "what the engine does not have"),
	FL_FIELD(TEXT, "message", text, "what it does"),
	FL_FIELD(TEXT, "advice", advice, "what to do"),
};
static const struct fl_json_shape refusal_shape = FL_SHAPE(refusal_fields, "handoverRefusal");
#undef ROW

#define ROW struct fl_handover_over
static const struct fl_json_field over_fields[] = {
	FL_FIELD(TEXT, "clusterQueue", queue, "that holds more than its nominal quota"),
	FL_FIELD(TEXT, "resource", resource, "its name"),
	FL_FIELD(TEXT, "flavor", flavor, "its name"),
	FL_FIELD(TEXT, "over", amount, "how much more, as a quantity"),
	FL_FIELD_ITEMS(TEXT, "workloads", workloads, n_workloads,
		       "namespace/name of those that hold it: any of them may be preempted"),
};
static const struct fl_json_shape over_shape = FL_SHAPE(over_fields, "handoverOver");
#undef ROW

#define ROW struct fl_handover
static const struct fl_json_field fields[] = {
	FL_FIELD(TEXT, "tree", tree, "\"cohort prod\": its root"),
	FL_FIELD(TEXT, "context", context, "of the kubeconfig"),
	FL_FIELD(BOOL, "back", back, "to Kueue; else to fairlead"),
	FL_FIELD(BOOL, "dryRun", dry_run, "nothing was changed"),
	FL_FIELD(BOOL, "done", done,
		 "all is as it shall be, and no reservation has come for a while"),
	FL_FIELD_LIST("clusterQueues", queues, n_queues, queue_shape, "of the tree, by name"),
	FL_FIELD_LIST("refused", refusals, n_refusals, refusal_shape,
		      "all reasons; empty: there are none"),
	FL_FIELD_LIST("over", over, n_over, over_shape,
		      "with --back: where Kueue may reclaim quota afterwards"),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "handover");
const struct fl_document fl_handover_document = { .kind = "Handover",
						  .shape = &shape,
						  .plain = true };
#undef ROW

/* --- text --- */

/* "None -> Hold", or "Hold" where it stays. */
static void put_change(const char *before, const char *after, char ret[100])
{
	if (strcmp(before, after) == 0)
		(void)snprintf(ret, 100, "%.40s", before);
	else
		(void)snprintf(ret, 100, "%.40s -> %.40s", before, after);
}

/* What keeps Kueue from it: "None", "Hold", "check". */
static void put_stop(const struct fl_handover_standing *s, char ret[50])
{
	if (!s->checked)
		(void)snprintf(ret, 50, "%.40s", s->stop);
	else if (strcmp(s->stop, "None") == 0)
		(void)snprintf(ret, 50, "check");
	else
		(void)snprintf(ret, 50, "%.30s, check", s->stop);
}

/* Which one it is, and what it is to do there. */
static void put_scheduler(const struct fl_handover_standing *s, char ret[50])
{
	if (!s->mark)
		(void)snprintf(ret, 50, "Kueue");
	else if (strcmp(s->mark, "true") == 0)
		(void)snprintf(ret, 50, "fairlead");
	else
		(void)snprintf(ret, 50, "%.38s", s->mark);
}

static int put_queue(struct fl_table *t, const struct fl_handover_queue *q, fairlead_error *err)
{
	char stop[100], mark[100], pending[16], holding[16], from[50], to[50];
	const char *const texts[] = { q->name, *q->quota ? q->quota : "none", stop, mark, pending,
				      holding };

	put_stop(&q->before, from);
	put_stop(&q->after, to);
	put_change(from, to, stop);
	put_scheduler(&q->before, from);
	put_scheduler(&q->after, to);
	put_change(from, to, mark);
	(void)snprintf(pending, sizeof pending, "%" PRIu32, q->pending);
	(void)snprintf(holding, sizeof holding, "%" PRIu32, q->holding);
	return fl_table_texts(t, texts, sizeof texts / sizeof *texts, err);
}

static int put_queues(const struct fl_report *r, const struct fl_handover *h, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "CLUSTERQUEUE", 0, 0 },       { "NOMINAL QUOTA", FL_COL_WRAP, 1 },
		{ "STOP POLICY", 0, 0 },        { "SCHEDULER", 0, 0 },
		{ "PENDING", FL_COL_RIGHT, 2 }, { "HOLDING", FL_COL_RIGHT, 3 },
	};
	struct fl_table *t;
	int rc = fl_table_begin(r, columns, sizeof columns / sizeof *columns, &t, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < h->n_queues && rc == 0; i++)
		rc = put_queue(t, &h->queues[i], err);
	return fl_table_end(t, rc, err);
}

static void put_over(const struct fl_report *r, const struct fl_handover_over *o)
{
	char text[4000];
	size_t len = 0;

	for (uint32_t i = 0; i < o->n_workloads && i < SHOWN && len < sizeof text - 600; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%.506s", i ? ", " : "",
					o->workloads[i]);
	if (o->n_workloads > SHOWN)
		(void)snprintf(text + len, sizeof text - len, " and %" PRIu32 " more",
			       o->n_workloads - SHOWN);
	fl_report_say(r, FL_STYLE_PLAIN, 4, "%s, %s in %s, %s over: %s", o->queue, o->resource,
		      o->flavor, o->amount, text);
}

static const char *how_it_is(const struct fl_handover *h, uint32_t left)
{
	if (h->back)
		return left ? "It is given back to Kueue" : "It is Kueue's already";
	return left == 0          ? "It is handed over already" :
	       left < h->n_queues ? "A part of it is handed over already" :
				    "Kueue decides there now";
}

int fl_handover_text(const struct fl_report *r, const struct fl_handover *h, fairlead_error *err)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < h->n_queues; i++)
		left += h->queues[i].changes;
	fl_report_say(r, FL_STYLE_BOLD, 0, "The tree of %s has %" PRIu32 " ClusterQueue%s. %s",
		      h->tree, h->n_queues, h->n_queues == 1 ? "" : "s", how_it_is(h, left));
	fputc('\n', r->out);
	int rc = put_queues(r, h, err);
	if (rc < 0)
		return rc;
	fputc('\n', r->out);
	if (h->n_over)
		fl_report_say(r, FL_STYLE_WARN, 0,
			      "Kueue may preempt these afterwards by its own rules, as their queue "
			      "holds more than its nominal quota");
	for (uint32_t i = 0; i < h->n_over; i++)
		put_over(r, &h->over[i]);
	if (h->n_over)
		fputc('\n', r->out);
	if (!h->back && left)
		fl_report_say(r, FL_STYLE_PLAIN, 0,
			      "What runs goes on. Nothing is admitted there until fairleadd "
			      "--cluster --role scheduler decides");
	return 0;
}
