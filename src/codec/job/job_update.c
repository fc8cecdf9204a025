/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/job/job_update.h"

#include <jansson.h>
#include <string.h>

static const char bytes_key[] = "bytes";

/* "" is none. */
static json_t *text_or_null(const char *text) { return *text ? json_string(text) : json_null(); }

static json_t *after_json(const struct fl_job_spec *s)
{
	json_t *list = s->n_after ? json_array() : json_null();

	for (uint32_t i = 0; list && i < s->n_after; i++)
		if (json_array_append_new(list, json_pack("{s:I, s:s}", "job",
							  (json_int_t)s->after[i].job, "when",
							  fl_after_name(s->after[i].how))) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *value_of(const struct fl_job_spec *s, enum fl_job_field f)
{
	char buffer[64];

	switch (f) {
	case FL_JOB_F_NAME:
		return json_string(s->name);
	case FL_JOB_F_QUEUE:
		return json_string(s->queue);
	case FL_JOB_F_PRIORITY:
		return json_integer(s->priority);
	case FL_JOB_F_TIME_LIMIT:
		return s->time_limit == FL_NEVER ?
			       json_null() :
			       json_string(fl_job_period(s->time_limit, buffer));
	case FL_JOB_F_AFTER:
		return after_json(s);
	case FL_JOB_F_COMMENT:
		return text_or_null(s->comment);
	default:
		return text_or_null(s->hold_reason);
	}
}

json_t *fl_job_update_to_json(const struct fl_job_update *u)
{
	json_t *o = json_object();
	bool ok = o;

	for (int f = 0; f < FL_JOB_FIELDS && ok; f++)
		if (fl_job_updates(u, (enum fl_job_field)f))
			ok = json_object_set_new(o, fl_job_fields[f],
						 value_of(&u->spec, (enum fl_job_field)f)) == 0;
	if (!ok)
		json_decref(o);
	return ok ? o : NULL;
}

/* Sets or removes the field; the value before is kept in @first. */
static bool lay_one(json_t *spec, json_t *first, const char *key, json_t *value)
{
	json_t *was = json_object_get(spec, key);

	if (!json_object_get(first, key) &&
	    json_object_set_new(first, key, was ? json_incref(was) : json_null()) < 0)
		return false;
	if (json_is_null(value)) {
		(void)json_object_del(spec, key);
		return true;
	}
	return json_object_set(spec, key, value) == 0;
}

static bool lay(json_t *spec, size_t len, json_t *changes)
{
	json_t *first = json_object_get(spec, fl_job_fields[FL_JOB_F_FIRST]), *value;
	const char *key;
	bool ok = true;

	if (!first) {
		first = json_object();
		ok = json_object_set_new(spec, fl_job_fields[FL_JOB_F_FIRST], first) == 0 &&
		     json_object_set_new(first, bytes_key, json_integer((json_int_t)len)) == 0;
	}
	json_object_foreach(changes, key, value) ok = ok && lay_one(spec, first, key, value);
	return ok;
}

int fl_job_update_lay(const char *spec, const struct fl_job_update *u, char **ret,
		      fairlead_error *err)
{
	json_t *json = NULL, *changes = fl_job_update_to_json(u);
	int rc = changes ? fl_job_json_load(spec, strlen(spec), &json, err) : fl_fail_nomem(err);

	/* That of the row counts, which also changes without the spec. */
	(void)json_object_del(changes, fl_job_fields[FL_JOB_F_PRIORITY]);
	if (rc == 0) {
		*ret = lay(json, strlen(spec), changes) ? json_dumps(json, JSON_COMPACT) : NULL;
		rc = *ret ? 0 : fl_fail_nomem(err);
	}
	json_decref(json);
	json_decref(changes);
	return rc;
}

size_t fl_job_update_undo(json_t *spec, size_t len)
{
	json_t *first = json_object_get(spec, fl_job_fields[FL_JOB_F_FIRST]), *value;
	const char *key;

	json_object_foreach(first, key, value)
	{
		if (strcmp(key, bytes_key) == 0)
			len = (size_t)json_integer_value(value);
		else if (json_is_null(value))
			(void)json_object_del(spec, key);
		else
			(void)json_object_set(spec, key, value);
	}
	return len;
}
