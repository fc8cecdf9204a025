/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares - requests and fair shares of all queues, divided again where something changed
 *
 * decide/share/redivide.h sums up what a queue and all queues below it hold or request, and
 * divides; this file knows which queues it must be told of.
 *
 * Invariants: if request_epoch of a queue is its told_epoch, the redivider knows its request;
 * queues have the shares of division `divided`, and if that is the last one, all queues that the
 * redivider does not name have the shares that it left.  A rollback does not undo the redivider,
 * but it undoes these two: so after a rollback the redivider is told of what differs.  Checked
 * builds add up all requests again.
 *
 * Cost of a cycle: a look at each queue; the workloads of queues whose request changed; the
 * division.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_SHARES_H
#define FL_DECIDE_ENTITLE_RULES_SHARES_H

#include "decide/entitle/state/state.h"
#include "decide/share/redivide.h"

struct fl_shares {
	struct fl_redivider *redivider;
	uint64_t *told_epoch; /* by node: the request_epoch that the redivider knows */
	uint64_t divided;     /* the division whose shares queues have; 0: none */
};

/* For the queues of @p as they are now. */
int fl_shares_new(struct fl_policy *p, struct fl_shares **ret, fairlead_error *err);
void fl_shares_free(struct fl_shares *s);

/* The row of @queue for a division. */
struct fl_divide_queue fl_shares_row(const struct fl_policy *p, uint32_t queue);

/* The row of @queue changed. */
void fl_shares_tell(struct fl_policy *p, uint32_t queue);
/* Any row may have changed. */
void fl_shares_tell_all(struct fl_policy *p);

/*
 * Sets requests and fair shares of p->queues; the undo log needs room for fl_shares_undo.  Claims
 * (claim.h) may change these shares afterwards.
 */
void fl_shares_divide(struct fl_policy *p);
size_t fl_shares_undo(const struct fl_policy *p);

#endif
