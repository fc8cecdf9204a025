/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/usage.h"

#include <string.h>

#include "report/job/words.h"
#include "report/out/table.h"

enum { USER, QUEUE, JOBS, RESOURCE, HELD, OF_QUEUE, OF_ALL, PREEMPTED, COLUMNS };

static const struct fl_column_head heads[COLUMNS] = {
	[USER] = { "USER", 0, 0 },
	[QUEUE] = { "QUEUE", 0, 0 },
	[JOBS] = { "JOBS", FL_COL_RIGHT, 3 },
	[RESOURCE] = { "RESOURCE", 0, 0 },
	[HELD] = { "HELD", FL_COL_RIGHT, 0 },
	[OF_QUEUE] = { "OF QUEUE", FL_COL_RIGHT, 0 },
	[OF_ALL] = { "OF ALL", FL_COL_RIGHT, 2 },
	[PREEMPTED] = { "PREEMPTED", FL_COL_RIGHT, 1 },
};

/* Bytes are counted in Gi, and all in hours, or below ten minutes in seconds. */
static void put_amount(double unit_seconds, bool memory, char text[32])
{
	double units = memory ? unit_seconds / (1024.0 * 1024 * 1024) : unit_seconds;

	if (units >= 600)
		snprintf(text, 32, "%.4g h", units / 3600);
	else
		snprintf(text, 32, "%.3g s", units);
}

static int put_held(struct fl_table *t, const json_t *line, fairlead_error *err)
{
	static const struct {
		unsigned column;
		const char *key;
	} parts[] = { { OF_QUEUE, "partOfQueue" }, { OF_ALL, "part" } };
	json_t *held = json_object_get(line, "held"), *value;
	const char *name;
	char text[32];
	int rc = 0;

	json_object_foreach(held, name, value)
	{
		bool memory = strcmp(name, "memory") == 0;

		if (rc == 0)
			rc = fl_table_line(t, RESOURCE,
					   memory ? "memory (Gi)" : fl_job_resource(name), err);
		put_amount(json_number_value(json_object_get(value, "unitSeconds")), memory, text);
		if (rc == 0)
			rc = fl_table_line(t, HELD, text, err);
		for (size_t i = 0; i < sizeof parts / sizeof *parts && rc == 0; i++) {
			snprintf(text, sizeof text, "%.0f %%",
				 100 * json_number_value(json_object_get(value, parts[i].key)));
			rc = fl_table_line(t, parts[i].column, text, err);
		}
	}
	return rc;
}

static int put_line(struct fl_table *t, const json_t *line, bool again, fairlead_error *err)
{
	const char *user = fl_json_word(line, "user");
	char jobs[32], preempted[32];
	int rc = fl_table_row(t, -1, err);

	snprintf(jobs, sizeof jobs, "%lld", (long long)fl_json_whole(line, "jobs"));
	snprintf(preempted, sizeof preempted, "%lld", (long long)fl_json_whole(line, "preempted"));
	if (rc >= 0)
		rc = fl_table_cell(t, USER, again ? "" : *user ? user : "(not known)", err);
	if (rc == 0)
		rc = fl_table_cell(t, QUEUE, fl_json_word(line, "queue"), err);
	if (rc == 0)
		rc = fl_table_cell(t, JOBS, jobs, err);
	if (rc == 0)
		rc = fl_table_cell(t, PREEMPTED, preempted, err);
	return rc < 0 ? rc : put_held(t, line, err);
}

int fl_usage_text(const struct fl_report *r, const json_t *answer, fairlead_error *err)
{
	const json_t *lines = json_object_get(answer, "users");
	char from[40], to[40];
	bool unknown = false;
	struct fl_table *t;

	fl_report_say(r, FL_STYLE_BOLD, 0, "Held from %s to %s UTC",
		      fl_job_clock(fl_json_instant(answer, "from"), from),
		      fl_job_clock(fl_json_instant(answer, "to"), to));
	if (json_array_size(lines) == 0) {
		fl_report_say(r, FL_STYLE_PLAIN, 0, "No job held anything then.");
		return 0;
	}
	int rc = fl_table_begin(r, heads, COLUMNS, &t, err);
	for (size_t i = 0; i < json_array_size(lines) && rc == 0; i++) {
		const json_t *line = json_array_get(lines, i);
		const char *user = fl_json_word(line, "user");
		const char *last = i ? fl_json_word(json_array_get(lines, i - 1), "user") : user;

		unknown |= !*user;
		rc = put_line(t, line, i && strcmp(user, last) == 0, err);
	}
	rc = fl_table_end(t, rc, err);
	if (rc < 0)
		return rc;
	fl_report_say(r, FL_STYLE_DIM, 0,
		      "HELD: amount times time. OF QUEUE: the part of what all users held in that "
		      "queue; OF ALL: in all queues.");
	if (unknown)
		fl_report_say(
			r, FL_STYLE_DIM, 0,
			"(not known): the daemon does not keep these jobs any more (keep.jobs).");
	return 0;
}
