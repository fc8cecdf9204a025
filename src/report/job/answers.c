/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/answers.h"

#include <string.h>

static const char clock_doc[] = "the daemon's clock, RFC 3339";
static const char rfc_3339[] = "RFC 3339";

/* JSON that is kept as it stands; NULL: left out. */
static void put_kept(const struct fl_shape_at *at, const char *key, const json_t *value)
{
	if (!value)
		return;
	fl_json_raw(at->json, key, "", 0);
	if (json_dumpf(value, at->json->out, JSON_COMPACT | JSON_ENCODE_ANY) < 0)
		at->json->failed = true;
}

/* --- a job --- */

/* Those of jobs, then that of one whose row in the store does not match its checksum. */
static const char *state_name(unsigned i)
{
	return i < FL_JOB_STATES ? fl_job_state_name((enum fl_job_state)i) : "damaged";
}

static const char *exit_name(unsigned i) { return fl_outcome_name((enum fl_outcome_kind)i); }

static void put_spec(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_kept(at, key, json_object_get(((const struct fl_job_answer *)row)->spec, key));
}

#define ROW struct fl_job_after
static const char *const after_names[] = { "ok", "failed", "any" };
static const struct fl_json_field after_fields[] = {
	FL_FIELD(JOB, "job", job, NULL),
	FL_FIELD_ENUM("when", how, after_names, NULL),
};
static const struct fl_json_shape after_shape = FL_SHAPE(after_fields, "after");
#undef ROW

static const char *held_amount(const struct fl_shape_at *at, const void *row,
			       char buffer[FL_SHAPE_TEXT])
{
	const struct fl_run_grant *grant = row;

	return at->report->quantity(buffer, grant->amount, strcmp(grant->resource, "cpu") == 0,
				    strcmp(grant->resource, "memory") == 0);
}

#define ROW struct fl_run_grant
static const struct fl_json_field hold_fields[] = {
	FL_FIELD_CHARS("resource", resource, NULL),
	FL_FIELD_CHARS("flavor", flavor, NULL),
	FL_FIELD_TEXT("amount", held_amount, NULL),
};
static const struct fl_json_shape hold_shape = FL_SHAPE(hold_fields, "holds");
#undef ROW

#define ROW struct fl_job_exit
static const struct fl_json_field exit_fields[] = {
	FL_FIELD(TEXT, "kind", kind, NULL, .name_of = exit_name, .end_name = FL_RUN_IMPOSSIBLE + 1),
	FL_FIELD(INT, "status", status, NULL),
};
static const struct fl_json_shape exit_shape = FL_SHAPE(exit_fields, "exit");
#undef ROW

#define ROW struct fl_job_answer
#define SPEC(as, key, ...) FL_FIELD_PUT(as, key, put_spec, __VA_ARGS__, .maybe = true)
static const struct fl_json_field first_fields[] = {
	FL_FIELD(JOB, "id", row.id, "its number, never used twice"),
	FL_FIELD(TEXT, "name", row.name, "what people call it"),
	SPEC(NTH, "tasks", "processes, all of which run or none"),
	SPEC(MAP, "requests", "of one task, as Kubernetes quantities", .item = FL_AS_TEXT),
	SPEC(MAP, "labels", "of the flavor that it wants", .item = FL_AS_TEXT),
	SPEC(COUNT, "arrayIndex", "FAIRLEAD_ARRAY_INDEX"),
};
static const struct fl_json_shape first_shape = FL_SHAPE(first_fields, "job");

static const struct fl_json_field own_fields[] = {
	SPEC(LIST, "command", NULL, .item = FL_AS_TEXT),
	SPEC(MAP, "environment", NULL, .item = FL_AS_TEXT),
	SPEC(TEXT, "directory", "where it runs"),
	SPEC(TEXT, "output", "where its output goes; not there: the daemon keeps it"),
	SPEC(TEXT, "signal", "the signal that asks it to end"),
};
static const struct fl_json_shape own_shape = FL_SHAPE(own_fields, "job");

static const struct fl_json_field whole_fields[] = {
	SPEC(LIST, "after", NULL, .shape = &after_shape),
	SPEC(TEXT, "timeLimit", "of each attempt"),
	SPEC(TEXT, "grace", "from the signal to the kill"),
	SPEC(BOOL, "hold", "it was submitted to wait until it is released"),
	FL_FIELD_ALSO(own_shape, NULL, FL_IF_TRUE(own)),
};
static const struct fl_json_shape whole_shape = FL_SHAPE(whole_fields, "job");
#undef SPEC

static const struct fl_json_field now_fields[] = {
	FL_FIELD(TEXT, "queue", row.queue, "as submitted"),
	FL_FIELD(TEXT, "user", row.user, "the user that submitted it"),
	FL_FIELD(TEXT, "state", state, NULL, .name_of = state_name, .end_name = FL_JOB_STATES + 1),
	FL_FIELD(TEXT, "reason", row.reason, "why it waits, or how it ended, in words",
		 .null = true),
	FL_FIELD(INT, "priority", row.priority, NULL),
	FL_FIELD(TIME, "submittedAt", row.submitted, "null: it is damaged", .null = true),
	FL_FIELD(TIME, "startedAt", row.started, "of the last attempt", .null = true),
	FL_FIELD(TIME, "endedAt", row.ended, "null: it is not over", .null = true),
	FL_FIELD(COUNT, "attempt", row.attempt, "how often it was started"),
	FL_FIELD(COUNT, "evictions", row.evictions, "how often it was evicted"),
	FL_FIELD(COUNT, "losses", row.losses, "how often its runner was lost"),
	FL_FIELD(REAL, "ranSeconds", ran, "in all attempts", .more = "{\"minimum\": 0}"),
	FL_FIELD_TO("exit", exit, exit_shape, "null: it has not ended", .null = true),
	FL_FIELD_LIST("placement", holds, n_holds, hold_shape, "what it holds"),
	FL_FIELD(JOB, "array", row.array, "the first job of its array; null: none", .null = true),
	FL_FIELD_ITEMS(COUNT, "devices", devices, n_devices, "numbers of the devices it has",
		       FL_IF_TRUE(may_have_devices)),
};
static const struct fl_json_shape now_shape = FL_SHAPE(now_fields, "job");

static const struct fl_json_field job_fields[] = {
	FL_FIELD_ALSO(first_shape, NULL),
	FL_FIELD_ALSO(now_shape, NULL),
};
const struct fl_json_shape fl_job_shape = FL_SHAPE(job_fields, "job");
#undef ROW

#define ROW struct fl_attempt_answer
static const struct fl_json_field attempt_fields[] = {
	FL_FIELD(NTH, "attempt", row.attempt, NULL),
	FL_FIELD(TIME, "from", row.from, NULL),
	FL_FIELD(TIME, "to", row.to, "null: it runs", .null = true),
	FL_FIELD(TEXT, "ended", row.ended, "exited, preempted, out of memory, ...", .null = true),
	FL_FIELD(JOB, "preemptor", row.preemptor, "the job it made way for", .null = true),
	FL_FIELD_LIST("placement", holds, n_holds, hold_shape, "what it held"),
};
const struct fl_json_shape fl_attempt_shape = FL_SHAPE(attempt_fields, "attempt");
#undef ROW

#define ROW struct fl_job_answer
static const struct fl_json_field page_fields[] = {
	FL_FIELD_ALSO(first_shape, NULL),
	FL_FIELD_ALSO(whole_shape, NULL),
	FL_FIELD_ALSO(now_shape, NULL),
	{ .key = "attempts", .type = FL_AS_STREAM, .shape = &fl_attempt_shape },
	FL_FIELD(BOOL, "contained", contained,
		 "nothing that it starts outlives it: a control group or a namespace of "
		 "processes sees to that; of a job that is not over",
		 FL_IF_TRUE(live)),
	FL_FIELD(COUNT64, "outputLost", output_lost,
		 "bytes of output of the last attempt beyond jobs.outputLimit, which were "
		 "dropped; once it has ended"),
	FL_FIELD(TIME, "now", now, clock_doc),
};
const struct fl_json_shape fl_job_page_shape = FL_SHAPE(page_fields, "page");
const struct fl_document fl_job_document = { .kind = "Job",
					     .shape = &fl_job_page_shape,
					     .plain = true };
#undef ROW

/* --- jobs --- */

static void put_jobs(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_jobs_answer *a = row;

	fl_json_list(at->json, key);
	for (uint32_t i = 0; i < a->n; i++)
		fl_json_raw(at->json, NULL, a->text + a->pieces[i].at, a->pieces[i].len);
	fl_json_end_list(at->json);
}

#define WARNING                                                                                    \
	FL_FIELD(TEXT, "warning", warning, "what no admin has acknowledged, as after a restore",   \
		 .maybe = true)

#define ROW struct fl_jobs_answer
static const struct fl_json_field jobs_fields[] = {
	FL_FIELD_PUT(LIST, "jobs", put_jobs, NULL, .shape = &fl_job_shape),
	FL_FIELD(BOOL, "more", more, "there are more than the limit"),
	FL_FIELD(TIME, "now", now, clock_doc),
	WARNING,
};
const struct fl_json_shape fl_jobs_shape = FL_SHAPE(jobs_fields, "jobs");
const struct fl_document fl_jobs_document = { .kind = "Jobs",
					      .shape = &fl_jobs_shape,
					      .plain = true };
#undef ROW

/* --- submitted, and changed --- */

static void put_notes(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_kept(at, key, ((const struct fl_submitted_answer *)row)->notes);
}

#define ROW struct fl_submitted_answer
static const struct fl_json_field submitted_fields[] = {
	FL_FIELD_ITEMS(JOB, "jobs", jobs, n, NULL),
	FL_FIELD_PUT(LIST, "notes", put_notes,
		     "What was taken all the same and is worth a look: it asks for more than "
		     "there is.",
		     .item = FL_AS_TEXT, .maybe = true),
};
const struct fl_json_shape fl_submitted_shape = FL_SHAPE(submitted_fields, "submitted");
const struct fl_document fl_submitted_document = { .kind = "Submitted",
						   .shape = &fl_submitted_shape,
						   .plain = true };
#undef ROW

static bool has_error(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_job_change *)row)->error;
}

#define ROW struct fl_job_change
static const struct fl_json_field error_fields[] = {
	FL_FIELD(TEXT, "text", error, NULL),
};
static const struct fl_json_shape error_shape = FL_SHAPE(error_fields, "error");
static const struct fl_json_field change_fields[] = {
	FL_FIELD(JOB, "job", job, NULL),
	FL_FIELD(TEXT, "state", state, "as it is now", .maybe = true, .name_of = state_name,
		 .end_name = FL_JOB_STATES),
	FL_FIELD_SAME("error", error_shape, "instead of state: why it was not done",
		      .when = has_error),
};
const struct fl_json_shape fl_job_change_shape = FL_SHAPE(change_fields, "change");
#undef ROW

#define ROW struct fl_job_changes_answer
static const struct fl_json_field changes_fields[] = {
	FL_FIELD_LIST("jobs", changes, n, fl_job_change_shape, NULL),
};
static const struct fl_json_shape changes_shape = FL_SHAPE(changes_fields, "changes");
const struct fl_document fl_job_changes_document = { .kind = "Changes",
						     .shape = &changes_shape,
						     .plain = true };
#undef ROW

/* --- events: what happened is the kind of a line of the daemon, the event of a document --- */

#define ROW struct fl_event_answer
static const struct fl_json_field when_fields[] = {
	FL_FIELD_CHARS("id", id, "stands for its place in the order of events"),
	FL_FIELD(TIME, "at", row.at, rfc_3339),
};
static const struct fl_json_shape when_shape = FL_SHAPE(when_fields, "event");
static const struct fl_json_field about_fields[] = {
	FL_FIELD(JOB, "job", row.job, "null: none", .null = true),
	FL_FIELD(NTH, "attempt", row.attempt, "of the job; null: none", .null = true),
	FL_FIELD(TEXT, "queue", row.queue, "the job's, or what it is about", .null = true),
	FL_FIELD(TEXT, "reason", row.reason, "one word", .null = true),
	FL_FIELD(JOB, "by", row.by, "Preempted: the job it makes way for", .null = true),
	FL_FIELD(TEXT, "text", row.text, "one line for people", .null = true),
};
static const struct fl_json_shape about_shape = FL_SHAPE(about_fields, "event");
#define HAPPENED(key) FL_FIELD(TEXT, key, row.kind, "what: Submitted, Started, Preempted, ...")
static const struct fl_json_field line_fields[] = {
	FL_FIELD_ALSO(when_shape, NULL),
	HAPPENED("kind"),
	FL_FIELD_ALSO(about_shape, NULL),
};
const struct fl_json_shape fl_event_shape = FL_SHAPE(line_fields, "line");
static const struct fl_json_field event_fields[] = {
	FL_FIELD_ALSO(when_shape, NULL),
	FL_FIELD_ALSO(about_shape, NULL),
	HAPPENED("event"),
};
static const struct fl_json_shape event_shape = FL_SHAPE(event_fields, "event");
const struct fl_document fl_event_document = { .kind = "Event",
					       .shape = &event_shape,
					       .plain = true };
#undef ROW

/* --- queues --- */

const struct fl_queue_amounts *fl_queue_amounts_find(const struct fl_queue_amounts *rows,
						     uint32_t n, const char *resource)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(rows[i].resource, resource) == 0)
			return &rows[i];
	return NULL;
}

#define ROW struct fl_queue_amounts
#define AMOUNT(key, m, doc) FL_FIELD_CHARS(key, m, doc, .maybe = true)
static const struct fl_json_field amount_fields[] = {
	AMOUNT("nominal", nominal, "quota, or what is deserved; \"unlimited\""),
	AMOUNT("usage", usage, "held"),
	AMOUNT("borrowed", borrowed, "used beyond the quota"),
	AMOUNT("lent", lent, "used by others of the quota"),
	AMOUNT("pending", pending, "wanted by jobs that wait"),
	AMOUNT("fairShare", fair_share, "what a division gave"),
};
static const struct fl_json_shape amounts_shape = FL_SHAPE(amount_fields, "amounts");
#undef AMOUNT
#undef ROW

static void put_resources(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_queue_answer *q = row;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < q->n_resources; i++)
		fl_shape_json(at, q->resources[i].resource, &amounts_shape, &q->resources[i]);
	fl_json_end_object(at->json);
}

static void put_conditions(const struct fl_shape_at *at, const char *key, const void *row)
{
	const json_t *conditions = ((const struct fl_queue_answer *)row)->conditions;

	if (conditions)
		put_kept(at, key, conditions);
	else
		fl_json_raw(at->json, key, "[]", 2);
}

static struct fl_shape_rows submit_names(const struct fl_shape_at *at, const void *row)
{
	const struct fl_queue_answer *q = row;

	(void)at;
	return (struct fl_shape_rows){ &q->name, q->submit };
}

#define ROW struct fl_queue_answer
#define NAME FL_FIELD(TEXT, "name", name, NULL)
#define KIND(all) FL_FIELD(TEXT, "kind", kind, NULL, FL_NAMES(all))
#define SHARE                                                                                      \
	FL_FIELD(REAL, "share", share,                                                             \
		 "how far it borrows by fair sharing, \"inf\" for endlessly; for entitlement, "    \
		 "held by fair share; null: none",                                                 \
		 .null = true, .more = "{\"type\": [\"string\", \"number\", \"null\"]}")
#define PLACE                                                                                      \
	FL_FIELD(TEXT, "parent", parent, "the cohort or queue it stands below", .null = true),     \
		FL_FIELD(REAL, "weight", weight, NULL)
static const char *const kinds[] = { "Cohort", "ClusterQueue", "LocalQueue", "Queue" };
static const struct fl_json_field queue_fields[] = {
	NAME,
	KIND(kinds),
	FL_FIELD(TEXT, "namespace", namespace, "of a LocalQueue", .maybe = true),
	PLACE,
	SHARE,
	FL_FIELD_PUT(MAP, "resources", put_resources, NULL, .shape = &amounts_shape),
	FL_FIELD(COUNT, "running", running, "jobs"),
	FL_FIELD(COUNT, "waiting", waiting, "jobs"),
	FL_FIELD(COUNT, "held", held, "jobs"),
	FL_FIELD_PUT(LIST, "conditions", put_conditions, "what lasts, a text each",
		     .item = FL_AS_TEXT, .more = "{\"items\": {}}"),
	FL_FIELD_ITEMS_OF(TEXT, "submit", submit_names,
			  "names under which jobs are submitted to it"),
	FL_FIELD(BOOL, "mayUse", may_use, "whether the user that asks may submit to it"),
};
static const struct fl_json_shape queue_shape = FL_SHAPE(queue_fields, "queue");

/* A LocalQueue has neither share nor history. */
static const char *const node_kinds[] = { "Cohort", "ClusterQueue", "Queue" };
static const struct fl_json_field share_fields[] = { NAME, KIND(node_kinds), SHARE };
static const struct fl_json_shape share_shape = FL_SHAPE(share_fields, "share");
static const struct fl_json_field divided_fields[] = { NAME, KIND(node_kinds), PLACE };
static const struct fl_json_shape divided_shape = FL_SHAPE(divided_fields, "queue");
#undef ROW

static void put_total(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_queues_answer *a = row;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < a->n_total; i++)
		fl_json_text(at->json, a->total[i].resource, a->total[i].nominal);
	fl_json_end_object(at->json);
}

#define ROW struct fl_queues_answer
#define POLICY FL_FIELD(TEXT, "policy", policy, NULL, FL_NAMES(policies))
#define NOW FL_FIELD(TIME, "now", now, clock_doc)
#define TOTAL                                                                                      \
	FL_FIELD_PUT(MAP, "total", put_total,                                                      \
		     "what there is to be divided; empty where quotas say so", .item = FL_AS_TEXT)
static const char *const policies[] = { "borrow", "entitle", "drf" };
static const struct fl_json_field queues_fields[] = {
	POLICY, NOW, FL_FIELD_LIST("queues", queues, n, queue_shape, NULL), TOTAL, WARNING,
};
const struct fl_json_shape fl_queues_shape = FL_SHAPE(queues_fields, "queues");
static const struct fl_json_field shares_fields[] = {
	POLICY, NOW, FL_FIELD_LIST("shares", queues, n_nodes, share_shape, NULL), TOTAL, WARNING,
};
const struct fl_json_shape fl_shares_shape = FL_SHAPE(shares_fields, "shares");
const struct fl_document fl_queues_document = { .kind = "Queues",
						.shape = &fl_queues_shape,
						.plain = true };
#undef ROW

/* --- history --- */

#define NOT_NEGATIVE .more = "{\"minimum\": 0}"
#define ROW struct fl_history_part
static const struct fl_json_field part_fields[] = {
	FL_FIELD(REAL, "unitSeconds", had,
		 "what it held, in units times seconds; cores of cpu, bytes of memory",
		 NOT_NEGATIVE),
	FL_FIELD(REAL, "part", part, "of what all held", NOT_NEGATIVE),
	FL_FIELD(REAL, "dueUnitSeconds", due,
		 "what quota and weight would have given it while it wanted so much; not there "
		 "when too many jobs are in question",
		 NOT_NEGATIVE, .maybe = true),
	FL_FIELD(REAL, "duePart", due_part, "of what all were due", NOT_NEGATIVE, .maybe = true),
};
static const struct fl_json_shape part_shape = FL_SHAPE(part_fields, "part");
#undef ROW

static void put_parts(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_history_queue *q = row;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < q->n_parts; i++)
		fl_shape_json(at, q->parts[i].resource, &part_shape, &q->parts[i]);
	fl_json_end_object(at->json);
}

#define ROW struct fl_history_queue
static const struct fl_json_field had_fields[] = {
	FL_FIELD_INLINE_TO(queue, divided_shape, NULL),
	FL_FIELD_PUT(MAP, "had", put_parts, NULL, .shape = &part_shape),
	FL_FIELD(REAL, "waitMedian", wait_median, "seconds until the first start, or now",
		 NOT_NEGATIVE, .maybe = true),
	FL_FIELD(REAL, "waitLongest", wait_longest, "seconds", NOT_NEGATIVE, .maybe = true),
	FL_FIELD(COUNT64, "jobs", jobs, "that held something then, or wait"),
	FL_FIELD(COUNT64, "preempted", preempted, "how often one of its jobs made way"),
};
static const struct fl_json_shape had_shape = FL_SHAPE(had_fields, "queue");
#undef ROW

#define ROW struct fl_history_answer
static const struct fl_json_field history_fields[] = {
	FL_FIELD(TIME, "from", from, rfc_3339),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD_LIST("queues", queues, n, had_shape, NULL),
};
const struct fl_json_shape fl_history_shape = FL_SHAPE(history_fields, "history");
const struct fl_document fl_history_document = { .kind = "History",
						 .shape = &fl_history_shape,
						 .plain = true };
#undef ROW

/* --- usage --- */

#define ROW struct fl_usage_part
static const struct fl_json_field held_fields[] = {
	FL_FIELD(REAL, "unitSeconds", held,
		 "what it held, in units times seconds; cores of cpu, bytes of memory",
		 NOT_NEGATIVE),
	FL_FIELD(REAL, "partOfQueue", of_queue, "of what all users held in this queue",
		 NOT_NEGATIVE),
	FL_FIELD(REAL, "part", of_all, "of what all users held in all queues", NOT_NEGATIVE),
};
static const struct fl_json_shape held_shape = FL_SHAPE(held_fields, "held");
#undef ROW

static void put_held(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_usage_line *l = row;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < l->n_parts; i++)
		fl_shape_json(at, l->parts[i].resource, &held_shape, &l->parts[i]);
	fl_json_end_object(at->json);
}

#define ROW struct fl_usage_line
static const struct fl_json_field line_of_usage_fields[] = {
	FL_FIELD(TEXT, "user", user, "null: of jobs that the daemon does not keep any more",
		 .null = true),
	FL_FIELD(TEXT, "queue", queue, "whose quota it was: a ClusterQueue or Queue"),
	FL_FIELD(COUNT64, "jobs", jobs, "that held something then"),
	FL_FIELD(COUNT64, "attempts", attempts, "of them that held something then"),
	FL_FIELD(COUNT64, "preempted", preempted, "how often one of them was preempted"),
	FL_FIELD_PUT(MAP, "held", put_held, "by resource", .shape = &held_shape),
};
static const struct fl_json_shape usage_line_shape = FL_SHAPE(line_of_usage_fields, "userInQueue");
#undef ROW

#define ROW struct fl_usage_answer
static const struct fl_json_field usage_fields[] = {
	FL_FIELD(TIME, "from", from, rfc_3339),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD_LIST("users", lines, n, usage_line_shape,
		      "each user in each queue, by name; what is not known first"),
};
const struct fl_json_shape fl_usage_shape = FL_SHAPE(usage_fields, "usage");
const struct fl_document fl_usage_document = { .kind = "Usage",
					       .shape = &fl_usage_shape,
					       .plain = true };
#undef ROW
