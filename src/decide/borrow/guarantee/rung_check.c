/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rung_check - asserts the lemmas of README.md ("Why it settles") in checked builds
 *
 * fl_rung_check: what is counted as within is what workloads that are within hold (lemma 2, the
 * sums that the policy keeps). fl_rung_check_step compares the plan before a cycle with the plan
 * after it, in the trees that the cycle looked at:
 *   lemma 2: a rung rises only at a node where a workload joined that is within there;
 *   lemma 4: a floor rose, or the smallest key that is not in both plans is in the new one;
 *   lemma 5: what workloads that are within at a node use does not spill over there.
 * A promise counts from the step that made it, as in the proof.
 *
 * Limits: steps in which a promise turned out to be void are skipped (quota was cut); lemma 5 is
 * skipped after a quota, weight or priority changed while a workload was promised something, and
 * after an image was loaded.
 */
#include "decide/borrow/guarantee/rung_state.h"

#include "base/check.h"

#ifdef FL_CHECKED

#include <stdlib.h>
#include <string.h>

/* A workload of a plan. */
struct row {
	uint32_t w;
	struct fl_node queue;
	const struct fl_use *uses;
	uint32_t n_uses, within;
	const fl_amount *base; /* by depth, as in fl_standing */
	bool forgiven;
};

struct fl_rung_plans {
	struct row *rows[2]; /* before and after, by workload; queue FL_NONE: not in the plan */
	fl_amount *within[2];
};

int fl_rung_check_setup(struct fl_policy *p, fairlead_error *err)
{
	struct fl_rung_plans *k = fl_arena_alloc(&p->arena, 1, sizeof *k, err);
	uint32_t n = p->places;

	for (int i = 0; k && i < 2; i++) {
		k->rows[i] = fl_arena_alloc(&p->arena, n, sizeof *k->rows[i], err);
		k->within[i] = fl_arena_alloc(&p->arena, p->tree.cells, sizeof *k->within[i], err);
		if (!k->rows[i] || !k->within[i])
			return FAIRLEAD_ENOMEM;
	}
	p->rungs->plans = k;
	return k ? 0 : FAIRLEAD_ENOMEM;
}

void fl_rung_check(const struct fl_policy *p)
{
	for (uint32_t n = 0; p->rungs && n < p->tree.n_nodes; n++) {
		uint32_t root = p->tree.root_index[n];

		for (uint32_t c = 0; root != FL_NONE && c < p->tree.roots[root].n_columns; c++) {
			uint64_t sum = 0;

			FL_CHECK(p->rungs->joined[p->tree.row[n] + c] == 0);
			for (uint32_t w = 0; w < p->model->n_workloads; w++) {
				const struct fl_job *j = &p->jobs[w];
				bool here = fl_holds_quota(j) && j->state != FL_STATE_EVICTING &&
					    p->tree.root_index[j->held_by.v] == root &&
					    p->tree.depth[n] > 0 &&
					    p->tree.depth[n] <= p->rungs->within[w] &&
					    fl_tree_lca(&p->tree, j->held_by, (struct fl_node){ n })
							    .v == n;

				for (uint32_t i = 0; here && i < j->n_use; i++)
					if (fl_uses(p, j)[i].column.v == c)
						sum += (uint64_t)fl_uses(p, j)[i].amount;
			}
			FL_CHECK((uint64_t)p->rungs->guaranteed[p->tree.row[n] + c] == sum);
		}
	}
}

/* --- two plans --- */

static bool is_in(const struct row *r) { return r->queue.v != FL_NONE; }

/* The row of @w as it stands, with what it holds or, if promised, will hold. */
static struct row standing(const struct fl_policy *p, uint32_t w, struct fl_node q,
			   const struct fl_use *uses, uint32_t n)
{
	return (struct row){ .w = w,
			     .queue = q,
			     .uses = uses,
			     .n_uses = n,
			     .within = p->rungs->within[w],
			     .base = p->rungs->base +
				     (size_t)w * p->rungs->depth * p->rungs->columns };
}

/* Enters @e into both plans as the cycle decided it; false: a promise is void. */
static bool add_entry(struct fl_policy *p, const struct fl_entry *e)
{
	struct fl_rung_plans *k = p->rungs->plans;
	const struct fl_nomination *a = &e->assignment;
	uint32_t w = e->workload.v;
	bool promised = p->jobs[w].promised;

	if (promised && e->verdict == FL_SKIPPED)
		return false;
	if (e->verdict != FL_ADMITTED && e->verdict != FL_PREEMPTING && e->verdict != FL_DEFERRED)
		return true;
	k->rows[1][w] = standing(p, w, e->queue, a->uses, a->n_uses);
	if (promised)
		k->rows[0][w] = k->rows[1][w];
	if (e->standing) {
		k->rows[1][w].within = e->standing->within;
		k->rows[1][w].base = e->standing->base;
		k->rows[1][w].forgiven = e->standing->forgiven;
	}
	return true;
}

static void add_sums(struct fl_policy *p, int which)
{
	struct fl_rung_plans *k = p->rungs->plans;
	const struct fl_tree *t = &p->tree;

	memset(k->within[which], 0, t->cells * sizeof *k->within[which]);
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct row *r = &k->rows[which][w];

		for (uint32_t n = r->queue.v; n != FL_NONE && t->parent[n] != FL_NONE;
		     n = t->parent[n])
			for (uint32_t i = 0; i < r->n_uses && t->depth[n] <= r->within; i++) {
				fl_amount *cell =
					&k->within[which][t->row[n] + r->uses[i].column.v];

				*cell = (fl_amount)((uint64_t)*cell + (uint64_t)r->uses[i].amount);
			}
	}
}

static bool find_plans(struct fl_policy *p, const struct fl_rung_step *step)
{
	struct fl_rung_plans *k = p->rungs->plans;

	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w];
		bool in = fl_holds_quota(j) && j->state != FL_STATE_EVICTING &&
			  p->tree.root_index[j->held_by.v] != FL_NONE;

		k->rows[0][w] = k->rows[1][w] = (struct row){ .queue = { FL_NONE } };
		if (in)
			k->rows[0][w] = standing(p, w, j->held_by, fl_uses(p, j), j->n_use);
		if (in && !fl_marks_is_chosen(step->marks, w))
			k->rows[1][w] = k->rows[0][w];
	}
	for (uint32_t i = 0; i < step->n_entries; i++)
		if (!add_entry(p, &step->entries[i]))
			return false;
	add_sums(p, 0);
	add_sums(p, 1);
	return true;
}

/* --- keys --- */

static struct fl_node at_depth(const struct fl_policy *p, const struct row *r, uint32_t depth)
{
	struct fl_node n = r->queue;

	while (p->tree.depth[n.v] > depth)
		n.v = p->tree.parent[n.v];
	return n;
}

/* The rung of @r at depth @d in plan @which. */
static struct fl_rung rung_at(struct fl_policy *p, const struct row *r, int which, uint32_t d)
{
	struct fl_rung found =
		fl_rung_with(p, r->w, r->uses, r->n_uses, at_depth(p, r, d),
			     d <= r->within ? NULL : r->base + (size_t)(d - 1) * p->rungs->columns,
			     p->rungs->plans->within[which]);

	return r->forgiven ? found : fl_rung_raised(p, r->w, d, found);
}

/* Lexicographic: rungs from the top of the tree down, then the place in the order of the queue. */
static int cmp_keys(struct fl_policy *p, const struct row *a, int of_a, const struct row *b,
		    int of_b)
{
	const struct fl_job *x = &p->jobs[a->w], *y = &p->jobs[b->w];
	uint32_t deep = p->tree.depth[a->queue.v], other = p->tree.depth[b->queue.v];
	int order = 0;

	for (uint32_t d = 1; d <= deep && d <= other && order == 0; d++) {
		struct fl_rung one = rung_at(p, a, of_a, d), two = rung_at(p, b, of_b, d);

		order = fl_rung_cmp(&one, &two);
	}
	if (order == 0)
		order = (deep > other) - (deep < other);
	if (order == 0)
		order = (x->priority < y->priority) - (x->priority > y->priority);
	if (order == 0)
		order = (x->since > y->since) - (x->since < y->since);
	return order ? order : (a->w > b->w) - (a->w < b->w);
}

/* --- the lemmas --- */

/* Did a workload join that is within at @n? */
static bool joined_within(const struct fl_policy *p, struct fl_node n)
{
	const struct fl_rung_plans *k = p->rungs->plans;
	uint32_t depth = p->tree.depth[n.v];

	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct row *r = &k->rows[1][w];

		if (is_in(r) && !is_in(&k->rows[0][w]) && depth <= r->within &&
		    p->tree.root_index[r->queue.v] == p->tree.root_index[n.v] &&
		    p->tree.depth[r->queue.v] >= depth && at_depth(p, r, depth).v == n.v)
			return true;
	}
	return false;
}

/* Lemma 2, for a workload that is in both plans. */
static void check_rise(struct fl_policy *p, const struct row *was, const struct row *is)
{
	for (uint32_t d = 1; d <= p->tree.depth[is->queue.v]; d++) {
		struct fl_rung old = rung_at(p, was, 0, d), new = rung_at(p, is, 1, d);

		FL_CHECK(fl_rung_cmp(&new, &old) <= 0 || joined_within(p, at_depth(p, is, d)));
	}
}

/* Lemma 4, and lemma 2 on the way. */
static void check_keys(struct fl_policy *p)
{
	const struct fl_rung_plans *k = p->rungs->plans;
	const struct row *least = NULL;
	int of_least = 0;

	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct row *was = &k->rows[0][w], *is = &k->rows[1][w];

		if (is_in(was) && is_in(is)) {
			check_rise(p, was, is);
			if (cmp_keys(p, was, 0, is, 1) == 0)
				continue;
		}
		for (int i = 0; i < 2; i++)
			if (is_in(&k->rows[i][w]) &&
			    (!least || cmp_keys(p, &k->rows[i][w], i, least, of_least) < 0)) {
				least = &k->rows[i][w];
				of_least = i;
			}
	}
	FL_CHECK(!least || of_least == 1);
}

/* How much of what workloads that are within at a node of @depth use below @n spills over there. */
static fl_amount spills(const struct fl_policy *p, uint32_t n, uint32_t depth, uint32_t column)
{
	const struct fl_tree *t = &p->tree;
	fl_amount nominal = t->nominal[t->row[n] + column], sum = 0;

	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct row *r = &p->rungs->plans->rows[1][w];

		for (uint32_t i = 0; r->queue.v == n && depth <= r->within && i < r->n_uses; i++)
			if (r->uses[i].column.v == column)
				sum = fl_sat_add(sum, r->uses[i].amount);
	}
	for (uint32_t i = 0; i < t->children[n].n; i++)
		sum = fl_sat_add(sum,
				 spills(p, t->child_ids[t->children[n].first + i], depth, column));
	return nominal == FL_UNLIMITED ? 0 : fl_amount_max(0, fl_sat_sub(sum, nominal));
}

/* Lemma 5. */
static void check_guaranteed(const struct fl_policy *p)
{
	for (uint32_t i = 0; i < p->tree.n_order; i++) {
		uint32_t n = p->tree.order[i], depth = p->tree.depth[n];
		uint32_t columns = fl_tree_root_of(&p->tree, (struct fl_node){ n })->n_columns;

		for (uint32_t c = 0; depth > 0 && c < columns; c++)
			FL_CHECK(spills(p, n, depth, c) == 0);
	}
}

void fl_rung_check_step(struct fl_policy *p, const struct fl_rung_step *step)
{
	if (!p->rungs || !find_plans(p, step))
		return;
	if (!step->floors_rose)
		check_keys(p);
	if (!p->rungs->changed)
		check_guaranteed(p);
}

void fl_rung_check_changed(struct fl_policy *p)
{
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		p->rungs->changed |= p->jobs[w].promised;
}

#endif
