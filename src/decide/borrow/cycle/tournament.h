/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tournament - the best head below each node, while heads are served one by one
 *
 * Only nodes above a cycle's heads take part, each with its contender: the best head below it that
 * was not served yet.  A cohort's children play rounds of two, whose winners stand in a tree of
 * their own (`rounds`), so that one child that changes costs the rounds above it.
 *
 * What always holds, checked in checked builds:
 *   - paths has each of those nodes once, later places of the tree's order first: children before
 *     parents, the children of one parent together;
 *   - the contender of a queue is its head, none once that was served; of a cohort that of its best
 *     child by fl_order_cmp, as they stand in the view S;
 *   - a round has the better of the two below it.
 *
 * Cost: start O(heads and nodes above them), no sorting; a served head O(depth log children).
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_TOURNAMENT_H
#define FL_DECIDE_BORROW_CYCLE_TOURNAMENT_H

#include "decide/borrow/view/entry.h"

/* The best head below a node, and what the node's parent compares it by. */
struct fl_contender {
	uint32_t cycle;         /* == serial: a head of this cycle is below it, or was */
	uint32_t at;            /* in paths */
	uint32_t first, n;      /* its children: from paths[first] on */
	struct fl_entry *entry; /* NULL: none left */
	bool borrows;           /* the node would borrow in a column that the entry asks for */
	struct fl_drs drs;      /* of the node, with the entry's usage */
};

/* For as long as the policy. */
struct fl_tournament {
	struct fl_contender *contenders; /* by node */
	uint32_t *paths, n_paths;
	uint32_t *rounds;
	struct fl_drs_extra *arriving; /* what an entry brings to a node, by its uses */
};
int fl_tournament_init(struct fl_policy *p, struct fl_tournament *t, fairlead_error *err);
/* All of this cycle's heads that were not served come into it. */
void fl_tournament_start(struct fl_policy *p, struct fl_tournament *t);
/* @e was served, and S changed on the path of its queue. */
void fl_tournament_served(struct fl_policy *p, struct fl_tournament *t, const struct fl_entry *e);
/* Who is next in the tree of @root; NULL when all were served. */
struct fl_entry *fl_tournament_best(const struct fl_policy *p, const struct fl_tournament *t,
				    uint32_t root);

/* order.c: the rule. <0: @a is served before @b; total. */
int fl_order_cmp(const struct fl_policy *p, const struct fl_contender *a,
		 const struct fl_contender *b);
/* What @n's contender is compared by: the node as it would be in S with the entry's usage. */
void fl_order_value(const struct fl_policy *p, struct fl_node n, struct fl_drs_extra *arriving,
		    struct fl_contender *k);

#endif
