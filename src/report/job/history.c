/* SPDX-License-Identifier: Apache-2.0 */
/* history - what each queue held over a time, and what its weight would have given it */
#include <stdlib.h>
#include <string.h>

#include "report/job/queues.h"
#include "report/job/words.h"
#include "report/out/table.h"

enum { QUEUE, WEIGHT, RESOURCE, HELD, HAD, DUE, JOBS, MEDIAN, LONGEST, PREEMPTED, COLUMNS };

static const struct fl_column_head heads[COLUMNS] = {
	[QUEUE] = { "QUEUE", FL_COL_TREE, 0 },      [WEIGHT] = { "WEIGHT", FL_COL_RIGHT, 0 },
	[RESOURCE] = { "RESOURCE", 0, 5 },          [HELD] = { "HELD", FL_COL_RIGHT, 1 },
	[HAD] = { "PART", FL_COL_RIGHT, 0 },        [DUE] = { "DUE", FL_COL_RIGHT, 0 },
	[JOBS] = { "JOBS", FL_COL_RIGHT, 4 },       [MEDIAN] = { "WAITED", FL_COL_RIGHT, 3 },
	[LONGEST] = { "LONGEST", FL_COL_RIGHT, 2 }, [PREEMPTED] = { "PREEMPTED", FL_COL_RIGHT, 0 },
};

/* Hours from ten minutes on: "12.3h"; "92.1s". */
static const char *amount(double seconds, char buffer[32])
{
	if (seconds >= 600)
		snprintf(buffer, 32, "%.3gh", seconds / 3600);
	else
		snprintf(buffer, 32, "%.3gs", seconds);
	return buffer;
}

static int put_resources(struct fl_table *t, const json_t *queue, fairlead_error *err)
{
	static const struct {
		unsigned column;
		const char *key;
	} numbers[] = {
		{ HELD, "unitSeconds" },
		{ HAD, "part" },
		{ DUE, "duePart" },
	};
	json_t *resources = json_object_get(queue, "had"), *value;
	const char *name;
	char text[32];
	int rc = 0;

	json_object_foreach(resources, name, value)
	{
		/* Bytes times seconds are for programs. */
		if (strcmp(name, "memory") == 0)
			continue;
		if (rc == 0)
			rc = fl_table_line(t, RESOURCE, fl_job_resource(name), err);
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers && rc == 0; i++) {
			const json_t *figure = json_object_get(value, numbers[i].key);
			double n = json_number_value(figure);

			if (!figure)
				snprintf(text, sizeof(text), "-");
			else if (numbers[i].column == HELD)
				amount(n, text);
			else
				snprintf(text, sizeof(text), "%.0f %%", 100 * n);
			rc = fl_table_line(t, numbers[i].column, text, err);
		}
	}
	return rc;
}

static int put_queue(struct fl_table *t, const struct fl_queue_text *row, fairlead_error *err)
{
	char text[32];
	int rc = fl_table_row(t, row->parent, err);

	if (rc >= 0)
		rc = fl_table_cell(t, QUEUE, row->name, err);
	if (rc == 0 && row->queue)
		rc = put_resources(t, row->queue, err);
	if (rc < 0 || strcmp(fl_json_word(row->queue, "kind"), "Cohort") == 0)
		return rc;
	snprintf(text, sizeof(text), "%.4g",
		 json_number_value(json_object_get(row->queue, "weight")));
	rc = fl_table_cell(t, WEIGHT, text, err);
	snprintf(text, sizeof(text), "%lld", (long long)fl_json_whole(row->queue, "jobs"));
	if (rc == 0)
		rc = fl_table_cell(t, JOBS, text, err);
	if (rc == 0 && fl_json_whole(row->queue, "jobs") > 0) {
		const json_t *median = json_object_get(row->queue, "waitMedian");

		if (median)
			amount(json_number_value(median), text);
		else /* sums do not know it */
			snprintf(text, sizeof(text), "-");
		rc = fl_table_cell(t, MEDIAN, text, err);
	}
	if (rc == 0 && fl_json_whole(row->queue, "jobs") > 0) {
		const json_t *longest = json_object_get(row->queue, "waitLongest");

		if (longest)
			amount(json_number_value(longest), text);
		else
			snprintf(text, sizeof(text), "-");
		rc = fl_table_cell(t, LONGEST, text, err);
	}
	snprintf(text, sizeof(text), "%lld", (long long)fl_json_whole(row->queue, "preempted"));
	return rc < 0 ? rc : fl_table_cell(t, PREEMPTED, text, err);
}

/* Where it is of sums: of which, and how much of them lies outside the time. */
static void say_tier(const struct fl_report *r, const json_t *answer)
{
	const char *tier = fl_json_word(answer, "tier");
	const double error = json_number_value(json_object_get(answer, "errorSeconds"));
	char text[32];

	if (!*tier || strcmp(tier, "exact") == 0)
		return;
	if (error > 0)
		fl_report_say(r, FL_STYLE_DIM, 0,
			      "From sums of each %s: of %s at the ends the part by length counts.",
			      tier, amount(error, text));
	else
		fl_report_say(r, FL_STYLE_DIM, 0, "From sums of each %s.", tier);
}

/* Of a cluster's daemon. */
static void say_gaps(const struct fl_report *r, const json_t *answer)
{
	const json_t *gap;
	size_t i;

	json_array_foreach(json_object_get(answer, "gaps"), i, gap)
		fl_report_say(r, FL_STYLE_DIM, 0, "Nothing is known from %.19sZ to %.19sZ: %s.",
			      json_string_value(json_object_get(gap, "from")),
			      json_string_value(json_object_get(gap, "to")),
			      json_string_value(json_object_get(gap, "why")));
}

int fl_history_text(const struct fl_report *r, const json_t *answer, fairlead_error *err)
{
	struct fl_queue_text *rows;
	struct fl_table *t;
	uint32_t n;
	int rc = fl_queue_lines(answer, /* doors= */ false, &rows, &n, err);

	if (rc < 0)
		return rc;
	rc = fl_table_begin(r, heads, COLUMNS, &t, err);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = put_queue(t, &rows[i], err);
	rc = fl_table_end(t, rc, err);
	free(rows);
	if (rc == 0)
		fl_report_say(
			r, FL_STYLE_DIM, 0,
			"HELD: amount times time. PART: the part of all that was held. DUE: the "
			"part that its weight would have given it while it wanted as much. WAITED: "
			"p50 of the waits of its jobs.");
	if (rc == 0)
		say_tier(r, answer);
	if (rc == 0)
		say_gaps(r, answer);
	return rc;
}
