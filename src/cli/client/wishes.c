/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/wishes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_word.h"
#include "report/job/answers.h"

/* What was answered so far; a request of very many jobs has several answers. */
struct asking {
	const struct fl_wishes *w;
	struct fl_client *client;
	json_t *body, *jobs; /* jobs: of all answers, for JSON */
	json_int_t done, refused;
	char only[256];
};

/* --- which jobs --- */

/* "3,5" "10-20" as one list. From malloc; NULL: no memory. */
static char *join(char *const *operands, uint32_t n)
{
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; out && i < n; i++)
		fprintf(out, "%s%s", i ? "," : "", operands[i]);
	if (!out || (fclose(out) != 0)) {
		free(text);
		return NULL;
	}
	return text;
}

static int check(const struct fl_options *o, const char *jobs)
{
	struct fl_job_range range;
	fairlead_error err = { 0 };
	uint32_t states;
	int rc;

	if (o->n_operands == 0 && !o->user && !o->queue && !o->name && !o->states)
		return fl_usage_error(o->verb, "no job is named: give their numbers, or say which "
					       "with --user, --queue, --name or --state");
	for (uint32_t i = 0; i < o->n_operands; i++)
		if (!*o->operands[i])
			return fl_usage_error(o->verb,
					      "'' is not a job: 17, some: 3,5,10-20, or an "
					      "array: 17[]");
	while ((rc = fl_job_range_next(&jobs, &range, &err)) > 0)
		;
	if (rc == 0 && o->states && (rc = fl_job_states_read(o->states, &states, &err)) < 0)
		return fl_usage_error(o->verb, "--state: %s; %s", err.text, err.hint);
	return rc < 0 ? fl_usage_error(o->verb, "%s", err.text) : 0;
}

static bool put(json_t *body, const char *key, const char *text)
{
	return !text || !*text || json_object_set_new(body, key, json_string(text)) == 0;
}

static int select_jobs(const struct fl_options *o, json_t *body)
{
	char *jobs = join(o->operands, o->n_operands);
	fairlead_error err = { 0 };
	int code = jobs ? check(o, jobs) : 0;

	if (code == 0 && (!jobs || !put(body, "jobs", jobs) || !put(body, "user", o->user) ||
			  !put(body, "queue", o->queue) || !put(body, "name", o->name) ||
			  !put(body, "state", o->states))) {
		fl_fail_nomem(&err);
		code = fl_complain(&err);
	}
	free(jobs);
	return code;
}

/* --- what became of them --- */

static bool is_running(const char *state)
{
	return strcmp(state, fl_job_state_name(FL_JOB_STARTS)) == 0 ||
	       strcmp(state, fl_job_state_name(FL_JOB_RUNS)) == 0;
}

static void tell(const struct asking *a, uint64_t job, const json_t *row)
{
	const char *state = json_string_value(json_object_get(row, "state"));
	const char *text = a->w->done ? a->w->done : state ? state : "";
	const char *why = json_string_value(json_object_get(json_object_get(row, "error"), "text"));
	fairlead_error err = { 0 };
	char name[32];

	if (!why && a->w->options->output == FL_OUTPUT_TEXT) {
		printf("job %" PRIu64 " ", job);
		fl_report_put_clean(stdout, text, strlen(text));
		fputs(a->w->running && is_running(text) ? a->w->running : "", stdout);
		putchar('\n');
	}
	if (!why)
		return;
	snprintf(name, sizeof(name), "job %" PRIu64, job);
	fl_fail(&err, FAIRLEAD_EINPUT, "%s", why);
	if (!strstr(why, name))
		fl_fail_in(&err, "%s", name);
	fl_complain(&err);
}

static int take(struct asking *a, const json_t *answer, fairlead_error *err)
{
	const char *only = json_string_value(json_object_get(answer, "only"));
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "jobs"), i, row)
	{
		tell(a, (uint64_t)json_integer_value(json_object_get(row, "job")), row);
		if (json_array_append(a->jobs, row) < 0)
			return fl_fail_nomem(err);
	}
	a->done += json_integer_value(json_object_get(answer, "done"));
	a->refused += json_integer_value(json_object_get(answer, "refused"));
	snprintf(a->only, sizeof(a->only), "%s", only ? only : "");
	return 0;
}

/* Until the daemon has looked at all of them. */
static int ask(struct asking *a, fairlead_error *err)
{
	json_int_t after = 0;
	int rc;

	do {
		json_t *answer = NULL;
		char *body = json_dumps(a->body, JSON_COMPACT);
		struct fl_path path;

		fl_path_start(&path, "/v1/jobs/%s", a->w->action);
		rc = body ? fl_daemon_ask(a->client, "POST", &path, body, &answer, err) :
			    fl_fail_nomem(err);
		free(body);
		if (rc < 0)
			return rc;
		after = json_integer_value(json_object_get(answer, "after"));
		rc = take(a, answer, err);
		json_decref(answer);
		if (rc == 0 && after &&
		    json_object_set_new(a->body, "after", json_integer(after)) < 0)
			rc = fl_fail_nomem(err);
	} while (rc == 0 && after);
	return rc;
}

static void print_json(struct asking *a)
{
	json_t *all = json_pack("{s:O, s:I, s:I}", "jobs", a->jobs, "done", a->done, "refused",
				a->refused);

	if (all && *a->only)
		(void)json_object_set_new(all, "only", json_string(a->only));
	if (all)
		fl_daemon_print_json(stdout, fl_job_changes_document.kind, all);
	json_decref(all);
}

/* How many, where it was not said which. */
static void print_sum(const struct asking *a)
{
	const struct fl_options *o = a->w->options;

	if (!o->user && !o->queue && !o->name && !o->states)
		return;
	fprintf(stderr, "fairlead: %" JSON_INTEGER_FORMAT " %s found%s%s", a->done + a->refused,
		a->done + a->refused == 1 ? "job" : "jobs", *a->only ? " of " : "", a->only);
	if (a->refused)
		fprintf(stderr, ", %" JSON_INTEGER_FORMAT " refused", a->refused);
	if (*a->only)
		fputs(" (all users are for admins)", stderr);
	putc('\n', stderr);
}

int fl_wishes_ask(const struct fl_wishes *w)
{
	struct asking a = { .w = w, .body = w->body, .jobs = json_array() };
	fairlead_error err = { 0 };
	int rc = a.body && a.jobs ? 0 : fl_fail_nomem(&err), code = 0;

	if (rc == 0)
		code = select_jobs(w->options, a.body);
	if (rc == 0 && code == 0)
		rc = fl_daemon_open(w->options, &a.client, &err);
	if (rc == 0 && code == 0)
		rc = ask(&a, &err);
	if (code == 0 && (rc == 0 || json_array_size(a.jobs)) &&
	    w->options->output == FL_OUTPUT_JSON)
		print_json(&a);
	if (rc == 0 && code == 0 && w->options->output == FL_OUTPUT_TEXT)
		print_sum(&a);
	json_decref(a.body);
	json_decref(a.jobs);
	fl_client_free(a.client);
	if (code)
		return code;
	return rc < 0 ? fl_complain(&err) : a.refused ? FL_EXIT_NO : FL_EXIT_YES;
}
