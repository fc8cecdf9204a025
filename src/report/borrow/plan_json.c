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

static int put_admitted(struct fl_plan_json *j, struct fl_json *out, const struct fl_decisions *d,
			fairlead_error *err)
{
	const struct fl_model *m = j->report->model;
	char name[FL_REPORT_NAME];
	uint32_t n = 0;

	int rc = fl_plan_json_sort(j, d, FL_ADMIT, &n, err);
	if (rc < 0)
		return rc;
	fl_json_list(out, "admitted");
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_decision *row = &d->rows[j->order[i]];

		fl_json_object(out, NULL);
		fl_json_text(out, "workload", fl_report_workload(m, row->workload, name));
		fl_json_text(out, "clusterQueue", fl_report_node(m, row->cluster_queue));
		fl_json_placement(out, m, row->workload, d->placements + row->placement.first,
				  row->placement.n);
		fl_json_end_object(out);
	}
	fl_json_end_list(out);
	return 0;
}

static int put_preempted(struct fl_plan_json *j, struct fl_json *out, const struct fl_decisions *d,
			 fairlead_error *err)
{
	const struct fl_model *m = j->report->model;
	char name[FL_REPORT_NAME];
	uint32_t n = 0;

	int rc = fl_plan_json_sort(j, d, FL_EVICT, &n, err);
	if (rc < 0)
		return rc;
	fl_json_list(out, "preempted");
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_decision *row = &d->rows[j->order[i]];

		fl_json_object(out, NULL);
		fl_json_text(out, "workload", fl_report_workload(m, row->workload, name));
		fl_json_text(out, "clusterQueue", fl_report_node(m, row->cluster_queue));
		if (row->preemptor.v != FL_NONE)
			fl_json_text(out, "preemptor", fl_report_workload(m, row->preemptor, name));
		fl_json_text(out, "reason", fl_reason_name(row->reason));
		fl_json_end_object(out);
	}
	fl_json_end_list(out);
	return 0;
}

static void put_shares(const struct fl_plan_json *j, struct fl_json *out, const struct stand *s)
{
	static const char *const keys[] = {
		[FL_CLUSTER_QUEUE] = "clusterQueues", [FL_COHORT] = "cohorts"
	};
	const struct fl_model *m = j->report->model;
	char text[32];

	fl_json_object(out, "shares");
	for (int kind = FL_CLUSTER_QUEUE; kind <= FL_COHORT; kind++) {
		fl_json_object(out, keys[kind]);
		for (uint32_t at = 0; at < m->n_nodes; at++) {
			uint32_t i = j->nodes[at];

			if ((int)m->nodes[i].kind != kind || m->nodes[i].inactive != FL_ACTIVE)
				continue;
			fl_json_object(out, fl_report_node(m, (struct fl_node){ i }));
			fl_json_text(out, "weightedShare", fl_report_share(&s->shares[i], text));
			fl_json_text(out, "precise", fl_report_precise(&s->shares[i], text));
			fl_json_end_object(out);
		}
		fl_json_end_object(out);
	}
	fl_json_end_object(out);
}

int fl_borrow_cycle_json(struct fl_plan_json *j, struct fl_json *out, const struct fl_plan_cycle *c,
			 fairlead_error *err)
{
	int rc = put_admitted(j, out, c->cycle->decisions, err);

	if (rc == 0)
		rc = put_preempted(j, out, c->cycle->decisions, err);
	if (rc < 0)
		return rc;
	fl_plan_json_pending(j, out, c);
	if (c->stand && (rc = fl_plan_json_nodes(j, err)) == 0)
		put_shares(j, out, c->stand);
	return rc;
}
