/* SPDX-License-Identifier: Apache-2.0 */
/* entitle - public answers of the entitle policy */
#include "decide/entitle/entitle.h"
#include "api/face.h"

extern const struct fl_api_face fl_entitle_api_face;

static fairlead_placement placement(const struct fl_model *m, struct fl_workload w,
				    const struct fl_placement *from)
{
	(void)w;
	return (fairlead_placement){
		.podset = "",
		.resource = "",
		.flavor = "",
		.count = from->count,
		.machine = fl_model_text(m, m->machines[from->machine.v].name),
	};
}

static int share(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
		 fairlead_share *ret, fairlead_error *err)
{
	(void)e;
	(void)kind;
	(void)name;
	(void)ret;
	return fl_fail(err, FAIRLEAD_ENOENT,
		       "queues of this policy have a standing, and no share of this kind");
}

static fairlead_bundle public_bundle(struct fl_bundle b)
{
	return (fairlead_bundle){ b.of[FL_CPU], b.of[FL_MEMORY], b.of[FL_GPU] };
}

static int standing(const fairlead_engine *e, const char *queue, fairlead_standing *ret,
		    fairlead_error *err)
{
	struct fl_node n = fl_model_find_node(e->model, FL_QUEUE, queue);
	const struct fl_standing *row;

	if (n.v == FL_NONE || e->model->nodes[n.v].inactive != FL_ACTIVE)
		return fl_fail(err, FAIRLEAD_ENOENT, "no Queue '%s' that takes part", queue);
	row = fl_entitle_standing(e->policy, n);
	*ret = (fairlead_standing){
		.fair_share = public_bundle(row->fair_share),
		.allocated = public_bundle(row->allocated),
		.request = public_bundle(row->request),
		.usage = public_bundle(fl_entitle_usage(e->policy, n)),
	};
	return 0;
}

const struct fl_api_face fl_entitle_api_face = { placement, share, standing };
