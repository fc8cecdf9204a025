/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/holding.h"

int fl_holding_fail(const struct fl_model *m, struct fl_workload w, fairlead_error *err)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return fl_fail_in(err, "Workload/%s/%s .status.admission", fl_model_text(m, row->namespace),
			  fl_model_text(m, row->name));
}

/* What is wrong with @row; NULL: nothing. */
static const char *wrong(const struct fl_model *m, const struct fl_workload_row *of,
			 const struct fl_placement *row)
{
	bool none = row->resource.v == FL_NONE && row->flavor.v == FL_NONE;

	if (row->podset != FL_NONE && row->podset >= of->podsets.n)
		return "a podset that the workload does not have";
	if (!none && row->flavor.v >= m->n_flavors)
		return "a ResourceFlavor that does not exist";
	if (!none && row->resource.v >= m->n_resources)
		return "a resource that no ClusterQueue has quota for";
	if (row->amount < 0 || row->count < 0)
		return "a negative number";
	return none && row->amount > 0 ? "an amount of no resource" : NULL;
}

int fl_holding_check(const struct fl_model *m, struct fl_workload w, const struct fl_holding *h,
		     fairlead_error *err)
{
	uint32_t q = h->cluster_queue.v;

	if (q >= m->n_nodes || m->nodes[q].kind != FL_CLUSTER_QUEUE) {
		(void)fl_fail(err, FAIRLEAD_EINPUT, "a ClusterQueue that does not exist");
		return fl_holding_fail(m, w, err);
	}
	for (uint32_t i = 0; i < h->n; i++) {
		const char *what = wrong(m, &m->workloads[w.v], &h->rows[i]);

		if (!what)
			continue;
		(void)fl_fail(err, FAIRLEAD_EINPUT, "row %u has %s", i + 1, what);
		return fl_holding_fail(m, w, err);
	}
	return 0;
}
