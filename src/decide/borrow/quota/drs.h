/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drs - dominant resource share of one node of the quota tree (KEP-1714)
 *
 * How far a queue or cohort has gone past its own quota, as one number that can
 * be compared between siblings:
 *
 *   for each resource: what is borrowed (usage beyond subtree quota, summed over
 *   flavors) * 1000 / what the parent could lend at most; the largest of these,
 *   divided by the weight.
 *
 * The operations and their order are those of the reference: shares are compared
 * as doubles, bit for bit.  decide/share/README.md has the definition and an example.
 *
 * Pure: reads the tree, allocates nothing, cannot fail.  O(resources).
 */
#ifndef FL_DECIDE_BORROW_QUOTA_DRS_H
#define FL_DECIDE_BORROW_QUOTA_DRS_H

#include <math.h>

#include "decide/borrow/quota/tree.h"

struct fl_drs {
	double ratio;    /* before the weight; 0 when nothing counts */
	double weighted; /* ratio / weight; 0 when ratio is 0, INFINITY when only the weight is 0 */
	bool borrowing;  /* may be true with ratio 0: over quota, but nothing is lendable */
};

/* A root borrows from nobody: its share is 0. */
struct fl_drs fl_drs_of(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n);

/* A use: an amount of one column, arriving at the node. */
struct fl_drs_extra {
	struct fl_column column;
	fl_amount amount;
};

/*
 * Share of @n if @n_extra uses (each column once) were added to its usage.
 */
struct fl_drs fl_drs_with(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			  const struct fl_drs_extra *extra, uint32_t n_extra);

/* Share of @n if so much of its usage (each column once) were gone. */
struct fl_drs fl_drs_without(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			     const struct fl_drs_extra *gone, uint32_t n_gone);

/* Share of @n if so much were used there: @row by column of its tree. */
struct fl_drs fl_drs_at(const struct fl_tree *t, struct fl_node n, const fl_amount *row);

/* <0, 0, >0: lower is served first, higher is preempted first. Infinite ones compare by ratio. */
static inline int fl_drs_cmp(const struct fl_drs *a, const struct fl_drs *b)
{
	if (a->weighted != b->weighted)
		return a->weighted > b->weighted ? 1 : -1;
	return isinf(a->weighted) ? (a->ratio > b->ratio) - (a->ratio < b->ratio) : 0;
}

/* The resource that gave the ratio, the first in name order of equals; FL_NONE when ratio is 0. */
struct fl_resource fl_drs_dominant(const struct fl_tree *t, const struct fl_usage *u,
				   struct fl_node n);

#endif
