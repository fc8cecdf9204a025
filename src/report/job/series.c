/* SPDX-License-Identifier: Apache-2.0 */
/* series - one queue along time: a row for each hour, day or month, a line for each resource */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "report/job/series.h"
#include "report/job/words.h"
#include "report/out/table.h"

enum {
	FROM,
	TIER,
	RESOURCE,
	HELD,
	ENTITLED,
	WAITING,
	BORROWED,
	LENT,
	NOMINAL,
	SHARE,
	STARTED,
	WAITED,
	PREEMPTED,
	COLUMNS
};

static const struct fl_column_head heads[COLUMNS] = {
	[FROM] = { "FROM", 0, 0 },
	[TIER] = { "TIER", 0, 7 },
	[RESOURCE] = { "RESOURCE", 0, 0 },
	[HELD] = { "HELD", FL_COL_RIGHT, 0 },
	[ENTITLED] = { "ENTITLED", FL_COL_RIGHT, 0 },
	[WAITING] = { "WAITING", FL_COL_RIGHT, 0 },
	[BORROWED] = { "BORROWED", FL_COL_RIGHT, 5 },
	[LENT] = { "LENT", FL_COL_RIGHT, 4 },
	[NOMINAL] = { "NOMINAL", FL_COL_RIGHT, 6 },
	[SHARE] = { "SHARE", FL_COL_RIGHT, 3 },
	[STARTED] = { "STARTED", FL_COL_RIGHT, 0 },
	[WAITED] = { "WAITED", FL_COL_RIGHT, 2 },
	[PREEMPTED] = { "PREEMPTED", FL_COL_RIGHT, 1 },
};

/* Bytes as GiB. */
static const char *amount(const char *resource, double v, char buffer[32])
{
	const bool bytes = strcmp(resource, "memory") == 0;

	(void)snprintf(buffer, 32, bytes ? "%.4gGi" : "%.4g",
		       bytes ? v / (1024.0 * 1024 * 1024) : v);
	return buffer;
}

static int put_resources(struct fl_table *t, const json_t *row, fairlead_error *err)
{
	static const char *const keys[] = {
		[HELD] = "held",         [ENTITLED] = "entitled", [WAITING] = "waiting",
		[BORROWED] = "borrowed", [LENT] = "lent",         [NOMINAL] = "nominal"
	};
	json_t *resources = json_object_get(row, "resources"), *value;
	const char *name;
	char text[32];
	int rc = 0;

	json_object_foreach(resources, name, value)
	{
		if (rc == 0)
			rc = fl_table_line(t, RESOURCE, fl_job_resource(name), err);
		for (unsigned i = HELD; i <= NOMINAL && rc == 0; i++)
			rc = fl_table_line(
				t, i,
				amount(name, json_number_value(json_object_get(value, keys[i])),
				       text),
				err);
	}
	return rc;
}

static int put_row(struct fl_table *t, const json_t *row, fairlead_error *err)
{
	const json_t *share = json_object_get(row, "share"),
		     *wait = json_object_get(row, "waitMean");
	char text[32];
	int rc = fl_table_row(t, /* parent= */ -1, err);

	(void)snprintf(text, sizeof text, "%.16s", fl_json_word(row, "from"));
	if (rc >= 0)
		rc = fl_table_cell(t, FROM, text, err);
	if (rc == 0)
		rc = fl_table_cell(t, TIER, fl_json_word(row, "tier"), err);
	if (rc == 0)
		rc = put_resources(t, row, err);
	(void)snprintf(text, sizeof text, "%.3g", json_number_value(share));
	if (rc == 0)
		rc = fl_table_cell(t, SHARE, json_is_number(share) ? text : "-", err);
	(void)snprintf(text, sizeof text, "%lld", (long long)fl_json_whole(row, "started"));
	if (rc == 0)
		rc = fl_table_cell(t, STARTED, text, err);
	(void)snprintf(text, sizeof text, "%.3gs", json_number_value(wait));
	if (rc == 0)
		rc = fl_table_cell(t, WAITED, json_is_number(wait) ? text : "-", err);
	(void)snprintf(text, sizeof text, "%lld", (long long)fl_json_whole(row, "preempted"));
	return rc < 0 ? rc : fl_table_cell(t, PREEMPTED, text, err);
}

int fl_series_text(const struct fl_report *r, const json_t *answer, fairlead_error *err)
{
	const json_t *rows = json_object_get(answer, "rows");
	struct fl_table *t;
	int rc;

	if (json_array_size(rows) == 0) {
		fl_report_say(
			r, FL_STYLE_DIM, 0,
			"Nothing is summed up of that time: it is, ten minutes at a time, from "
			"the first job on.");
		return 0;
	}
	rc = fl_table_begin(r, heads, COLUMNS, &t, err);
	for (size_t i = 0; i < json_array_size(rows) && rc == 0; i++)
		rc = put_row(t, json_array_get(rows, i), err);
	rc = fl_table_end(t, rc, err);
	if (rc == 0)
		fl_report_say(
			r, FL_STYLE_DIM, 0,
			"Means of each row. ENTITLED: what quota and weight would have given it "
			"while it wanted as much. WAITING: what its pending jobs asked for. "
			"WAITED: the mean of those that started.");
	if (rc == 0 && *fl_json_word(answer, "more"))
		fl_report_say(r, FL_STYLE_DIM, 0, "There is more: --since %s",
			      fl_json_word(answer, "more"));
	return rc;
}
