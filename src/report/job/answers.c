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

/* Those of jobs, then that of one whose row in the store is not what was written. */
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
	SPEC(TEXT, "signal", "that it is told to go with"),
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
	FL_FIELD(TEXT, "user", row.user, "who submitted it"),
	FL_FIELD(TEXT, "state", state, NULL, .name_of = state_name, .end_name = FL_JOB_STATES + 1),
	FL_FIELD(TEXT, "reason", row.reason, "why it waits, or how it ended, in words",
		 .null = true),
	FL_FIELD(INT, "priority", row.priority, NULL),
	FL_FIELD(TIME, "submittedAt", row.submitted, "null: it is damaged", .null = true),
	FL_FIELD(TIME, "startedAt", row.started, "of the last attempt", .null = true),
	FL_FIELD(TIME, "endedAt", row.ended, "null: it is not over", .null = true),
	FL_FIELD(COUNT, "attempt", row.attempt, "how often it was started"),
	FL_FIELD(COUNT, "evictions", row.evictions, "how often it was told to go for others"),
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
