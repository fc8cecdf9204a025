/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/path.h"

static void take_least(struct fl_bind *b, struct fl_node n, enum fl_bind_kind kind, fl_amount below,
		       fl_amount left, bool first)
{
	fl_amount sum = left == FL_UNLIMITED ? left : fl_quota_add(below, left);

	if (!first && sum >= b->available)
		return;
	*b = (struct fl_bind){
		.available = sum, .node = n, .kind = kind, .below = below, .left = left
	};
}

struct fl_bind fl_path_bind(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			    struct fl_column c)
{
	struct fl_bind b = { .node = n };
	fl_amount below = 0;
	bool first = true;

	for (;; n = fl_tree_parent(t, n)) {
		size_t i = fl_tree_cell(t, n, c);

		if (!fl_tree_has_parent(t, n)) {
			take_least(&b, n, FL_BIND_QUOTA, below,
				   fl_quota_less(t->subtree[i], u->cell[i]), first);
			return b;
		}
		below = fl_quota_add(below, fl_quota_local_available(t, u, n, c));
		if (t->borrowing_limit[i] == FL_NO_LIMIT)
			continue;
		fl_amount stored = fl_quota_sub(t->subtree[i], t->local[i]);
		fl_amount used = fl_amount_max(0, fl_quota_sub(u->cell[i], t->local[i]));
		fl_amount left = fl_quota_add(fl_quota_less(stored, used), t->borrowing_limit[i]);

		take_least(&b, n, FL_BIND_BORROWING_LIMIT, below, left, first);
		first = false;
	}
}

struct fl_bind fl_path_bind_potential(const struct fl_tree *t, struct fl_node n, struct fl_column c)
{
	struct fl_bind b = { .node = n };
	fl_amount below = 0;
	bool first = true;

	for (;; n = fl_tree_parent(t, n)) {
		size_t i = fl_tree_cell(t, n, c);

		if (!fl_tree_has_parent(t, n)) {
			take_least(&b, n, FL_BIND_QUOTA, below, t->subtree[i], first);
			return b;
		}
		if (t->borrowing_limit[i] != FL_NO_LIMIT) {
			take_least(&b, n, FL_BIND_BORROWING_LIMIT, below,
				   fl_quota_add(t->subtree[i], t->borrowing_limit[i]), first);
			first = false;
		}
		below = fl_quota_add(below, t->local[i]);
	}
}

fl_amount fl_path_reach(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			struct fl_column c)
{
	fl_amount below = 0;

	for (; fl_tree_has_parent(t, n); n = fl_tree_parent(t, n))
		below = fl_quota_add(below, fl_quota_local_available(t, u, n, c));
	size_t i = fl_tree_cell(t, n, c);
	return fl_quota_add(below, fl_quota_less(t->subtree[i], u->cell[i]));
}

fl_amount fl_path_reach_potential(const struct fl_tree *t, struct fl_node n, struct fl_column c)
{
	fl_amount below = 0;

	for (; fl_tree_has_parent(t, n); n = fl_tree_parent(t, n))
		below = fl_quota_add(below, t->local[fl_tree_cell(t, n, c)]);
	return fl_quota_add(below, t->subtree[fl_tree_cell(t, n, c)]);
}
