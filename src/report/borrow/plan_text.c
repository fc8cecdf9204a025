/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a cycle of the borrow policy, for people. */
#include "report/borrow/face.h"
#include "report/out/table.h"

/* QUEUE, FOR, REASON */
static void fill_preempted(const struct fl_report *r, const struct fl_plan_log *log,
			   const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL])
{
	char name[FL_REPORT_NAME];

	(void)log;
	snprintf(cells[0], FL_PLAN_CELL, "%s", fl_report_node(r->model, row->cluster_queue));
	if (row->preemptor.v != FL_NONE)
		snprintf(cells[1], FL_PLAN_CELL, "%s",
			 fl_report_who(r, r->model, row->preemptor, name));
	snprintf(cells[2], FL_PLAN_CELL, "%s", fl_reason_name(row->reason));
}

const struct fl_plan_table fl_borrow_plan_tables[2] = {
	{ .kind = FL_ADMIT,
	  .style = FL_STYLE_GOOD,
	  .counted = "admitted",
	  .heads = { "ADMITTED", "QUEUE", "PODS", "FLAVORS" },
	  .flags = { 0, 0, FL_COL_RIGHT, FL_COL_WRAP },
	  .n_columns = 4,
	  .fill = fl_plan_fill_admitted },
	{ .kind = FL_EVICT,
	  .style = FL_STYLE_BAD,
	  .counted = "preempted",
	  .heads = { "PREEMPTED", "QUEUE", "FOR", "REASON" },
	  .n_columns = 4,
	  .fill = fill_preempted },
};
