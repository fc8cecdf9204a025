/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/text.h"

#include <string.h>

#include "base/time.h"
#include "report/job/used.h"
#include "report/job/words.h"
#include "report/out/table.h"

/* --- the list --- */

enum { JOB, NAME, QUEUE, USER, STATE, TIME, ASKS, WHY, COLUMNS };

static int add_job(struct fl_table *t, const json_t *job, fl_time now, fairlead_error *err)
{
	const char *state = fl_json_word(job, "state");
	char number[32], name[FL_JOB_WORDS], asks[FL_JOB_WORDS], why[FL_JOB_WORDS], time[32];
	const char *texts[COLUMNS] = {
		[JOB] = number,
		[NAME] = fl_job_title(job, name),
		[QUEUE] = fl_json_word(job, "queue"),
		[USER] = fl_json_word(job, "user"),
		[STATE] = state,
		[TIME] = fl_job_time(job, now, time),
		[ASKS] = fl_job_asks(job, asks),
		[WHY] = fl_job_why(job, why),
	};

	snprintf(number, sizeof(number), "%lld", (long long)fl_json_whole(job, "id"));
	int rc = fl_table_texts(t, texts, COLUMNS, err);
	if (rc == 0)
		fl_table_style(t, STATE, fl_job_style(state));
	return rc;
}

int fl_jobs_table(const struct fl_report *r, const json_t *jobs, fl_time now, fairlead_error *err)
{
	static const struct fl_column_head columns[COLUMNS] = {
		[JOB] = { "JOB", FL_COL_RIGHT, 0 },    [NAME] = { "NAME", FL_COL_WRAP, 0 },
		[QUEUE] = { "QUEUE", FL_COL_WRAP, 4 }, [USER] = { "USER", 0, 2 },
		[STATE] = { "STATE", 0, 0 },           [TIME] = { "TIME", FL_COL_RIGHT, 3 },
		[ASKS] = { "ASKS FOR", 0, 1 },         [WHY] = { "WHY", FL_COL_WRAP, 5 },
	};
	struct fl_table *t;
	int rc = fl_table_begin(r, columns, COLUMNS, &t, err);

	for (size_t i = 0; i < json_array_size(jobs) && rc == 0; i++)
		rc = add_job(t, json_array_get(jobs, i), now, err);
	return fl_table_end(t, rc, err);
}

int fl_jobs_text(const struct fl_report *r, const json_t *answer, fl_time now, bool live,
		 fairlead_error *err)
{
	const json_t *jobs = json_object_get(answer, "jobs");
	char words[FL_JOB_WORDS];

	if (json_array_size(jobs) == 0) {
		fl_report_say(r, FL_STYLE_PLAIN, 0, "No jobs%s.",
			      live ? " that wait or run; --all lists those that are over, too" :
				     "");
		return 0;
	}
	int rc = fl_jobs_table(r, jobs, now, err);
	if (rc < 0)
		return rc;
	putc('\n', r->out);
	fl_report_say(r, FL_STYLE_DIM, 0, "%s%s.", fl_jobs_summary(jobs, words),
		      json_is_true(json_object_get(answer, "more")) ?
			      "; there are more: --limit says how many to show" :
			      "");
	return 0;
}

/* --- all of one --- */

enum { LABEL = 14 };

void fl_job_field(const struct fl_report *r, const char *label, const char *text)
{
	unsigned width = r->width > LABEL + 20 ? r->width - LABEL : 0, at = 0;

	fprintf(r->out, "  %s%-*s%s", fl_style_start(r, FL_STYLE_DIM), LABEL - 2, label,
		fl_style_end(r, FL_STYLE_DIM));
	while (*text) {
		size_t len = strcspn(text, " ");

		if (at && width && at + 1 + len > width) {
			fprintf(r->out, "\n%*s", LABEL, "");
			at = 0;
		} else if (at) {
			putc(' ', r->out);
			at++;
		}
		fl_report_put_clean(r->out, text, len);
		at += (unsigned)len;
		text += len + (text[len] == ' ');
	}
	putc('\n', r->out);
}

/* One of many texts, in memory; NULL: no memory, or nothing to say. */
struct line {
	char *text;
	size_t size;
	FILE *out;
};

static bool begin_line(struct line *l)
{
	l->out = open_memstream(&l->text, &l->size);
	return l->out;
}

static int end_line(const struct fl_report *r, struct line *l, const char *label,
		    fairlead_error *err)
{
	bool bad = ferror(l->out) | (fclose(l->out) != 0);

	if (!bad && l->text && *l->text)
		fl_job_field(r, label, l->text);
	bad |= !l->text;
	free(l->text);
	return bad ? fl_fail_nomem(err) : 0;
}

/* A word as a shell would take it. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";

	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[2]){ *word }, out);
	putc('\'', out);
}

static int say_command(const struct fl_report *r, const json_t *job, fairlead_error *err)
{
	const json_t *words = json_object_get(job, "command");
	struct line l;

	if (!begin_line(&l))
		return fl_fail_nomem(err);
	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		fputs(i ? " " : "", l.out);
		put_word(l.out, word ? word : "?");
	}
	return end_line(r, &l, "command", err);
}

static int say_after(const struct fl_report *r, const json_t *job, fairlead_error *err)
{
	const json_t *after = json_object_get(job, "after");
	struct line l;

	if (!begin_line(&l))
		return fl_fail_nomem(err);
	for (size_t i = 0; i < json_array_size(after); i++) {
		const json_t *one = json_array_get(after, i);

		fprintf(l.out, "%s%lld (%s)", i ? ", " : "", (long long)fl_json_whole(one, "job"),
			fl_json_word(one, "when"));
	}
	return end_line(r, &l, "after", err);
}

/* "fail, preempted: mail -s $FAIRLEAD_JOB_ID me", a line each. */
static int say_hooks(const struct fl_report *r, const json_t *job, fairlead_error *err)
{
	const json_t *hooks = json_object_get(job, "hooks");
	int rc = 0;

	for (size_t i = 0; i < json_array_size(hooks) && rc == 0; i++) {
		const json_t *one = json_array_get(hooks, i), *on = json_object_get(one, "on");
		struct line l;

		if (!begin_line(&l))
			return fl_fail_nomem(err);
		for (size_t k = 0; k < json_array_size(on); k++) {
			const char *event = json_string_value(json_array_get(on, k));

			fprintf(l.out, "%s%s", k ? "," : "", event ? event : "?");
		}
		fprintf(l.out, ": %s", fl_json_word(one, "command"));
		rc = end_line(r, &l, "hook", err);
	}
	return rc;
}

static int say_holdings(const struct fl_report *r, const json_t *job, fairlead_error *err)
{
	const json_t *placement = json_object_get(job, "placement");
	const json_t *devices = json_object_get(job, "devices");
	struct line l;

	if (!begin_line(&l))
		return fl_fail_nomem(err);
	for (size_t i = 0; i < json_array_size(placement); i++) {
		const json_t *one = json_array_get(placement, i);
		char amount[32];

		fprintf(l.out, "%s%s=%s", i ? ", " : "",
			fl_job_resource(fl_json_word(one, "resource")),
			fl_job_amount_text(json_object_get(one, "amount"), amount));
		if (*fl_json_word(one, "flavor"))
			fprintf(l.out, " of %s", fl_json_word(one, "flavor"));
	}
	for (size_t i = 0; i < json_array_size(devices); i++)
		fprintf(l.out, "%s%lld", i ? ", " : "; devices ",
			(long long)json_integer_value(json_array_get(devices, i)));
	return end_line(r, &l, "holds", err);
}

static void say_times(const struct fl_report *r, const json_t *job, fl_time now)
{
	static const struct {
		const char *key, *label;
	} times[] = {
		{ "submittedAt", "submitted" },
		{ "startedAt", "started" },
		{ "endedAt", "ended" },
	};
	char text[128], clock[40], age[32];

	if (fl_json_instant(job, "begin") != FL_TIME_NONE) {
		snprintf(text, sizeof(text), "not before %s UTC",
			 fl_job_clock(fl_json_instant(job, "begin"), clock));
		fl_job_field(r, "begin", text);
	}
	for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
		fl_time at = fl_json_instant(job, times[i].key);

		if (at == FL_TIME_NONE)
			continue;
		snprintf(text, sizeof(text), "%s UTC, %s ago", fl_job_clock(at, clock),
			 fl_report_age(fl_time_minus(now, at), age));
		fl_job_field(r, times[i].label, text);
	}
}

static int add_attempt(struct fl_table *t, const json_t *one, fl_time now, fairlead_error *err)
{
	fl_time from = fl_json_instant(one, "from"), to = fl_json_instant(one, "to");
	long long by = (long long)fl_json_whole(one, "preemptor");
	char number[32], began[40], age[32], ended[FL_JOB_WORDS];
	const char *how = fl_json_word(one, "ended");
	const char *texts[] = { number, began, age, ended };

	snprintf(number, sizeof(number), "%lld", (long long)fl_json_whole(one, "attempt"));
	fl_job_clock(from, began);
	fl_report_age(fl_time_minus(to == FL_TIME_NONE ? now : to, from), age);
	snprintf(ended, sizeof(ended), "%s", *how ? how : to == FL_TIME_NONE ? "runs" : "");
	if (by > 0)
		snprintf(ended, sizeof(ended), "%.200s for job %lld", how, by);
	return fl_table_texts(t, texts, 4, err);
}

static int say_attempts(const struct fl_report *r, const json_t *job, fl_time now,
			fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "ATTEMPT", FL_COL_RIGHT, 0 },
		{ "FROM (UTC)", 0, 0 },
		{ "FOR", FL_COL_RIGHT, 0 },
		{ "ENDED", FL_COL_WRAP, 0 },
	};
	const json_t *attempts = json_object_get(job, "attempts");
	struct fl_table *t;

	if (json_array_size(attempts) == 0)
		return 0;
	putc('\n', r->out);
	int rc = fl_table_begin(r, columns, 4, &t, err);
	for (size_t i = 0; i < json_array_size(attempts) && rc == 0; i++)
		rc = add_attempt(t, json_array_get(attempts, i), now, err);
	return fl_table_end(t, rc, err);
}

/* Counts that are worth a line. */
static void say_counts(const struct fl_report *r, const json_t *job)
{
	static const struct {
		const char *key, *label;
	} counts[] = {
		{ "priority", "priority" },
		{ "evictions", "evictions" },
		{ "losses", "losses" },
	};
	long long lost = (long long)fl_json_whole(job, "outputLost");
	char text[96];

	if (lost) {
		snprintf(text, sizeof(text), "%lld bytes of output, beyond the limit", lost);
		fl_job_field(r, "dropped", text);
	}
	if (json_is_false(json_object_get(job, "contained")))
		fl_job_field(r, "not held",
			     "processes that it starts with a session and an environment of "
			     "their own may outlive it");
	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
		int64_t n = fl_json_whole(job, counts[i].key);

		snprintf(text, sizeof(text), "%lld", (long long)n);
		if (n)
			fl_job_field(r, counts[i].label, text);
	}
	if (fl_json_whole(job, "array") > 0) {
		snprintf(text, sizeof(text), "%lld[], number %lld of it",
			 (long long)fl_json_whole(job, "array"),
			 (long long)fl_json_whole(job, "arrayIndex"));
		if (fl_json_whole(job, "arrayMost") > 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %lld at once",
				 (long long)fl_json_whole(job, "arrayMost"));
		fl_job_field(r, "array", text);
	}
	if (json_is_true(json_object_get(job, "singleton")))
		fl_job_field(r, "singleton", "waits for earlier jobs of its name");
	if (json_is_false(json_object_get(job, "requeue")))
		fl_job_field(r, "requeue", "not when it was preempted or lost");
}

static void say_texts(const struct fl_report *r, const json_t *job)
{
	static const struct {
		const char *key, *label;
	} texts[] = {
		{ "directory", "directory" },
		{ "output", "output" },
		{ "timeLimit", "time limit" },
		{ "comment", "comment" },
	};

	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (*fl_json_word(job, texts[i].key))
			fl_job_field(r, texts[i].label, fl_json_word(job, texts[i].key));
}

int fl_job_page(const struct fl_report *r, const json_t *job, fl_time now, fairlead_error *err)
{
	const char *state = fl_json_word(job, "state"), *queue = fl_json_word(job, "queue");
	char text[FL_JOB_WORDS], time[32];

	fl_report_say(r, FL_STYLE_BOLD, 0, "Job %lld, %s", (long long)fl_json_whole(job, "id"),
		      fl_job_title(job, text));
	fl_report_say(r, fl_job_style(state), 0, "%s%s%s", state,
		      *fl_job_why(job, text) ? ": " : "", text);
	putc('\n', r->out);
	snprintf(text, sizeof(text), "%s, of %s", queue, fl_json_word(job, "user"));
	fl_job_field(r, "queue", text);
	fl_job_field(r, "asks for", fl_job_asks(job, text));
	int rc = say_holdings(r, job, err);
	if (rc == 0)
		rc = say_command(r, job, err);
	if (rc < 0)
		return rc;
	say_texts(r, job);
	say_counts(r, job);
	rc = say_after(r, job, err);
	if (rc == 0)
		rc = say_hooks(r, job, err);
	if (rc < 0)
		return rc;
	say_times(r, job, now);
	if (json_number_value(json_object_get(job, "ranSeconds")) > 0 &&
	    fl_json_instant(job, "endedAt") != FL_TIME_NONE)
		fl_job_field(r, "ran", fl_job_time(job, now, time));
	fl_job_say_used(r, job);
	rc = say_attempts(r, job, now, err);
	if (rc == 0 && strcmp(state, "waits") == 0) {
		putc('\n', r->out);
		fl_report_say(r, FL_STYLE_DIM, 0, "'fairlead explain %lld' shows the numbers.",
			      (long long)fl_json_whole(job, "id"));
	}
	return rc;
}
