/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requeue - workloads that enter no queue before a time
 *
 * A workload that was evicted because its pods were not ready, or by an admission check, waits for
 * the end of its back-off (status.requeueState.requeueAt).  A workload whose status says that it is
 * not requeued waits until that is changed, for which there is no event here.  Until then it is in
 * no backlog, and a flush does not move it.  When the back-off ends it enters its queue's backlog
 * like a new workload.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_BACKLOG_REQUEUE_H
#define FL_DECIDE_BORROW_BACKLOG_REQUEUE_H

#include "decide/borrow/state/state.h"

int fl_requeue_setup(struct fl_policy *p, fairlead_error *err);

/*
 * @w is pending from now on: enters it into its queue's backlog, or holds it back.  Needs
 * FL_BACKLOG_UNDO.
 */
void fl_requeue_push(struct fl_policy *p, struct fl_workload w);
/* Is @w held back at present?  Then it is entered as held back. */
bool fl_requeue_hold(struct fl_policy *p, struct fl_workload w);

/*
 * A newcomer that has a back-off is listed, and no more when it leaves.  With a has_room of false
 * there are more of them than there is room for.
 */
bool fl_requeue_has_room(const struct fl_policy *p, struct fl_workload w);
void fl_requeue_join(struct fl_policy *p, struct fl_workload w);
void fl_requeue_leave(struct fl_policy *p, struct fl_workload w);
/* Room in the undo log for either. */
size_t fl_requeue_join_undo(const struct fl_policy *p);

/* While a policy is carried over: the back-offs that ended in @from count as ended. */
void fl_requeue_adopt(struct fl_policy *p, const struct fl_policy *from);
/*
 * After that, for @w, which was held back in the old policy: true, and it stays held back, unless
 * its row states no back-off, or it is known that the back-off ended.
 */
bool fl_requeue_keep(struct fl_policy *p, struct fl_workload w);

/* Has a back-off ended by now?  Then wake_due pushes the workloads whose back-off ended. */
bool fl_requeue_is_due(const struct fl_policy *p);
int fl_requeue_wake_due(struct fl_policy *p, fairlead_error *err);
/* For exploring: ends the back-off that ends next. 1: none is left. */
int fl_requeue_lift(struct fl_policy *p, fairlead_error *err);
/* The next time at which one ends, never before @now; FL_NEVER. */
fl_time fl_requeue_wake(const struct fl_policy *p, fl_time now);

/* What is left of them at @now, for the digest; with FL_NEVER nothing. */
void fl_requeue_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
