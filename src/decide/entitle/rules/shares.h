/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares - requests and fair shares of all queues, divided again where something changed
 *
 * What a queue and all below it hold or want is summed up by decide/share/redivide.h, and divided
 * there, too; here stands which queues it must be told of.
 *
 * Invariants: a queue whose request_epoch is told_epoch requests what the redivider was told
 * last; queues stand in the division `divided`, when that is the last one all but those that it
 * names are as it left them.  The redivider is not undone, these two are: so after a rollback
 * it is told what is different now.  Checked builds add all requests up anew.
 *
 * Cost of a cycle: a glance at each queue; the workloads of those whose request changed; the
 * division.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_SHARES_H
#define FL_DECIDE_ENTITLE_RULES_SHARES_H

#include "decide/entitle/state/state.h"
#include "decide/share/redivide.h"

struct fl_shares {
	struct fl_redivider *redivider;
	uint64_t *told_epoch; /* by node: the request_epoch that the redivider knows */
	uint64_t divided;     /* the division that queues stand in; 0: none */
};

/* Of queues as they stand. */
int fl_shares_new(struct fl_policy *p, struct fl_shares **ret, fairlead_error *err);
void fl_shares_free(struct fl_shares *s);

/* What a division must know of @queue. */
struct fl_divide_queue fl_shares_row(const struct fl_policy *p, uint32_t queue);

/* The row of @queue is another. */
void fl_shares_tell(struct fl_policy *p, uint32_t queue);
/* Anything may be another. */
void fl_shares_tell_all(struct fl_policy *p);

/*
 * Requests and fair shares of p->queues; undo needs room for fl_shares_undo.  Who claims
 * (claim.h) may change what it finds.
 */
void fl_shares_divide(struct fl_policy *p);
size_t fl_shares_undo(const struct fl_policy *p);

#endif
