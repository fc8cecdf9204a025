/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/ledger.h"

#include "ask/borrow/path.h"

/* Sums and products of amounts, which do not fit in 64 bits. */
__extension__ typedef __int128 wide;

static fl_amount borrowed_of(const struct fl_ledger *l, struct fl_node n, size_t cell)
{
	if (!fl_tree_has_parent(l->tree, n) || l->tree->subtree[cell] == FL_UNLIMITED)
		return 0;
	return fl_amount_max(0, fl_sat_sub(l->usage->cell[cell], l->tree->subtree[cell]));
}

/* Unused quota of a child that its parent may pass on. */
static fl_amount idle_of(const struct fl_ledger *l, size_t cell)
{
	const struct fl_tree *t = l->tree;
	fl_amount idle = fl_quota_less(t->subtree[cell], l->usage->cell[cell]);
	fl_amount lends = fl_quota_sub(t->subtree[cell], t->local[cell]);

	return fl_amount_max(0, fl_amount_min(idle, lends));
}

static fl_amount gcd(fl_amount a, fl_amount b)
{
	while (b) {
		fl_amount rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Divide @need among the children by what each has idle.  Cumulative rounding:
 * the sums up to each child are rounded, not the parts, so the parts add up
 * exactly, none is above its idle amount, and no remainder has to be placed.
 * Rounded to the largest unit that all amounts are multiples of: where people
 * deal in whole cores, so does this.
 */
static void divide(struct fl_ledger *l, struct fl_node cohort, struct fl_column c, fl_amount need)
{
	const struct fl_tree *t = l->tree;
	const uint32_t *child = &t->child_ids[t->children[cohort.v].first];
	uint32_t n = t->children[cohort.v].n;
	wide total = 0, sum = 0, given = 0;

	for (uint32_t i = 0; i < n; i++)
		total += idle_of(l, fl_tree_cell(t, (struct fl_node){ child[i] }, c));
	if (total == 0 || need <= 0)
		return;
	if (need > total)
		need = (fl_amount)total;
	int shift = 0; /* so that the products below stay within 128 bits */
	while (total >> shift >> 64)
		shift++;
	fl_amount unit = need;
	for (uint32_t i = 0; i < n; i++)
		unit = gcd(unit, idle_of(l, fl_tree_cell(t, (struct fl_node){ child[i] }, c)));
	for (uint32_t i = 0; i < n; i++) {
		size_t cell = fl_tree_cell(t, (struct fl_node){ child[i] }, c);

		sum += idle_of(l, cell);
		wide until = (sum >> shift) * (need / unit) / (total >> shift) * unit;
		l->lent[cell] = (fl_amount)(until - given);
		given = until;
	}
}

static void settle_cohort(struct fl_ledger *l, struct fl_node cohort, struct fl_column c)
{
	const struct fl_tree *t = l->tree;
	const uint32_t *child = &t->child_ids[t->children[cohort.v].first];
	size_t cell = fl_tree_cell(t, cohort, c);
	fl_amount need = l->lent[cell];

	for (uint32_t i = 0; i < t->children[cohort.v].n; i++) {
		struct fl_node n = { child[i] };

		need = fl_sat_add(need, borrowed_of(l, n, fl_tree_cell(t, n, c)));
	}
	need = fl_sat_sub(need, borrowed_of(l, cohort, cell));
	if (t->nominal[cell] == FL_UNLIMITED)
		return;
	divide(l, cohort, c, fl_sat_sub(need, t->nominal[cell]));
}

int fl_ledger_init(struct fl_ledger *l, const struct fl_tree *t, const struct fl_usage *u,
		   struct fl_arena *a, fairlead_error *err)
{
	*l = (struct fl_ledger){ .tree = t, .usage = u };
	l->lent = fl_arena_alloc(a, t->cells, sizeof(*l->lent), err);
	if (!l->lent)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node n = { t->order[i] };

		if (!t->is_cohort[n.v])
			continue;
		for (uint32_t c = 0; c < fl_tree_root_of(t, n)->n_columns; c++)
			settle_cohort(l, n, (struct fl_column){ c });
	}
	return 0;
}

bool fl_ledger_cell(const struct fl_ledger *l, struct fl_node n, uint32_t c,
		    struct fl_ledger_cell *ret)
{
	const struct fl_tree *t = l->tree;
	const struct fl_tree_root *root = fl_tree_root_of(t, n);
	struct fl_column column = { c };
	size_t cell = fl_tree_cell(t, n, column);

	if (!t->known[cell] && l->usage->cell[cell] == 0)
		return false;
	*ret = (struct fl_ledger_cell){
		.flavor = root->columns[c].flavor,
		.resource = root->columns[c].resource,
		.nominal = t->nominal[cell],
		.subtree = t->subtree[cell],
		.borrowing_limit = t->borrowing_limit[cell],
		.lending_limit = t->lending_limit[cell],
		.usage = l->usage->cell[cell],
		.borrowed = borrowed_of(l, n, cell),
		.lent = l->lent[cell],
		.available = fl_amount_max(0, fl_path_bind(t, l->usage, n, column).available),
	};
	return true;
}
