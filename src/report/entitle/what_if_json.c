/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/outcome.h"
#include "report/entitle/face.h"
#include "report/out/bundle_text.h"
#include "report/out/report_json.h"

static void put_side(struct fl_json *j, const char *key, const struct fl_outcome *o, uint32_t n)
{
	if (n == FL_NONE || !o->nodes[n].active)
		return;
	const struct fl_standing *q = &fl_entitle_stand(o)->rows[n];

	fl_json_object(j, key);
	fl_json_bundle(j, "fairShare", &q->fair_share);
	fl_json_bundle(j, "allocated", &q->allocated);
	fl_json_bundle(j, "deserved", &q->deserved);
	fl_json_bundle(j, "limit", &q->limit);
	fl_json_bundle(j, "overQuotaWeight", &q->weight);
	fl_json_int(j, "priority", q->priority);
	fl_json_end_object(j);
}

void fl_entitle_what_if_json(struct fl_json *j, const struct fl_difference *d)
{
	fl_json_list(j, "nodes");
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		const struct fl_pair *pair = &d->nodes[i];
		bool there = pair->after != FL_NONE;
		const struct fl_model *m = there ? d->after->model : d->before->model;
		struct fl_node n = { there ? pair->after : pair->before };

		if (!pair->what)
			continue;
		fl_json_object(j, NULL);
		fl_json_text(j, "kind", fl_report_kind(m, n));
		fl_json_text(j, "name", fl_report_node(m, n));
		if (pair->what & (FL_DIFF_ADDED | FL_DIFF_REMOVED))
			fl_json_text(j, "change", pair->what & FL_DIFF_ADDED ? "added" : "removed");
		put_side(j, "before", d->before, pair->before);
		put_side(j, "after", d->after, pair->after);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}
