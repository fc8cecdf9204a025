/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redivide - a division that is kept, and done again only where something changed
 *
 * A caller that divides the same tree again and again tells what changed since the last division.
 * A group of siblings is divided again only if one of these changed: what their parent is given;
 * request, usage, deserved, limit, weight or priority of one of them; k; the flags.  Each resource
 * is handled separately.  A changed request is first summed up to the top; from there the division
 * goes down, into the children of queues whose fair share changed.
 *
 * Guarantee: requests and shares are those of fl_divide_roll_up and fl_divide for what was told
 * last, bit for bit: every sum is taken again, in the same order.  Checked builds do both.
 *
 * Invariant: in a group and resource that is not marked, the request of the parent is the sum of
 * its own and its children's, and the children's shares are the division of what was told.
 * fl_redivide leaves no marks.
 *
 * Cost: telling is O(1) (a priority: O(siblings)); a division O(siblings * rounds) for each group
 * and resource that is divided again, and as much for a sum.  In the worst case, when all shares
 * change, it costs as much as a full division.  No allocation after new.
 */
#ifndef FL_DECIDE_SHARE_REDIVIDE_H
#define FL_DECIDE_SHARE_REDIVIDE_H

#include "decide/share/divide.h"

struct fl_redivider;

/* At first no queue requests anything, and none has any usage. */
int fl_redivider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		     struct fl_redivider **ret, fairlead_error *err) FL_MUST_CHECK;
struct fl_redivider *fl_redivider_free(struct fl_redivider *v); /* accepts NULL, returns NULL */

/* Like fl_divider_set. */
void fl_redivider_set(struct fl_redivider *v, uint32_t queue, const struct fl_divide_queue *row);
/* What the queue requests itself, without the queues below it. */
void fl_redivider_request(struct fl_redivider *v, uint32_t queue, const struct fl_bundle *own);
/* @usage is normalised. */
void fl_redivider_usage(struct fl_redivider *v, uint32_t queue, const struct fl_bundle *usage);

struct fl_redivided {
	const struct fl_bundle *request, *fair_share; /* by queue; requests are rolled up */
	/* The queues of which one of the two differs from that of division `number` - 1. */
	const uint32_t *changed;
	uint32_t n_changed;
	uint64_t number;           /* of this division, from 1 on */
	uint32_t n_sums, n_groups; /* sums, and groups divided, again; by resource */
};

/* Divides what was told, with @total, @k and @flags; the answer is valid until the next call. */
struct fl_redivided fl_redivide(struct fl_redivider *v, const struct fl_bundle *total, double k,
				unsigned flags);

#ifdef FL_CHECKED
/* The request that was told. */
const struct fl_bundle *fl_redivider_own(const struct fl_redivider *v, uint32_t queue);
#endif

#endif
