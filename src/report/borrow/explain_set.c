/* SPDX-License-Identifier: Apache-2.0 */
#include "report/borrow/explain_set.h"

#include <stdio.h>

#include "report/common/explain_words.h"

/* A quota that the object itself states; an implicit cohort is no object. */
static bool states_quota(const struct fl_model *m, const struct fl_explain_change *c)
{
	const struct fl_node_row *row = &m->nodes[c->node.v];

	for (uint32_t g = 0; g < row->groups.n; g++) {
		const struct fl_group *group = &m->groups[row->groups.first + g];

		for (uint32_t f = 0; f < group->flavors.n; f++) {
			const struct fl_group_flavor *in =
				&m->group_flavors[group->flavors.first + f];

			for (uint32_t q = 0; q < in->quotas.n && in->id.v == c->flavor.v; q++)
				if (m->quotas[in->quotas.first + q].resource.v == c->resource.v)
					return true;
		}
	}
	return false;
}

const char *fl_explain_set(const struct fl_report *r, const void *user, uint32_t i,
			   char buffer[FL_TRIAL_SET])
{
	const struct fl_explain_sets *of = user;
	const struct fl_explain_change *c = &of->changes[i];
	const struct fl_model *m = r->model;
	const char *field = fl_cell_fields[c->kind];
	char name[FL_REPORT_NAME], value[40];

	switch (c->kind) {
	case FL_CELL_PRIORITY:
		if (r->trial->of_queues)
			return NULL;
		snprintf(value, sizeof(value), "%lld", (long long)c->to);
		return fl_trial_field(buffer, "Workload", fl_report_workload(m, of->workload, name),
				      field, value);
	case FL_CELL_WEIGHT:
		snprintf(value, sizeof(value), "%.15g", c->weight_to);
		return fl_trial_field(buffer, fl_report_kind(m, c->node),
				      fl_report_node(m, c->node), "fairSharing.weight", value);
	default:
		if (!states_quota(m, c))
			return NULL;
		return fl_trial_quota(buffer, fl_report_kind(m, c->node),
				      fl_report_node(m, c->node), field,
				      fl_report_resource(m, c->resource),
				      fl_report_flavor(m, c->flavor),
				      fl_report_exact(r, c->resource, c->to, value));
	}
}
