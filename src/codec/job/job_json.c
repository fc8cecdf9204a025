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

static const char *type_name(json_t *json)
{
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a text";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_NULL:
		return "null";
	default:
		return "true or false";
	}
}

static int fail_type(json_t *json, const char *want, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "must be %s, not %s", want, type_name(json));
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
		return fail_type(json, "a text", err);
	if (strlen(text) >= size)
		return fl_fail(err, FAIRLEAD_ELIMIT, "is longer than %zu bytes", size - 1);
	if (form == FL_JOB_SUBMITTED && !is_plain(text))
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "has control characters, or characters that cannot be seen");
	strcpy(ret, text);
	return 0;
}

static int take_number(json_t *json, int64_t min, int64_t max, int64_t *ret, fairlead_error *err)
{
	if (!json_is_integer(json))
		return fail_type(json, "a whole number", err);
	if (json_integer_value(json) < min || json_integer_value(json) > max)
		return fl_fail(err, FAIRLEAD_EINPUT, "%lld is not from %lld to %lld",
			       (long long)json_integer_value(json), (long long)min, (long long)max);
	*ret = json_integer_value(json);
	return 0;
}

static int take_period(json_t *json, bool zero, fl_time *ret, fairlead_error *err)
{
	const char *text = json_string_value(json);
	fl_time length;

	if (!text)
		return fail_type(json, "a length of time such as \"1h30m\"", err);
	int rc = fl_period_parse(text, strlen(text), &length, err);
	if (rc < 0)
		return rc;
	if (!zero && length == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "must be longer than 0");
	*ret = length;
	return 0;
}

/* An absolute path; it may have any characters but NUL. */
static int take_path(json_t *json, char *ret, size_t size, fairlead_error *err)
{
	const char *text = json_string_value(json);

	if (!text)
		return fail_type(json, "a text", err);
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
		      fail_type(json, "an amount such as \"2\", \"500m\" or \"4Gi\"", err);
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
		return fail_type(json, "an object", err);
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
		return fail_type(json, "an object such as {\"job\": 12, \"when\": \"ok\"}", err);
	json_object_foreach(json, key, value)
	{
		if (strcmp(key, "job") == 0) {
			if (take_number(value, 1, INT64_MAX, &job, err) < 0)
				return fl_fail_in(err, "job");
		} else if (strcmp(key, "when") == 0) {
			const char *text = json_string_value(value);
			unsigned i = 0;

			while (text && i <= FL_AFTER_ANY &&
			       strcmp(text, fl_after_name((enum fl_after)i)) != 0)
				i++;
			if (!text || i > FL_AFTER_ANY) {
				fl_fail(err, FAIRLEAD_EINPUT, "is none of ok, failed and any");
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
		fail_type(json, "a list", err);
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

/* Appends to the room for texts, up to the longest allowed length. */
static int add_text(struct fl_job_document *d, const char *name, const char *value,
		    uint32_t *ret_len, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;
	size_t at = (size_t)s->command_len + s->environment_len;
	size_t room = FL_JOB_ARGUMENTS - at, n = strlen(name), m = value ? strlen(value) + 1 : 0;

	if (n + m + 1 > room) {
		fl_fail(err, FAIRLEAD_ELIMIT,
			"command and environment together have more than %d bytes",
			FL_JOB_ARGUMENTS);
		return fl_fail_hint(err,
				    "put long data into a file; with --clean-env no variable of "
				    "your environment is passed on");
	}
	memcpy(d->texts + at, name, n + 1);
	if (value) {
		d->texts[at + n] = '=';
		memcpy(d->texts + at + n + 1, value, m);
	}
	*ret_len += (uint32_t)(n + m + 1);
	return 0;
}

static int take_command(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	json_t *value;
	size_t i;

	if (!json_is_array(json)) {
		fail_type(json, "a list of texts", err);
		return fl_fail_in(err, "command");
	}
	json_array_foreach(json, i, value)
	{
		if (!json_is_string(value)) {
			fail_type(value, "a text", err);
			return fl_fail_in(err, "command[%zu]", i);
		}
		if (add_text(d, json_string_value(value), NULL, &d->spec.command_len, err) < 0)
			return fl_fail_in(err, "command");
	}
	if (d->spec.command_len == 0 || *d->texts == '\0') {
		fl_fail(err, FAIRLEAD_EINPUT, "names no program");
		return fl_fail_in(err, "command");
	}
	return 0;
}

static int take_environment(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(json)) {
		fail_type(json, "an object", err);
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
			fail_type(value, "a text", err);
			return fl_fail_in(err, "environment.%s", key);
		}
		if (add_text(d, key, json_string_value(value), &d->spec.environment_len, err) < 0)
			return fl_fail_in(err, "environment");
	}
	return 0;
}

static int take_signal(json_t *json, int *ret, fairlead_error *err)
{
	const char *text = json_string_value(json);

	if (!text)
		return fail_type(json, "a text", err);
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
	bool stored = form == FL_JOB_STORED;
	int64_t n = 0;
	int rc = take_number(json, 1, stored ? INT64_MAX : FL_JOB_ARRAY, &n, err);

	if (rc < 0)
		return rc;
	d->is_array = true;
	if (stored)
		d->spec.array = (uint64_t)n;
	else
		d->copies = (uint32_t)n;
	return 0;
}

/* The fields that become a number. */
static int take_count(enum fl_job_field f, json_t *json, struct fl_job_spec *s, fairlead_error *err)
{
	static const struct {
		int64_t min, max;
	} bounds[FL_JOB_FIELDS] = {
		[FL_JOB_F_PRIORITY] = { INT32_MIN, INT32_MAX },
		[FL_JOB_F_TASKS] = { 1, FL_JOB_TASKS },
		[FL_JOB_F_ARRAY_INDEX] = { 0, FL_JOB_ARRAY - 1 },
		[FL_JOB_F_UID] = { 0, UINT32_MAX },
		[FL_JOB_F_GID] = { 0, UINT32_MAX },
	};
	int64_t n = 0;
	int rc = take_number(json, bounds[f].min, bounds[f].max, &n, err);

	if (rc < 0)
		return rc;
	if (f == FL_JOB_F_PRIORITY)
		s->priority = (int32_t)n;
	else if (f == FL_JOB_F_TASKS)
		s->tasks = (uint32_t)n;
	else if (f == FL_JOB_F_ARRAY_INDEX)
		s->array_index = (uint32_t)n;
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
		return take_path(json, s->output, sizeof(s->output), err);
	case FL_JOB_F_TIME_LIMIT:
		return take_period(json, /* zero= */ false, &s->time_limit, err);
	case FL_JOB_F_GRACE:
		return take_period(json, /* zero= */ true, &s->grace, err);
	case FL_JOB_F_SIGNAL:
		return take_signal(json, &s->signal, err);
	case FL_JOB_F_ARRAY:
		return take_array(json, form, d, err);
	case FL_JOB_F_HOLD:
		s->hold = json_is_true(json);
		return json_is_boolean(json) ? 0 : fail_type(json, "true or false", err);
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
		return take_environment(json, d, err);
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

/* The bytes of command and environment, up to the allowed size. */
static size_t room_for_texts(json_t *json)
{
	json_t *environment = json_object_get(json, "environment"), *value;
	json_t *command = json_object_get(json, "command");
	const char *key;
	size_t i, n = 0;

	json_array_foreach(command, i, value) n += json_string_length(value) + 1;
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
	for (uint32_t i = 0; i < s->n_requests; i++)
		if (__builtin_mul_overflow(s->requests[i].amount, (fl_amount)s->tasks, &all) ||
		    all == FL_UNLIMITED) {
			fl_fail(err, FAIRLEAD_ELIMIT,
				"the requests of all %u tasks together are too large", s->tasks);
			return fl_fail_in(err, "requests.%s", s->requests[i].resource);
		}
	return 0;
}

int fl_job_from_json(json_t *json, enum fl_job_form form, struct fl_job_document *ret,
		     fairlead_error *err)
{
	unsigned n_known = form == FL_JOB_STORED ? FL_JOB_FIELDS : FL_JOB_F_ARRAY_INDEX;
	struct fl_job_document d = {
		.spec = { .tasks = 1, .time_limit = FL_NEVER, .grace = FL_TIME_NONE },
		.copies = 1,
	};
	fairlead_error unused = { 0 };

	err = err ? err : &unused;
	if (!json_is_object(json))
		return fail_type(json, "an object with the fields of a job", err);
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
	if (rc < 0) {
		free(d.texts);
		return rc;
	}
	d.spec.command = d.texts;
	d.spec.environment = d.texts + d.spec.command_len;
	*ret = d;
	return 0;
}

void fl_job_document_done(struct fl_job_document *d)
{
	free(d->texts);
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

	if (rc == 0) {
		rc = fl_job_from_json(json, form, ret, err);
		json_decref(json);
		if (rc == 0)
			ret->spec.bytes = (uint32_t)len;
	}
	return rc;
}
