/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome - how drf's queues stand, and how two such ends differ (ask/common/outcome.h)
 */
#ifndef FL_ASK_DRF_OUTCOME_H
#define FL_ASK_DRF_OUTCOME_H

#include "ask/common/difference.h"

extern const struct fl_ask_face fl_drf_asks;

/* What outcome.stand is: rows by node * resources + resource, and by flavor * resources + resource. */
struct fl_drf_stand {
	const struct fl_model *model;
	struct fl_share *shares;    /* by node */
	fl_amount *held, *quota;    /* of nodes */
	fl_amount *capacity, *used; /* of flavors */
};

static inline const struct fl_drf_stand *fl_drf_stand(const struct fl_outcome *o)
{
	return o->stand;
}

/* All of it in @a, empty; and as @p stands. */
int fl_drf_stand_init(struct fl_drf_stand *s, const struct fl_model *m, struct fl_arena *a,
		      fairlead_error *err);
void fl_drf_stand_look(struct fl_drf_stand *s, const struct fl_policy_ops *ops,
		       const struct fl_policy *p);

#endif
