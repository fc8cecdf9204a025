/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "record/job.h"

const char *fl_json_word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

int64_t fl_json_whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

fl_time fl_json_instant(const json_t *object, const char *key)
{
	const char *text = fl_json_word(object, key);
	fl_time t;

	return *text && fl_time_parse(text, strlen(text), &t, NULL) == 0 ? t : FL_TIME_NONE;
}

double fl_json_units(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	return text ? fl_job_units(text) : json_number_value(value);
}

double fl_job_units(const char *amount)
{
	static const char letters[] = "kMGTPE";
	char *end;

	if (strcmp(amount, "unlimited") == 0)
		return INFINITY;
	double units = strtod(amount, &end);
	const char *letter = *end ? strchr(letters, *end) : NULL;
	if (*end == 'm')
		return units / 1000;
	for (; letter && letter >= letters; letter--)
		units *= end[1] == 'i' ? 1024 : 1000;
	return units;
}

const char *fl_job_short(const char *amount, char buffer[32])
{
	static const char letters[] = "KMGTPE";
	size_t digits = strspn(amount, "0123456789");
	const char *letter = amount[digits] && strcmp(amount + digits + 1, "i") == 0 ?
				     strchr(letters, amount[digits]) :
				     NULL;
	double units = strtod(amount, NULL);

	if (!letter || digits < 5)
		return amount;
	while (units >= 1024 && letter[1]) {
		units /= 1024;
		letter++;
	}
	snprintf(buffer, 32, "%.4g%ci", units, *letter);
	return buffer;
}

const char *fl_job_resource(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

/* At the end of what stands in @buffer. */
static void add(char buffer[FL_JOB_WORDS], const char *format, ...) FL_PRINTF(2, 3);
static void add(char buffer[FL_JOB_WORDS], const char *format, ...)
{
	size_t n = strlen(buffer);
	va_list args;

	va_start(args, format);
	vsnprintf(buffer + n, FL_JOB_WORDS - n, format, args);
	va_end(args);
}

const char *fl_job_amount_text(const json_t *amount, char buffer[32])
{
	if (json_is_string(amount))
		return fl_job_short(json_string_value(amount), buffer);
	snprintf(buffer, 32, json_is_integer(amount) ? "%lld" : "?",
		 (long long)json_integer_value(amount));
	return buffer;
}

const char *fl_job_asks(const json_t *job, char buffer[FL_JOB_WORDS])
{
	json_t *requests = json_object_get(job, "requests"), *value;
	int64_t tasks = fl_json_whole(job, "tasks");
	const char *key, *between = "";
	char amount[32];

	*buffer = '\0';
	if (tasks > 1)
		add(buffer, "%lld x ", (long long)tasks);
	json_object_foreach(requests, key, value)
	{
		add(buffer, "%s%s=%s", between, fl_job_resource(key),
		    fl_job_amount_text(value, amount));
		between = ", ";
	}
	if (!*between)
		add(buffer, "-");
	return buffer;
}

static bool is_over(const char *state)
{
	for (int s = FL_JOB_DONE; s < FL_JOB_STATES; s++)
		if (strcmp(state, fl_job_state_name((enum fl_job_state)s)) == 0)
			return true;
	return false;
}

const char *fl_job_why(const json_t *job, char buffer[FL_JOB_WORDS])
{
	const json_t *ended = json_object_get(job, "exit");
	const char *why = fl_json_word(job, "why"), *kind = fl_json_word(ended, "kind");
	const char *reason = *why ? why : fl_json_word(job, "reason");

	*buffer = '\0';
	if (*reason)
		add(buffer, "%s", reason);
	else if (!is_over(fl_json_word(job, "state")))
		return buffer;
	else if (strcmp(kind, "signalled") == 0)
		add(buffer, "ended by signal %lld", (long long)fl_json_whole(ended, "status"));
	else if (strcmp(kind, "exited") == 0 && fl_json_whole(ended, "status") != 0)
		add(buffer, "exit status %lld", (long long)fl_json_whole(ended, "status"));
	else if (strcmp(kind, "exited") != 0)
		add(buffer, "%s", kind);
	return buffer;
}

/* Of seconds, which may have a fraction. */
static fl_time length_of(const json_t *seconds)
{
	double s = json_number_value(seconds);

	return s > 0 && s < 9e9 ? (fl_time)(s * (double)FL_SECOND) : 0;
}

const char *fl_job_time(const json_t *job, fl_time now, char buffer[32])
{
	const char *state = fl_json_word(job, "state");
	bool runs = strcmp(state, "runs") == 0 || strcmp(state, "stops") == 0;
	fl_time since = fl_json_instant(job, runs ? "startedAt" : "submittedAt");

	if (is_over(state))
		return fl_report_age(length_of(json_object_get(job, "ranSeconds")), buffer);
	if (since == FL_TIME_NONE) {
		strcpy(buffer, "-");
		return buffer;
	}
	return fl_report_age(fl_time_minus(now, since), buffer);
}

const char *fl_job_title(const json_t *job, char buffer[FL_JOB_WORDS])
{
	const char *name = fl_json_word(job, "name");

	*buffer = '\0';
	add(buffer, "%s", *name ? name : "-");
	if (fl_json_whole(job, "array") > 0)
		add(buffer, "[%lld]", (long long)fl_json_whole(job, "arrayIndex"));
	return buffer;
}

enum fl_style fl_job_style(const char *state)
{
	static const enum fl_style styles[FL_JOB_STATES] = {
		[FL_JOB_HELD] = FL_STYLE_DIM,      [FL_JOB_DEPENDS] = FL_STYLE_DIM,
		[FL_JOB_STARTS] = FL_STYLE_GOOD,   [FL_JOB_RUNS] = FL_STYLE_GOOD,
		[FL_JOB_STOPS] = FL_STYLE_WARN,    [FL_JOB_FAILED] = FL_STYLE_BAD,
		[FL_JOB_CANCELLED] = FL_STYLE_DIM,
	};

	for (unsigned s = 0; s < FL_JOB_STATES; s++)
		if (strcmp(state, fl_job_state_name((enum fl_job_state)s)) == 0)
			return styles[s];
	return FL_STYLE_PLAIN;
}

const char *fl_job_clock(fl_time t, char buffer[40])
{
	if (t == FL_TIME_NONE) {
		strcpy(buffer, "-");
		return buffer;
	}
	fl_time_format(buffer, t - ((t % FL_SECOND) + FL_SECOND) % FL_SECOND);
	buffer[10] = ' ';
	buffer[19] = '\0'; /* of "2026-01-01T12:00:00Z" */
	return buffer;
}

const char *fl_jobs_summary(const json_t *jobs, char buffer[FL_JOB_WORDS])
{
	/* The most important states first, with their words for many jobs. */
	static const struct {
		enum fl_job_state state;
		const char *word;
	} words[] = {
		{ FL_JOB_RUNS, "run" },
		{ FL_JOB_STARTS, "start" },
		{ FL_JOB_STOPS, "stop" },
		{ FL_JOB_WAITS, "wait" },
		{ FL_JOB_DEPENDS, "depend" },
		{ FL_JOB_HELD, "held" },
		{ FL_JOB_DONE, "done" },
		{ FL_JOB_FAILED, "failed" },
		{ FL_JOB_CANCELLED, "cancelled" },
	};
	const char *between = "";

	*buffer = '\0';
	for (unsigned w = 0; w < sizeof words / sizeof *words; w++) {
		const char *state = fl_job_state_name(words[w].state);
		unsigned n = 0;

		for (size_t i = 0; i < json_array_size(jobs); i++)
			n += strcmp(fl_json_word(json_array_get(jobs, i), "state"), state) == 0;
		if (n == 0)
			continue;
		add(buffer, "%s%u %s", between, n, words[w].word);
		between = ", ";
	}
	return buffer;
}
