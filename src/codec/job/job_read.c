/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/job/job_read.h"

#include <string.h>

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

int fl_job_fail_type(json_t *json, const char *want, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "must be %s, not %s", want, type_name(json));
}

int fl_job_take_number(json_t *json, int64_t min, int64_t max, int64_t *ret, fairlead_error *err)
{
	if (!json_is_integer(json))
		return fl_job_fail_type(json, "a whole number", err);
	if (json_integer_value(json) < min || json_integer_value(json) > max)
		return fl_fail(err, FAIRLEAD_EINPUT, "%lld is not from %lld to %lld",
			       (long long)json_integer_value(json), (long long)min, (long long)max);
	*ret = json_integer_value(json);
	return 0;
}

/* Appends to the room for texts, up to the longest allowed length. */
int fl_job_add_text(struct fl_job_document *d, const char *name, const char *value,
		    uint32_t *ret_len, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;
	size_t at = (size_t)s->command_len + s->hooks_len + s->environment_len;
	size_t room = FL_JOB_ARGUMENTS - at, n = strlen(name), m = value ? strlen(value) + 1 : 0;

	if (n + m + 1 > room) {
		fl_fail(err, FAIRLEAD_ELIMIT,
			"command, hooks and environment together have more than %d bytes",
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
