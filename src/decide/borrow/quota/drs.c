/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/quota/drs.h"

#include <math.h>

/* A sum over flavors that wrapped (usage.c) counts as the largest amount. */
static double ratio(fl_amount borrowed, fl_amount lendable)
{
	if (borrowed < 0)
		borrowed = INT64_MAX;
	return borrowed > 0 && lendable > 0 ? (double)borrowed * 1000.0 / (double)lendable : 0;
}

static double ratio_of(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
		       uint32_t res)
{
	return ratio(u->borrowed[t->res_row[n.v] + res],
		     t->lendable[t->res_row[t->parent[n.v]] + res]);
}

static void weigh(struct fl_drs *d, double weight)
{
	if (d->ratio > 0)
		d->weighted = weight > 0 ? d->ratio / weight : HUGE_VAL;
}

struct fl_drs fl_drs_of(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n)
{
	struct fl_drs d = { 0 };

	if (!fl_tree_has_parent(t, n) || !u->borrowing[n.v])
		return d;
	d.borrowing = true;
	for (uint32_t r = 0; r < fl_tree_root_of(t, n)->n_resources; r++) {
		double of_r = ratio_of(t, u, n, r);

		if (of_r > d.ratio)
			d.ratio = of_r;
	}
	weigh(&d, t->weight[n.v]);
	return d;
}

/* What @extra adds to the borrowed amount of resource @res. */
static fl_amount more_borrowed(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			       const struct fl_drs_extra *extra, uint32_t n_extra, uint32_t res)
{
	fl_amount more = 0;

	for (uint32_t i = 0; i < n_extra; i++) {
		size_t at = fl_tree_cell(t, n, extra[i].column);
		fl_amount usage = u->cell[at], quota = t->subtree[at];

		if (fl_tree_root_of(t, n)->columns[extra[i].column.v].res != res || !t->known[at])
			continue;
		more = fl_sat_add(
			more,
			fl_amount_max(0, fl_sat_sub(fl_sat_add(usage, extra[i].amount), quota)) -
				fl_amount_max(0, fl_sat_sub(usage, quota)));
	}
	return more;
}

struct fl_drs fl_drs_with(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			  const struct fl_drs_extra *extra, uint32_t n_extra)
{
	struct fl_drs d = { .borrowing = u->borrowing[n.v] > 0 };

	if (!fl_tree_has_parent(t, n))
		return (struct fl_drs){ 0 };
	for (uint32_t r = 0; r < fl_tree_root_of(t, n)->n_resources; r++) {
		fl_amount more = more_borrowed(t, u, n, extra, n_extra, r);
		double of_r = ratio(fl_sat_add(u->borrowed[t->res_row[n.v] + r], more),
				    t->lendable[t->res_row[t->parent[n.v]] + r]);

		d.borrowing |= more > 0;
		if (of_r > d.ratio)
			d.ratio = of_r;
	}
	weigh(&d, t->weight[n.v]);
	return d;
}

/*
 * What removing @gone takes from the borrowed amount of resource @res, modulo 2^64 as it is stored
 * (usage.c).
 */
static uint64_t less_borrowed(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			      const struct fl_drs_extra *gone, uint32_t n_gone, uint32_t res)
{
	uint64_t less = 0;

	for (uint32_t i = 0; i < n_gone; i++) {
		size_t at = fl_tree_cell(t, n, gone[i].column);
		fl_amount usage = u->cell[at], quota = t->subtree[at];

		if (fl_tree_root_of(t, n)->columns[gone[i].column.v].res != res || !t->known[at])
			continue;
		less += (uint64_t)fl_amount_max(0, fl_sat_sub(usage, quota)) -
			(uint64_t)fl_amount_max(0, fl_sat_sub(fl_sat_sub(usage, gone[i].amount),
							      quota));
	}
	return less;
}

/* The number of columns of @gone in which @n borrows with it and does not borrow without it. */
static uint32_t no_longer_borrowing(const struct fl_tree *t, const struct fl_usage *u,
				    struct fl_node n, const struct fl_drs_extra *gone,
				    uint32_t n_gone)
{
	uint32_t columns = 0;

	for (uint32_t i = 0; i < n_gone; i++) {
		size_t at = fl_tree_cell(t, n, gone[i].column);
		fl_amount usage = u->cell[at];

		columns += t->known[at] && usage > t->subtree[at] &&
			   fl_sat_sub(usage, gone[i].amount) <= t->subtree[at];
	}
	return columns;
}

struct fl_drs fl_drs_without(const struct fl_tree *t, const struct fl_usage *u, struct fl_node n,
			     const struct fl_drs_extra *gone, uint32_t n_gone)
{
	struct fl_drs d = { 0 };

	if (!fl_tree_has_parent(t, n) ||
	    u->borrowing[n.v] <= no_longer_borrowing(t, u, n, gone, n_gone))
		return d;
	d.borrowing = true;
	for (uint32_t r = 0; r < fl_tree_root_of(t, n)->n_resources; r++) {
		uint64_t borrowed = (uint64_t)u->borrowed[t->res_row[n.v] + r] -
				    less_borrowed(t, u, n, gone, n_gone, r);
		double of_r = ratio((fl_amount)borrowed,
				    t->lendable[t->res_row[t->parent[n.v]] + r]);

		if (of_r > d.ratio)
			d.ratio = of_r;
	}
	weigh(&d, t->weight[n.v]);
	return d;
}

/* The part of @row that is beyond the quota of @n, summed over the columns of resource @res. */
static fl_amount beyond(const struct fl_tree *t, struct fl_node n, const fl_amount *row,
			uint32_t res)
{
	fl_amount sum = 0;

	for (uint32_t c = 0; c < fl_tree_root_of(t, n)->n_columns; c++) {
		size_t at = t->row[n.v] + c;

		if (t->known[at] && fl_tree_root_of(t, n)->columns[c].res == res)
			sum = fl_sat_add(sum, fl_amount_max(0, fl_sat_sub(row[c], t->subtree[at])));
	}
	return sum;
}

struct fl_drs fl_drs_at(const struct fl_tree *t, struct fl_node n, const fl_amount *row)
{
	struct fl_drs d = { 0 };

	if (!fl_tree_has_parent(t, n))
		return d;
	for (uint32_t r = 0; r < fl_tree_root_of(t, n)->n_resources; r++) {
		fl_amount borrowed = beyond(t, n, row, r);
		double of_r = ratio(borrowed, t->lendable[t->res_row[t->parent[n.v]] + r]);

		d.borrowing |= borrowed > 0;
		if (of_r > d.ratio)
			d.ratio = of_r;
	}
	weigh(&d, t->weight[n.v]);
	return d;
}

struct fl_resource fl_drs_dominant(const struct fl_tree *t, const struct fl_usage *u,
				   struct fl_node n)
{
	struct fl_resource dominant = { FL_NONE };
	double most = 0;

	if (!fl_tree_has_parent(t, n))
		return dominant;
	for (uint32_t r = 0; r < fl_tree_root_of(t, n)->n_resources; r++)
		if (ratio_of(t, u, n, r) > most) {
			most = ratio_of(t, u, n, r);
			dominant = fl_tree_root_of(t, n)->resources[r];
		}
	return dominant;
}
