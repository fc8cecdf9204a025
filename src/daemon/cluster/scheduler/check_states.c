/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/check_states.h"

#include <stdio.h>
#include <string.h>

#define LIST "admissionChecks"

static const char *text_of(const json_t *object, const char *field)
{
	const char *text = json_string_value(json_object_get(object, field));

	return text ? text : "";
}

/* NULL: it is not in the list. */
static json_t *find_ours(const json_t *status)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(status, LIST), i,
			   one) if (strcmp(text_of(one, "name"), FL_CHECK_NAME) == 0) return one;
	return NULL;
}

static bool is_in(const json_t *one, const char *state)
{
	return strcmp(text_of(one, "state"), state) == 0;
}

enum fl_managed_check fl_check_states_of(const json_t *status)
{
	const json_t *one = find_ours(status);

	if (!one)
		return FL_MANAGED_NO_CHECK;
	return is_in(one, "Pending") ? FL_MANAGED_CHECK_WAITS : FL_MANAGED_CHECK;
}

static int put(json_t *one, const char *state, const char *message, const char *now)
{
	json_t *fresh = json_pack("{s:s, s:s, s:s}", "state", state, "message", message,
				  "lastTransitionTime", now);
	const int rc = json_object_update(one, fresh);

	json_decref(fresh);
	return rc;
}

int fl_check_states_pass(json_t *status, const char *now)
{
	json_t *one = find_ours(status);

	if (!json_object_get(status, LIST) && json_object_set_new(status, LIST, json_array()) < 0)
		return -1;
	if (!one) {
		one = json_pack("{s:s}", "name", FL_CHECK_NAME);
		if (json_array_append_new(json_object_get(status, LIST), one) < 0)
			return -1;
	}
	return is_in(one, "Ready") ? 0 : put(one, "Ready", "fairlead has decided", now);
}

static int reset(json_t *one, const char *now)
{
	const json_int_t retries = json_integer_value(json_object_get(one, "retryCount"));
	const bool retried = is_in(one, "Retry");
	char message[100];
	int rc;

	if (is_in(one, "Pending"))
		return 0;
	(void)snprintf(message, sizeof message,
		       "Reset to Pending after eviction. Previously: %.40s", text_of(one, "state"));
	rc = put(one, "Pending", message, now);
	(void)json_object_del(one, "podSetUpdates");
	(void)json_object_del(one, "retryCount");
	return retried ? rc | json_object_set_new(one, "retryCount", json_integer(retries + 1)) :
			 rc;
}

int fl_check_states_reset(json_t *status, const char *now)
{
	json_t *one;
	size_t i;
	int rc = 0;

	json_array_foreach(json_object_get(status, LIST), i, one) rc |= reset(one, now);
	return rc;
}
