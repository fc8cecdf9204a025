/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for jobs to end: their events are followed, and after each event their states are read.
 * The daemon may be stopped and started meanwhile: the jobs go on, and the waiting as well.
 */
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/event_lines.h"
#include "cli/client/submit.h"
#include "record/job.h"

enum { PATIENCE = 60 }; /* seconds without a daemon */

/* What Ctrl-C prints; made before a signal can come. */
static char farewell[256];
static volatile sig_atomic_t farewell_len;

static void leave(int number)
{
	ssize_t unused = write(STDERR_FILENO, farewell, (size_t)farewell_len);

	(void)unused;
	_exit(128 + number);
}

static void listen_for_leave(const uint64_t *jobs, uint32_t n)
{
	struct sigaction action = { .sa_handler = leave };
	char more[64] = "";

	if (n > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more", n - 1);
	farewell_len = snprintf(farewell, sizeof(farewell),
				"\nfairlead: job %" PRIu64 "%s %s on; fairlead job %" PRIu64
				" shows it, fairlead cancel %" PRIu64 " ends it\n",
				jobs[0], more, n > 1 ? "go" : "goes", jobs[0], jobs[0]);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

struct wait {
	const struct fl_options *options;
	struct fl_client *client;
	unsigned without; /* seconds that no daemon was there */
};

static bool one_is_enough(void *user, json_t *event)
{
	(void)user;
	(void)event;
	return false;
}

/* The daemon is not there: waits a second, PATIENCE times in all; then the code of *err. */
static int be_patient(struct wait *w, const fairlead_error *err)
{
	if (err->code != FAIRLEAD_EIO || w->without == PATIENCE)
		return err->code;
	if (w->without++ == 0)
		fprintf(stderr, "fairlead: the daemon is not reachable; the job goes on, and "
				"fairlead waits\n");
	sleep(1);
	return 0;
}

static bool is_over(const json_t *job)
{
	const char *state = json_string_value(json_object_get(job, "state"));

	for (int s = FL_JOB_DONE; state && s < FL_JOB_STATES; s++)
		if (strcmp(state, fl_job_state_name((enum fl_job_state)s)) == 0)
			return true;
	return false;
}

/* The job once it is over, for json_decref. */
static int wait_for(struct wait *w, uint64_t job, json_t **ret, fairlead_error *err)
{
	struct fl_event_lines lines = { .event = one_is_enough };
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64, job);
	while (true) {
		struct fl_path path;
		json_t *answer;

		fl_path_start(&path, "/v1/jobs/%s", number);
		int rc = fl_daemon_ask(w->client, "GET", &path, NULL, &answer, err);
		if (rc == 0 && is_over(answer)) {
			*ret = answer;
			return 0;
		}
		if (rc == 0) {
			json_decref(answer);
			w->without = 0;
			/* From the first of its events on: none happens unseen in between. */
			fl_path_start(&path, "/v1/events");
			fl_path_add(&path, "job", number);
			fl_path_add(&path, "after", *lines.last ? lines.last : "0.0");
			fl_path_number(&path, "follow", 1);
			rc = fl_event_lines(w->client, &path, &lines, err);
		}
		if (rc < 0 && be_patient(w, err) < 0)
			return rc;
	}
}

/* As a shell says it: the status, or 128 and the signal. */
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

static void say_how(uint64_t job, const json_t *answer, int code)
{
	const char *state = json_string_value(json_object_get(answer, "state"));
	const char *reason = json_string_value(json_object_get(answer, "reason"));
	char subject[32], text[512];
	struct fl_diagnostic d = { .severity = "note", .subject = subject, .text = text };

	snprintf(subject, sizeof(subject), "job %" PRIu64, job);
	if (reason && *reason)
		snprintf(text, sizeof(text), "%s: %s", state, reason);
	else
		snprintf(text, sizeof(text), "%s, status %d", state, code);
	fl_print_diagnostic(&d);
}

int fl_submit_wait(const struct fl_options *o, const uint64_t *jobs, uint32_t n)
{
	struct wait w = { .options = o };
	fairlead_error err = { 0 };
	int code = 0, rc;

	listen_for_leave(jobs, n);
	rc = fl_daemon_open(o, &w.client, &err);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		json_t *answer;

		rc = wait_for(&w, jobs[i], &answer, &err);
		if (rc < 0)
			break;
		int one = exit_code(answer);
		const char *state = json_string_value(json_object_get(answer, "state"));
		if (one == 0 && strcmp(state, fl_job_state_name(FL_JOB_DONE)) != 0)
			one = FL_EXIT_NO; /* cancelled before it ran */
		if (one)
			say_how(jobs[i], answer, one);
		code = code ? code : one;
		json_decref(answer);
	}
	fl_client_free(w.client);
	return rc < 0 ? fl_complain(&err) : code;
}
