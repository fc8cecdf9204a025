/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - in which order a cycle's heads are served
 *
 * Classical: by borrowing level, priority, age.
 *
 * Fair sharing: a tournament in each tree of cohorts, played again after each
 * pick.  At every cohort the heads below compete by the share that the child node
 * they come through would have with them; the winner goes on to the parent, and
 * the root's winner is served.  A child that stays within its quota beats one
 * that borrows; then the lower share, the higher priority, the older workload.
 *
 * Before all of them come those for whom freed quota is held, and, under fair sharing,
 * those whose priority overrules it (protect.h), each in classical order.
 *
 * A pick changes usage only on the path of its queue, so only the contenders on that path are
 * compared again: O(depth log children) a pick (tournament.h).
 */
#include "base/sort.h"
#include "decide/borrow/cycle/tournament.h"
#include "decide/borrow/guarantee/protect.h"

/* Priority, age, uid: what is left to compare when the shares are equal. */
static int cmp_age(const struct fl_policy *p, struct fl_workload a, struct fl_workload b)
{
	const struct fl_job *x = &p->jobs[a.v], *y = &p->jobs[b.v];

	if (x->priority != y->priority && !p->model->settings.off[FL_GATE_PRIORITY_SORTING])
		return x->priority > y->priority ? -1 : 1;
	if (x->age != y->age)
		return x->age < y->age ? -1 : 1;
	return (x->uid_rank > y->uid_rank) - (x->uid_rank < y->uid_rank);
}

static int cmp_classical(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_entry *x = &p->scratch->entries[a], *y = &p->scratch->entries[b];
	bool promised = p->jobs[x->workload.v].promised;

	if (promised != p->jobs[y->workload.v].promised)
		return promised ? -1 : 1;

	if (x->assignment.level != y->assignment.level)
		return x->assignment.level < y->assignment.level ? -1 : 1;
	return cmp_age(p, x->workload, y->workload);
}

int fl_order_cmp(const struct fl_policy *p, const struct fl_contender *a,
		 const struct fl_contender *b)
{
	int order;

	if (a->borrows != b->borrows && !p->model->settings.off[FL_GATE_PRIORITIZE_NON_BORROWING])
		return a->borrows ? 1 : -1;
	order = fl_drs_cmp(&a->drs, &b->drs);
	return order ? order : cmp_age(p, a->entry->workload, b->entry->workload);
}

void fl_order_value(struct fl_policy *p, struct fl_node n, struct fl_contender *k)
{
	const struct fl_tree *t = &p->tree;
	struct fl_cycle *c = p->scratch;
	const struct fl_usage *u = &c->s.usage;
	const struct fl_nomination *a = &k->entry->assignment;

	k->borrows = false;
	for (uint32_t i = 0; i < a->n_uses; i++) {
		struct fl_column column = a->uses[i].column;
		fl_amount amount = a->uses[i].amount;

		/* What each level keeps for itself does not arrive above it. */
		for (uint32_t at = k->entry->queue.v; at != n.v; at = t->parent[at])
			amount = fl_amount_max(
				0, fl_sat_sub(amount,
					      fl_quota_local_available(t, u, (struct fl_node){ at },
								       column)));
		c->arriving[i] = (struct fl_drs_extra){ column, amount };
		k->borrows |= a->uses[i].amount > 0 &&
			      fl_quota_borrows_with(t, u, n, column, amount);
	}
	k->drs = fl_drs_with(t, u, n, c->arriving, a->n_uses);
}

/* One head alone has nobody to compete with. */
static bool comes_early(const struct fl_policy *p, const struct fl_entry *e)
{
	return !p->model->settings.fair_sharing || p->scratch->n_entries == 1 ||
	       p->jobs[e->workload.v].promised || fl_protect_overrules(p, e->workload);
}

static bool has_tournament(const struct fl_cycle *c) { return c->n_early < c->n_entries; }

int fl_order_promised(struct fl_policy *p, uint32_t **ret, uint32_t *ret_n, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	uint32_t *scratch = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *scratch, err);
	uint32_t *order = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *order, err);
	uint32_t n = 0;

	if (!scratch || !order)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < c->n_entries; i++)
		if (p->jobs[c->entries[i].workload.v].promised)
			order[n++] = i;
	fl_sort(order, n, scratch, cmp_classical, p);
	*ret = order;
	*ret_n = n;
	return 0;
}

int fl_order_start(struct fl_policy *p, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	uint32_t *scratch = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *scratch, err);

	c->at = c->n_early = 0;
	c->order = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *c->order, err);
	if (!scratch || !c->order)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < c->n_entries; i++)
		if (comes_early(p, &c->entries[i]))
			c->order[c->n_early++] = i;
	fl_sort(c->order, c->n_early, scratch, cmp_classical, p);
	if (has_tournament(c))
		fl_tournament_start(p);
	return 0;
}

struct fl_entry *fl_order_next(struct fl_policy *p)
{
	struct fl_cycle *c = p->scratch;

	for (; c->at < c->n_early; c->at++)
		if (!c->entries[c->order[c->at]].processed)
			return &c->entries[c->order[c->at]];
	if (!has_tournament(c))
		return NULL;
	for (; c->at - c->n_early < c->n_roots; c->at++) {
		struct fl_entry *best = fl_tournament_best(p, c->roots[c->at - c->n_early]);

		if (best)
			return best;
	}
	return NULL;
}

void fl_order_done(struct fl_policy *p, struct fl_entry *e)
{
	e->processed = true;
	if (has_tournament(p->scratch))
		fl_tournament_served(p, e);
}
