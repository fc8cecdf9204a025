/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/client/submit.h"
#include "codec/job/job_json.h"
#include "input/input.h"

int fl_submit_no_memory(void)
{
	fairlead_error err = { 0 };

	fl_fail_nomem(&err);
	return fl_complain(&err);
}

bool fl_submit_is_utf8(const char *text)
{
	size_t n;

	while (*text && (n = fl_report_utf8(text)))
		text += n;
	return *text == '\0';
}

int fl_submit_bad_text(const char *option, const char *text)
{
	if (fl_submit_is_utf8(text))
		return fl_submit_no_memory();
	return option ? fl_usage_error("submit", "--%s: '%s' is not UTF-8", option, text) :
			fl_usage_error("submit", "'%s' is not UTF-8", text);
}

/* @value NULL: no memory. */
static int put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0 ? 0 : fl_submit_no_memory();
}

static int put_text(struct fl_submission *s, const char *option, const char *key, const char *value)
{
	json_t *text = json_string(value);

	if (!text)
		return fl_submit_bad_text(option, value);
	return put(s->spec, key, text);
}

/* The member @key of the job, made when it is not there. NULL: no memory. */
static json_t *member(struct fl_submission *s, const char *key, json_t *(*make)(void))
{
	json_t *value = json_object_get(s->spec, key);

	if (value)
		return value;
	value = make();
	return json_object_set_new(s->spec, key, value) == 0 ? value : NULL;
}

static int take_request(struct fl_submission *s, char *word)
{
	char *amount = strchr(word, '=');
	fairlead_error err = { 0 };
	fl_amount bytes;

	if (!amount || amount == word)
		return fl_usage_error(
			"submit", "--request: '%s' is not RESOURCE=AMOUNT, such as cpu=2", word);
	*amount++ = '\0';
	const char *resource = strcmp(word, "mem") == 0 ? "memory" : word;
	if (fl_job_amount(resource, amount, &bytes, &err) < 0)
		return fl_usage_error("submit", "--request: %s: %s", resource, err.text);
	/* Elsewhere a bare number is megabytes. */
	if (strcmp(resource, "memory") == 0 && bytes < 1 << 20 &&
	    amount[strspn(amount, "0123456789")] == '\0')
		return fl_usage_error(
			"submit",
			"--request: memory: %s without a unit is bytes; give one, such "
			"as %sMi or %sGi",
			amount, amount, amount);
	json_t *requests = member(s, "requests", json_object), *text = json_string(amount);
	if (!text || !requests || !json_is_object(requests)) {
		json_decref(text);
		return fl_submit_no_memory();
	}
	return put(requests, resource, text);
}

static int take_after(struct fl_submission *s, char *word)
{
	char *when = strchr(word, ':');
	struct fl_job_range job;

	if (when)
		*when++ = '\0';
	bool known = !when || strcmp(when, "ok") == 0 || strcmp(when, "failed") == 0 ||
		     strcmp(when, "any") == 0;
	if (!known)
		return fl_usage_error("submit", "--after: '%s' is none of ok, failed and any",
				      when);
	if (!fl_daemon_job(word, &job) || job.array || job.last - job.first >= FL_JOB_AFTER)
		return fl_usage_error(
			"submit", "--after: '%s' is not a job, such as 17, or jobs, such as 17-20",
			word);
	json_t *after = member(s, "after", json_array);
	for (uint64_t n = job.first; n <= job.last; n++)
		if (json_array_append_new(after, json_pack("{s:I, s:s}", "job", (json_int_t)n,
							   "when", when ? when : "ok")) < 0)
			return fl_submit_no_memory();
	return 0;
}

/* "a,b,c": each of them; empty ones too. */
static int take_each(struct fl_submission *s, const char *option, const char *key, const char *list)
{
	char *copy = strdup(list), *at = copy, *word;
	int code = copy ? 0 : fl_submit_no_memory();

	(void)key;
	while (code == 0 && (word = strsep(&at, ",")))
		code = strcmp(option, "after") == 0 ? take_after(s, word) : take_request(s, word);
	free(copy);
	return code;
}

static int take_label(struct fl_submission *s, const char *option, const char *key,
		      const char *word)
{
	const char *value = strchr(word, '=');

	if (!value || value == word)
		return fl_usage_error("submit", "--%s: '%s' is not KEY=VALUE", option, word);
	json_t *labels = member(s, key, json_object);
	if (json_object_setn_new(labels, word, (size_t)(value - word), json_string(value + 1)) < 0)
		return fl_submit_bad_text(option, word);
	return 0;
}

/* NAME=VALUE, or NAME for that of this process. */
static int take_variable(struct fl_submission *s, const char *option, const char *key,
			 const char *word)
{
	size_t len = strcspn(word, "=");
	char *name = strndup(word, len);
	const char *value = word[len] ? word + len + 1 : name ? getenv(name) : NULL;
	int code = 0;

	(void)key;
	if (!name)
		return fl_submit_no_memory();
	if (len == 0)
		code = fl_usage_error("submit", "--%s: '%s' is not the name of a variable", option,
				      word);
	else if (!value)
		code = fl_usage_error("submit", "--%s: %s is not set here", option, name);
	else if (json_object_set_new(s->environment, name, json_string(value)) < 0)
		code = fl_submit_bad_text(option, fl_submit_is_utf8(word) ? value : word);
	free(name);
	return code;
}

static int take_env_file(struct fl_submission *s, const char *option, const char *key,
			 const char *name)
{
	FILE *file = fopen(name, "re");
	size_t size = 0;
	char *line = NULL;
	ssize_t len;
	int code = 0;

	while (file && code == 0 && (len = getline(&line, &size, file)) >= 0) {
		char *at = line + strspn(line, " \t");

		if (len > 0 && line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (*at && *at != '#')
			code = take_variable(s, option, key, at);
	}
	if (!file || ferror(file)) {
		fairlead_error err = { 0 };
		char why[128];

		fl_fail(&err, FAIRLEAD_EINPUT, "%s", fl_system_text(errno, why));
		snprintf(err.file, sizeof(err.file), "%s", name);
		code = fl_complain(&err);
	}
	if (file)
		fclose(file);
	free(line);
	return code;
}

static int take_period(struct fl_submission *s, const char *option, const char *key,
		       const char *text)
{
	fl_time length;

	if (fl_period_parse(text, strlen(text), &length, NULL) < 0)
		return fl_usage_error("submit", "--%s: '%s' is not a duration such as 90s or 1h30m",
				      option, text);
	return put_text(s, option, key, text);
}

static int take_tasks(struct fl_submission *s, const char *option, const char *key,
		      const char *text)
{
	uint32_t n, max = strcmp(key, "tasks") == 0 ? FL_JOB_TASKS : FL_JOB_ARRAY;

	if (!fl_options_count(text, 1, max, &n))
		return fl_usage_error("submit", "--%s: '%s' is not a number from 1 to %u", option,
				      text, max);
	return put(s->spec, key, json_integer(n));
}

static int take_priority(struct fl_submission *s, const char *option, const char *key,
			 const char *text)
{
	uint32_t n;

	if (!fl_options_count(text + (*text == '-'), 0, 999999999, &n))
		return fl_usage_error("submit",
				      "--%s: '%s' is not a whole number of at most nine digits",
				      option, text);
	return put(s->spec, key, json_integer(*text == '-' ? -(json_int_t)n : n));
}

static int take_signal(struct fl_submission *s, const char *option, const char *key,
		       const char *text)
{
	if (!fl_job_signal(text))
		return fl_usage_error("submit",
				      "--%s: '%s' is none of HUP, INT, KILL, QUIT, TERM, USR1 and "
				      "USR2",
				      option, text);
	return put_text(s, option, key, text);
}

static int take_hold(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	(void)option;
	(void)text;
	return put(s->spec, key, json_true());
}

static int take_clean(struct fl_submission *s, const char *option, const char *key,
		      const char *text)
{
	(void)option;
	(void)key;
	(void)text;
	s->clean = true;
	return 0;
}

static int take_wait(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	(void)option;
	(void)key;
	(void)text;
	s->wait = true;
	return 0;
}

/* By option: the place of its value in the job, and how it is read. */
static const struct {
	const char *option, *key;
	int (*take)(struct fl_submission *s, const char *option, const char *key, const char *text);
} rows[] = {
	{ "queue", "queue", put_text },       { "name", "name", put_text },
	{ "dir", "directory", put_text },     { "output", "output", put_text },
	{ "request", "requests", take_each }, { "after", "after", take_each },
	{ "select", "labels", take_label },   { "env", NULL, take_variable },
	{ "env-file", NULL, take_env_file },  { "time", "timeLimit", take_period },
	{ "grace", "grace", take_period },    { "tasks", "tasks", take_tasks },
	{ "array", "array", take_tasks },     { "priority", "priority", take_priority },
	{ "signal", "signal", take_signal },  { "hold", "hold", take_hold },
	{ "clean-env", NULL, take_clean },    { "wait", NULL, take_wait },
};

static int take(struct fl_submission *s, const struct fl_given *g)
{
	unsigned i = 0;

	while (strcmp(rows[i].option, g->option) != 0)
		i++;
	return rows[i].take(s, g->option, rows[i].key, g->value);
}

int fl_submit_options(struct fl_submission *s, const struct fl_options *o)
{
	int code = 0;

	for (uint32_t i = 0; i < o->n_given && code == 0; i++)
		code = take(s, &o->given[i]);
	return code;
}
