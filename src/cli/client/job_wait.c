/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/job_wait.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/event_lines.h"
#include "record/job.h"

enum { PATIENCE = 60 }; /* seconds without a daemon */

static bool take_any_event(void *user, json_t *event)
{
	const struct fl_job_wait *w = user;

	if (w->event)
		w->event(w->user, event);
	return true;
}

/* After each of them the job is looked at. */
static bool take_event(void *user, json_t *event)
{
	(void)take_any_event(user, event);
	return false;
}

int fl_job_wait_longer(struct fl_job_wait *w, const fairlead_error *err)
{
	if (err->code != FAIRLEAD_EIO || w->without == PATIENCE)
		return err->code;
	if (w->without++ == 0)
		fprintf(stderr, "fairlead: the daemon is not reachable; the job goes on, and "
				"fairlead waits\n");
	sleep(1);
	return 0;
}

bool fl_job_has_ended(const json_t *job)
{
	const char *state = json_string_value(json_object_get(job, "state"));

	for (int s = FL_JOB_DONE; state && s < FL_JOB_STATES; s++)
		if (strcmp(state, fl_job_state_name((enum fl_job_state)s)) == 0)
			return true;
	return false;
}

/* The next event after the last one that was seen; or the daemon has ended its answer. */
static int wait_for_event(struct fl_job_wait *w, uint64_t job, struct fl_event_lines *lines,
			  fairlead_error *err)
{
	struct fl_path path;

	/* From the first of its events on: none happens unseen in between. */
	fl_path_start(&path, "/v1/events");
	fl_path_number(&path, "job", (int64_t)job);
	fl_path_add(&path, "after", *lines->last ? lines->last : "0.0");
	fl_path_number(&path, "follow", 1);
	return fl_event_lines(w->client, &path, lines, err);
}

/* Of a job that is over: the events that were not seen. */
static int take_rest(struct fl_job_wait *w, uint64_t job, struct fl_event_lines *lines,
		     fairlead_error *err)
{
	enum { REST = 10000 };
	struct fl_path path;

	if (!w->event)
		return 0;
	lines->event = take_any_event;
	fl_path_start(&path, "/v1/events");
	fl_path_number(&path, "job", (int64_t)job);
	fl_path_add(&path, "after", *lines->last ? lines->last : "0.0");
	fl_path_number(&path, "limit", REST);
	return fl_event_lines(w->client, &path, lines, err);
}

int fl_job_wait(struct fl_job_wait *w, uint64_t job, json_t **ret, fairlead_error *err)
{
	struct fl_event_lines lines = { .event = take_event, .user = w };

	while (true) {
		struct fl_path path;
		json_t *answer;

		fl_path_start(&path, "/v1/jobs/%" PRIu64, job);
		int rc = fl_daemon_ask(w->client, "GET", &path, NULL, &answer, err);
		if (rc == 0 && fl_job_has_ended(answer)) {
			*ret = answer;
			return take_rest(w, job, &lines, err);
		}
		if (rc == 0) {
			json_decref(answer);
			w->without = 0;
			rc = wait_for_event(w, job, &lines, err);
		}
		if (rc < 0 && fl_job_wait_longer(w, err) < 0)
			return rc;
	}
}

static int exit_code(const json_t *job)
{
	const json_t *ended = json_object_get(job, "exit");
	const char *kind = json_string_value(json_object_get(ended, "kind"));
	int status = (int)json_integer_value(json_object_get(ended, "status"));

	if (!kind)
		kind = "";
	if (strcmp(kind, "exited") == 0 && status >= 0 && status < 256)
		return status;
	if (strcmp(kind, "signalled") == 0 && status > 0 && status < 128)
		return 128 + status;
	return FL_EXIT_NO;
}

int fl_job_exit_code(const json_t *job)
{
	const char *state = json_string_value(json_object_get(job, "state"));
	int code = exit_code(job);

	if (code == 0 && (!state || strcmp(state, fl_job_state_name(FL_JOB_DONE)) != 0))
		return FL_EXIT_NO;
	return code;
}

void fl_job_say_how(uint64_t number, const json_t *job)
{
	const char *state = json_string_value(json_object_get(job, "state"));
	const char *reason = json_string_value(json_object_get(job, "reason"));
	char subject[32], text[512];
	struct fl_diagnostic d = { .severity = "note", .subject = subject, .text = text };
	int code = fl_job_exit_code(job);

	if (code == 0)
		return;
	snprintf(subject, sizeof(subject), "job %" PRIu64, number);
	if (reason && *reason)
		snprintf(text, sizeof(text), "%s: %s", state ? state : "", reason);
	else
		snprintf(text, sizeof(text), "%s, status %d", state ? state : "", code);
	fl_print_diagnostic(&d);
}
