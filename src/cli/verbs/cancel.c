/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cancel, hold and release: the same of each job that is named, going on when one of them cannot be
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/daemon.h"
#include "report/job/answers.h"

struct wish {
	const struct fl_options *options;
	struct fl_client *client;
	struct fl_arena arena;
	struct fl_job_change *told; /* what became of each, for JSON; its texts are in the arena */
	uint32_t n, cap;
	int code; /* exit code: the worst */
};

/* An error that the next job would have as well. */
static bool is_over(const fairlead_error *err)
{
	return err->code == FAIRLEAD_EIO || err->code == FAIRLEAD_ENOMEM;
}

/* One of @state and @error, the other NULL. */
static int tell(struct wish *w, uint64_t job, const char *state, const char *error,
		fairlead_error *err)
{
	const char *text = state ? state : error;
	char *kept = fl_arena_alloc(&w->arena, strlen(text) + 1, 1, err);

	if (!kept ||
	    fl_mem_grow(&fl_mem_heap, &w->told, &w->cap, w->n + 1, sizeof(*w->told), err) < 0)
		return FAIRLEAD_ENOMEM;
	strcpy(kept, text);
	w->told[w->n++] = (struct fl_job_change){ job, state ? kept : NULL, state ? NULL : kept };
	return 0;
}

/* FL_EXIT_YES, or complained of; only what ends all is an error. */
static int wish_one(struct wish *w, uint64_t job, fairlead_error *err)
{
	fairlead_error failed = { 0 };
	struct fl_path path;
	json_t *answer;
	char name[32];

	fl_path_start(&path, "/v1/jobs/%" PRIu64 "/%s", job, w->options->verb);
	if (fl_daemon_ask(w->client, "POST", &path, NULL, &answer, &failed) == 0) {
		const char *word = json_string_value(json_object_get(answer, "state"));
		const char *state = word ? word : "";
		int rc = 0;

		if (w->options->output == FL_OUTPUT_TEXT) {
			printf("job %" PRIu64 " ", job);
			fl_report_put_clean(stdout, state, strlen(state));
			putchar('\n');
		} else {
			rc = tell(w, job, state, /* error= */ NULL, err);
		}
		json_decref(answer);
		return rc;
	}
	if (is_over(&failed)) {
		*err = failed;
		return failed.code;
	}
	snprintf(name, sizeof(name), "job %" PRIu64, job);
	if (!*failed.subject && !strstr(failed.text, name))
		fl_fail_in(&failed, "%s", name);
	fl_complain(&failed);
	w->code = FL_EXIT_NO;
	if (w->options->output == FL_OUTPUT_TEXT)
		return 0;
	return tell(w, job, /* state= */ NULL, failed.text, err);
}

/* Those of one page behind job *after, which becomes the last one of it; *more: there is another. */
static int wish_page(struct wish *w, uint64_t first, uint64_t *after, bool *more,
		     fairlead_error *err)
{
	json_t *answer, *job;
	struct fl_path path;
	size_t i;

	fl_path_start(&path, "/v1/jobs");
	fl_path_number(&path, "array", (int64_t)first);
	fl_path_number(&path, "limit", FL_JOB_ARRAY);
	if (*after)
		fl_path_number(&path, "after", (int64_t)*after);
	int rc = fl_daemon_ask(w->client, "GET", &path, NULL, &answer, err);
	if (rc < 0)
		return rc;
	const json_t *jobs = json_object_get(answer, "jobs");
	*more = json_is_true(json_object_get(answer, "more")) && json_array_size(jobs);
	json_array_foreach(jobs, i, job)
	{
		*after = (uint64_t)json_integer_value(json_object_get(job, "id"));
		if (rc == 0)
			rc = wish_one(w, *after, err);
	}
	json_decref(answer);
	return rc;
}

/* All that are not over of the array whose first job is @first. */
static int wish_array(struct wish *w, uint64_t first, fairlead_error *err)
{
	uint64_t after = 0;
	bool more = true;
	int rc = 0;

	while (rc == 0 && more)
		rc = wish_page(w, first, &after, &more, err);
	if (rc == 0 && after == 0) {
		fairlead_error none = { 0 };

		fl_fail(&none, FAIRLEAD_ENOENT, "no job of the array %" PRIu64 "[] waits or runs",
			first);
		w->code = fl_complain(&none);
	}
	return rc;
}

static int wish_range(struct wish *w, const struct fl_job_range *range, fairlead_error *err)
{
	int rc = 0;

	if (range->array)
		return wish_array(w, range->first, err);
	for (uint64_t job = range->first; job <= range->last && rc == 0; job++)
		rc = wish_one(w, job, err);
	return rc;
}

static int wish_all(const struct fl_options *o, const struct fl_job_range *ranges)
{
	struct wish w = { .options = o };
	fairlead_error err = { 0 };
	int rc = fl_daemon_open(o, &w.client, &err);

	fl_arena_init(&w.arena, &fl_mem_heap);
	for (uint32_t i = 0; i < o->n_operands && rc == 0; i++)
		rc = wish_range(&w, &ranges[i], &err);
	if (o->output == FL_OUTPUT_JSON && w.n) {
		const struct fl_report report = { .out = stdout };
		const struct fl_job_changes_answer all = { w.told, w.n };

		fl_document_json(&report, &fl_job_changes_document, &all);
	}
	fl_mem_free(&fl_mem_heap, w.told);
	fl_arena_done(&w.arena);
	fl_client_free(w.client);
	return rc < 0 ? fl_complain(&err) : w.code;
}

/* All of them are looked at before anything is done. */
static int run(const struct fl_options *o)
{
	struct fl_job_range *ranges = calloc(o->n_operands, sizeof(*ranges));
	int code = FL_EXIT_YES;

	if (!ranges) {
		fairlead_error err = { 0 };

		fl_fail_nomem(&err);
		return fl_complain(&err);
	}
	for (uint32_t i = 0; i < o->n_operands && code == FL_EXIT_YES; i++) {
		if (!fl_daemon_job(o->operands[i], &ranges[i]))
			code = fl_usage_error(
				o->verb, "'%s' is not a job: 17, some: 17-20, or an array: 17[]",
				o->operands[i]);
		else if (ranges[i].last - ranges[i].first >= FL_JOB_ARRAY)
			code = fl_usage_error(o->verb, "'%s' are more than %d jobs", o->operands[i],
					      FL_JOB_ARRAY);
	}
	if (code == FL_EXIT_YES)
		code = wish_all(o, ranges);
	free(ranges);
	return code;
}

int fl_cmd_cancel(const struct fl_options *o) { return run(o); }
int fl_cmd_hold(const struct fl_options *o) { return run(o); }
int fl_cmd_release(const struct fl_options *o) { return run(o); }
