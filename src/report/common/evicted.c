/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/evicted.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "report/common/explain_words.h"

struct meaning {
	const char *name, *words;
};

/* Reasons of condition Evicted, as Kueue writes them; what is longer comes first. */
static const struct meaning reasons[] = {
	{ "PodsReadyTimeout", "its pods were not ready in time (waitForPodsReady)" },
	{ "AdmissionCheck", "an admission check was not ready any more, or rejected it" },
	{ "ClusterQueueStopped", "its ClusterQueue was stopped (HoldAndDrain)" },
	{ "LocalQueueStopped", "its LocalQueue was stopped (HoldAndDrain)" },
	{ "NodeFailures", "nodes on which its pods ran have failed" },
	{ "DeactivatedDueToAdmissionCheck",
	  "it was deactivated because an admission check rejected it" },
	{ "DeactivatedDueToMaximumExecutionTimeExceeded",
	  "it was deactivated because it ran longer than maximumExecutionTimeSeconds" },
	{ "DeactivatedDueToRequeuingLimitExceeded",
	  "it was deactivated because it was requeued as often as backoffLimitCount allows" },
	{ "Deactivated", "it was deactivated (spec.active: false)" },
	{ "InactiveWorkload", "it was deactivated (spec.active: false)" },
	{ "MaximumExecutionTimeExceeded", "it ran longer than maximumExecutionTimeSeconds" },
};

/* Rules of preemption: of Kueue, then actions of KAI. */
static const struct meaning rules[] = {
	{ "InClusterQueue", "preemption within the ClusterQueue (withinClusterQueue), where the "
			    "preemptor has the higher priority, or at the same priority is older" },
	{ "InCohortReclamation",
	  "reclamation within the cohort (reclaimWithinCohort): the preemptor's queue took back nominal quota "
	  "that this one's queue borrowed" },
	{ "InCohortFairSharing",
	  "fair sharing within the cohort: the share of this one's side was larger" },
	{ "InCohortReclaimWhileBorrowing",
	  "reclamation within the cohort while borrowing (borrowWithinCohort): the preemptor has a "
	  "higher priority and borrowed for it" },
	{ "Reclaim", "reclaim: the preemptor's queue took back its fair share" },
	{ "Preempt", "preempt: in the same queue, the preemptor has a higher priority" },
	{ "Consolidation", "consolidation: it was to move to another machine, to make room" },
};

static const char *find(const struct meaning *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].words;
	return NULL;
}

#define FIND(rows, name) find(rows, sizeof(rows) / sizeof(*(rows)), name)

static const char *const now_words[] = {
	[FL_PREEMPTOR_UNKNOWN] = "",
	[FL_PREEMPTOR_GONE] = ", which is not there any more",
	[FL_PREEMPTOR_WAITS] = ", which is pending now",
	[FL_PREEMPTOR_HOLDS] = ", which holds quota now",
	[FL_PREEMPTOR_EXCLUDED] = ", which is finished or takes no part now",
};

struct line {
	char *at;
	size_t left;
};

static void add(struct line *l, const char *format, ...) FL_PRINTF(2, 3);
static void add(struct line *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(l->at, l->left, format, args);
	va_end(args);
	size_t wrote = n < 0 ? 0 : (size_t)n < l->left ? (size_t)n : l->left - 1;
	l->at += wrote;
	l->left -= wrote;
}

/* "ns/job", "job 17", "a workload (UID ...)" */
static void add_preemptor(struct line *l, const struct fl_report *r, const struct fl_evicted *e)
{
	char name[FL_REPORT_NAME];

	if (e->job)
		add(l, "job %" PRIu64, e->job);
	else if (e->by.v != FL_NONE)
		add(l, "%s", fl_report_who(r, r->model, e->by, name));
	else if (*e->uid)
		add(l, "a workload (UID %s)", e->uid);
	else if (*e->job_uid)
		add(l, "the workload of a job (UID %s)", e->job_uid);
	else
		add(l, "another workload");
	if (*e->queue)
		add(l, " of queue '%s'", e->queue);
	add(l, "%s.", now_words[e->now]);
}

static void add_side(struct line *l, const struct fl_report *r, const struct fl_evicted_side *s)
{
	char text[32];

	add(l, "%s of %s '%s'", fl_report_share(&s->share, text), fl_report_kind(r->model, s->node),
	    fl_report_node(r->model, s->node));
}

static void add_preemption(struct line *l, const struct fl_report *r, const struct fl_evicted *e)
{
	const char *rule = FIND(rules, e->rule);

	add(l, " by ");
	add_preemptor(l, r, e);
	if (*e->rule)
		add(l, " The rule: %s.", rule ? rule : e->rule);
	if (e->n_sides < 2)
		return;
	add(l, " Shares now: ");
	add_side(l, r, &e->sides[0]);
	add(l, ", ");
	add_side(l, r, &e->sides[1]);
	add(l, ".");
}

void fl_evicted_text(const struct fl_report *r, const struct fl_evicted *e)
{
	const char *why = FIND(reasons, e->reason);
	char text[FL_SENTENCE] = "", time[40];
	struct line l = { text, sizeof text };

	add(&l, "%s %s", e->over ? "Before its present admission it was" : "It was",
	    e->preempted ? "preempted" : "evicted");
	if (e->at != FL_TIME_NONE)
		add(&l, " at %s", fl_time_format(time, e->at));
	if (e->preempted)
		add_preemption(&l, r, e);
	else
		add(&l, "%s%s.", *e->reason ? ": " : "", why ? why : e->reason);
	fl_report_paragraph(r, FL_STYLE_PLAIN, 2, text);
}

/* --- JSON --- */

static const char *meaning(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	const struct fl_evicted *e = row;
	const char *why = e->preempted ? FIND(rules, e->rule) : FIND(reasons, e->reason);

	(void)at;
	(void)buffer;
	return why;
}

static const char *known(const char *text) { return *text ? text : NULL; }

static const char *uid(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return known(((const struct fl_evicted *)row)->uid);
}

static const char *job_uid(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return known(((const struct fl_evicted *)row)->job_uid);
}

static const char *queue(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return known(((const struct fl_evicted *)row)->queue);
}

static const char *rule(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return known(((const struct fl_evicted *)row)->rule);
}

static void put_present(const struct fl_shape_at *at, const char *key, const void *row)
{
	enum fl_preemptor_now now = ((const struct fl_evicted *)row)->now;

	fl_json_bool(at->json, key, now != FL_PREEMPTOR_UNKNOWN && now != FL_PREEMPTOR_GONE);
}

static bool is_job(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_evicted *)row)->job;
}

static bool was_preempted(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_evicted *)row)->preempted;
}

static bool has_sides(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_evicted *)row)->n_sides;
}

#define ROW struct fl_evicted_side
static const struct fl_json_field side_fields[] = {
	FL_FIELD(NODE, "node", node, NULL),
	FL_FIELD_IN("share", share, fl_share_shape, NULL),
};
static const struct fl_json_shape side_shape = FL_SHAPE(side_fields, "evictedSide");
#undef ROW

#define ROW struct fl_evicted
static const struct fl_json_field last_fields[] = {
	FL_FIELD(TIME, "at", at, "null: not known", .null = true),
	FL_FIELD(TEXT, "reason", reason,
		 "of condition Evicted: Preempted, PodsReadyTimeout, AdmissionCheck, ..."),
	FL_FIELD_TEXT("message", meaning, "that, or the rule of a preemption, in words",
		      .maybe = true),
	FL_FIELD(BOOL, "admittedSince", over, "the workload was admitted again after it"),
};
static const struct fl_json_shape last_shape = FL_SHAPE(last_fields, "lastEviction");

static const struct fl_json_field by_fields[] = {
	FL_FIELD(TIME, "at", at, "null: not known", .null = true),
	FL_FIELD(WORKLOAD, "workload", by, "left out: it is not there any more, or not known",
		 .maybe = true),
	FL_FIELD(JOB, "job", job, "the daemon's number of it", .when = is_job),
	FL_FIELD_TEXT("uid", uid, "of the preempting Workload", .maybe = true),
	FL_FIELD_TEXT("jobUid", job_uid, "of its job", .maybe = true),
	FL_FIELD_TEXT("clusterQueue", queue, "of the preemptor", .maybe = true),
	FL_FIELD_TEXT("reason", rule,
		      "the rule: InClusterQueue, InCohortReclamation, InCohortFairSharing, "
		      "InCohortReclaimWhileBorrowing, Reclaim, Preempt, ...",
		      .maybe = true),
	FL_FIELD_PUT(BOOL, "present", put_present, "the preemptor is still there"),
	FL_FIELD_LIST("shares", sides, n_sides, side_shape,
		      "with fair sharing: shares now of its own side and of the preemptor's, "
		      "below their nearest common cohort",
		      .when = has_sides),
};
static const struct fl_json_shape by_shape = FL_SHAPE(by_fields, "preemptedBy");

static const struct fl_json_field evicted_fields[] = {
	FL_FIELD_SAME("lastEviction", last_shape,
		      "the last time it was evicted, where that is known"),
	FL_FIELD_SAME("preemptedBy", by_shape, "if that was for another workload",
		      .when = was_preempted),
};
const struct fl_json_shape fl_evicted_shape = FL_SHAPE(evicted_fields, "evicted");
#undef ROW
