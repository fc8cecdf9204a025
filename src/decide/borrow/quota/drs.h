/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drs - dominant resource share of one node of the quota tree (KEP-1714)
 *
 * How much a queue or cohort uses beyond its own quota, as one number by which siblings are
 * compared:
 *
 *   share = max over resources(1000 * borrowed / lendable) / weight
 *   borrowed: usage beyond subtree quota, summed over flavors
 *   lendable: what the parent could lend of the resource at most
 *
 * The operations and their order are those of the reference: shares are compared as doubles, bit
 * for bit. decide/share/README.md has the definition and an example.
 *
 * Pure: reads the tree, allocates nothing, cannot fail.  O(resources).
 */
#ifndef FL_DECIDE_BORROW_QUOTA_DRS_H
#define FL_DECIDE_BORROW_QUOTA_DRS_H

#include <math.h>

#include "decide/borrow/quota/tree.h"

struct fl_drs {
	double ratio;    /* before it is divided by the weight; 0 when no resource counts */
	double weighted; /* ratio / weight; 0 if ratio is 0; else INFINITY if weight is 0 */
	bool borrowing;  /* may be true with ratio 0: over quota, but nothing is lendable */
};

/* The share of @n; that of a root is 0, since it has no parent to borrow from. */
struct fl_drs fl_drs_of(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n);

/* An amount of one column, as it arrives at the node. */
struct fl_drs_extra {
	struct fl_column column;
	fl_amount amount;
};

/* The share of @n with @n_extra amounts (each column once) added to its usage. */
struct fl_drs fl_drs_with(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			  const struct fl_drs_extra *extra, uint32_t n_extra);

/* The share of @n with these amounts (each column once) taken from its usage. */
struct fl_drs fl_drs_without(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			     const struct fl_drs_extra *gone, uint32_t n_gone);

/* The share of @n if its usage were @row, by column of its tree. */
struct fl_drs fl_drs_at(const struct fl_tree *t, struct fl_node n, const fl_amount *row);

/*
 * <0, 0, >0: the lower share is served first, the higher is preempted first.  Infinite shares are
 * compared by ratio.
 */
static inline int fl_drs_cmp(const struct fl_drs *a, const struct fl_drs *b)
{
	if (a->weighted != b->weighted)
		return a->weighted > b->weighted ? 1 : -1;
	return isinf(a->weighted) ? (a->ratio > b->ratio) - (a->ratio < b->ratio) : 0;
}

/*
 * The resource whose ratio is the largest, of equal ones the first by name; FL_NONE when ratio is
 * 0.
 */
struct fl_resource fl_drs_dominant(const struct fl_tree *t, const struct fl_usage *u,
				   struct fl_node n);

#endif
