/* SPDX-License-Identifier: Apache-2.0 */
#include "report/drf/face.h"

#include "report/out/table.h"

/* --- what answers have in common as JSON --- */

#define ROW struct fl_share
static const struct fl_json_field share_fields[] = {
	FL_FIELD_ALSO(fl_share_shape, NULL),
	FL_FIELD(RESOURCE, "dominantResource", dominant, NULL, .maybe = true),
};
const struct fl_json_shape fl_drf_share_shape = FL_SHAPE(share_fields, "dominantShare");
#undef ROW

struct amounts {
	struct fl_resource resource;
	fl_amount quota, held;
};

#define ROW struct amounts
static const struct fl_json_field amounts_fields[] = {
	FL_FIELD(RESOURCE, "resource", resource, NULL),
	FL_FIELD(AMOUNT, "nominal", quota, "of all flavors"),
	FL_FIELD(WHOLE, "held", held, NULL),
};
static const struct fl_json_shape amounts_shape = FL_SHAPE(amounts_fields, "amounts");
#undef ROW

static void put_resources(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_drf_queue *q = row;
	const struct fl_drf_stand *s = q->stand;
	uint32_t n = s->model->n_resources;

	fl_json_list(at->json, key);
	for (uint32_t r = 0; r < n; r++) {
		size_t cell = (size_t)q->node.v * n + r;
		const struct amounts a = { { r }, s->quota[cell], s->held[cell] };

		if (a.quota || a.held)
			fl_shape_json(at, NULL, &amounts_shape, &a);
	}
	fl_json_end_list(at->json);
}

#define ROW struct fl_drf_queue
static const struct fl_json_field queue_fields[] = {
	FL_FIELD_TO("share", share, fl_drf_share_shape, NULL),
	FL_FIELD_PUT(LIST, "resources", put_resources, "those that it brought or holds",
		     .shape = &amounts_shape),
};
const struct fl_json_shape fl_drf_queue_shape = FL_SHAPE(queue_fields, "holding");
#undef ROW

/* --- plan: how queues stand between cycles --- */

struct stand {
	const struct fl_model *model;
	struct fl_share *shares; /* by node */
};

static int stand_new(const struct fl_report *r, struct fl_arena *a, void **ret, fairlead_error *err)
{
	struct stand *s;

	if (!FL_NEW(a, s, 1, err) || !FL_NEW(a, s->shares, r->model->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	s->model = r->model;
	*ret = s;
	return 0;
}

static void stand_look(void *stand, const struct fl_policy_ops *ops, const struct fl_policy *p)
{
	struct stand *s = stand;

	for (uint32_t n = 0; n < s->model->n_nodes; n++)
		ops->share(p, (struct fl_node){ n }, &s->shares[n]);
}

static bool takes_part(const struct fl_model *m, uint32_t n)
{
	return m->nodes[n].kind == FL_CLUSTER_QUEUE && m->nodes[n].inactive == FL_ACTIVE;
}

static void put_shares(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_plan_told *told = row;
	const struct stand *s = told->cycle->stand;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < at->model->n_nodes; i++) {
		struct fl_node n = { told->nodes[i] };

		if (takes_part(at->model, n.v))
			fl_shape_json(at, fl_report_node(at->model, n), &fl_drf_share_shape,
				      &s->shares[n.v]);
	}
	fl_json_end_object(at->json);
}

#define ROW struct fl_plan_told
static const struct fl_json_field cycle_fields[] = {
	FL_PLAN_DECIDED("admitted", admitted, fl_plan_admitted_shape, NULL),
	FL_FIELD_ALSO(fl_plan_pending_shape, NULL),
	FL_FIELD_PUT(MAP, "shares", put_shares, "of ClusterQueues, after the cycle's admissions",
		     .shape = &fl_drf_share_shape),
};
static const struct fl_json_shape cycle_shape = FL_SHAPE(cycle_fields, "cycle");
#undef ROW

/* Evictions are only those that the input itself asks for. */
static void fill_evicted(const struct fl_report *r, const struct fl_plan_log *log,
			 const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL])
{
	(void)log;
	snprintf(cells[0], FL_PLAN_CELL, "%s", fl_report_node(r->model, row->cluster_queue));
	snprintf(cells[1], FL_PLAN_CELL, "%s", fl_reason_name(row->reason));
}

static const struct fl_plan_table tables[] = {
	{ .kind = FL_ADMIT,
	  .style = FL_STYLE_GOOD,
	  .counted = "admitted",
	  .heads = { "ADMITTED", "QUEUE", "PODS", "FLAVORS" },
	  .flags = { 0, 0, FL_COL_RIGHT, FL_COL_WRAP },
	  .n_columns = 4,
	  .fill = fl_plan_fill_admitted },
	{ .kind = FL_EVICT,
	  .style = FL_STYLE_BAD,
	  .counted = "evicted",
	  .heads = { "EVICTED", "QUEUE", "REASON" },
	  .n_columns = 3,
	  .fill = fill_evicted },
};

const struct fl_document fl_drf_what_if_document = {
	.kind = "WhatIf", .policy = "drf", .shape = &fl_what_if_shape, .face = &fl_drf_reports
};

const struct fl_document fl_drf_plan_document = {
	.kind = "Plan", .policy = "drf", .shape = &fl_plan_shape, .face = &fl_drf_reports
};

const struct fl_report_face fl_drf_reports = {
	.what_if = &fl_drf_what_if_document,
	.plan = &fl_drf_plan_document,
	.queue_key = "clusterQueue",
	.preemptor_key = "preemptor",
	.admitted = "admitted",
	.evicted = "evicted",
	.held = "FLAVORS",
	.titles = { [FL_LIST_ADMITTED] = "Newly admitted",
		    [FL_LIST_RELEASED] = "No longer admitted",
		    [FL_LIST_MOVED] = "Admitted differently",
		    [FL_LIST_EVICTED] = "Newly evicted",
		    [FL_LIST_SPARED] = "No longer evicted",
		    [FL_LIST_WAITS] = "Waits newly or for another reason",
		    [FL_LIST_LEFT] = "No longer waits" },
	.tables = tables,
	.n_tables = sizeof tables / sizeof *tables,
	.nothing = "No workload is admitted.",
	.add_why = fl_plan_add_shortage,
	.stand_new = stand_new,
	.stand_look = stand_look,
	.cycle_shape = &cycle_shape,
	.held_shape = &fl_held_podsets_shape,
	.held_text = fl_plan_held_text,
	.nodes_text = fl_drf_what_if_text,
	.node_shape = &fl_drf_what_if_shape,
};
