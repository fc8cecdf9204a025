/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: one job until it ends, redrawn each second: its page, its place, and the last lines of its
 * output; without a terminal its events, a line each.  The exit status is that of the job.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/job_wait.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/terminal.h"
#include "report/job/job_report.h"
#include "report/out/sanitize.h"

enum {
	PERIOD = 1000,    /* ms */
	MOST_JOBS = 1000, /* among which its place is looked for */
	TAIL = 8192,      /* bytes of each output */
	LEAST_LINES = 5,  /* of them, also where the page leaves less room */
};

struct watch {
	struct fl_job_wait wait;
	struct fl_report report;
	uint64_t number;
	json_t *job; /* as it was last */
};

/* --- its place --- */

/* By priority, then by number, which is the order of submission. */
static bool is_before(const json_t *a, const json_t *b)
{
	json_int_t x = json_integer_value(json_object_get(a, "priority"));
	json_int_t y = json_integer_value(json_object_get(b, "priority"));

	if (x != y)
		return x > y;
	return json_integer_value(json_object_get(a, "id")) <
	       json_integer_value(json_object_get(b, "id"));
}

/* Nothing where there are too many to count. */
static int put_place(struct watch *w, fairlead_error *err)
{
	const char *state = json_string_value(json_object_get(w->job, "state"));
	const char *queue = json_string_value(json_object_get(w->job, "queue"));
	json_t *answer = NULL, *other;
	struct fl_path path;
	size_t i, n = 0;

	if (!state || !queue || strcmp(state, "waits") != 0)
		return 0;
	fl_path_start(&path, "/v1/jobs");
	fl_path_add(&path, "state", "waits");
	fl_path_add(&path, "queue", queue);
	fl_path_number(&path, "limit", MOST_JOBS);
	int rc = fl_daemon_ask(w->wait.client, "GET", &path, NULL, &answer, err);
	if (rc < 0)
		return rc;
	const json_t *jobs = json_object_get(answer, "jobs");
	json_array_foreach(jobs, i, other) n += is_before(other, w->job);
	if (!json_is_true(json_object_get(answer, "more"))) {
		fprintf(w->report.out, "Place %zu of %zu pending jobs in queue ", n + 1,
			json_array_size(jobs));
		fl_report_put_clean(w->report.out, queue, strlen(queue));
		fputs(", by priority and submission\n", w->report.out);
	}
	json_decref(answer);
	return 0;
}

/* --- its output --- */

/* The last @lines of it, and *ret_len, their bytes. */
static const char *last_lines(const struct fl_answer *a, unsigned lines, size_t *ret_len)
{
	const char *end = a->body + a->len, *at = end;

	if (at > a->body && at[-1] == '\n')
		at--;
	while (at > a->body && lines > 0)
		if (*--at == '\n' && --lines == 0)
			at++;
	*ret_len = (size_t)(end - at);
	return at;
}

/* An output that does not exist, or is not kept by the daemon, is left out. */
static void put_output(struct watch *w, const char *stream, const char *title, unsigned lines)
{
	struct fl_sanitize clean = { .out = w->report.out, .color = w->report.color };
	fairlead_error none = { 0 };
	struct fl_answer answer;
	struct fl_path path;
	size_t len;

	fl_path_start(&path, "/v1/jobs/%" PRIu64 "/log", w->number);
	fl_path_add(&path, "stream", stream);
	fl_path_number(&path, "tail", TAIL);
	if (fl_daemon_fetch(w->wait.client, "GET", &path, NULL, &answer, &none) < 0)
		return;
	if (answer.len) {
		const char *text = last_lines(&answer, lines, &len);

		fprintf(w->report.out, "\n%s\n", title);
		fl_sanitize_put(&clean, text, len);
		fl_sanitize_end(&clean);
		if (text[len - 1] != '\n')
			putc('\n', w->report.out);
	}
	fl_answer_done(&answer);
}

/* --- a picture --- */

static int get_job(struct watch *w, fairlead_error *err)
{
	struct fl_path path;
	json_t *job;

	fl_path_start(&path, "/v1/jobs/%" PRIu64, w->number);
	int rc = fl_daemon_ask(w->wait.client, "GET", &path, NULL, &job, err);
	if (rc < 0)
		return rc;
	json_decref(w->job);
	w->job = job;
	w->wait.without = 0;
	return 0;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* @lines of the screen: those that the page leaves are for the output. From malloc. */
static int draw(struct watch *w, unsigned lines, char **ret, fairlead_error *err)
{
	FILE *out = w->report.out;
	size_t size;
	unsigned left;

	*ret = NULL;
	w->report.out = open_memstream(ret, &size);
	if (!w->report.out)
		return fl_fail_nomem(err);
	int rc = fl_job_page(&w->report, w->job, fl_daemon_now(w->job), err);
	if (rc == 0)
		rc = put_place(w, err);
	if (rc == 0 && fflush(w->report.out) == 0) {
		left = count_lines(*ret);
		left = lines > left + 2 * LEAST_LINES + 4 ? (lines - left - 4) / 2 : LEAST_LINES;
		put_output(w, "out", "Output", left);
		put_output(w, "err", "Errors", left);
	}
	bool bad = ferror(w->report.out) | (fclose(w->report.out) != 0);
	w->report.out = out;
	return rc == 0 && bad ? fl_fail_nomem(err) : rc;
}

/* Until it ends, or a key ends it: then *ret_left is true. */
static int watch_screen(struct watch *w, bool *ret_left, fairlead_error *err)
{
	unsigned lines = 24;
	char *text = NULL;
	int rc;

	*ret_left = false;
	do {
		char key;

		fl_screen_size(&lines, &w->report.width);
		rc = get_job(w, err);
		if (rc == 0)
			rc = draw(w, lines, &text, err);
		if (rc == 0)
			fl_screen_draw(text);
		free(text);
		text = NULL;
		if (rc < 0)
			rc = fl_job_wait_longer(&w->wait, err);
		if (rc < 0 || fl_job_has_ended(w->job))
			break;
		key = fl_screen_key(PERIOD);
		*ret_left = key == 'q' || key == 'Q' || key == '\004';
	} while (!*ret_left);
	fl_screen_end();
	/* The last picture stays on the terminal. */
	if (rc == 0 && draw(w, lines, &text, err) == 0)
		fputs(text, stdout);
	free(text);
	return rc;
}

/* --- lines --- */

static void print_event(void *user, const json_t *event)
{
	const struct watch *w = user;

	fl_event_text(&w->report, event);
	(void)fflush(stdout);
}

int fl_cmd_watch(const struct fl_options *o)
{
	struct watch w = { 0 };
	fairlead_error err = { 0 };
	bool left = false;
	int code = FL_EXIT_YES;

	if (fl_daemon_one_job(o, o->operands[0], &w.number))
		return FL_EXIT_USAGE;
	int rc = fl_daemon_open(o, &w.wait.client, &err);
	if (rc == 0)
		rc = get_job(&w, &err);
	fl_terminal(&w.report);
	if (rc == 0 && fl_screen_begin()) {
		rc = watch_screen(&w, &left, &err);
	} else if (rc == 0) {
		json_decref(w.job);
		w.job = NULL;
		w.wait.event = print_event;
		w.wait.user = &w;
		rc = fl_job_wait(&w.wait, w.number, &w.job, &err);
	}
	if (rc == 0 && !left) {
		fl_job_say_how(w.number, w.job);
		code = fl_job_exit_code(w.job);
	}
	json_decref(w.job);
	fl_client_free(w.wait.client);
	return rc < 0 ? fl_complain(&err) : code;
}
