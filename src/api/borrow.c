/* SPDX-License-Identifier: Apache-2.0 */
/* borrow - public answers of the borrow policy */
#include "api/face.h"

extern const struct fl_api_face fl_borrow_api_face;

static fairlead_placement placement(const struct fl_model *m, struct fl_workload w,
				    const struct fl_placement *from)
{
	bool none = from->resource.v == FL_NONE;
	const struct fl_podset *podset =
		&m->podsets[m->workloads[w.v].podsets.first + from->podset];

	return (fairlead_placement){
		.podset = fl_model_text(m, podset->name),
		.resource = none ? "" : fl_model_text(m, m->resources[from->resource.v]),
		.flavor = none ? "" : fl_model_text(m, m->flavors[from->flavor.v].name),
		.count = from->count,
		.amount = from->amount,
		.machine = "",
	};
}

static int share(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
		 fairlead_share *ret, fairlead_error *err)
{
	const struct fl_model *m = e->model;
	struct fl_share row;
	struct fl_node n;
	int r = fl_engine_find_node(e, kind, name, &n, err);

	if (r < 0)
		return r;
	e->ops->share(e->policy, n, &row);
	*ret = (fairlead_share){
		.precise = row.precise,
		.weight = row.weight,
		.borrowing = row.borrowing,
		.dominant = row.dominant.v == FL_NONE ?
				    NULL :
				    fl_model_text(m, m->resources[row.dominant.v]),
	};
	return 0;
}

static int standing(const fairlead_engine *e, const char *queue, fairlead_standing *ret,
		    fairlead_error *err)
{
	(void)e;
	(void)ret;
	return fl_fail(err, FAIRLEAD_ENOENT, "no Queue '%s' that takes part", queue);
}

const struct fl_api_face fl_borrow_api_face = { placement, share, standing };
