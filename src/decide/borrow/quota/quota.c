/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota - the balances of KEP-79
 *
 * The balance T(x, r) is what is left of the quota in the subtree of x; if it is negative, x
 * borrows as much from outside.  A workload may be added to a queue if and only if T >=
 * -borrowingLimit still holds at every node above it. `available` is that rule solved for the
 * largest request, from the root down to the queue: at each level a node can use what it does not
 * lend, and of what is available at its parent as much as its borrowing limit allows.
 */
#include "decide/borrow/quota/tree.h"

static fl_amount lent_out(const struct fl_tree *t, size_t at)
{
	return fl_quota_sub(t->subtree[at], t->local[at]);
}

void fl_tree_derive(struct fl_tree *t, uint32_t root_index)
{
	const struct fl_tree_root *root = &t->roots[root_index];
	const uint32_t *order = t->order + root->order.first;

	for (uint32_t i = 0; i < root->order.n; i++)
		for (uint32_t c = 0; c < root->n_columns; c++)
			t->subtree[t->row[order[i]] + c] = t->nominal[t->row[order[i]] + c];
	for (uint32_t i = root->order.n; i-- > 0;)
		for (uint32_t c = 0; c < root->n_columns; c++) {
			size_t at = t->row[order[i]] + c;
			fl_amount limit = t->lending_limit[at];

			t->local[at] = limit == FL_NO_LIMIT || t->parent[order[i]] == FL_NONE ?
					       0 :
					       fl_amount_max(0,
							     fl_quota_sub(t->subtree[at], limit));
			if (t->parent[order[i]] != FL_NONE) {
				fl_amount *up = &t->subtree[t->row[t->parent[order[i]]] + c];

				*up = fl_quota_add(*up, lent_out(t, at));
			}
		}
	for (uint32_t i = 0; i < root->order.n; i++) {
		uint32_t n = order[i], p = t->parent[n];
		fl_amount *lendable = t->lendable + t->res_row[n];

		for (uint32_t r = 0; r < root->n_resources; r++)
			lendable[r] = 0;
		for (uint32_t c = 0; c < root->n_columns; c++) {
			size_t at = t->row[n] + c;
			fl_amount most = t->subtree[at], limit = t->borrowing_limit[at];

			if (p != FL_NONE) {
				most = fl_quota_add(t->local[at], t->potential[t->row[p] + c]);
				if (limit != FL_NO_LIMIT)
					most = fl_amount_min(most,
							     fl_quota_add(t->subtree[at], limit));
			}
			t->potential[at] = most;
			if (t->known[t->row[root->node.v] + c])
				lendable[root->columns[c].res] =
					fl_quota_add(lendable[root->columns[c].res], most);
		}
	}
}

fl_amount fl_quota_local_available(const struct fl_tree *t, const struct fl_usage *u,
				   struct fl_node n, struct fl_column c)
{
	size_t at = fl_tree_cell(t, n, c);

	return fl_amount_max(0, fl_quota_less(t->local[at], u->cell[at]));
}

/*
 * How much of what is available at its parent the borrowing limit of a node allows: the limit,
 * less what it borrows already.
 */
static fl_amount let_through(const struct fl_tree *t, const struct fl_usage *u, size_t at)
{
	fl_amount used = fl_amount_max(0, t->local[at] == FL_UNLIMITED ?
						  INT64_MIN :
						  fl_sat_sub(u->cell[at], t->local[at]));

	return fl_quota_add(fl_quota_less(lent_out(t, at), used), t->borrowing_limit[at]);
}

fl_amount fl_quota_available(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			     struct fl_column c)
{
	size_t at = fl_tree_cell(t, n, c);
	fl_amount from_parent;

	if (!fl_tree_has_parent(t, n))
		return fl_quota_less(t->subtree[at], u->cell[at]);
	from_parent = fl_quota_available(t, u, fl_tree_parent(t, n),
					 c); /* recursion is bounded by the depth; no cycles */
	if (t->borrowing_limit[at] != FL_NO_LIMIT)
		from_parent = fl_amount_min(from_parent, let_through(t, u, at));
	return fl_quota_add(fl_quota_local_available(t, u, n, c), from_parent);
}

fl_amount fl_quota_balance(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			   struct fl_column c)
{
	size_t at = fl_tree_cell(t, n, c);

	return fl_quota_less(t->subtree[at], u->cell[at]);
}

bool fl_quota_borrows_with(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			   struct fl_column c, fl_amount v)
{
	size_t at = fl_tree_cell(t, n, c);

	return t->subtree[at] < fl_sat_add(u->cell[at], v);
}

struct fl_level fl_quota_lowest_subtree(const struct fl_tree *t, const struct fl_usage *u,
					struct fl_node n, struct fl_column c, fl_amount v)
{
	bool in_cohort = fl_tree_has_parent(t, n);

	if (!in_cohort || !fl_quota_borrows_with(t, u, n, c, v))
		return (struct fl_level){ 0, in_cohort };
	for (v = fl_sat_sub(v, fl_quota_local_available(t, u, n, c)); fl_tree_has_parent(t, n);) {
		n = fl_tree_parent(t, n);
		if (!fl_quota_borrows_with(t, u, n, c, v))
			return (struct fl_level){ t->height[n.v], fl_tree_has_parent(t, n) };
		v = fl_sat_sub(v, fl_quota_local_available(t, u, n, c));
	}
	return (struct fl_level){ t->height[n.v], false };
}
