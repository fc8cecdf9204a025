/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - which node between a queue and its root decides what is available
 *
 * available(x) of KEP-79 unrolls into a minimum.  With x = n0, n1, ... the path
 * to the root, la the unused quota a node keeps for itself, and for a node with
 * borrowing limit B
 *
 *	head(n) = (subtree - local) - max(0, usage - local) + B
 *
 * available(n0) is the least of
 *	la(n0) + ... + la(ni) + head(ni)          one for each ni below the root with a limit
 *	la(n0) + ... + la(nk-1) + balance(root)   balance = subtree - usage
 *
 * The node whose term is least is the one that binds: raising what any other
 * node has changes nothing.  Of equal terms the lowest node is named.
 *
 * Pure; allocates nothing, cannot fail; every node must be in a tree.
 */
#ifndef FL_ASK_BORROW_PATH_H
#define FL_ASK_BORROW_PATH_H

#include "decide/borrow/quota/tree.h"

enum fl_bind_kind {
	FL_BIND_QUOTA,           /* all quota below this root is in use (or not lent) */
	FL_BIND_BORROWING_LIMIT, /* this node may borrow no more */
};

struct fl_bind {
	fl_amount available; /* to the asking node; may be negative */
	struct fl_node node;
	enum fl_bind_kind kind;
	fl_amount below; /* part of it that nodes below @node keep (and @node, for a limit) */
	fl_amount left;  /* what @node lets through: available = below + left */
};

/* Now, with the usage as it stands. */
struct fl_bind fl_path_bind(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			    struct fl_column c);
/* With no usage anywhere. */
struct fl_bind fl_path_bind_potential(const struct fl_tree *t, struct fl_node n,
				      struct fl_column c);

/* The last term alone: without any borrowing limit, now or with no usage anywhere. */
fl_amount fl_path_reach(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			struct fl_column c);
fl_amount fl_path_reach_potential(const struct fl_tree *t, struct fl_node n, struct fl_column c);

#endif
