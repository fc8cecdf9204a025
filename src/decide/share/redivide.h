/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redivide - a division that is kept, and done again only where something has changed
 *
 * Whoever divides the same tree again and again tells what has changed since, and only the
 * groups of siblings are divided again of which one of these has: what their parent is given;
 * request, usage, deserved, limit, weight or priority of one of them; k; the flags.  Each
 * resource is looked at for itself.  A request that changes is summed up to the top first;
 * from there it goes down, into children whose fair share has become another.
 *
 * Guarantee: requests and shares are those of fl_divide_roll_up and fl_divide of what was
 * told last, bit for bit: every sum is taken anew, in the same order.  Checked builds do both.
 *
 * Invariant: of a group and resource that is not marked, the parent's request is the sum of
 * its own and its children's, and the children's shares are the division of what was told.
 * fl_redivide leaves no marks.
 *
 * Cost: telling is O(1) (a priority: O(siblings)); a division O(siblings * rounds) for each
 * group and resource that is divided again, and as much for a sum.  In the worst case, when
 * all shares change, that of a full division.  No allocation after new.
 */
#ifndef FL_DECIDE_SHARE_REDIVIDE_H
#define FL_DECIDE_SHARE_REDIVIDE_H

#include "decide/share/divide.h"

struct fl_redivider;

/* Nobody requests or has used anything yet. */
int fl_redivider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		     struct fl_redivider **ret, fairlead_error *err) FL_MUST_CHECK;
struct fl_redivider *fl_redivider_free(struct fl_redivider *v); /* accepts NULL, returns NULL */

/* Like fl_divider_set. */
void fl_redivider_set(struct fl_redivider *v, uint32_t queue, const struct fl_divide_queue *row);
/* What the queue requests itself, beside all below it. */
void fl_redivider_request(struct fl_redivider *v, uint32_t queue, const struct fl_bundle *own);
/* Normalised. */
void fl_redivider_usage(struct fl_redivider *v, uint32_t queue, const struct fl_bundle *usage);

struct fl_redivided {
	const struct fl_bundle *request, *fair_share; /* by queue; requests rolled up */
	/* Those of whom one of the two is another than in division `number` - 1. */
	const uint32_t *changed;
	uint32_t n_changed;
	uint64_t number;           /* of this division, from 1 */
	uint32_t n_sums, n_groups; /* how many were summed up, and divided, again; by resource */
};

/* What was told, @total, @k and @flags divided; stands until the next call. */
struct fl_redivided fl_redivide(struct fl_redivider *v, const struct fl_bundle *total, double k,
				unsigned flags);

#ifdef FL_CHECKED
/* What was told. */
const struct fl_bundle *fl_redivider_own(const struct fl_redivider *v, uint32_t queue);
#endif

#endif
