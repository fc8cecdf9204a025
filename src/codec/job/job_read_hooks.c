/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/job/job_read_hooks.h"

#include <string.h>

static int take_events(json_t *json, unsigned *ret, fairlead_error *err)
{
	json_t *value;
	size_t i;

	if (!json_is_array(json))
		return fl_job_fail_type(json, "a list of events", err);
	*ret = 0;
	json_array_foreach(json, i, value)
	{
		const char *text = json_string_value(value);
		unsigned event = text ? fl_hook_event(text, strlen(text)) : 0;

		if (!event)
			return fl_fail(err, FAIRLEAD_EINPUT,
				       "has something other than begin, end, fail and preempted");
		*ret |= event;
	}
	return *ret ? 0 : fl_fail(err, FAIRLEAD_EINPUT, "names no event");
}

static int take_hook(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	struct fl_job_spec *s = &d->spec;
	const char *key, *command = NULL;
	json_t *value;

	if (!json_is_object(json))
		return fl_job_fail_type(
			json, "an object such as {\"on\": [\"fail\"], \"command\": \"...\"}", err);
	s->hook_events[s->n_hooks] = FL_HOOK_ALL;
	json_object_foreach(json, key, value)
	{
		if (strcmp(key, "on") == 0) {
			if (take_events(value, &s->hook_events[s->n_hooks], err) < 0)
				return fl_fail_in(err, "on");
		} else if (strcmp(key, "command") == 0) {
			command = json_string_value(value);
			if (!command || !*command) {
				fl_fail(err, FAIRLEAD_EINPUT, "must be a command of a shell");
				return fl_fail_in(err, "command");
			}
		} else {
			return fl_fail(
				err, FAIRLEAD_EINPUT,
				"there is no field '%.60s' here; the fields are on and command",
				key);
		}
	}
	if (!command)
		return fl_fail(err, FAIRLEAD_EINPUT, "command is missing");
	s->n_hooks++;
	return fl_job_add_text(d, command, /* value= */ NULL, &s->hooks_len, err);
}

int fl_job_take_hooks(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	size_t n = json_array_size(json);

	if (!json_is_array(json)) {
		fl_job_fail_type(json, "a list", err);
		return fl_fail_in(err, "hooks");
	}
	if (n > FL_JOB_HOOKS) {
		fl_fail(err, FAIRLEAD_ELIMIT, "has %zu entries; at most %d are allowed", n,
			FL_JOB_HOOKS);
		return fl_fail_in(err, "hooks");
	}
	for (size_t i = 0; i < n; i++)
		if (take_hook(json_array_get(json, i), d, err) < 0)
			return fl_fail_in(err, "hooks[%zu]", i);
	return 0;
}
