/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger - how much each node has, uses, borrows and lends
 *
 * Everything but `lent` is a figure of the quota tree itself.  Kueue pools what
 * is lent, so no unit has one owner; `lent` is one exact
 * settlement of the pool: what a cohort's children borrowed comes first from
 * the cohort's own quota, then from the children's idle quota that they lend,
 * in proportion to how much each has idle (rounded so that the parts add up),
 * and what is left the cohort itself borrowed.  A child cohort settles what it
 * lent among its own children in the same way.  So at every cohort
 *	borrowed by children + lent by it = own quota used + lent by children + borrowed by it
 *
 * Memory: caller's arena.
 */
#ifndef FL_ASK_BORROW_LEDGER_H
#define FL_ASK_BORROW_LEDGER_H

#include "decide/borrow/quota/tree.h"

struct fl_ledger {
	const struct fl_tree *tree;
	const struct fl_usage *usage;
	fl_amount *lent; /* t->cells */
};

struct fl_ledger_cell {
	struct fl_flavor flavor;
	struct fl_resource resource;
	fl_amount nominal, subtree;               /* own quota; with what children lend */
	fl_amount borrowing_limit, lending_limit; /* FL_NO_LIMIT */
	fl_amount usage, borrowed, lent, available;
};

int fl_ledger_init(struct fl_ledger *l, const struct fl_tree *t, const struct fl_usage *u,
		   struct fl_arena *a, fairlead_error *err);

/* Column @c of node @n, which is in a tree. false: the node has nothing to do with it. */
bool fl_ledger_cell(const struct fl_ledger *l, struct fl_node n, uint32_t c,
		    struct fl_ledger_cell *ret);

#endif
