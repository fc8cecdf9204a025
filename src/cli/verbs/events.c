/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events: what happened, a line each, and with -f what happens
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/client/event_lines.h"
#include "cli/terminal/terminal.h"
#include "report/job/answers.h"
#include "report/job/job_report.h"

enum {
	LIMIT = 1000,
	BEFORE = 10, /* events shown before those that are waited for */
};

struct events {
	const struct fl_options *options;
	struct fl_report report;
	char job[32];
	uint32_t limit;
};

static bool print(void *user, json_t *event)
{
	struct events *e = user;

	if (e->options->output == FL_OUTPUT_JSON) {
		/* Its kind is "Event", as of every document; what happened is its event. */
		if (json_object_set(event, "event", json_object_get(event, "kind")) < 0)
			return false;
		fl_daemon_print_json(stdout, fl_event_document.kind, event);
	} else {
		fl_event_text(&e->report, event);
	}
	return fflush(stdout) == 0 && !ferror(stdout);
}

static void start_path(const struct events *e, struct fl_path *path)
{
	fl_path_start(path, "/v1/events");
	fl_path_add(path, "job", *e->job ? e->job : NULL);
	fl_path_add(path, "queue", e->options->queue);
	fl_path_add(path, "kind", e->options->kind);
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
	fl_path_add(&path, "since", *e->options->since ? e->options->since : NULL);
	fl_path_number(&path, "limit", e->limit);
	rc = fl_event_lines(client, &path, &lines, err);
	if (rc == 0 && e->options->follow && !ferror(stdout)) {
		start_path(e, &path);
		fl_path_add(&path, "after", *lines.last ? lines.last : NULL);
		fl_path_number(&path, "follow", 1);
		rc = fl_event_lines(client, &path, &lines, err);
	}
	fl_client_free(client);
	return rc;
}

int fl_cmd_events(const struct fl_options *o)
{
	struct events e = {
		.options = o,
		.limit = o->limit                           ? o->limit :
			 o->follow && !*o->since && !o->job ? BEFORE :
							      LIMIT,
	};
	fairlead_error err = { 0 };
	uint64_t number;

	if (o->job && fl_daemon_one_job(o, o->job, &number))
		return FL_EXIT_USAGE;
	if (o->job)
		snprintf(e.job, sizeof(e.job), "%" PRIu64, number);
	fl_terminal(&e.report);
	return run(&e, &err) < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
