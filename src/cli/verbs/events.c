/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events: what happened, a line each, and with -f what happens
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/time.h"
#include "cli/client/event_lines.h"
#include "cli/terminal/terminal.h"
#include "report/job/job_report.h"

enum {
	LIMIT = 1000,
	BEFORE = 10, /* events shown before those that are waited for */
	MAX_LIMIT = 1000000,
};

struct events {
	const struct fl_options *options;
	struct fl_report report;
	char job[32];
	char since[40]; /* "": not given */
	uint32_t limit;
};

static bool print(void *user, json_t *event)
{
	struct events *e = user;

	if (e->options->output == FL_OUTPUT_JSON) {
		/* Its kind is "Event", as of every document; what happened is its event. */
		if (json_object_set(event, "event", json_object_get(event, "kind")) < 0)
			return false;
		fl_daemon_print_json(stdout, "Event", event);
	} else {
		fl_event_text(&e->report, event);
	}
	return fflush(stdout) == 0 && !ferror(stdout);
}

static void start_path(const struct events *e, struct fl_path *path)
{
	fl_path_start(path, "/v1/events");
	fl_path_add(path, "job", *e->job ? e->job : NULL);
	fl_path_add(path, "queue", fl_option_given(e->options, FL_CLIENT_QUEUE));
	fl_path_add(path, "kind", fl_option_given(e->options, FL_CLIENT_KIND));
}

static int run(struct events *e, fairlead_error *err)
{
	struct fl_event_lines lines = { .event = print, .user = e };
	struct fl_client *client = NULL;
	struct fl_path path;
	int rc = fl_daemon_open(e->options, &client, err);

	if (rc < 0)
		return rc;
	start_path(e, &path);
	fl_path_add(&path, "since", *e->since ? e->since : NULL);
	fl_path_number(&path, "limit", e->limit);
	rc = fl_event_lines(client, &path, &lines, err);
	if (rc == 0 && fl_option_given(e->options, FL_CLIENT_FOLLOW) && !ferror(stdout)) {
		start_path(e, &path);
		fl_path_add(&path, "after", *lines.last ? lines.last : NULL);
		fl_path_number(&path, "follow", 1);
		rc = fl_event_lines(client, &path, &lines, err);
	}
	fl_client_free(client);
	return rc;
}

bool fl_daemon_since(const char *text, char ret[40])
{
	fl_time t, ago;

	if (fl_time_parse(text, strlen(text), &t, NULL) < 0) {
		if (!fl_options_duration(text, &ago))
			return false;
		t = fl_time_minus(fl_daemon_now(/* answer= */ NULL), ago);
		t = t == FL_TIME_NONE ? 0 : t;
	}
	fl_time_format(ret, t);
	return true;
}

int fl_cmd_events(const struct fl_options *o)
{
	const char *job = fl_option_given(o, FL_CLIENT_JOB);
	const char *since = fl_option_given(o, FL_CLIENT_SINCE);
	const char *limit = fl_option_given(o, FL_CLIENT_LIMIT);
	struct events e = { .options = o, .limit = LIMIT };
	fairlead_error err = { 0 };
	uint64_t number;

	if (fl_option_given(o, FL_CLIENT_FOLLOW) && !since && !job)
		e.limit = BEFORE;
	if (limit && !fl_options_count(limit, 1, MAX_LIMIT, &e.limit))
		return fl_usage_error("events", "--limit: '%s' is not a number from 1 to %d", limit,
				      MAX_LIMIT);
	if (job && fl_daemon_one_job(o, job, &number))
		return FL_EXIT_USAGE;
	if (job)
		snprintf(e.job, sizeof(e.job), "%" PRIu64, number);
	if (since && !fl_daemon_since(since, e.since))
		return fl_usage_error("events",
				      "--since: '%s' is neither a time such as "
				      "2026-01-01T00:00:00Z nor how long ago, such as 1h",
				      since);
	fl_terminal(&e.report);
	return run(&e, &err) < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
