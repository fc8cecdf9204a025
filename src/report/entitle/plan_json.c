/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/standings.h"
#include "report/common/explain_words.h"
#include "report/entitle/face.h"
#include "report/out/bundle_text.h"

static void put_decision(struct fl_json *out, const struct fl_report *r,
			 const struct fl_decisions *d, const struct fl_decision *row)
{
	const struct fl_model *m = r->model;
	char name[FL_REPORT_NAME];

	fl_json_object(out, NULL);
	fl_json_text(out, "workload", fl_report_workload(m, row->workload, name));
	fl_json_text(out, "queue", fl_report_node(m, row->cluster_queue));
	if (row->kind == FL_EVICT && row->preemptor.v != FL_NONE)
		fl_json_text(out, "reclaimer", fl_report_workload(m, row->preemptor, name));
	if (row->kind == FL_EVICT)
		fl_json_text(out, "reason", fl_reason_name(row->reason));
	fl_json_text(out, "action", fl_actions[row->action]);
	if (row->kind == FL_EVICT)
		fl_json_int(out, "tasks", row->count);
	else
		fl_json_machines(out, m, d->placements + row->placement.first, row->placement.n);
	fl_json_end_object(out);
}

static int put_list(struct fl_plan_json *j, struct fl_json *out, const char *key,
		    enum fl_decision_kind kind, const struct fl_decisions *d, fairlead_error *err)
{
	uint32_t n = 0;
	int rc = fl_plan_json_sort(j, d, kind, &n, err);

	if (rc < 0)
		return rc;
	fl_json_list(out, key);
	for (uint32_t i = 0; i < n; i++)
		put_decision(out, j->report, d, &d->rows[j->order[i]]);
	fl_json_end_list(out);
	return 0;
}

int fl_entitle_cycle_json(struct fl_plan_json *j, struct fl_json *out,
			  const struct fl_plan_cycle *c, fairlead_error *err)
{
	const struct fl_decisions *d = c->cycle->decisions;
	const struct fl_standings *s = c->stand;

	int rc = put_list(j, out, "allocated", FL_ADMIT, d, err);
	if (rc == 0)
		rc = put_list(j, out, "reserved", FL_RESERVE, d, err);
	if (rc == 0)
		rc = put_list(j, out, "evicted", FL_EVICT, d, err);
	if (rc < 0)
		return rc;
	fl_plan_json_pending(j, out, c);
	fl_json_object(out, "fairShare");
	for (uint32_t i = 0; i < s->n; i++)
		fl_json_bundle(out, fl_report_node(s->model, (struct fl_node){ s->order[i] }),
			       &s->rows[s->order[i]].fair_share);
	fl_json_end_object(out);
	return 0;
}
