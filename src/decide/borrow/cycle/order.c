/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/cycle/order.h"

#include <string.h>

#include "base/sort.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/cycle/tournament.h"
#include "decide/borrow/guarantee/protect.h"

struct fl_turns {
	uint32_t *order, at; /* entries in order; index of the next */
	uint32_t n_early;    /* fair sharing: how many are served before the tournament */
	struct fl_tournament tournament;
};

int fl_order_new(struct fl_policy *p, struct fl_turns **ret, fairlead_error *err)
{
	struct fl_turns *k = fl_arena_alloc(&p->arena, 1, sizeof *k, err);

	if (!k)
		return FAIRLEAD_ENOMEM;
	*ret = k;
	return fl_tournament_init(p, &k->tournament, err);
}

void fl_order_renew(const struct fl_policy *p, struct fl_turns *k)
{
	memset(k->tournament.contenders, 0, p->tree.n_nodes * sizeof *k->tournament.contenders);
}

/* Compares priority, age, uid: what decides when shares are equal. */
static int cmp_age(const struct fl_policy *p, struct fl_workload a, struct fl_workload b)
{
	const struct fl_job *x = &p->jobs[a.v], *y = &p->jobs[b.v];

	if (x->priority != y->priority && !p->model->settings.off[FL_GATE_PRIORITY_SORTING])
		return x->priority > y->priority ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return fl_cmp_uids(p, a.v, b.v);
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

void fl_order_value(const struct fl_policy *p, struct fl_node n, struct fl_drs_extra *arriving,
		    struct fl_contender *k)
{
	const struct fl_tree *t = &p->tree;
	const struct fl_usage *u = &p->scratch->s.usage;
	const struct fl_nomination *a = &k->entry->assignment;

	k->borrows = false;
	for (uint32_t i = 0; i < a->n_uses; i++) {
		struct fl_column column = a->uses[i].column;
		fl_amount amount = a->uses[i].amount;

		/* The part that a level keeps as local does not arrive above it. */
		for (uint32_t at = k->entry->queue.v; at != n.v; at = t->parent[at])
			amount = fl_amount_max(
				0, fl_sat_sub(amount,
					      fl_quota_local_available(t, u, (struct fl_node){ at },
								       column)));
		arriving[i] = (struct fl_drs_extra){ column, amount };
		k->borrows |= a->uses[i].amount > 0 &&
			      fl_quota_borrows_with(t, u, n, column, amount);
	}
	k->drs = fl_drs_with(t, u, n, arriving, a->n_uses);
}

/* A single head has no other to compete with. */
static bool comes_early(const struct fl_policy *p, const struct fl_entry *e)
{
	return !p->model->settings.fair_sharing || p->scratch->n_entries == 1 ||
	       p->jobs[e->workload.v].promised ||
	       (p->protect && fl_protect_overrules(p, e->workload));
}

static bool has_tournament(const struct fl_cycle *c, const struct fl_turns *k)
{
	return k->n_early < c->n_entries;
}

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

int fl_order_start(struct fl_policy *p, struct fl_turns *k, fairlead_error *err)
{
	const struct fl_cycle *c = p->scratch;
	uint32_t *scratch = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *scratch, err);

	k->at = k->n_early = 0;
	k->order = fl_arena_alloc(&p->cycle_arena, c->n_entries, sizeof *k->order, err);
	if (!scratch || !k->order)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < c->n_entries; i++)
		if (comes_early(p, &c->entries[i]))
			k->order[k->n_early++] = i;
	fl_sort(k->order, k->n_early, scratch, cmp_classical, p);
	if (has_tournament(c, k))
		fl_tournament_start(p, &k->tournament);
	return 0;
}

struct fl_entry *fl_order_next(struct fl_policy *p, struct fl_turns *k)
{
	struct fl_cycle *c = p->scratch;

	for (; k->at < k->n_early; k->at++)
		if (!c->entries[k->order[k->at]].processed)
			return &c->entries[k->order[k->at]];
	if (!has_tournament(c, k))
		return NULL;
	for (; k->at - k->n_early < c->n_roots; k->at++) {
		struct fl_entry *best = fl_tournament_best(p, &k->tournament,
							   c->roots[k->at - k->n_early]);

		if (best)
			return best;
	}
	return NULL;
}

void fl_order_done(struct fl_policy *p, struct fl_turns *k, struct fl_entry *e)
{
	e->processed = true;
	if (has_tournament(p->scratch, k))
		fl_tournament_served(p, &k->tournament, e);
}
