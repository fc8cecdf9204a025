/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/client/submit.h"
#include "cli/client/submit_begin.h"
#include "cli/client/submit_sbatch.h"
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

int fl_submit_bad_text(const struct fl_submission *s, const char *option, const char *text)
{
	if (fl_submit_is_utf8(text))
		return fl_submit_no_memory();
	return option ? fl_usage_error(s->options->verb, "--%s: '%s' is not UTF-8", option, text) :
			fl_usage_error(s->options->verb, "'%s' is not UTF-8", text);
}

int fl_submit_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0 ? 0 : fl_submit_no_memory();
}

void fl_submit_note(const struct fl_submission *s, const char *format, ...)
{
	char text[512];
	struct fl_diagnostic d = {
		.file = s->script, .line = s->line, .severity = "warning", .text = text
	};
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fl_print_diagnostic(&d);
}

static int put_text(struct fl_submission *s, const char *option, const char *key, const char *value)
{
	json_t *text = json_string(value);

	if (!text)
		return fl_submit_bad_text(s, option, value);
	return fl_submit_put(s->spec, key, text);
}

json_t *fl_submit_member(struct fl_submission *s, const char *key, json_t *(*make)(void))
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
		return fl_usage_error(s->options->verb,
				      "--request: '%s' is not RESOURCE=AMOUNT, such as cpu=2",
				      word);
	*amount++ = '\0';
	const char *resource = strcmp(word, "mem") == 0 ? "memory" : word;
	if (fl_job_amount(resource, amount, &bytes, &err) < 0)
		return fl_usage_error(s->options->verb, "--request: %s: %s", resource, err.text);
	/* Elsewhere a bare number is megabytes. */
	if (strcmp(resource, "memory") == 0 && bytes < 1 << 20 &&
	    amount[strspn(amount, "0123456789")] == '\0')
		return fl_usage_error(
			s->options->verb,
			"--request: memory: %s without a unit is bytes; give one, such "
			"as %sMi or %sGi",
			amount, amount, amount);
	json_t *requests = fl_submit_member(s, "requests", json_object),
	       *text = json_string(amount);
	if (!text || !requests || !json_is_object(requests)) {
		json_decref(text);
		return fl_submit_no_memory();
	}
	if (strcmp(resource, "memory") == 0)
		s->memory = s->cpu_memory = 0;
	if (fl_job_is_gpu(resource)) { /* the later one counts, by whatever option */
		s->gpus = 0;
		json_object_del(requests, "gpu");
	}
	return fl_submit_put(requests, resource, text);
}

static int take_after(struct fl_submission *s, char *word)
{
	char *when = strchr(word, ':');
	struct fl_job_range job;

	if (when)
		*when++ = '\0';
	unsigned known = when ? 0 : FL_AFTER_OK;
	while (when && known < FL_AFTERS && strcmp(when, fl_after_name((enum fl_after)known)) != 0)
		known++;
	if (known == FL_AFTERS)
		return fl_usage_error(s->options->verb,
				      "--after: '%s' is none of ok, failed, any and begun", when);
	if (!fl_daemon_job(word, &job) || job.array || job.last - job.first >= FL_JOB_AFTER)
		return fl_usage_error(
			s->options->verb,
			"--after: '%s' is not a job, such as 17, or jobs, such as 17-20", word);
	json_t *after = fl_submit_member(s, "after", json_array);
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
		return fl_usage_error(s->options->verb, "--%s: '%s' is not KEY=VALUE", option,
				      word);
	json_t *labels = fl_submit_member(s, key, json_object);
	if (json_object_setn_new(labels, word, (size_t)(value - word), json_string(value + 1)) < 0)
		return fl_submit_bad_text(s, option, word);
	return 0;
}

int fl_submit_variable(struct fl_submission *s, const char *option, const char *key,
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
		code = fl_usage_error(s->options->verb, "--%s: '%s' is not the name of a variable",
				      option, word);
	else if (!value)
		code = fl_usage_error(s->options->verb, "--%s: %s is not set here", option, name);
	else if (json_object_set_new(s->environment, name, json_string(value)) < 0)
		code = fl_submit_bad_text(s, option, fl_submit_is_utf8(word) ? value : word);
	free(name);
	return code;
}

/* A file of another system may begin with a mark of its encoding, and its lines end with CR LF. */
static char *plain_line(char *line, bool first)
{
	static const char mark[] = "\xEF\xBB\xBF";

	line[strcspn(line, "\n")] = '\0';
	if (*line && line[strlen(line) - 1] == '\r')
		line[strlen(line) - 1] = '\0';
	if (first && strncmp(line, mark, strlen(mark)) == 0)
		line += strlen(mark);
	return line + strspn(line, " \t");
}

static int take_env_file(struct fl_submission *s, const char *option, const char *key,
			 const char *name)
{
	FILE *file = fopen(name, "re");
	size_t size = 0;
	char *line = NULL;
	bool first = true;
	int code = 0;

	while (file && code == 0 && getline(&line, &size, file) >= 0) {
		const char *at = plain_line(line, first);

		first = false;
		if (*at && *at != '#')
			code = fl_submit_variable(s, option, key, at);
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
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a duration such as 90s or 1h30m", option,
				      text);
	return put_text(s, option, key, text);
}

static int take_limit(struct fl_submission *s, const char *option, const char *key,
		      const char *text)
{
	fl_time length;

	if (fl_limit_parse(text, strlen(text), &length, NULL) < 0)
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a time such as 90 (minutes), 1:30:00, "
				      "1-12 (days-hours) or 1h30m",
				      option, text);
	return put_text(s, option, key, text);
}

static int take_begin(struct fl_submission *s, const char *option, const char *key,
		      const char *text)
{
	char buffer[40];
	fl_time begin;

	if (!fl_submit_begin(text, time(NULL), &begin))
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a time such as 16:00, tomorrow, "
				      "now+1hour or 2026-12-01T08:00",
				      option, text);
	return put_text(s, option, key, fl_time_format(buffer, begin));
}

/* A number of jobs, "100" or "100%10"; else indexes, which the codec reads. */
static int take_array(struct fl_submission *s, const char *option, const char *key,
		      const char *text)
{
	size_t digits = strspn(text, "0123456789");
	char number[16], indexes[64];
	uint32_t n;

	if (s->sbatch_lines || digits == 0 || !strchr("%", text[digits]))
		return put_text(s, option, key, text);
	snprintf(number, sizeof(number), "%.*s", (int)(digits < 15 ? digits : 15), text);
	if (!fl_options_count(number, 1, FL_JOB_ARRAY, &n))
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a number from 1 to %d, or indexes such "
				      "as 0-99",
				      option, text, FL_JOB_ARRAY);
	if (!text[digits])
		return fl_submit_put(s->spec, key, json_integer(n));
	snprintf(indexes, sizeof(indexes), "0-%u%.40s", n - 1, text + digits);
	return put_text(s, option, key, indexes);
}

/* "fail,end:COMMAND", or a command, which is run on all events. */
static int take_hook(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	json_t *hooks = fl_submit_member(s, key, json_array), *on = json_array();
	const char *at = text, *command = text;
	size_t n = strcspn(at, ",:");

	while (on && fl_hook_event(at, n) && at[n]) {
		json_array_append_new(on, json_stringn(at, n));
		at += n + 1;
		if (at[-1] == ':') {
			command = at;
			break;
		}
		n = strcspn(at, ",:");
	}
	json_t *hook = json_pack("{s:s}", "command", command);
	if (hook && command > text && json_object_set(hook, "on", on) < 0) {
		json_decref(hook);
		hook = NULL;
	}
	json_decref(on);
	if (!hook)
		return fl_submit_bad_text(s, option, text);
	return json_array_append_new(hooks, hook) < 0 ? fl_submit_no_memory() : 0;
}

static int take_requeue(struct fl_submission *s, const char *option, const char *key,
			const char *text)
{
	(void)text;
	return fl_submit_put(s->spec, key, json_boolean(strcmp(option, "requeue") == 0));
}

static int take_tasks(struct fl_submission *s, const char *option, const char *key,
		      const char *text)
{
	uint32_t n;

	if (!fl_options_count(text, 1, FL_JOB_TASKS, &n))
		return fl_usage_error(s->options->verb, "--%s: '%s' is not a number from 1 to %d",
				      option, text, FL_JOB_TASKS);
	return fl_submit_put(s->spec, key, json_integer(n));
}

static int take_priority(struct fl_submission *s, const char *option, const char *key,
			 const char *text)
{
	uint32_t n;

	if (!fl_options_count(text + (*text == '-'), 0, 999999999, &n))
		return fl_usage_error(s->options->verb,
				      "--%s: '%s' is not a whole number of at most nine digits",
				      option, text);
	return fl_submit_put(s->spec, key, json_integer(*text == '-' ? -(json_int_t)n : n));
}

static int take_hold(struct fl_submission *s, const char *option, const char *key, const char *text)
{
	(void)option;
	(void)text;
	return fl_submit_put(s->spec, key, json_true());
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

/* Of `run`, which looks at it. */
static int take_nothing(struct fl_submission *s, const char *option, const char *key,
			const char *text)
{
	(void)s;
	(void)option;
	(void)key;
	(void)text;
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
	fl_submit_take *take;
} rows[] = {
	{ "queue", "queue", put_text },
	{ "partition", "queue", put_text },
	{ "name", "name", put_text },
	{ "job-name", "name", put_text },
	{ "dir", "directory", put_text },
	{ "chdir", "directory", put_text },
	{ "output", "output", put_text },
	{ "comment", "comment", put_text },
	{ "request", "requests", take_each },
	{ "cpus-per-task", "cpu", fl_sbatch_cpus },
	{ "mem", NULL, fl_sbatch_memory },
	{ "mem-per-cpu", NULL, fl_sbatch_cpu_memory },
	{ "gres", NULL, fl_sbatch_gres },
	{ "gpus", NULL, fl_sbatch_gpus },
	{ "gpus-per-task", NULL, fl_sbatch_task_gpus },
	{ "tasks", "tasks", take_tasks },
	{ "ntasks", "tasks", take_tasks },
	{ "array", "array", take_array },
	{ "after", "after", take_each },
	{ "dependency", "after", fl_sbatch_dependency },
	{ "begin", "begin", take_begin },
	{ "hold", "hold", take_hold },
	{ "priority", "priority", take_priority },
	{ "nice", "priority", fl_sbatch_nice },
	{ "select", "labels", take_label },
	{ "time", "timeLimit", take_limit },
	{ "grace", "grace", take_period },
	{ "signal", "signal", fl_sbatch_signal },
	{ "requeue", "requeue", take_requeue },
	{ "no-requeue", "requeue", take_requeue },
	{ "env", NULL, fl_submit_variable },
	{ "env-file", NULL, take_env_file },
	{ "clean-env", NULL, take_clean },
	{ "export", NULL, fl_sbatch_export },
	{ "hook", "hooks", take_hook },
	{ "wait", NULL, take_wait },
	{ "wrap", "command", fl_sbatch_wrap },
	{ "pty", NULL, take_nothing },
	{ "no-pty", NULL, take_nothing },
};

static int take(struct fl_submission *s, const struct fl_given *g)
{
	unsigned i = 0;

	if (g->left) {
		fl_submit_note(s, "#SBATCH %s%s is left out: %s",
			       strncmp(g->option, "-", 1) == 0 ? "" : "--", g->option, g->left);
		return 0;
	}
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
