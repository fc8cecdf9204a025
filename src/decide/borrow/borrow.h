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

/* Valid as long as the policy; usage is what is held at present. */
const struct fl_tree *fl_borrow_tree(const struct fl_policy *p);
const struct fl_usage *fl_borrow_usage(const struct fl_policy *p);

/*
 * The workloads that are considered before @w in its queue, in order: the first @cap ids in @ids;
 * returns how many there are in all.  Parked workloads are not counted.
 */
uint32_t fl_borrow_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			 uint32_t cap);

/*
 * The workloads that hold quota of @q, in no order; and those that ask for it, or did, in its order.  Valid until the
 * policy changes.
 */
const uint32_t *fl_borrow_holders(const struct fl_policy *p, struct fl_node q, uint32_t *ret_n);
const uint32_t *fl_borrow_members(const struct fl_policy *p, struct fl_node q, uint32_t *ret_n);

/*
 * With Admission Fair Sharing on: the amount of @r that local queue @lq counts as having consumed,
 * in natural units (cores, bytes); and the number by which local queues are ordered, INFINITY with
 * weight 0.  Both as of the time of the last call.
 */
double fl_borrow_consumed(const struct fl_policy *p, struct fl_queue lq, struct fl_resource r);
double fl_borrow_queue_usage(const struct fl_policy *p, struct fl_queue lq);

/*
 * A measure of cost: how many children of cohorts and candidates all searches for victims have
 * looked at so far.
 */
uint64_t fl_borrow_looked(const struct fl_policy *p);

#endif
