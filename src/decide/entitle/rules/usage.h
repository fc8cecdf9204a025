/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage - usage of queues over time, as the division needs it (doc/semantics/entitle.md, E4)
 *
 * It is made of what the input states (samples, or parts of the capacity directly) and, where
 * usage moves, of what queues hold from then on.  The history of budgets gets the same (budget.h).
 */
#ifndef FL_DECIDE_ENTITLE_RULES_USAGE_H
#define FL_DECIDE_ENTITLE_RULES_USAGE_H

#include "decide/entitle/state/state.h"

int fl_usage_setup(struct fl_policy *p, fairlead_error *err);
void fl_usage_done(struct fl_policy *p);
/*
 * Takes over usage of the queues of @from, whose node n is now @nodes[n]; FL_NONE: it does not
 * exist any more.
 */
int fl_usage_adopt(struct fl_policy *p, const struct fl_policy *from, const uint32_t *nodes,
		   fairlead_error *err);
/* Enters a sample from outside; it cannot be undone, so no mark may be open. */
int fl_usage_sample(struct fl_policy *p, const struct fl_sample *sample, fairlead_error *err);
/* Where usage moves: brings usage up to p->now, before a cycle. */
int fl_usage_read(struct fl_policy *p, fairlead_error *err);
/* Where usage moves: from p->now on queues hold what they hold now. */
int fl_usage_enter(struct fl_policy *p, fairlead_error *err);

#endif
