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
static const char *const after_names[] = { "ok", "failed", "any", "begun" };
static const struct fl_json_field after_fields[] = {
	FL_FIELD(JOB, "job", job, NULL),
	FL_FIELD_ENUM("when", how, after_names, NULL),
};
static const struct fl_json_shape after_shape = FL_SHAPE(after_fields, "after");
#undef ROW

/* As it is kept. */
struct fl_job_hook_row {
	const char *command;
	const json_t *on;
};
#define ROW struct fl_job_hook_row
static void put_on(const struct fl_shape_at *at, const char *key, const void *row)
{
	put_kept(at, key, ((const struct fl_job_hook_row *)row)->on);
}
static const struct fl_json_field hook_fields[] = {
	FL_FIELD_PUT(LIST, "on", put_on, "begin, end, fail, preempted", .item = FL_AS_TEXT),
	FL_FIELD(TEXT, "command", command, "of a shell"),
};
static const struct fl_json_shape hook_shape = FL_SHAPE(hook_fields, "hook");
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
	SPEC(COUNT, "arrayMost", "of its array that run at once, at most"),
	SPEC(TEXT, "begin", "it does not start before; RFC 3339"),
};
static const struct fl_json_shape first_shape = FL_SHAPE(first_fields, "job");

static const struct fl_json_field own_fields[] = {
	SPEC(LIST, "command", NULL, .item = FL_AS_TEXT),
	SPEC(MAP, "environment", NULL, .item = FL_AS_TEXT),
	SPEC(TEXT, "directory", "where it runs"),
	SPEC(TEXT, "output", "where its output goes; not there: the daemon keeps it"),
	SPEC(TEXT, "signal", "the signal that asks it to end"),
	SPEC(TEXT, "comment", NULL),
	SPEC(LIST, "hooks", NULL, .shape = &hook_shape),
};
static const struct fl_json_shape own_shape = FL_SHAPE(own_fields, "job");

static const struct fl_json_field whole_fields[] = {
	SPEC(LIST, "after", NULL, .shape = &after_shape),
	SPEC(TEXT, "timeLimit", "of each attempt"),
	SPEC(TEXT, "grace", "from the signal to the kill"),
	SPEC(BOOL, "hold", "it was submitted to wait until it is released"),
	SPEC(BOOL, "requeue", "false: it is not queued again when it was preempted or lost"),
	SPEC(BOOL, "singleton", "it waits for all earlier jobs of its user and name"),
	SPEC(TEXT, "interactive", "files or terminal: its standard files are those of its client"),
	FL_FIELD_ALSO(own_shape, NULL, FL_IF_TRUE(own)),
};
static const struct fl_json_shape whole_shape = FL_SHAPE(whole_fields, "job");
#undef SPEC

static const struct fl_json_field now_fields[] = {
	FL_FIELD(TEXT, "queue", row.queue, "as submitted"),
	FL_FIELD(TEXT, "user", row.user, "the user that submitted it"),
	FL_FIELD(TEXT, "state", state, NULL, .name_of = state_name, .end_name = FL_JOB_STATES + 1),
	FL_FIELD(TEXT, "reason", row.reason, "what refused it last, or how it ended, in words",
		 .null = true),
	FL_FIELD(
		TEXT, "why", why,
		"why it does not run, or how it ended: the limit that leaves least room for it and "
		"how many are ahead of it in its queue, jobs that it waits for, whether it is held",
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

/* Left out where it is not known. */
#define CPU(member, doc) FL_FIELD(REAL, "cpuSeconds", member, doc, .maybe = true)
#define MEMORY(member, doc, known) FL_FIELD(COUNT64, "peakMemoryBytes", member, doc, .when = known)

static bool knows_memory_of_attempt(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_attempt_answer *)row)->row.memory > 0;
}

static bool knows_memory(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_job_answer *)row)->used.memory > 0;
}

#define ROW struct fl_attempt_answer
static const struct fl_json_field attempt_fields[] = {
	FL_FIELD(NTH, "attempt", row.attempt, NULL),
	FL_FIELD(TIME, "from", row.from, NULL),
	FL_FIELD(TIME, "to", row.to, "null: it runs", .null = true),
	FL_FIELD(TEXT, "ended", row.ended, "exited, preempted, out of memory, ...", .null = true),
	FL_FIELD(JOB, "preemptor", row.preemptor, "the job it made way for", .null = true),
	FL_FIELD_LIST("placement", holds, n_holds, hold_shape, "what it held"),
	FL_FIELD(REAL, "waitedSeconds", waited, "pending or held before it"),
	CPU(cpu, "that its processes used, once it has ended; not there: not known"),
	MEMORY(row.memory,
	       "memory at its highest; without a control group that of its largest process",
	       knows_memory_of_attempt),
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
	FL_FIELD(REAL, "waitedSeconds", used.waited,
		 "pending or held, before all attempts and now"),
	FL_FIELD(REAL, "lostSeconds", used.lost,
		 "of attempts that have to be made again: preempted, held, drained or lost"),
	CPU(used.cpu, "of all attempts that have ended"),
	MEMORY(used.memory, "the highest of all attempts that have ended", knows_memory),
	FL_FIELD(REAL, "cpuEfficiency", used.of_cores, "CPU time used, of that of the cpu it held",
		 .maybe = true),
	FL_FIELD(REAL, "memoryEfficiency", used.of_memory,
		 "the highest memory, of that which it held", .maybe = true),
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

#define ROW struct fl_others_answer
static const struct fl_json_field others_fields[] = {
	FL_FIELD(TEXT, "queue", queue, "null where the caller may not get ClusterQueues",
		 .null = true),
	FL_FIELD(COUNT, "jobs", jobs, "of the states that were asked for; none that are over"),
};
static const struct fl_json_shape others_shape = FL_SHAPE(others_fields, "others");
#undef ROW

#define ROW struct fl_jobs_answer
static const struct fl_json_field jobs_fields[] = {
	FL_FIELD_PUT(LIST, "jobs", put_jobs, NULL, .shape = &fl_job_shape),
	FL_FIELD(BOOL, "more", more, "there are more than the limit"),
	FL_FIELD(TEXT, "continue", go_on, "for the next ones, with continue=", .maybe = true),
	FL_FIELD_LIST("others", others, n_others, others_shape,
		      "of a cluster: how many there are that the caller may not get",
		      FL_IF_TRUE(limited)),
	FL_FIELD(TIME, "now", now, clock_doc),
	WARNING,
};
const struct fl_json_shape fl_jobs_shape = FL_SHAPE(jobs_fields, "jobs");
const struct fl_document fl_jobs_document = { .kind = "Jobs",
					      .shape = &fl_jobs_shape,
					      .plain = true };
#undef ROW

/* --- starts --- */

#define ROW struct fl_start_answer
static const struct fl_json_field start_fields[] = {
	FL_FIELD(JOB, "job", job, NULL),
	FL_FIELD(TEXT, "state", state,
		 "Fits: before any job ends; Later; Beyond: later than was looked; Never; Unknown; "
		 "TakesNoPart; Started"),
	FL_FIELD(TIME, "start", start, "in half of all futures it has started by then",
		 .null = true),
	FL_FIELD(TIME, "from", from, "in four of five it starts from then", .null = true),
	FL_FIELD(TIME, "to", to, "until then", .null = true),
};
static const struct fl_json_shape start_shape = FL_SHAPE(start_fields, "start");
#undef ROW

#define ROW struct fl_starts_answer
static const struct fl_json_field starts_fields[] = {
	FL_FIELD_LIST("starts", starts, n, start_shape, NULL),
	FL_FIELD(BOOL, "more", more, "there are more pending jobs than the limit"),
	FL_FIELD(COUNT, "runs", runs, "futures that were computed"),
	FL_FIELD(REAL, "secondsAhead", ahead, "as long as they looked ahead"),
	FL_FIELD(TIME, "now", now, clock_doc),
};
const struct fl_json_shape fl_starts_shape = FL_SHAPE(starts_fields, "starts");
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
	FL_FIELD(COUNT, "done", done, "of how many jobs it was done"),
	FL_FIELD(COUNT, "refused", refused, "of how many it was not, with an error"),
	FL_FIELD(TEXT, "only", only, "the user whose jobs alone were looked for", .maybe = true),
	FL_FIELD(JOB, "after", go_on,
		 "not all were looked at: ask again, for those with a higher number",
		 .maybe = true),
};
const struct fl_json_shape fl_job_changes_shape = FL_SHAPE(changes_fields, "changes");
const struct fl_document fl_job_changes_document = { .kind = "Changes",
						     .shape = &fl_job_changes_shape,
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
	FL_FIELD(REAL, "wantedUnitSeconds", wanted,
		 "what it held and what its pending jobs asked for; not there when too many jobs "
		 "are in question",
		 NOT_NEGATIVE, .maybe = true),
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

#define ROW struct fl_history_gap
static const struct fl_json_field gap_fields[] = {
	FL_FIELD(TIME, "from", from, rfc_3339),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD_CHARS("why", why, "in words"),
};
static const struct fl_json_shape gap_shape = FL_SHAPE(gap_fields, "gap");
#undef ROW

#define ROW struct fl_history_answer
static const struct fl_json_field gaps_fields[] = {
	FL_FIELD_LIST(
		"gaps", gaps, n_gaps, gap_shape,
		"times in which a cluster's daemon did not see or could not keep what happened"),
};
static const struct fl_json_shape gaps_shape = FL_SHAPE(gaps_fields, "history");
static const char *const tiers[] = { "exact", "hour", "day", "month" };
static const struct fl_json_field history_fields[] = {
	FL_FIELD(TIME, "from", from, rfc_3339),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD(TEXT, "tier", tier, "the coarsest history that was read: exact, or sums",
		 FL_NAMES(tiers)),
	FL_FIELD(REAL, "errorSeconds", error,
		 "length of the sums that from or to cut, of which the part by length counts",
		 NOT_NEGATIVE),
	FL_FIELD_LIST("queues", queues, n, had_shape, NULL),
	FL_FIELD_ALSO(gaps_shape, NULL, FL_IF_TRUE(has_gaps)),
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
static const char *const exact[] = { "exact" };
static const struct fl_json_field usage_fields[] = {
	FL_FIELD(TIME, "from", from,
		 "RFC 3339; later than asked for where what jobs held is not kept so long "
		 "(keep.tiers.exact)"),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD(TEXT, "tier", tier, "sums do not know users: it is never read from these",
		 FL_NAMES(exact)),
	FL_FIELD(REAL, "errorSeconds", error, "0: it is exact", NOT_NEGATIVE),
	FL_FIELD_LIST("users", lines, n, usage_line_shape,
		      "each user in each queue, by name; what is not known first"),
};
const struct fl_json_shape fl_usage_shape = FL_SHAPE(usage_fields, "usage");
const struct fl_document fl_usage_document = { .kind = "Usage",
					       .shape = &fl_usage_shape,
					       .plain = true };
#undef ROW

/* --- series --- */

#define ROW struct fl_along_part
static const struct fl_json_field along_fields[] = {
	FL_FIELD(REAL, "held", held, "cores of cpu, bytes of memory, pieces", NOT_NEGATIVE),
	FL_FIELD(REAL, "entitled", entitled,
		 "what quota and weight would have given it while it wanted so much", NOT_NEGATIVE),
	FL_FIELD(REAL, "waiting", waiting, "what its pending jobs asked for", NOT_NEGATIVE),
	FL_FIELD(REAL, "borrowed", borrowed, "held beyond its quota", NOT_NEGATIVE),
	FL_FIELD(REAL, "lent", lent, "of its quota, held by others", NOT_NEGATIVE),
	FL_FIELD(REAL, "nominal", nominal, "its quota; 0 where that is unlimited", NOT_NEGATIVE),
};
static const struct fl_json_shape along_shape = FL_SHAPE(along_fields, "along");
#undef ROW

static void put_along(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_along_row *s = row;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < s->n_parts; i++)
		fl_shape_json(at, s->parts[i].resource, &along_shape, &s->parts[i]);
	fl_json_end_object(at->json);
}

#define ROW struct fl_along_row
static const struct fl_json_field series_row_fields[] = {
	FL_FIELD(TIME, "from", from, rfc_3339),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD(REAL, "seconds", seconds, "of the daemon's time between them", NOT_NEGATIVE),
	FL_FIELD(TEXT, "tier", tier, "what it ends", FL_NAMES(tiers)),
	FL_FIELD(
		COUNT64, "version", version,
		"of the configuration at its end: a row of the journal; 0: that of the first start"),
	FL_FIELD(COUNT64, "started", started, "attempts of jobs"),
	FL_FIELD(COUNT64, "preempted", preempted, "how often one of its jobs made way"),
	FL_FIELD(REAL, "share", share, "mean of its share, as in GET /v1/shares", NOT_NEGATIVE,
		 .maybe = true),
	FL_FIELD(REAL, "shareLargest", share_most, "the largest that was seen, \"inf\" for endless",
		 .maybe = true, .more = "{\"type\": [\"string\", \"number\"]}"),
	FL_FIELD(REAL, "waitMean", wait_mean, "seconds, of those that started", NOT_NEGATIVE,
		 .maybe = true),
	FL_FIELD(REAL, "waitLongest", wait_longest, "seconds", NOT_NEGATIVE, .maybe = true),
	FL_FIELD_PUT(MAP, "resources", put_along, "means over the row; times seconds they are sums",
		     .shape = &along_shape),
};
static const struct fl_json_shape series_row_shape = FL_SHAPE(series_row_fields, "row");
#undef ROW

#define ROW struct fl_series_answer
static const char *const steps[] = { "hour", "day", "month" };
static const struct fl_json_field series_fields[] = {
	FL_FIELD(TEXT, "queue", queue, NULL),
	FL_FIELD(TEXT, "step", step, NULL, FL_NAMES(steps)),
	FL_FIELD(TIME, "from", from, rfc_3339),
	FL_FIELD(TIME, "to", to, rfc_3339),
	FL_FIELD_LIST("rows", rows, n, series_row_shape, NULL),
	FL_FIELD(TIME, "more", more, "there are more rows: ask again from this time",
		 .maybe = true),
};
const struct fl_json_shape fl_series_shape = FL_SHAPE(series_fields, "series");
const struct fl_document fl_series_document = { .kind = "Series",
						.shape = &fl_series_shape,
						.plain = true };
#undef ROW
