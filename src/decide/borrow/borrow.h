/* SPDX-License-Identifier: Apache-2.0 */
/*
 * borrow - Kueue's policy: what the rest of the program may see of it
 *
 * The policy itself is fl_borrow_policy (decide/policy.h).
 */
#ifndef FL_DECIDE_BORROW_BORROW_H
#define FL_DECIDE_BORROW_BORROW_H

#include "decide/borrow/quota/tree.h"
#include "decide/policy.h"

/* Valid as long as the policy; usage is what is held now. */
const struct fl_tree *fl_borrow_tree(const struct fl_policy *p);
const struct fl_usage *fl_borrow_usage(const struct fl_policy *p);

/*
 * Who would be looked at before @w in its queue, in order: the first @cap ids, and
 * how many there are.  Parked workloads are not ahead of anybody.
 */
uint32_t fl_borrow_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			 uint32_t cap);

/*
 * With Admission Fair Sharing on: what of @r local queue @lq counts as having consumed,
 * in natural units (cores, bytes); and the number that orders it, INFINITY with weight 0.
 * As of the last call's time.
 */
double fl_borrow_consumed(const struct fl_policy *p, struct fl_queue lq, struct fl_resource r);
double fl_borrow_queue_usage(const struct fl_policy *p, struct fl_queue lq);

/* Children of cohorts and candidates that searches for victims have looked at so far: a cost. */
uint64_t fl_borrow_looked(const struct fl_policy *p);

#endif
