/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of the entitle policy, as JSON. */
#include "ask/entitle/standings.h"
#include "report/common/explain_words.h"
#include "report/entitle/face.h"
#include "report/out/bundle_text.h"

#define ROW struct fl_plan_decision
static const struct fl_json_field placed_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "queue", queue, NULL),
	FL_FIELD_ENUM("action", action, fl_actions, NULL),
	FL_FIELD_INLINE(held, fl_held_machines_shape),
};
static const struct fl_json_shape placed_shape = FL_SHAPE_MADE(placed_fields, fl_plan_decision_fill,
							       sizeof(uint32_t), "placed");
static const struct fl_json_field evicted_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "queue", queue, "of the workload that is evicted"),
	FL_FIELD(WORKLOAD, "reclaimer", preemptor,
		 "the workload that it is evicted for; absent for a stale gang", .maybe = true),
	FL_FIELD(EVICTION, "reason", reason, NULL),
	FL_FIELD_ENUM("action", action, fl_actions, NULL),
	FL_FIELD(INT, "tasks", count, "pods that are evicted", .more = "{\"minimum\": 1}"),
};
static const struct fl_json_shape evicted_shape =
	FL_SHAPE_MADE(evicted_fields, fl_plan_decision_fill, sizeof(uint32_t), "evicted");
#undef ROW

static void put_shares(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_standings *s = ((const struct fl_plan_told *)row)->cycle->stand;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < s->n; i++)
		fl_json_bundle(at->json, fl_report_node(at->model, (struct fl_node){ s->order[i] }),
			       &s->rows[s->order[i]].fair_share);
	fl_json_end_object(at->json);
}

#define ROW struct fl_plan_told
static const struct fl_json_field cycle_fields[] = {
	FL_PLAN_DECIDED("allocated", admitted, placed_shape, "bound to machines in this cycle"),
	FL_PLAN_DECIDED(
		"reserved", reserved, placed_shape,
		"places reserved until evicted workloads have ended; also the new places of moved ones"),
	FL_PLAN_DECIDED("evicted", evicted, evicted_shape, NULL),
	FL_FIELD_ALSO(fl_plan_pending_shape, NULL),
	FL_FIELD_PUT(MAP, "fairShare", put_shares,
		     "of every queue that takes part, as this cycle began", .item = FL_AS_BUNDLE),
};
const struct fl_json_shape fl_entitle_cycle_shape = FL_SHAPE(cycle_fields, "cycle");
#undef ROW
