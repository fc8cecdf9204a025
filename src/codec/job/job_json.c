/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/job/job_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/plain.h"
#include "base/time.h"
#include "codec/job/job_field.h"
#include "codec/job/job_read.h"
#include "codec/job/job_read_array.h"
#include "codec/job/job_read_hooks.h"
#include "codec/job/job_update.h"
#include "codec/text/quantity.h"

int fl_job_amount(const char *resource, const char *text, fl_amount *ret, fairlead_error *err)
{
	bool cpu = strcmp(resource, "cpu") == 0;
	fl_amount amount;
	fl_nanos exact;
	int rc = fl_quantity_parse(text, strlen(text), cpu ? 3 : 0, /* negative= */ false, &amount,
				   err);

	if (rc < 0)
		return rc;
	if (amount == FL_UNLIMITED)
		return fl_fail(err, FAIRLEAD_ELIMIT, "'%.60s' is too large", text);
	rc = fl_quantity_parse_nanos(text, strlen(text), &exact, err);
	if (rc < 0)
		return rc;
	if (!cpu && strcmp(resource, "memory") != 0 && exact != (fl_nanos)amount * FL_SECOND)
		return fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' is not a whole number", text);
	*ret = amount;
	return 0;
}

/* One line, without characters that a terminal would obey or that cannot be seen. */
static bool is_plain(const char *text)
{
	while (*text && !fl_plain_odd(text))
		text++;
	return !*text;
}

/* Not for stored jobs: an older program may have accepted characters that are refused now. */
static int take_word(json_t *json, enum fl_job_form form, char *ret, size_t size,
		     fairlead_error *err)
{
	const char *text = json_string_value(json);

	if (!text)
		return fl_job_fail_type(json, "a text", err);
	if (strlen(text) >= size)
		return fl_fail(err, FAIRLEAD_ELIMIT, "is longer than %zu bytes", size - 1);
	if (form == FL_JOB_SUBMITTED && !is_plain(text))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "has control characters, or characters that cannot be seen");
	strcpy(ret, text);
	return 0;
}

/* How a length of time is read. */
typedef int period_fn(const char *text, size_t len, fl_time *ret, fairlead_error *err);

static int take_period(json_t *json, period_fn *parse, bool zero, fl_time *ret, fairlead_error *err)
{
	const char *text = json_string_value(json);
	fl_time length;

	if (!text)
		return fl_job_fail_type(json, "a length of time such as \"1h30m\"", err);
	int rc = parse(text, strlen(text), &length, err);
	if (rc < 0)
		return rc;
	if (!zero && length == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "must be longer than 0");
	*ret = length;
	return 0;
}

/* What the runner fills in. */
static int check_pattern(const char *path, fairlead_error *err)
{
	for (; (path = strchr(path, '%')); path += 2)
		if (!path[1] || !strchr("jta%", path[1]))
			return fl_fail(err, FAIRLEAD_EINPUT,
				       "'%.2s' in it is not known; after %% comes j, t, a or %%",
				       path);
	return 0;
}

static int take_instant(json_t *json, fl_time *ret, fairlead_error *err)
{
	const char *text = json_string_value(json);

	return text ? fl_time_parse(text, strlen(text), ret, err) :
		      fl_job_fail_type(json, "a time such as \"2026-01-31T12:00:00Z\"", err);
}

static int take_flag(json_t *json, bool *ret, fairlead_error *err)
{
	*ret = json_is_true(json);
	return json_is_boolean(json) ? 0 : fl_job_fail_type(json, "true or false", err);
}

static int take_interactive(json_t *json, enum fl_interactive *ret, fairlead_error *err)
{
	const char *text = json_string_value(json);

	for (int how = FL_INTERACTIVE_FILES; text && how < FL_INTERACTIVES; how++)
		if (strcmp(text, fl_interactive_name((enum fl_interactive)how)) == 0) {
			*ret = (enum fl_interactive)how;
			return 0;
		}
	return text ? fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' is neither files nor terminal", text) :
		      fl_job_fail_type(json, "a text", err);
}

/* An absolute path; it may have any characters but NUL. */
static int take_path(json_t *json, char *ret, size_t size, fairlead_error *err)
{
	const char *text = json_string_value(json);

	if (!text)
		return fl_job_fail_type(json, "a text", err);
	if (text[0] != '/')
		return fl_fail(err, FAIRLEAD_EINPUT, "'%.100s' does not begin with '/'", text);
	if (strlen(text) >= size)
		return fl_fail(err, FAIRLEAD_ELIMIT, "is longer than %zu bytes", size - 1);
	strcpy(ret, text);
	return 0;
}

/* An amount as text, or a number as the shortest text with the same value. */
static int take_amount(const char *resource, json_t *json, fl_amount *ret, fairlead_error *err)
{
	char digits[40];
	const char *text = json_string_value(json);

	if (json_is_integer(json)) {
		snprintf(digits, sizeof(digits), "%lld", (long long)json_integer_value(json));
		text = digits;
	} else if (json_is_real(json)) {
		for (int n = 15; n <= 17; n++) {
			snprintf(digits, sizeof(digits), "%.*g", n, json_real_value(json));
			if (strtod(digits, NULL) == json_real_value(json))
				break;
		}
		text = digits;
	}
	return text ? fl_job_amount(resource, text, ret, err) :
		      fl_job_fail_type(json, "an amount such as \"2\", \"500m\" or \"4Gi\"", err);
}

static bool is_name(const char *text)
{
	return *text &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "._-/")] == '\0';
}

static int by_request(const void *a, const void *b)
{
	const struct fl_job_request *x = a, *y = b;

	return strcmp(x->resource, y->resource);
}

static int by_label(const void *a, const void *b)
{
	const struct fl_job_label *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* Names of at most FL_JOB_RESOURCE bytes as keys of @json, @max of them. */
static int check_names(json_t *json, size_t max, const char *what, fairlead_error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return fl_job_fail_type(json, "an object", err);
	if (json_object_size(json) > max)
		return fl_fail(err, FAIRLEAD_ELIMIT, "has %zu entries; at most %zu are allowed",
			       json_object_size(json), max);
	json_object_foreach(json, key, value)
	{
		if (!is_name(key))
			return fl_fail(err, FAIRLEAD_EINPUT, "'%.100s' is not the name of a %s",
				       key, what);
		if (strlen(key) >= FL_JOB_RESOURCE)
			return fl_fail(err, FAIRLEAD_ELIMIT, "'%.40s...' is longer than %d bytes",
				       key, FL_JOB_RESOURCE - 1);
	}
	return 0;
}

static int take_requests(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;
	const char *key;
	json_t *value;
	int rc = check_names(json, FL_JOB_RESOURCES, "resource", err);

	if (rc < 0)
		return fl_fail_in(err, "requests");
	json_object_foreach(json, key, value)
	{
		struct fl_job_request *r = &s->requests[s->n_requests];

		rc = take_amount(key, value, &r->amount, err);
		if (rc < 0)
			return fl_fail_in(err, "requests.%s", key);
		strcpy(r->resource, key);
		s->n_requests++;
	}
	qsort(s->requests, s->n_requests, sizeof(*s->requests), by_request);
	return 0;
}

static int take_labels(json_t *json, enum fl_job_form form, struct fl_job_document *d,
		       fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;
	const char *key;
	json_t *value;
	int rc = check_names(json, FL_JOB_LABELS, "label", err);

	if (rc < 0)
		return fl_fail_in(err, "labels");
	json_object_foreach(json, key, value)
	{
		struct fl_job_label *l = &s->labels[s->n_labels];

		rc = take_word(value, form, l->value, sizeof(l->value), err);
		if (rc < 0)
			return fl_fail_in(err, "labels.%s", key);
		strcpy(l->key, key);
		s->n_labels++;
	}
	qsort(s->labels, s->n_labels, sizeof(*s->labels), by_label);
	return 0;
}

static int take_one_after(json_t *json, struct fl_job_after *ret, fairlead_error *err)
{
	const char *key;
	json_t *value;
	int64_t job = 0;

	if (!json_is_object(json))
		return fl_job_fail_type(json, "an object such as {\"job\": 12, \"when\": \"ok\"}",
					err);
	json_object_foreach(json, key, value)
	{
		if (strcmp(key, "job") == 0) {
			if (fl_job_take_number(value, 1, INT64_MAX, &job, err) < 0)
				return fl_fail_in(err, "job");
		} else if (strcmp(key, "when") == 0) {
			const char *text = json_string_value(value);
			unsigned i = 0;

			while (text && i < FL_AFTERS &&
			       strcmp(text, fl_after_name((enum fl_after)i)) != 0)
				i++;
			if (!text || i == FL_AFTERS) {
				fl_fail(err, FAIRLEAD_EINPUT,
					"is none of ok, failed, any and begun");
				return fl_fail_in(err, "when");
			}
			ret->how = (enum fl_after)i;
		} else {
			return fl_fail(
				err, FAIRLEAD_EINPUT,
				"there is no field '%.60s' here; the fields are job and when", key);
		}
	}
	if (job == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "job is missing");
	ret->job = (uint64_t)job;
	return 0;
}

static int take_after(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;

	if (!json_is_array(json)) {
		fl_job_fail_type(json, "a list", err);
		return fl_fail_in(err, "after");
	}
	if (json_array_size(json) > FL_JOB_AFTER) {
		fl_fail(err, FAIRLEAD_ELIMIT,
			"has %zu entries; a job can wait for at most %d others",
			json_array_size(json), FL_JOB_AFTER);
		return fl_fail_in(err, "after");
	}
	for (; s->n_after < json_array_size(json); s->n_after++)
		if (take_one_after(json_array_get(json, s->n_after), &s->after[s->n_after], err) <
		    0)
			return fl_fail_in(err, "after[%u]", s->n_after);
	return 0;
}

static int take_command(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	json_t *value;
	size_t i;

	if (!json_is_array(json)) {
		fl_job_fail_type(json, "a list of texts", err);
		return fl_fail_in(err, "command");
	}
	json_array_foreach(json, i, value)
	{
		if (!json_is_string(value)) {
			fl_job_fail_type(value, "a text", err);
			return fl_fail_in(err, "command[%zu]", i);
		}
		if (fl_job_add_text(d, json_string_value(value), NULL, &d->spec.command_len, err) <
		    0)
			return fl_fail_in(err, "command");
	}
	if (d->spec.command_len == 0 || *d->texts == '\0') {
		fl_fail(err, FAIRLEAD_EINPUT, "names no program");
		return fl_fail_in(err, "command");
	}
	return 0;
}

static int take_environment(json_t *json, enum fl_job_form form, struct fl_job_document *d,
			    fairlead_error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(json)) {
		fl_job_fail_type(json, "an object", err);
		return fl_fail_in(err, "environment");
	}
	json_object_foreach(json, key, value)
	{
		if (*key == '\0' || strchr(key, '=')) {
			fl_fail(err, FAIRLEAD_EINPUT, "'%.100s' is not the name of a variable",
				key);
			return fl_fail_in(err, "environment");
		}
		if (!json_is_string(value)) {
			fl_job_fail_type(value, "a text", err);
			return fl_fail_in(err, "environment.%s", key);
		}
		if (form == FL_JOB_SUBMITTED && fl_job_is_array_variable(key))
			continue;
		if (fl_job_add_text(d, key, json_string_value(value), &d->spec.environment_len,
				    err) < 0)
			return fl_fail_in(err, "environment");
	}
	return 0;
}

static int take_signal(json_t *json, int *ret, fairlead_error *err)
{
	const char *text = json_string_value(json);

	if (!text)
		return fl_job_fail_type(json, "a text", err);
	int number = fl_job_signal(text);
	if (!number)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "'%.60s' is none of HUP, INT, KILL, QUIT, TERM, USR1 and USR2",
			       text);
	*ret = number;
	return 0;
}

static int take_array(json_t *json, enum fl_job_form form, struct fl_job_document *d,
		      fairlead_error *err)
{
	int64_t n = 0;
	int rc;

	if (form == FL_JOB_SUBMITTED)
		return fl_job_take_array(json, d, err);
	rc = fl_job_take_number(json, 1, INT64_MAX, &n, err);
	d->is_array = rc == 0;
	d->spec.array = (uint64_t)n;
	return rc;
}

/* The fields that become a number. */
static int take_count(enum fl_job_field f, json_t *json, struct fl_job_spec *s, fairlead_error *err)
{
	static const struct {
		int64_t min, max;
	} bounds[FL_JOB_FIELDS] = {
		[FL_JOB_F_PRIORITY] = { INT32_MIN, INT32_MAX },
		[FL_JOB_F_TASKS] = { 1, FL_JOB_TASKS },
		[FL_JOB_F_ARRAY_INDEX] = { 0, FL_JOB_INDEX },
		[FL_JOB_F_ARRAY_MOST] = { 1, FL_JOB_INDEX },
		[FL_JOB_F_UID] = { 0, UINT32_MAX },
		[FL_JOB_F_GID] = { 0, UINT32_MAX },
	};
	int64_t n = 0;
	int rc = fl_job_take_number(json, bounds[f].min, bounds[f].max, &n, err);

	if (rc < 0)
		return rc;
	if (f == FL_JOB_F_PRIORITY)
		s->priority = (int32_t)n;
	else if (f == FL_JOB_F_TASKS)
		s->tasks = (uint32_t)n;
	else if (f == FL_JOB_F_ARRAY_INDEX)
		s->array_index = (uint32_t)n;
	else if (f == FL_JOB_F_ARRAY_MOST)
		s->array_most = (uint32_t)n;
	else if (f == FL_JOB_F_UID)
		s->uid = (uint32_t)n;
	else
		s->gid = (uint32_t)n;
	return 0;
}

static int take_field(enum fl_job_field f, json_t *json, enum fl_job_form form,
		      struct fl_job_document *d, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;
	int rc;

	switch (f) {
	case FL_JOB_F_NAME:
		return take_word(json, form, s->name, sizeof(s->name), err);
	case FL_JOB_F_QUEUE:
		return take_word(json, form, s->queue, sizeof(s->queue), err);
	case FL_JOB_F_USER:
		return take_word(json, form, s->user, sizeof(s->user), err);
	case FL_JOB_F_DIRECTORY:
		return take_path(json, s->directory, sizeof(s->directory), err);
	case FL_JOB_F_OUTPUT:
		rc = take_path(json, s->output, sizeof(s->output), err);
		return rc < 0 || form == FL_JOB_STORED ? rc : check_pattern(s->output, err);
	case FL_JOB_F_TIME_LIMIT:
		return take_period(json, fl_limit_parse, /* zero= */ false, &s->time_limit, err);
	case FL_JOB_F_GRACE:
		return take_period(json, fl_period_parse, /* zero= */ true, &s->grace, err);
	case FL_JOB_F_SIGNAL:
		return take_signal(json, &s->signal, err);
	case FL_JOB_F_COMMENT:
		return take_word(json, form, s->comment, sizeof(s->comment), err);
	case FL_JOB_F_HOLD_REASON:
		return take_word(json, form, s->hold_reason, sizeof(s->hold_reason), err);
	case FL_JOB_F_FIRST:
		return 0;
	case FL_JOB_F_ARRAY:
		return take_array(json, form, d, err);
	case FL_JOB_F_HOLD:
		return take_flag(json, &s->hold, err);
	case FL_JOB_F_SINGLETON:
		return take_flag(json, &s->singleton, err);
	case FL_JOB_F_INTERACTIVE:
		return take_interactive(json, &s->interactive, err);
	case FL_JOB_F_REQUEUE:
		rc = take_flag(json, &s->once, err);
		s->once = !s->once;
		return rc;
	case FL_JOB_F_BEGIN:
		return take_instant(json, &s->begin, err);
	default:
		return take_count(f, json, s, err);
	}
}

static int take(enum fl_job_field f, json_t *json, enum fl_job_form form, struct fl_job_document *d,
		fairlead_error *err)
{
	switch (f) { /* these functions report the place in the list or map themselves */
	case FL_JOB_F_REQUESTS:
		return take_requests(json, d, err);
	case FL_JOB_F_COMMAND:
		return take_command(json, d, err);
	case FL_JOB_F_ENVIRONMENT:
		return take_environment(json, form, d, err);
	case FL_JOB_F_HOOKS:
		return fl_job_take_hooks(json, d, err);
	case FL_JOB_F_AFTER:
		return take_after(json, d, err);
	case FL_JOB_F_LABELS:
		return take_labels(json, form, d, err);
	default:
		return take_field(f, json, form, d, err) < 0 ?
			       fl_fail_in(err, "%s", fl_job_fields[f]) :
			       0;
	}
}

/* A key that is not known, or that a client may not give. */
static int check_keys(json_t *json, unsigned n_known, fairlead_error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(json, key, value)
	{
		struct fl_nearest near = { .wanted = key };
		char text[1600];
		unsigned f = 0;

		while (f < n_known && strcmp(fl_job_fields[f], key) != 0)
			f++;
		if (f < n_known)
			continue;
		for (f = 0; f < n_known; f++)
			fl_nearest_offer(&near, fl_job_fields[f]);
		fl_fail(err, FAIRLEAD_EINPUT, "there is no field '%.100s' in a job", key);
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof(text)));
		return FAIRLEAD_EINPUT;
	}
	return 0;
}

/* The bytes of command, hooks and environment, up to the allowed size. */
static size_t room_for_texts(json_t *json)
{
	enum { ARRAY_VARIABLES = 160 };
	json_t *environment = json_object_get(json, "environment"), *value;
	json_t *command = json_object_get(json, "command"), *hooks = json_object_get(json, "hooks");
	const char *key;
	size_t i, n = json_object_get(json, "array") ? ARRAY_VARIABLES : 0;

	json_array_foreach(command, i, value) n += json_string_length(value) + 1;
	json_array_foreach(hooks, i, value)
		n += json_string_length(json_object_get(value, "command")) + 1;
	json_object_foreach(environment, key, value)
		n += strlen(key) + json_string_length(value) + 2;
	return n < FL_JOB_ARGUMENTS ? n : FL_JOB_ARGUMENTS;
}

static int check_whole(const struct fl_job_spec *s, fairlead_error *err)
{
	const char *missing = *s->queue == '\0'     ? "queue" :
			      s->command_len == 0   ? "command" :
			      *s->directory == '\0' ? "directory" :
						      NULL;
	fl_amount all;

	if (missing)
		return fl_fail(err, FAIRLEAD_EINPUT, "%s is missing", missing);
	if (s->singleton && !*s->name) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"singleton needs a name: it waits for earlier jobs of the same name");
		return fl_fail_hint(err, "give it one with --name");
	}
	for (uint32_t i = 0; i < s->n_requests; i++)
		if (__builtin_mul_overflow(s->requests[i].amount, (fl_amount)s->tasks, &all) ||
		    all == FL_UNLIMITED) {
			fl_fail(err, FAIRLEAD_ELIMIT,
				"the requests of all %u tasks together are too large", s->tasks);
			return fl_fail_in(err, "requests.%s", s->requests[i].resource);
		}
	return 0;
}

/*
 * What it cannot have beside the standard files of a client.  It is never queued again when it has
 * run: the same input is not given twice.
 */
static int check_interactive(const json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;

	if (!s->interactive)
		return 0;
	if (s->tasks > 1)
		return fl_fail(err, FAIRLEAD_EINPUT, "an interactive job has one task, not %u",
			       s->tasks);
	if (d->is_array)
		return fl_fail(err, FAIRLEAD_EINPUT, "an array cannot be interactive");
	if (*s->output)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "the output of an interactive job goes to its client, so it has "
			       "no file for it");
	if (json_is_true(json_object_get(json, fl_job_fields[FL_JOB_F_REQUEUE])))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "an interactive job is not queued again when it was preempted: "
			       "its client does not give the same input twice");
	s->once = true;
	return 0;
}

int fl_job_from_json(json_t *json, enum fl_job_form form, struct fl_job_document *ret,
		     fairlead_error *err)
{
	unsigned n_known = form == FL_JOB_SUBMITTED ? FL_JOB_F_ARRAY_INDEX : FL_JOB_FIELDS;
	struct fl_job_document d = {
		.spec = { .tasks = 1, .time_limit = FL_NEVER, .grace = FL_TIME_NONE },
		.copies = 1,
	};
	fairlead_error unused = { 0 };

	err = err ? err : &unused;
	if (!json_is_object(json))
		return fl_job_fail_type(json, "an object with the fields of a job", err);
	int rc = check_keys(json, n_known, err);
	if (rc < 0)
		return rc;
	d.texts = malloc(room_for_texts(json) + 1);
	if (!d.texts)
		return fl_fail_nomem(err);
	for (unsigned f = 0; f < n_known && rc == 0; f++) {
		json_t *value = json_object_get(json, fl_job_fields[f]);

		if (value)
			rc = take((enum fl_job_field)f, value, form, &d, err);
	}
	if (rc == 0)
		rc = check_whole(&d.spec, err);
	if (rc == 0)
		rc = check_interactive(json, &d, err);
	if (rc == 0 && d.is_array && form == FL_JOB_SUBMITTED &&
	    (rc = fl_job_add_array_variables(&d, err)) < 0)
		fl_fail_in(err, "environment");
	if (rc < 0) {
		fl_job_document_done(&d);
		return rc;
	}
	d.spec.command = d.texts;
	d.spec.hooks = d.texts + d.spec.command_len;
	d.spec.environment = d.spec.hooks + d.spec.hooks_len;
	*ret = d;
	return 0;
}

/* --- changes --- */

/* In the order in which people are told of them. */
static const enum fl_job_field may_change[] = { FL_JOB_F_NAME,       FL_JOB_F_QUEUE,
						FL_JOB_F_PRIORITY,   FL_JOB_F_TIME_LIMIT,
						FL_JOB_F_AFTER,      FL_JOB_F_COMMENT,
						FL_JOB_F_HOLD_REASON };
enum { N_MAY_CHANGE = sizeof may_change / sizeof *may_change };

static bool is_change(const char *key)
{
	for (unsigned i = 0; i < N_MAY_CHANGE; i++)
		if (strcmp(fl_job_fields[may_change[i]], key) == 0)
			return true;
	return false;
}

static int check_changes(json_t *json, fairlead_error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(json) || json_object_size(json) == 0)
		return fl_job_fail_type(json, "an object with what is to change", err);
	json_object_foreach(json, key, value)
	{
		if (is_change(key))
			continue;
		fl_fail(err, FAIRLEAD_EINPUT, "'%.100s' of a job cannot be changed", key);
		return fl_fail_hint(err, "what can: name, queue, priority, timeLimit, after, "
					 "comment and holdReason");
	}
	return 0;
}

/* null: as of a job without it. */
static int take_change(enum fl_job_field f, json_t *json, enum fl_job_form form,
		       struct fl_job_document *d, fairlead_error *err)
{
	if (json_is_null(json) && (f == FL_JOB_F_TIME_LIMIT || f == FL_JOB_F_AFTER ||
				   f == FL_JOB_F_COMMENT || f == FL_JOB_F_HOLD_REASON))
		return 0;
	if ((f == FL_JOB_F_NAME || f == FL_JOB_F_QUEUE) && json_string_length(json) == 0) {
		fl_job_fail_type(json, "a text that is not empty", err);
		return fl_fail_in(err, "%s", fl_job_fields[f]);
	}
	return take(f, json, form, d, err);
}

int fl_job_update_from_json(json_t *json, enum fl_job_form form, struct fl_job_update *ret,
			    fairlead_error *err)
{
	struct fl_job_document d = { .spec = { .time_limit = FL_NEVER } };
	uint32_t fields = 0;
	int rc = form == FL_JOB_SUBMITTED ? check_changes(json, err) : 0;

	for (unsigned i = 0; i < N_MAY_CHANGE && rc == 0; i++) {
		json_t *value = json_object_get(json, fl_job_fields[may_change[i]]);

		if (!value)
			continue;
		fields |= 1U << may_change[i];
		rc = take_change(may_change[i], value, form, &d, err);
	}
	if (rc == 0)
		*ret = (struct fl_job_update){ .fields = fields, .spec = d.spec };
	return rc;
}

void fl_job_document_done(struct fl_job_document *d)
{
	free(d->texts);
	free(d->indexes);
	*d = (struct fl_job_document){ 0 };
}

int fl_job_json_load(const char *text, size_t len, json_t **ret, fairlead_error *err)
{
	json_error_t wrong;
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &wrong);

	if (!json && json_error_code(&wrong) == json_error_out_of_memory)
		return fl_fail_nomem(err);
	if (!json) {
		fl_fail(err, FAIRLEAD_EINPUT, "not valid JSON: %s", wrong.text);
		if (err && wrong.line > 0) {
			err->line = (uint32_t)wrong.line;
			err->column = wrong.column > 0 ? (uint32_t)wrong.column : 0;
		}
		return FAIRLEAD_EINPUT;
	}
	*ret = json;
	return 0;
}

int fl_job_parse(const char *text, size_t len, enum fl_job_form form, struct fl_job_document *ret,
		 fairlead_error *err)
{
	json_t *json;
	int rc = fl_job_json_load(text, len, &json, err);

	if (rc == 0 && form == FL_JOB_FIRST)
		len = fl_job_update_undo(json, len);
	if (rc == 0) {
		rc = fl_job_from_json(json, form, ret, err);
		json_decref(json);
		if (rc == 0)
			ret->spec.bytes = (uint32_t)len;
	}
	return rc;
}
