/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - what the public answers of one policy are made of; a table a policy (decide/policies.def)
 *
 * Private to src/api.
 */
#ifndef FL_API_FACE_H
#define FL_API_FACE_H

#include "api/engine.h"

struct fl_api_face {
	/* One placement of a decision about @w. */
	fairlead_placement (*placement)(const struct fl_model *m, struct fl_workload w,
					const struct fl_placement *from);
	/* As in the header, of a sealed engine: FAIRLEAD_ENOENT where queues have no such thing. */
	int (*share)(const fairlead_engine *e, fairlead_node_kind kind, const char *name,
		     fairlead_share *ret, fairlead_error *err);
	int (*standing)(const fairlead_engine *e, const char *queue, fairlead_standing *ret,
			fairlead_error *err);
};

/* Of the policy of an engine that is sealed. */
const struct fl_api_face *fl_api_face_of(const struct fl_policy_ops *ops);

#endif
