/* SPDX-License-Identifier: Apache-2.0 */
/* What policies over quotas of flavors have in common: what is admitted, held and short. */
#include "ask/common/shortage.h"
#include "report/common/plan_report.h"
#include "report/out/placement_text.h"

#define ROW struct fl_plan_decision
static const struct fl_json_field admitted_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "clusterQueue", queue, NULL),
	FL_FIELD_INLINE(held, fl_held_podsets_shape),
};
const struct fl_json_shape fl_plan_admitted_shape =
	FL_SHAPE_MADE(admitted_fields, fl_plan_decision_fill, sizeof(uint32_t), "admitted");
#undef ROW

void fl_plan_fill_admitted(const struct fl_report *r, const struct fl_plan_log *log,
			   const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL])
{
	snprintf(cells[0], FL_PLAN_CELL, "%s", fl_report_node(r->model, row->cluster_queue));
	fl_placement_text(r, row->workload, log->placements + row->placement.first,
			  row->placement.n, cells[1], cells[2], FL_PLAN_CELL);
}

void fl_plan_held_text(const struct fl_report *r, const struct fl_model *m, struct fl_workload w,
		       const struct fl_placement *rows, uint32_t n, char pods[32], char *text,
		       size_t size)
{
	(void)m;
	fl_placement_text(r, w, rows, n, pods, text, size);
}

void fl_plan_add_shortage(const struct fl_report *r, const struct fl_pending *p,
			  const struct fl_why *why, bool people, char *buffer, size_t size)
{
	const struct fl_shortage *s = fl_shortage_of((const struct fl_shortage_log *)why,
						     p->workload);
	char said[2][32];
	bool about_quota = p->reason == FL_REASON_WAITING_FOR_QUOTA ||
			   p->reason == FL_REASON_NO_CANDIDATES ||
			   p->reason == FL_REASON_EXCEEDS_MAX_QUOTA ||
			   p->reason == FL_REASON_WAITING_FOR_PREEMPTED;

	if (!s || !about_quota)
		return;
	fl_report_amounts(r, s->resource, (const fl_amount[]){ s->requested, s->available }, 2,
			  said);
	snprintf(buffer, size, ": asks for %s %s in flavor '%s', %s %s", said[0],
		 people ? fl_report_short_resource(r->model, s->resource) :
			  fl_report_resource(r->model, s->resource),
		 fl_report_flavor(r->model, s->flavor), said[1],
		 s->never ? "at most" : "available");
}
