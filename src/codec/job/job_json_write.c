/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "codec/job/job_field.h"
#include "codec/job/job_json.h"
#include "codec/text/quantity.h"

/* --- words --- */

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },   { "KILL", SIGKILL }, { "QUIT", SIGQUIT },
	{ "TERM", SIGTERM }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

int fl_job_signal(const char *name)
{
	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (unsigned i = 0; i < N_SIGNALS; i++)
		if (strcmp(signals[i].name, name) == 0)
			return signals[i].number;
	return 0;
}

const char *fl_job_signal_name(int number)
{
	for (unsigned i = 0; i < N_SIGNALS; i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}

static const char *const afters[] = {
	[FL_AFTER_OK] = "ok",
	[FL_AFTER_FAILED] = "failed",
	[FL_AFTER_ANY] = "any",
	[FL_AFTER_BEGUN] = "begun",
};

const char *fl_after_name(enum fl_after how) { return afters[how]; }

static const char *const events[] = { "begin", "end", "fail", "preempted" };
enum { EVENTS = sizeof events / sizeof *events };

const char *fl_hook_event_name(unsigned bit) { return bit < EVENTS ? events[bit] : NULL; }

unsigned fl_hook_event(const char *name, size_t len)
{
	for (unsigned i = 0; i < EVENTS; i++)
		if (strlen(events[i]) == len && strncmp(events[i], name, len) == 0)
			return 1U << i;
	return 0;
}

const char *fl_job_period(fl_time length, char buffer[64])
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = {
		{ 86400 * FL_SECOND, "d" },
		{ 3600 * FL_SECOND, "h" },
		{ 60 * FL_SECOND, "m" },
		{ FL_SECOND, "s" },
		{ 1000000, "ms" },
		{ 1000, "us" },
		{ 1, "ns" },
	};
	int at = 0;

	for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
		if (length < units[i].ns)
			continue;
		at += snprintf(buffer + at, 64 - (size_t)at, "%lld%s",
			       (long long)(length / units[i].ns), units[i].name);
		length %= units[i].ns;
	}
	if (at == 0)
		snprintf(buffer, 64, "0s");
	return buffer;
}

const char *const fl_job_fields[FL_JOB_FIELDS] = {
	[FL_JOB_F_NAME] = "name",
	[FL_JOB_F_QUEUE] = "queue",
	[FL_JOB_F_PRIORITY] = "priority",
	[FL_JOB_F_TASKS] = "tasks",
	[FL_JOB_F_REQUESTS] = "requests",
	[FL_JOB_F_COMMAND] = "command",
	[FL_JOB_F_HOOKS] = "hooks",
	[FL_JOB_F_ENVIRONMENT] = "environment",
	[FL_JOB_F_DIRECTORY] = "directory",
	[FL_JOB_F_OUTPUT] = "output",
	[FL_JOB_F_TIME_LIMIT] = "timeLimit",
	[FL_JOB_F_GRACE] = "grace",
	[FL_JOB_F_SIGNAL] = "signal",
	[FL_JOB_F_HOLD] = "hold",
	[FL_JOB_F_REQUEUE] = "requeue",
	[FL_JOB_F_BEGIN] = "begin",
	[FL_JOB_F_COMMENT] = "comment",
	[FL_JOB_F_AFTER] = "after",
	[FL_JOB_F_SINGLETON] = "singleton",
	[FL_JOB_F_LABELS] = "labels",
	[FL_JOB_F_INTERACTIVE] = "interactive",
	[FL_JOB_F_ARRAY] = "array",
	[FL_JOB_F_ARRAY_INDEX] = "arrayIndex",
	[FL_JOB_F_ARRAY_MOST] = "arrayMost",
	[FL_JOB_F_UID] = "uid",
	[FL_JOB_F_GID] = "gid",
	[FL_JOB_F_USER] = "user",
	[FL_JOB_F_HOLD_REASON] = "holdReason",
	[FL_JOB_F_FIRST] = "first",
};

/* --- writing --- */

static bool put(json_t *object, enum fl_job_field f, json_t *value)
{
	return json_object_set_new(object, fl_job_fields[f], value) == 0;
}

static json_t *requests_json(const struct fl_job_spec *s)
{
	json_t *object = json_object();
	bool ok = object;

	for (uint32_t i = 0; i < s->n_requests && ok; i++) {
		const struct fl_job_request *r = &s->requests[i];
		char buffer[32];

		ok = json_object_set_new(object, r->resource,
					 json_string(fl_quantity_format(
						 buffer, r->amount, strcmp(r->resource, "cpu") == 0,
						 strcmp(r->resource, "memory") == 0))) == 0;
	}
	if (!ok)
		json_decref(object);
	return ok ? object : NULL;
}

static json_t *labels_json(const struct fl_job_spec *s)
{
	json_t *object = json_object();
	bool ok = object;

	for (uint32_t i = 0; i < s->n_labels && ok; i++)
		ok = json_object_set_new(object, s->labels[i].key,
					 json_string(s->labels[i].value)) == 0;
	if (!ok)
		json_decref(object);
	return ok ? object : NULL;
}

static json_t *after_json(const struct fl_job_spec *s)
{
	json_t *list = json_array();
	bool ok = list;

	for (uint32_t i = 0; i < s->n_after && ok; i++)
		ok = json_array_append_new(list, json_pack("{s:I, s:s}", "job",
							   (json_int_t)s->after[i].job, "when",
							   afters[s->after[i].how])) == 0;
	if (!ok)
		json_decref(list);
	return ok ? list : NULL;
}

static json_t *command_json(const struct fl_job_spec *s)
{
	json_t *list = json_array();
	bool ok = list;

	for (uint32_t at = 0; at < s->command_len && ok;
	     at += (uint32_t)strlen(s->command + at) + 1)
		ok = json_array_append_new(list, json_string(s->command + at)) == 0;
	if (!ok)
		json_decref(list);
	return ok ? list : NULL;
}

static json_t *environment_json(const struct fl_job_spec *s)
{
	json_t *object = json_object();
	bool ok = object;

	for (uint32_t at = 0; at < s->environment_len && ok;
	     at += (uint32_t)strlen(s->environment + at) + 1) {
		const char *text = s->environment + at;
		size_t n = strcspn(text, "=");

		ok = json_object_setn_new(object, text, n,
					  json_string(text + n + (text[n] == '='))) == 0;
	}
	if (!ok)
		json_decref(object);
	return ok ? object : NULL;
}

static json_t *events_json(unsigned bits)
{
	json_t *list = json_array();
	bool ok = list;
	const char *name;

	for (unsigned bit = 0; ok && (name = fl_hook_event_name(bit)); bit++)
		if (bits & 1U << bit)
			ok = json_array_append_new(list, json_string(name)) == 0;
	if (!ok)
		json_decref(list);
	return ok ? list : NULL;
}

static json_t *hooks_json(const struct fl_job_spec *s)
{
	const char *command = s->hooks;
	json_t *list = json_array();
	bool ok = list;

	for (uint32_t i = 0; i < s->n_hooks && ok; i++) {
		ok = json_array_append_new(list, json_pack("{s:o, s:s}", "on",
							   events_json(s->hook_events[i]),
							   "command", command)) == 0;
		command += strlen(command) + 1;
	}
	if (!ok)
		json_decref(list);
	return ok ? list : NULL;
}

static const char *const interactive_names[FL_INTERACTIVES] = { "", "files", "terminal" };

const char *fl_interactive_name(enum fl_interactive how) { return interactive_names[how]; }

/* Fields with their default value are left out. */
static bool put_optional(json_t *o, const struct fl_job_spec *s)
{
	char buffer[64], time[40];

	return (!*s->output || put(o, FL_JOB_F_OUTPUT, json_string(s->output))) &&
	       (s->time_limit == FL_NEVER ||
		put(o, FL_JOB_F_TIME_LIMIT, json_string(fl_job_period(s->time_limit, buffer)))) &&
	       (s->grace == FL_TIME_NONE ||
		put(o, FL_JOB_F_GRACE, json_string(fl_job_period(s->grace, buffer)))) &&
	       (s->signal == 0 ||
		put(o, FL_JOB_F_SIGNAL, json_string(fl_job_signal_name(s->signal)))) &&
	       put(o, FL_JOB_F_HOLD, json_boolean(s->hold)) &&
	       (!s->once || put(o, FL_JOB_F_REQUEUE, json_false())) &&
	       (s->begin == 0 ||
		put(o, FL_JOB_F_BEGIN, json_string(fl_time_format(time, s->begin)))) &&
	       (!*s->comment || put(o, FL_JOB_F_COMMENT, json_string(s->comment))) &&
	       (s->n_after == 0 || put(o, FL_JOB_F_AFTER, after_json(s))) &&
	       (!s->singleton || put(o, FL_JOB_F_SINGLETON, json_true())) &&
	       (s->n_hooks == 0 || put(o, FL_JOB_F_HOOKS, hooks_json(s))) &&
	       (s->n_labels == 0 || put(o, FL_JOB_F_LABELS, labels_json(s))) &&
	       (!s->interactive ||
		put(o, FL_JOB_F_INTERACTIVE, json_string(fl_interactive_name(s->interactive)))) &&
	       (s->array == 0 ||
		(put(o, FL_JOB_F_ARRAY, json_integer((json_int_t)s->array)) &&
		 put(o, FL_JOB_F_ARRAY_INDEX, json_integer(s->array_index)) &&
		 (s->array_most == 0 || put(o, FL_JOB_F_ARRAY_MOST, json_integer(s->array_most)))));
}

json_t *fl_job_to_json(const struct fl_job_spec *s)
{
	json_t *o = json_object();
	bool ok = o && (!*s->name || put(o, FL_JOB_F_NAME, json_string(s->name))) &&
		  put(o, FL_JOB_F_QUEUE, json_string(s->queue)) &&
		  put(o, FL_JOB_F_PRIORITY, json_integer(s->priority)) &&
		  put(o, FL_JOB_F_TASKS, json_integer(s->tasks)) &&
		  put(o, FL_JOB_F_REQUESTS, requests_json(s)) &&
		  put(o, FL_JOB_F_COMMAND, command_json(s)) &&
		  put(o, FL_JOB_F_ENVIRONMENT, environment_json(s)) &&
		  put(o, FL_JOB_F_DIRECTORY, json_string(s->directory)) && put_optional(o, s) &&
		  put(o, FL_JOB_F_UID, json_integer(s->uid)) &&
		  put(o, FL_JOB_F_GID, json_integer(s->gid)) &&
		  put(o, FL_JOB_F_USER, json_string(s->user));

	if (!ok)
		json_decref(o);
	return ok ? o : NULL;
}

char *fl_job_text(const struct fl_job_spec *spec)
{
	json_t *json = fl_job_to_json(spec);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}
