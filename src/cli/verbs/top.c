/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: what queues hold, the jobs and the last events, redrawn each second; without a terminal
 * printed once, or with --for every few seconds
 */
#include <jansson.h>
#include <langinfo.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/client/event_lines.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/terminal.h"
#include "report/job/job_report.h"

enum {
	JOBS = 500,
	EVENTS = 20,
	PERIOD = 1000,       /* ms */
	PLAIN_PERIOD = 5000, /* the same where pictures stand below each other */
	PLAIN_JOBS = 5,
};

struct top {
	struct fl_client *client;
	struct fl_report report;
	json_t *events; /* newest last, EVENTS at most */
	bool ascii, out_of_memory;
	uint32_t most_jobs;
	uint64_t until; /* ms of the clock; 0: for ever */
};

static bool keep_event(void *user, json_t *event)
{
	struct top *t = user;

	t->out_of_memory |= json_array_append(t->events, event) < 0;
	if (json_array_size(t->events) > EVENTS)
		json_array_remove(t->events, 0);
	return !t->out_of_memory;
}

static int get_events(struct top *t, fairlead_error *err)
{
	struct fl_event_lines lines = { .event = keep_event, .user = t };
	struct fl_path path;

	json_array_clear(t->events);
	fl_path_start(&path, "/v1/events");
	fl_path_number(&path, "limit", EVENTS);
	int rc = fl_event_lines(t->client, &path, &lines, err);
	return rc == 0 && t->out_of_memory ? fl_fail_nomem(err) : rc;
}

/*
 * What runs before what waits: of more jobs than are asked for the first ones by number may all
 * wait, while others run.
 */
static int get_jobs(struct top *t, json_t **ret, fairlead_error *err)
{
	json_t *jobs = NULL, *more = NULL, *list, *job;
	struct fl_path path;
	size_t i;

	fl_path_start(&path, "/v1/jobs");
	fl_path_number(&path, "limit", JOBS);
	int rc = fl_daemon_ask(t->client, "GET", &path, NULL, &jobs, err);
	if (rc < 0 || !json_is_true(json_object_get(jobs, "more"))) {
		*ret = jobs;
		return rc;
	}
	fl_path_start(&path, "/v1/jobs");
	fl_path_add(&path, "state", "starts,runs,stops");
	fl_path_number(&path, "limit", JOBS);
	rc = fl_daemon_ask(t->client, "GET", &path, NULL, &more, err);
	list = json_object_get(more, "jobs");
	json_array_foreach(json_object_get(jobs, "jobs"), i, job)
	{
		const char *state = json_string_value(json_object_get(job, "state"));

		if (rc == 0 && state && strcmp(state, "starts") != 0 &&
		    strcmp(state, "runs") != 0 && strcmp(state, "stops") != 0 &&
		    json_array_append(list, job) < 0)
			rc = fl_fail_nomem(err);
	}
	if (rc == 0 && json_object_set_new(more, "more", json_true()) < 0)
		rc = fl_fail_nomem(err);
	json_decref(jobs);
	*ret = more;
	return rc;
}

/* One picture of how it is, onto t->report.out. */
static int draw(struct top *t, fairlead_error *err)
{
	struct fl_top_report page = { .events = t->events,
				      .most_jobs = t->most_jobs,
				      .ascii = t->ascii };
	json_t *queues = NULL, *jobs = NULL;
	struct fl_path path;

	fl_path_start(&path, "/v1/queues");
	int rc = fl_daemon_ask(t->client, "GET", &path, NULL, &queues, err);
	if (rc == 0)
		rc = get_jobs(t, &jobs, err);
	if (rc == 0)
		rc = get_events(t, err);
	if (rc == 0) {
		page.queues = queues;
		page.jobs = jobs;
		rc = fl_top_text(&t->report, &page, fl_daemon_now(queues), err);
	}
	json_decref(queues);
	json_decref(jobs);
	return rc;
}

/* The same as one text, so that a screen is never half of two pictures. */
static int draw_screen(struct top *t, fairlead_error *err)
{
	unsigned lines;
	char *text = NULL;
	size_t size = 0;

	fl_screen_size(&lines, &t->report.width);
	t->report.out = open_memstream(&text, &size);
	if (!t->report.out)
		return fl_fail_nomem(err);
	int rc = draw(t, err);
	bool bad = ferror(t->report.out) | (fclose(t->report.out) != 0);
	if (rc == 0 && bad)
		rc = fl_fail_nomem(err);
	if (rc == 0)
		fl_screen_draw(text);
	free(text);
	return rc;
}

static uint64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* How long until the next picture, at most @period; 0: there is none. */
static int time_left(const struct top *t, int period)
{
	uint64_t now = clock_ms();

	if (!t->until || t->until >= now + (uint64_t)period)
		return period;
	return t->until > now ? (int)(t->until - now) : 0;
}

static int watch(struct top *t, fairlead_error *err)
{
	char key = '\0';
	int rc = 0, left = 1;

	while (rc == 0 && key != 'q' && key != 'Q' && key != '\004' && left > 0) {
		rc = draw_screen(t, err);
		left = time_left(t, PERIOD);
		if (rc == 0 && left > 0)
			key = fl_screen_key(left);
	}
	fl_screen_end();
	t->report.out = stdout;
	return rc;
}

/* Pictures below each other, the last one when the time is over. */
static int print(struct top *t, fairlead_error *err)
{
	int rc = 0, left = 1;

	t->most_jobs = t->until ? PLAIN_JOBS : 0;
	while (rc == 0) {
		rc = draw(t, err);
		left = t->until ? time_left(t, PLAIN_PERIOD) : 0;
		if (rc < 0 || left == 0 || fflush(stdout) != 0)
			return rc;
		poll(NULL, 0, left);
		putchar('\n');
	}
	return rc;
}

int fl_cmd_top(const struct fl_options *o)
{
	struct top t = { .events = json_array(),
			 .ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0 };
	fairlead_error err = { 0 };

	if (o->length)
		t.until = clock_ms() + (uint64_t)(o->length / 1000000);
	int rc = t.events ? fl_daemon_open(o, &t.client, &err) : fl_fail_nomem(&err);

	fl_terminal(&t.report);
	if (rc == 0 && (o->once || !fl_screen_begin())) {
		rc = print(&t, &err);
	} else if (rc == 0) {
		rc = watch(&t, &err);
		/* The last picture stays on the terminal. */
		t.until = o->length ? clock_ms() : 0;
		if (rc == 0 && o->length)
			rc = print(&t, &err);
	}
	json_decref(t.events);
	fl_client_free(t.client);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
