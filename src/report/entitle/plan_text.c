/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/explain_words.h"
#include "report/entitle/face.h"
#include "report/out/table.h"

const char *fl_machines_text(const struct fl_model *m, const struct fl_placement *rows, uint32_t n,
			     char *buffer, size_t size)
{
	size_t at = 0;

	*buffer = '\0';
	for (uint32_t i = 0; i < n && at < size; i++) {
		const char *name = fl_report_machine(m, rows[i].machine);
		int len = n == 1 ? snprintf(buffer, size, "%s", name) :
				   snprintf(buffer + at, size - at, "%s%d on %s", i ? ", " : "",
					    rows[i].count, name);

		at += (size_t)len;
	}
	return buffer;
}

static void put_count(char cell[FL_PLAN_CELL], const struct fl_plan_row *row)
{
	snprintf(cell, FL_PLAN_CELL, "%d", row->count);
}

/* QUEUE, PODS, MACHINES, and the action that reserved. */
static void fill_placed(const struct fl_report *r, const struct fl_plan_log *log,
			const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL])
{
	snprintf(cells[0], FL_PLAN_CELL, "%s", fl_report_node(r->model, row->cluster_queue));
	put_count(cells[1], row);
	fl_machines_text(r->model, log->placements + row->placement.first, row->placement.n,
			 cells[2], FL_PLAN_CELL);
	snprintf(cells[3], FL_PLAN_CELL, "%s", fl_actions[row->action]);
}

/* QUEUE, PODS, FOR, REASON */
static void fill_evicted(const struct fl_report *r, const struct fl_plan_log *log,
			 const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL])
{
	char name[FL_REPORT_NAME];

	(void)log;
	snprintf(cells[0], FL_PLAN_CELL, "%s", fl_report_node(r->model, row->cluster_queue));
	put_count(cells[1], row);
	if (row->preemptor.v != FL_NONE)
		snprintf(cells[2], FL_PLAN_CELL, "%s",
			 fl_report_who(r, r->model, row->preemptor, name));
	snprintf(cells[3], FL_PLAN_CELL, "%s", fl_reason_name(row->reason));
}

const struct fl_plan_table fl_entitle_plan_tables[3] = {
	{ .kind = FL_ADMIT,
	  .style = FL_STYLE_GOOD,
	  .counted = "allocated",
	  .heads = { "ALLOCATED", "QUEUE", "PODS", "MACHINES" },
	  .flags = { 0, 0, FL_COL_RIGHT, FL_COL_WRAP },
	  .n_columns = 4,
	  .fill = fill_placed },
	{ .kind = FL_EVICT,
	  .style = FL_STYLE_BAD,
	  .counted = "evicted",
	  .heads = { "EVICTED", "QUEUE", "PODS", "FOR", "REASON" },
	  .flags = { 0, 0, FL_COL_RIGHT, 0, 0 },
	  .n_columns = 5,
	  .fill = fill_evicted },
	{ .kind = FL_RESERVE,
	  .style = FL_STYLE_WARN,
	  .counted = "reserved",
	  .heads = { "RESERVED", "QUEUE", "PODS", "MACHINES", "BY" },
	  .flags = { 0, 0, FL_COL_RIGHT, FL_COL_WRAP, 0 },
	  .n_columns = 5,
	  .fill = fill_placed },
};
