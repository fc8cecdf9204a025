/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tournament - the best head below each node, while heads are served one by one
 *
 * Only nodes above the heads of a cycle take part, each with its contender: the best head below it
 * that was not served yet.  The children of a cohort play games of two, whose winners are in a
 * tree of their own (`games`), so that a change of one child costs only the games above it.
 *
 * Invariants, asserted in checked builds:
 *   - paths has each of those nodes once, later places of the tree's order first: children before
 *     parents, the children of one parent together;
 *   - the contender of a queue is its head, none once that was served; of a cohort that of its best
 *     child by fl_order_cmp, with usage as in the view S;
 *   - a game has the better of the two below it.
 *
 * Cost: start O(heads and nodes above them), without sorting; a served head O(depth log children).
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_TOURNAMENT_H
#define FL_DECIDE_BORROW_CYCLE_TOURNAMENT_H

#include "decide/borrow/view/entry.h"

/* The best head below a node, and the values by which the node's parent compares it. */
struct fl_contender {
	uint32_t cycle;         /* == serial: a head of this cycle is or was below it */
	uint32_t at;            /* its index in paths */
	uint32_t first, n;      /* its children: from paths[first] on */
	struct fl_entry *entry; /* NULL: none left */
	bool borrows;           /* with it the node would borrow in a column of the request */
	struct fl_drs drs;      /* share of the node with the entry's usage */
};

/* Lives as long as the policy. */
struct fl_tournament {
	struct fl_contender *contenders; /* by node */
	uint32_t *paths, n_paths;
	uint32_t *games;
	struct fl_drs_extra *arriving; /* by use of an entry: how much of it arrives at a node */
};
int fl_tournament_init(struct fl_policy *p, struct fl_tournament *t, fairlead_error *err);
/* Enters all heads of this cycle that were not served yet. */
void fl_tournament_start(struct fl_policy *p, struct fl_tournament *t);
/* @e was served, and S changed on the path of its queue. */
void fl_tournament_served(struct fl_policy *p, struct fl_tournament *t, const struct fl_entry *e);
/* The next entry in the tree of @root; NULL when all were served. */
struct fl_entry *fl_tournament_best(const struct fl_policy *p, const struct fl_tournament *t,
				    uint32_t root);

/* order.c: the rule. <0: @a is served before @b; a total order. */
int fl_order_cmp(const struct fl_policy *p, const struct fl_contender *a,
		 const struct fl_contender *b);
/*
 * Computes the values by which @n's contender is compared: the node in S with the entry's usage
 * added.
 */
void fl_order_value(const struct fl_policy *p, struct fl_node n, struct fl_drs_extra *arriving,
		    struct fl_contender *k);

#endif
