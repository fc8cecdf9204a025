/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update: changes what was submitted, of each job that is named
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/client/wishes.h"
#include "codec/job/job_word.h"

static int no_memory(void)
{
	fairlead_error err = { 0 };

	fl_fail_nomem(&err);
	return fl_complain(&err);
}

static int put(json_t *set, const char *key, json_t *value)
{
	return json_object_set_new(set, key, value) == 0 ? 0 : no_memory();
}

/* "none" takes back what was given, but for a name and a queue, which each job has. */
static int take_text(json_t *set, const char *option, const char *key, const char *text)
{
	bool none = strcmp(text, "none") == 0 && strcmp(key, "name") != 0 &&
		    strcmp(key, "queue") != 0;
	json_t *value = none ? json_null() : json_string(text);

	return value ? put(set, key, value) :
		       fl_usage_error("update", "--%s: '%s' is not UTF-8", option, text);
}

static int take_period(json_t *set, const char *option, const char *key, const char *text)
{
	fl_time length;

	if (strcmp(text, "none") == 0)
		return put(set, key, json_null());
	if (fl_period_parse(text, strlen(text), &length, NULL) < 0)
		return fl_usage_error("update",
				      "--%s: '%s' is not a duration such as 90s or 1h30m, or none",
				      option, text);
	return put(set, key, json_string(text));
}

static int take_number(json_t *set, const char *option, const char *key, const char *text)
{
	uint32_t n;

	if (!fl_options_count(text + (*text == '-'), 0, 999999999, &n))
		return fl_usage_error("update",
				      "--%s: '%s' is not a whole number of at most nine digits",
				      option, text);
	return put(set, key, json_integer(*text == '-' ? -(json_int_t)n : n));
}

/* "17", "17-20", "17:any" */
static int take_one_after(json_t *list, char *word)
{
	static const char *const hows[] = { "ok", "failed", "any" };
	char *when = strchr(word, ':');
	const char *at = word;
	struct fl_job_range range;
	size_t i = 0;

	if (when)
		*when++ = '\0';
	while (when && i < sizeof(hows) / sizeof(*hows) && strcmp(hows[i], when) != 0)
		i++;
	if (i == sizeof(hows) / sizeof(*hows))
		return fl_usage_error("update", "--after: '%s' is none of ok, failed and any",
				      when);
	if (fl_job_range_next(&at, &range, NULL) <= 0 || range.array ||
	    range.last - range.first >= FL_JOB_AFTER)
		return fl_usage_error("update",
				      "--after: '%s' is not a job, such as 17, or jobs, such as "
				      "17-20, or none",
				      word);
	for (uint64_t job = range.first; job <= range.last; job++)
		if (json_array_append_new(list, json_pack("{s:I, s:s}", "job", (json_int_t)job,
							  "when", when ? when : "ok")) < 0)
			return no_memory();
	return 0;
}

static int take_after(json_t *set, const char *option, const char *key, const char *text)
{
	char *copy = strdup(text), *at = copy, *word;
	json_t *list = json_array();
	int code = copy && list ? 0 : no_memory();

	(void)option;
	while (code == 0 && strcmp(text, "none") != 0 && (word = strsep(&at, ",")))
		code = take_one_after(list, word);
	free(copy);
	if (code) {
		json_decref(list);
		return code;
	}
	return put(set, key, list);
}

static const struct {
	const char *option, *key;
	int (*take)(json_t *set, const char *option, const char *key, const char *text);
} rows[] = {
	{ "priority", "priority", take_number },
	{ "time", "timeLimit", take_period },
	{ "queue", "queue", take_text },
	{ "after", "after", take_after },
	{ "name", "name", take_text },
	{ "comment", "comment", take_text },
	{ "hold-reason", "holdReason", take_text },
};

int fl_cmd_update(const struct fl_options *o)
{
	json_t *set = json_object();
	int code = set ? 0 : no_memory();
	struct fl_wishes w = { .options = o, .action = "update", .done = "updated" };

	for (uint32_t i = 0; i < o->n_given && code == 0; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows) && code == 0; k++)
			if (strcmp(rows[k].option, o->given[i].option) == 0)
				code = rows[k].take(set, rows[k].option, rows[k].key,
						    o->given[i].value);
	if (code == 0 && json_object_size(set) == 0)
		code = fl_usage_error(o->verb, "nothing is to change: give --priority, --time, "
					       "--queue, --after, --name, --comment or "
					       "--hold-reason");
	if (code) {
		json_decref(set);
		return code;
	}
	w.body = json_pack("{s:o}", "set", set);
	return fl_wishes_ask(&w);
}
