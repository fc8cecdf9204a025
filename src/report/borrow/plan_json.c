/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a cycle of the borrow policy, in JSON. */
#include "report/borrow/face.h"

struct stand {
	const struct fl_model *model;
	struct fl_share *shares; /* by node */
};

int fl_borrow_stand_new(const struct fl_report *r, struct fl_arena *a, void **ret,
			fairlead_error *err)
{
	*ret = NULL;
	if (!r->fair)
		return 0;
	struct stand *s = fl_arena_alloc(a, 1, sizeof(*s), err);

	if (!s)
		return FAIRLEAD_ENOMEM;
	s->model = r->model;
	s->shares = fl_arena_alloc(a, (size_t)r->model->n_nodes + 1, sizeof(*s->shares), err);
	if (!s->shares)
		return FAIRLEAD_ENOMEM;
	*ret = s;
	return 0;
}

void fl_borrow_stand_look(void *stand, const struct fl_policy_ops *ops, const struct fl_policy *p)
{
	struct stand *s = stand;

	for (uint32_t n = 0; n < s->model->n_nodes; n++)
		if (s->model->nodes[n].inactive == FL_ACTIVE)
			ops->share(p, (struct fl_node){ n }, &s->shares[n]);
}

#define ROW struct fl_plan_decision
static const struct fl_json_field preempted_fields[] = {
	FL_FIELD(WORKLOAD, "workload", workload, NULL),
	FL_FIELD(QUEUE, "clusterQueue", queue, "of the workload that is preempted"),
	FL_FIELD(WORKLOAD, "preemptor", preemptor, NULL, .maybe = true),
	FL_FIELD(EVICTION, "reason", reason, NULL),
};
static const struct fl_json_shape preempted_shape =
	FL_SHAPE_MADE(preempted_fields, fl_plan_decision_fill, sizeof(uint32_t), "preempted");
#undef ROW

static const struct stand *stand_of(const void *row)
{
	return ((const struct fl_plan_told *)row)->cycle->stand;
}

static bool has_shares(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return stand_of(row);
}

static void put_shares(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_plan_told *told = row;
	const struct fl_model *m = at->model;

	fl_json_object(at->json, key);
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		struct fl_node n = { told->nodes[i] };

		if (m->nodes[n.v].kind == at->tag && m->nodes[n.v].inactive == FL_ACTIVE)
			fl_shape_json(at, fl_report_node(m, n), &fl_share_shape,
				      &stand_of(row)->shares[n.v]);
	}
	fl_json_end_object(at->json);
}

#define ROW struct fl_plan_told
static const struct fl_json_field shares_fields[] = {
	FL_FIELD_PUT(MAP, "clusterQueues", put_shares, NULL, .shape = &fl_share_shape,
		     .tag = FL_CLUSTER_QUEUE),
	FL_FIELD_PUT(MAP, "cohorts", put_shares, NULL, .shape = &fl_share_shape, .tag = FL_COHORT),
};
static const struct fl_json_shape shares_shape = FL_SHAPE(shares_fields, "shares");

static const struct fl_json_field cycle_fields[] = {
	FL_PLAN_DECIDED("admitted", admitted, fl_plan_admitted_shape, NULL),
	FL_PLAN_DECIDED("preempted", evicted, preempted_shape, NULL),
	FL_FIELD_ALSO(fl_plan_pending_shape, NULL),
	FL_FIELD_SAME("shares", shares_shape,
		      "with fair sharing only: after the cycle's admissions, before its evictions "
		      "take effect",
		      .when = has_shares),
};
const struct fl_json_shape fl_borrow_cycle_shape = FL_SHAPE(cycle_fields, "cycle");
#undef ROW
