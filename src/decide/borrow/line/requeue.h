/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requeue - workloads that no queue takes before a time
 *
 * Who was evicted because its pods were not ready, or by an admission check, waits for
 * its back-off (status.requeueState.requeueAt); who is said not to be requeued, for
 * somebody to say otherwise, which nobody here does.  Until then it is in no heap, and no
 * flush moves it.  At the back-off's end it goes into its queue's heap as if it were new.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_LINE_REQUEUE_H
#define FL_DECIDE_BORROW_LINE_REQUEUE_H

#include "decide/borrow/state/state.h"

int fl_requeue_setup(struct fl_policy *p, fairlead_error *err);

/* @w waits from now on: in its queue's heap, or held back. FL_LINE_UNDO. */
void fl_requeue_push(struct fl_policy *p, struct fl_workload w);
/* Is @w held back by now? Then it is entered as such. */
bool fl_requeue_hold(struct fl_policy *p, struct fl_workload w);

/* Of a policy that is carried over: back-offs that were over in @from are over. */
void fl_requeue_adopt(struct fl_policy *p, const struct fl_policy *from);
/* Then: @w was held back, and is, unless its row says that nobody does, or that it is over. */
bool fl_requeue_keep(struct fl_policy *p, struct fl_workload w);

/* Has a back-off ended by now?  Push those whose has. */
bool fl_requeue_is_due(const struct fl_policy *p);
int fl_requeue_wake_due(struct fl_policy *p, fairlead_error *err);
/* For exploring: the next to end ends.  1: none is left. */
int fl_requeue_lift(struct fl_policy *p, fairlead_error *err);
/* Next time one ends, never before @now; FL_NEVER. */
fl_time fl_requeue_wake(const struct fl_policy *p, fl_time now);

/* What is left of them at @now, for the digest; with FL_NEVER nothing. */
void fl_requeue_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
