/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs, job and queues: what the daemon has, as a table, a page or JSON; and acknowledge
 */
#include <jansson.h>
#include <string.h>

#include "cli/client/daemon.h"
#include "record/job.h"
#include "report/job/answers.h"
#include "report/job/columns.h"
#include "report/job/failed.h"
#include "report/job/job_report.h"

enum {
	LIMIT = 1000,
	STARTS = 200, /* of which a start is foretold, unless told otherwise; and at most */
	MOST_STARTS = 1000,
	MOST_TASKS = 8, /* of which the standard error is looked at, when a job has failed */
	TAIL = 8192,    /* bytes of it */
};

static uint32_t starts_of(const struct fl_options *o)
{
	return o->limit == 0 ? STARTS : o->limit > MOST_STARTS ? MOST_STARTS : o->limit;
}

/* Of jobs that are over the newest are wanted. */
static bool has_over(uint32_t states) { return states >> FL_JOB_DONE; }

/* --- the list --- */

struct listing {
	const struct fl_options *o;
	bool live; /* those that are over were not asked for */
	struct fl_job_format format;
	bool has_format;
};

/* Joins what is expected of each job to it. */
static void take_starts(json_t *jobs, const json_t *starts)
{
	for (size_t i = 0; i < json_array_size(starts); i++) {
		json_t *start = json_array_get(starts, i);
		json_int_t id = json_integer_value(json_object_get(start, "job"));

		for (size_t k = 0; k < json_array_size(jobs); k++) {
			json_t *job = json_array_get(jobs, k);

			if (json_integer_value(json_object_get(job, "id")) == id)
				json_object_set(job, "expected", start);
		}
	}
}

static int foretell(const struct listing *l, json_t *jobs, fairlead_error *err)
{
	const struct fl_options *o = l->o;
	struct fl_client *client = NULL;
	json_t *answer = NULL;
	struct fl_path path;
	int rc = fl_daemon_open(o, &client, err);

	if (rc < 0)
		return rc;
	fl_path_start(&path, "/v1/starts");
	fl_path_add(&path, "queue", o->queue);
	fl_path_add(&path, "user", o->user);
	fl_path_number(&path, "limit", starts_of(o));
	rc = fl_daemon_ask(client, "GET", &path, /* body= */ NULL, &answer, err);
	if (rc == 0)
		take_starts(jobs, json_object_get(answer, "starts"));
	json_decref(answer);
	fl_client_free(client);
	return rc;
}

static void say_more(const json_t *answer)
{
	if (json_is_true(json_object_get(answer, "more")))
		fputs("fairlead: note: there are more jobs: --limit says how many to show\n",
		      stderr);
}

static int jobs_text(const struct fl_report *r, const json_t *answer, const void *user,
		     fairlead_error *err)
{
	const struct listing *l = user;
	json_t *jobs = json_object_get(answer, "jobs");
	int rc = 0;

	if (l->o->starts || (l->has_format && l->format.starts))
		rc = foretell(l, jobs, err);
	if (rc < 0)
		return rc;
	if (l->o->json_lines)
		for (size_t i = 0; i < json_array_size(jobs); i++)
			fl_daemon_print_line(r->out, json_array_get(jobs, i));
	else if (l->has_format)
		rc = fl_job_format_text(r, &l->format, jobs, fl_daemon_now(answer), !l->o->no_heads,
					err);
	else
		return fl_jobs_text(r, answer, fl_daemon_now(answer), l->live, err);
	say_more(answer);
	return rc;
}

/* What is asked for in two ways. */
static int check_ways(const struct fl_options *o)
{
	const struct {
		bool both;
		const char *text;
	} rows[] = {
		{ o->all && o->states, "give either --all or --state, not both" },
		{ o->starts && (o->all || o->states),
		  "--start lists pending jobs: it goes without --all and --state" },
		{ o->columns && o->json_lines, "give either --format or --json, not both" },
		{ o->columns && o->output == FL_OUTPUT_JSON,
		  "--format is for text, and not for -o json" },
		{ o->json_lines && o->output == FL_OUTPUT_JSON,
		  "give either --json, a line for each job, or -o json, one document" },
		{ o->starts && o->output == FL_OUTPUT_JSON,
		  "with --start give --json, not -o json" },
		{ o->no_heads && !(o->columns && strchr(o->columns, '%')),
		  "--noheader goes with columns such as '%i %j %T'" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].both)
			return fl_usage_error("jobs", "%s", rows[i].text);
	return 0;
}

int fl_cmd_jobs(const struct fl_options *o)
{
	static const char all[] = "held,depends,waits,starts,runs,stops,done,failed,cancelled";
	static const char expected[] = "id,name,queue,user,asks,start,between,why";
	const char *states = o->all ? all : o->starts ? "waits" : o->states;
	const char *columns = o->columns ? o->columns : o->starts ? expected : NULL;
	struct listing l = { .o = o, .live = !states, .has_format = columns };
	struct fl_daemon_question q = { fl_jobs_document.kind, jobs_text, &l, NULL, NULL };
	fairlead_error err = { 0 };
	struct fl_path path;
	uint32_t read = 0;

	if (check_ways(o))
		return FL_EXIT_USAGE;
	if (states && fl_job_states_read(states, &read, &err) < 0)
		return fl_usage_error("jobs", "--state: %s; %s", err.text, err.hint);
	if (columns && fl_job_format_parse(columns, &l.format, &err) != 0)
		return fl_usage_error("jobs", "--format: %s", err.text);
	fl_path_start(&path, "/v1/jobs");
	fl_path_add(&path, "state", states);
	fl_path_add(&path, "queue", o->queue);
	fl_path_add(&path, "user", o->user);
	fl_path_number(&path, "limit", o->starts ? starts_of(o) : o->limit ? o->limit : LIMIT);
	if (has_over(read))
		fl_path_number(&path, "last", 1);
	return fl_daemon_answer(o, &path, &q);
}

/* --- one job --- */

/*
 * The end of standard error of the first task that has one.  A refusal is no error: the page has
 * been printed, and the output may have been deleted since.
 */
static void last_words(const struct fl_options *o, const json_t *job, struct fl_answer *ret,
		       unsigned *ret_task)
{
	json_int_t tasks = json_integer_value(json_object_get(job, "tasks"));
	struct fl_client *client = NULL;
	fairlead_error none = { 0 };

	if (fl_daemon_open(o, &client, &none) != 0)
		return;
	for (unsigned task = 0; task < tasks && task < MOST_TASKS && ret->len == 0; task++) {
		struct fl_path path;

		fl_answer_done(ret);
		fl_path_start(&path, "/v1/jobs/%lld/log",
			      (long long)json_integer_value(json_object_get(job, "id")));
		fl_path_number(&path, "task", task);
		fl_path_add(&path, "stream", "err");
		fl_path_number(&path, "tail", TAIL);
		*ret_task = task;
		if (fl_daemon_fetch(client, "GET", &path, /* body= */ NULL, ret, &none) != 0) {
			*ret = (struct fl_answer){ 0 };
			break;
		}
	}
	fl_client_free(client);
}

static int job_text(const struct fl_report *r, const json_t *answer, const void *user,
		    fairlead_error *err)
{
	const char *state = json_string_value(json_object_get(answer, "state"));
	struct fl_answer answered = { 0 };
	struct fl_job_tail tail = { .of_task = json_integer_value(
						       json_object_get(answer, "tasks")) > 1 };
	int rc = fl_job_page(r, answer, fl_daemon_now(answer), err);

	if (rc < 0 || !state || strcmp(state, fl_job_state_name(FL_JOB_FAILED)) != 0)
		return rc;
	/* Only owner and admins are told what it runs, and may read what it wrote. */
	bool own = json_object_get(answer, "command");
	if (own && !json_object_get(answer, "output"))
		last_words(user, answer, &answered, &tail.task);
	tail.text = answered.body ? answered.body : "";
	tail.len = answered.len;
	fl_job_failed_text(r, answer, own ? &tail : NULL);
	fl_answer_done(&answered);
	return 0;
}

int fl_cmd_job(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_job_document.kind, job_text, o, NULL, NULL };
	struct fl_path path;
	uint64_t job;

	if (fl_daemon_one_job(o, o->operands[0], &job))
		return FL_EXIT_USAGE;
	fl_path_start(&path, "/v1/jobs/%llu", (unsigned long long)job);
	return fl_daemon_answer(o, &path, &q);
}

static int queues_text(const struct fl_report *r, const json_t *answer, const void *user,
		       fairlead_error *err)
{
	(void)user;
	return fl_queues_text(r, answer, err);
}

int fl_cmd_queues(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_queues_document.kind, queues_text, NULL, NULL, NULL };
	struct fl_path path;

	fl_path_start(&path, "/v1/queues");
	return fl_daemon_answer(o, &path, &q);
}

static int acknowledge_text(const struct fl_report *r, const json_t *answer, const void *user,
			    fairlead_error *err)
{
	(void)answer;
	(void)user;
	(void)err;
	fputs("acknowledged\n", r->out);
	return 0;
}

int fl_cmd_acknowledge(const struct fl_options *o)
{
	struct fl_daemon_question q = { "Acknowledgement", acknowledge_text, NULL, "POST", NULL };
	struct fl_path path;

	fl_path_start(&path, "/v1/acknowledge");
	return fl_daemon_answer(o, &path, &q);
}
