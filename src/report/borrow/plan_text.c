/* SPDX-License-Identifier: Apache-2.0 */
/* Why somebody waits, and the tables of a cycle of the borrow policy, for people. */
#include "ask/borrow/shortage.h"
#include "report/borrow/face.h"
#include "report/out/placement_text.h"
#include "report/out/table.h"

/* QUEUE, PODS, FLAVORS */
static void fill_admitted(const struct fl_report *r, const struct fl_plan_log *log,
			  const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL])
{
	snprintf(cells[0], FL_PLAN_CELL, "%s", fl_report_node(r->model, row->cluster_queue));
	fl_placement_text(r, row->workload, log->placements + row->placement.first,
			  row->placement.n, cells[1], cells[2], FL_PLAN_CELL);
}

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
	  .fill = fill_admitted },
	{ .kind = FL_EVICT,
	  .style = FL_STYLE_BAD,
	  .counted = "preempted",
	  .heads = { "PREEMPTED", "QUEUE", "FOR", "REASON" },
	  .n_columns = 4,
	  .fill = fill_preempted },
};

void fl_borrow_add_why(const struct fl_report *r, const struct fl_pending *p,
		       const struct fl_why *why, bool people, char *buffer, size_t size)
{
	const struct fl_shortage *s = fl_shortage_of((const struct fl_shortage_log *)why,
						     p->workload);
	char a[32], b[32];
	bool about_quota = p->reason == FL_REASON_WAITING_FOR_QUOTA ||
			   p->reason == FL_REASON_NO_CANDIDATES ||
			   p->reason == FL_REASON_EXCEEDS_MAX_QUOTA ||
			   p->reason == FL_REASON_WAITING_FOR_PREEMPTED;

	if (!s || !about_quota)
		return;
	snprintf(buffer, size, ": wants %s %s in flavor '%s', %s %s",
		 fl_report_amount(r, s->resource, s->requested, a),
		 people ? fl_report_short_resource(r->model, s->resource) :
			  fl_report_resource(r->model, s->resource),
		 fl_report_flavor(r->model, s->flavor),
		 fl_report_amount(r, s->resource, s->available, b),
		 s->never ? "at most" : "available");
}
