/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pod.h"

#include "base/limits.h"

enum { MAX_ROWS = FL_MAX_RESOURCES * FL_MAX_RESOURCE_GROUPS }; /* more no queue could cover */

void fl_pod_init(struct fl_pod *pod, const struct fl_mem *mem)
{
	*pod = (struct fl_pod){ .mem = mem };
}

void fl_pod_done(struct fl_pod *pod)
{
	if (pod->mem)
		fl_mem_free(pod->mem, pod->rows);
	*pod = (struct fl_pod){ 0 };
}

void fl_pod_clear(struct fl_pod *pod)
{
	pod->n = 0;
	pod->misconfigured = false;
}

static int row_of(struct fl_pod *pod, struct fl_sym resource_name, struct fl_pod_row **ret,
		  fairlead_error *err)
{
	int r;

	for (uint32_t i = 0; i < pod->n; i++)
		if (pod->rows[i].resource_name.v == resource_name.v) {
			*ret = &pod->rows[i];
			return 0;
		}
	if (pod->n == MAX_ROWS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "a pod with more than %d resources", MAX_ROWS);
	r = fl_mem_grow(pod->mem, &pod->rows, &pod->cap, pod->n + 1, sizeof *pod->rows, err);
	if (r < 0)
		return r;
	*ret = &pod->rows[pod->n++];
	**ret = (struct fl_pod_row){ .resource_name = resource_name };
	return 0;
}

int fl_pod_add(struct fl_pod *pod, enum fl_pod_kind kind, const struct fl_pod_amount *amounts,
	       uint32_t n, fairlead_error *err)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_pod_amount *a = &amounts[i];
		fl_amount amount = a->has_request ? a->request : a->limit;
		struct fl_pod_row *row = NULL;
		int r = row_of(pod, a->resource_name, &row, err);

		if (r < 0)
			return r;
		pod->misconfigured |= a->has_request && a->has_limit && a->request > a->limit;
		switch (kind) {
		case FL_POD_CONTAINER:
			row->containers = fl_sat_add(row->containers, amount);
			break;
		case FL_POD_INIT:
			row->init = fl_amount_max(row->init, fl_sat_add(row->sidecars, amount));
			break;
		case FL_POD_SIDECAR:
			row->sidecars = fl_sat_add(row->sidecars, amount);
			row->init = fl_amount_max(row->init, row->sidecars);
			break;
		case FL_POD_WHOLE:
			row->whole = amount;
			row->whole_set = true;
			break;
		case FL_POD_OVERHEAD:
			row->overhead = fl_sat_add(row->overhead, amount);
			break;
		}
	}
	return 0;
}

fl_amount fl_pod_total(const struct fl_pod_row *row)
{
	fl_amount most = fl_amount_max(fl_sat_add(row->containers, row->sidecars), row->init);

	return fl_sat_add(row->whole_set ? row->whole : most, row->overhead);
}
