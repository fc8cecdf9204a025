/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage - what queues have had over time, as the division wants it (doc/semantics/entitle.md, E4)
 *
 * Of what the input gives (samples, or parts of the capacity at once), and, where usage moves,
 * of what queues hold from then on.  The same goes into the history of budgets (budget.h).
 */
#ifndef FL_DECIDE_ENTITLE_RULES_USAGE_H
#define FL_DECIDE_ENTITLE_RULES_USAGE_H

#include "decide/entitle/state/state.h"

int fl_usage_setup(struct fl_policy *p, fairlead_error *err);
void fl_usage_done(struct fl_policy *p);
/* What queues have had in @from, whose node n is now @nodes[n]; FL_NONE: no more. */
int fl_usage_adopt(struct fl_policy *p, const struct fl_policy *from, const uint32_t *nodes,
		   fairlead_error *err);
/* A sample from outside; none may be taken back, so no mark may be open. */
int fl_usage_sample(struct fl_policy *p, const struct fl_sample *sample, fairlead_error *err);
/* Where usage moves: what it is at p->now, before a cycle. */
int fl_usage_read(struct fl_policy *p, fairlead_error *err);
/* Where usage moves: from p->now on queues hold what they hold. */
int fl_usage_enter(struct fl_policy *p, fairlead_error *err);

#endif
