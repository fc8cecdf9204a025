/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome - where entitle's queues stand when a state has settled, and how two such ends
 * differ (ask/common/outcome.h)
 */
#ifndef FL_ASK_ENTITLE_OUTCOME_H
#define FL_ASK_ENTITLE_OUTCOME_H

#include "ask/common/difference.h"
#include "ask/entitle/standings.h"

extern const struct fl_ask_face fl_entitle_asks;

/* What outcome.stand is. */
static inline const struct fl_standings *fl_entitle_stand(const struct fl_outcome *o)
{
	return o->stand;
}

#endif
