/* SPDX-License-Identifier: Apache-2.0 */
/* drf - public answers of plain DRF, which are of the same kind as those of the borrow policy */
#include "api/face.h"

extern const struct fl_api_face fl_borrow_api_face, fl_drf_api_face;

static fairlead_placement placement(const struct fl_model *m, struct fl_workload w,
				    const struct fl_placement *from)
{
	return fl_borrow_api_face.placement(m, w, from);
}

static int share(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
		 fairlead_share *ret, fairlead_error *err)
{
	return fl_borrow_api_face.share(e, kind, name, ret, err);
}

static int standing(const fairlead_engine *e, const char *queue, fairlead_standing *ret,
		    fairlead_error *err)
{
	return fl_borrow_api_face.standing(e, queue, ret, err);
}

const struct fl_api_face fl_drf_api_face = { placement, share, standing };
