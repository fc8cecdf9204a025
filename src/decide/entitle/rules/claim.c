/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/claim.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "decide/entitle/rules/capacity.h"
#include "decide/entitle/rules/order.h"

static uint32_t parent_of(const void *policy, uint32_t q) { return fl_state_above(policy, q); }

int fl_claims_new(struct fl_policy *p, struct fl_claims **ret, fairlead_error *err)
{
	uint32_t n = p->model->n_nodes;
	struct fl_claims *c = fl_arena_alloc(&p->arena, 1, sizeof *c, err);

	if (!c || !FL_NEW(&p->arena, c->children, (size_t)n + 1, err) ||
	    !FL_NEW(&p->arena, c->child, n, err) || !FL_NEW(&p->arena, c->had, n, err) ||
	    !FL_NEW(&p->arena, c->margin, n, err) || !FL_NEW(&p->arena, c->ready, n, err) ||
	    !FL_NEW(&p->arena, c->kept, n, err) || !FL_NEW(&p->arena, c->runs, n, err) ||
	    !FL_NEW(&p->arena, c->next, n, err) || !FL_NEW(&p->arena, c->leaves, n, err) ||
	    !FL_NEW(&p->arena, c->lenders, n, err) || !FL_NEW(&p->arena, c->siblings, n, err) ||
	    !FL_NEW(&p->arena, c->spare, n, err))
		return FAIRLEAD_ENOMEM;
	/* Siblings are neighbours, and by rank: p->order is by rank within a depth. */
	for (uint32_t i = 0; i < p->n_order; i++)
		c->leaves[i] = p->order[i].v;
	fl_sort_buckets(c->leaves, p->n_order, parent_of, p, c->children, n + 1, c->child);
	*ret = c;
	return 0;
}

void fl_claims_begin(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;

	c->n_leaves = 0;
	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		c->kept[q] = c->runs[q] = (struct fl_bundle){ 0 };
		c->had[q] = c->margin[q] = 0;
		c->ready[q] = false;
		c->next[q] = FL_NONE;
		p->queues[q].late = 0;
	}
}

/* --- what a claim is short of --- */

/* What the fair share of its leaf must become. */
static double target(const struct fl_policy *p, const struct fl_claim *claim, int r)
{
	double amount = claim->amount.of[r];

	if (!(amount > 0))
		return 0;
	return claim->keeps ? amount : amount + p->queues[claim->leaf.v].allocated.of[r];
}

double fl_claim_short(const struct fl_policy *p, const struct fl_claim *claim, int r)
{
	double missing = target(p, claim, r) - p->queues[claim->leaf.v].fair_share.of[r];

	return missing > 0 ? missing : 0;
}

bool fl_claim_is_short(const struct fl_policy *p, const struct fl_claim *claim)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (fl_claim_short(p, claim, r) > 0)
			return true;
	return false;
}

/* --- which siblings lend --- */

/* Lowest priority first, then the largest `had`, then the youngest queue. */
static int cmp_lenders(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_standing *x = &p->queues[a], *y = &p->queues[b];
	const double *had = p->claims->had;

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	if (had[a] != had[b])
		return had[a] > had[b] ? -1 : 1;
	return (x->rank < y->rank) - (x->rank > y->rank);
}

void fl_claims_rank(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;

	memcpy(c->lenders, c->child, p->n_order * sizeof *c->child);
	for (uint32_t q = 0; q <= p->model->n_nodes; q++)
		fl_sort(c->lenders + c->children[q].first, c->children[q].n, c->spare, cmp_lenders,
			p);
}

/* The least to which the share of @q may be lowered. */
static double least(const struct fl_policy *p, uint32_t q, int r, enum fl_reach reach)
{
	const struct fl_standing *s = &p->queues[q];
	double deserved = s->deserved.of[r], asks = fl_standing_requestable(s, r);
	double floor = deserved == FL_UNBOUNDED ? s->fair_share.of[r] : fmin(deserved, asks);

	if (reach < FL_REACH_ALL)
		floor = fmax(floor, p->claims->kept[q].of[r]);
	return reach < FL_REACH_UNKEPT ? fmax(floor, s->allocated.of[r]) : floor;
}

/* How much of its fair share the parent of @n did not give to its children. */
static double undivided(const struct fl_policy *p, struct fl_node n, int r)
{
	struct fl_span siblings = fl_claim_siblings(p, n);
	struct fl_node parent = p->queues[n.v].parent;
	double left = parent.v == FL_NONE ? p->total.of[r] : p->queues[parent.v].fair_share.of[r];

	for (uint32_t i = siblings.first; i < siblings.first + siblings.n; i++)
		left -= p->queues[p->claims->child[i]].fair_share.of[r];
	return left > 0 ? left : 0;
}

/* What one queue on the path of a claim collects of one resource. */
struct collection {
	struct fl_policy *p;
	const struct fl_claim *claim;
	fl_claim_reach *reach;
	struct fl_node mine;
	int r;
	bool apply;
	double missing;
};

/* Collects from all siblings, in their order, no further down than @most. */
static void collect_from(struct collection *c, enum fl_reach most)
{
	const uint32_t *lenders = c->p->claims->lenders;
	struct fl_span siblings = fl_claim_siblings(c->p, c->mine);

	for (uint32_t i = 0; i < siblings.n && c->missing > 0; i++) {
		struct fl_node other = { lenders[siblings.first + i] };
		double *share = &c->p->queues[other.v].fair_share.of[c->r], lent = *share;
		enum fl_reach reach;

		if (other.v == c->mine.v)
			continue;
		reach = c->reach(c->p, c->claim, c->mine, other, c->r);
		if (reach == FL_REACH_NOTHING)
			continue;
		/* Without apply, what the first pass took is still in the share. */
		if (!c->apply && most > FL_REACH_UNHELD)
			lent = fmin(lent, least(c->p, other.v, c->r, FL_REACH_UNHELD));
		lent -= least(c->p, other.v, c->r, reach < most ? reach : most);
		lent = fmin(lent, c->missing);
		if (!(lent > 0))
			continue;
		c->missing -= lent;
		if (c->apply)
			*share -= lent;
	}
}

/*
 * From the leaf up: the parent must get from its own siblings what the siblings of its child do
 * not lend.
 */
static bool walk(struct fl_policy *p, const struct fl_claim *claim, int r, fl_claim_reach *reach,
		 bool apply)
{
	struct collection c = { .p = p, .claim = claim, .reach = reach, .r = r, .apply = apply };

	c.missing = fl_claim_short(p, claim, r);
	for (c.mine = claim->leaf; c.mine.v != FL_NONE && c.missing > 0;
	     c.mine = p->queues[c.mine.v].parent) {
		double needed = c.missing;

		/* First what was given to no queue, then what is not held. */
		c.missing -= undivided(p, c.mine, r);
		collect_from(&c, FL_REACH_UNHELD);
		collect_from(&c, FL_REACH_ALL);
		if (apply)
			p->queues[c.mine.v].fair_share.of[r] += needed;
	}
	return c.missing <= 0;
}

bool fl_claim_serve(struct fl_policy *p, const struct fl_claim *claim, fl_claim_reach *reach)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!walk(p, claim, r, reach, /* apply= */ false))
			return false;
	for (int r = 0; r < FL_BUNDLE; r++) {
		double enough = target(p, claim, r);

		(void)walk(p, claim, r, reach, /* apply= */ true);
		/* A sum of parts must not miss the target by rounding. */
		if (p->queues[claim->leaf.v].fair_share.of[r] < enough)
			p->queues[claim->leaf.v].fair_share.of[r] = enough;
		for (struct fl_node n = claim->leaf; n.v != FL_NONE; n = p->queues[n.v].parent)
			p->claims->kept[n.v].of[r] += claim->amount.of[r];
	}
	return true;
}

/* --- the next job of a leaf --- */

/* How many tasks like this one have room on empty machines, counted up to @enough. */
static double places(const struct fl_policy *p, const struct fl_bundle *request, double enough)
{
	double n = 0;

	for (uint32_t m = 0; m < p->model->n_machines && n < enough; m++) {
		double fit = enough;

		for (int r = 0; r < FL_BUNDLE; r++)
			if (request->of[r] > 0)
				fit = fmin(fit,
					   floor(p->rooms[m].allocatable.of[r] / request->of[r]));
		n += p->rooms[m].usable && fit > 0 ? fit : 0;
	}
	return n;
}

static bool alike(const struct fl_bundle *a, const struct fl_bundle *b)
{
	return fl_bundle_within(a, b) && fl_bundle_within(b, a);
}

/* Have tasks with equal requests room together on empty machines?  Each kind of task by itself. */
static bool fits_empty(const struct fl_policy *p, uint32_t n, const uint32_t *tasks)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_bundle *request = &p->tasks[tasks[i]].request;
		double same = 0;

		if (i > 0 && alike(request, &p->tasks[tasks[i - 1]].request))
			continue;
		for (uint32_t j = i; j < n; j++)
			same += alike(request, &p->tasks[tasks[j]].request);
		if (places(p, request, same) < same)
			return false;
	}
	return true;
}

static bool could_start(struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t n;

	if (!fl_capacity_fits(p->queues, j->queue, j->preemptible, fl_job_start_amount(p, w),
			      /* witness= */ NULL, /* ret= */ NULL))
		return false;
	n = fl_job_to_start(p, w, p->to_start);
	return fits_empty(p, n, p->to_start);
}

void fl_claims_find_next(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;

	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		struct fl_workload w = { p->job_order[i] };
		const struct fl_job *j = &p->jobs[w.v];
		struct fl_job_place mine, best;

		if (!fl_job_wants(j))
			continue;
		mine = fl_job_place_of(j);
		if (c->next[j->queue.v] != FL_NONE) {
			best = fl_job_place_of(&p->jobs[c->next[j->queue.v]]);
			if (fl_job_order(&best, &mine) < 0)
				continue;
		}
		if (could_start(p, w))
			c->next[j->queue.v] = w.v;
	}
}
