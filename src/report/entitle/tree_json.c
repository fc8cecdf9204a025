/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/entitle/tree_report.h"
#include "report/out/bundle_text.h"
#include "report/out/report_json.h"

static void put_ratio(struct fl_json *j, const char *key, double value)
{
	if (isinf(value))
		fl_json_text(j, key, "inf");
	else
		fl_json_number(j, key, value);
}

static void put_resource(struct fl_json *j, const struct fl_standings *s, struct fl_node n, int res)
{
	const struct fl_standing *q = &s->rows[n.v];

	fl_json_object(j, NULL);
	fl_json_text(j, "resource", fl_bundle_name(res));
	fl_json_bound(j, "deserved", q->deserved.of[res]);
	fl_json_number(j, "overQuota", fl_over_quota(q, res));
	fl_json_bound(j, "fairShare", q->fair_share.of[res]);
	fl_json_number(j, "allocated", q->allocated.of[res]);
	fl_json_number(j, "allocatedNonPreemptible", q->non_preemptible.of[res]);
	put_ratio(j, "saturation", fl_standings_saturation(s, n, res));
	fl_json_number(j, "request", q->request.of[res]);
	fl_json_bound(j, "limit", q->limit.of[res]);
	fl_json_number(j, "overQuotaWeight", q->weight.of[res]);
	fl_json_number(j, "usage", s->usage[n.v].of[res]);
	fl_json_end_object(j);
}

static void put_queue(struct fl_json *j, const struct fl_model *m, const struct fl_entitle_tree *t,
		      struct fl_node n)
{
	static const int order[] = { FL_GPU, FL_CPU, FL_MEMORY };
	const struct fl_node_row *row = &m->nodes[n.v];
	char why[320];

	fl_json_object(j, NULL);
	fl_json_text(j, "kind", fl_report_kind(m, n));
	fl_json_text(j, "name", fl_report_node(m, n));
	if (row->parent_name.v != FL_NONE)
		fl_json_text(j, "parent", fl_model_text(m, row->parent_name));
	bool active = row->inactive == FL_ACTIVE;
	fl_json_int(j, "priority",
		    active ? t->standings->rows[n.v].priority :
			     m->entitlements[row->entitlement].priority);
	if (!active) {
		fl_json_text(j, "inactive", fl_inactive_name(row->inactive));
		fl_json_text(j, "message", fl_report_why_inactive(m, n, why));
	} else {
		fl_json_int(j, "runningWorkloads", t->running[n.v]);
		fl_json_int(j, "pendingWorkloads", t->waiting[n.v]);
		fl_json_list(j, "resources");
		for (unsigned i = 0; i < FL_BUNDLE; i++)
			if (t->standings->used[order[i]])
				put_resource(j, t->standings, n, order[i]);
		fl_json_end_list(j);
	}
	fl_json_end_object(j);
}

int fl_entitle_tree_json(const struct fl_report *r, const struct fl_entitle_tree *t,
			 fairlead_error *err)
{
	const struct fl_model *m = r->model;
	struct fl_json j;
	struct fl_node n;

	(void)err;
	fl_json_start(&j, r, "Tree", t->policy);
	fl_json_bundle(&j, "total", &t->standings->total);
	fl_json_list(&j, "nodes");
	for (uint32_t at = fl_entitle_tree_first(t); (n = fl_entitle_tree_at(t, at)).v != FL_NONE;
	     at++)
		put_queue(&j, m, t, n);
	for (uint32_t i = 0; t->top.v == FL_NONE && i < m->n_nodes; i++)
		if (m->nodes[i].kind == FL_QUEUE && m->nodes[i].inactive != FL_ACTIVE)
			put_queue(&j, m, t, (struct fl_node){ i });
	fl_json_end_list(&j);
	fl_json_finish(&j);
	return 0;
}
