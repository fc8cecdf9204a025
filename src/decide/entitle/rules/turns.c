/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/turns.h"

#include <math.h>

#include "base/sort.h"
#include "decide/entitle/rules/claim.h"
#include "decide/entitle/rules/reclaim_rules.h"

bool fl_turns_count(const struct fl_policy *p)
{
	return p->settings.turns && !p->settings.has_budgets && p->usage && p->settings.k > 0;
}

static struct fl_claim start_claim(struct fl_policy *p, struct fl_node leaf)
{
	struct fl_workload w = { p->claims->next[leaf.v] };

	return (struct fl_claim){ .leaf = leaf, .amount = *fl_job_start_amount(p, w) };
}

/* --- usage of queues, by weight --- */

/* The set of resources of which a claim is short, 1 << r each, added to @so_far. */
static unsigned add_short(const struct fl_policy *p, const struct fl_claim *claim, unsigned so_far)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		so_far |= (unsigned)(fl_claim_short(p, claim, r) > 0) << r;
	return so_far;
}

/* What the siblings of @q divide, as a part of the cluster. */
static double capacity_of(const struct fl_policy *p, uint32_t q, int r)
{
	uint32_t parent = p->queues[q].parent.v;

	if (parent == FL_NONE)
		return 1;
	return fmax(p->share[parent].of[r] / p->total.of[r], p->usage[parent].of[r]);
}

/* @weights: sum of the weights of all siblings of its priority that ask. */
static void measure(struct fl_policy *p, uint32_t q, int r, double weights)
{
	struct fl_claims *c = p->claims;
	double held = p->queues[q].allocated.of[r] / p->total.of[r], part = 0;

	if (weights > 0)
		part = p->queues[q].weight.of[r] / weights * capacity_of(p, q, r);
	if (p->usage[q].of[r] > 0)
		c->had[q] = fmax(c->had[q], p->usage[q].of[r] / part);
	if (held > 0)
		c->margin[q] = fmax(c->margin[q], fmin(held / part, 1) / (1 + p->settings.k));
}

static int cmp_priorities(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_standing *queues = ((const struct fl_policy *)policy)->queues;

	return (queues[a].priority < queues[b].priority) -
	       (queues[a].priority > queues[b].priority);
}

/* For siblings of equal priority. */
static void measure_class(struct fl_policy *p, const uint32_t *queues, uint32_t n,
			  unsigned resources)
{
	for (int r = 0; r < FL_BUNDLE; r++) {
		double weights = 0;

		if (!(resources >> r & 1) || !(p->total.of[r] > 0))
			continue;
		for (uint32_t i = 0; i < n; i++)
			if (p->queues[queues[i]].request.of[r] > 0)
				weights += p->queues[queues[i]].weight.of[r];
		for (uint32_t i = 0; i < n; i++)
			measure(p, queues[i], r, weights);
	}
}

static void measure_siblings(struct fl_policy *p, struct fl_span siblings, unsigned resources)
{
	struct fl_claims *c = p->claims;
	uint32_t end;

	for (uint32_t i = 0; i < siblings.n; i++)
		c->siblings[i] = c->child[siblings.first + i];
	fl_sort(c->siblings, siblings.n, c->spare, cmp_priorities, p); /* stable: by rank */
	for (uint32_t i = 0; i < siblings.n; i = end) {
		for (end = i + 1; end < siblings.n; end++)
			if (cmp_priorities(p, c->siblings[i], c->siblings[end]) != 0)
				break;
		measure_class(p, c->siblings + i, end - i, resources);
	}
}

/* --- how far siblings lend; to one without weight, nothing --- */

static enum fl_reach keeps_from(const struct fl_policy *p, const struct fl_claim *claim,
				struct fl_node mine, struct fl_node other, int r)
{
	const struct fl_claims *c = p->claims;
	int32_t own = p->queues[mine.v].priority, its = p->queues[other.v].priority;

	(void)claim;
	if (!(p->queues[mine.v].weight.of[r] > 0))
		return FL_REACH_NOTHING;
	if (its != own)
		return its < own ? FL_REACH_UNHELD : FL_REACH_NOTHING;
	return c->had[mine.v] - c->had[other.v] < c->margin[mine.v] ? FL_REACH_UNHELD :
								      FL_REACH_NOTHING;
}

/* How far is @other ahead of @mine, and is that enough to give way? */
static bool gives_way(const struct fl_claims *c, struct fl_node mine, struct fl_node other)
{
	return c->margin[other.v] > 0 && c->had[other.v] - c->had[mine.v] >= c->margin[other.v];
}

static enum fl_reach starts_from(const struct fl_policy *p, const struct fl_claim *claim,
				 struct fl_node mine, struct fl_node other, int r)
{
	const struct fl_claims *c = p->claims;
	const struct fl_standing *own = &p->queues[mine.v], *its = &p->queues[other.v];
	double ahead = c->had[other.v] - c->had[mine.v];

	(void)claim;
	if (!(own->weight.of[r] > 0))
		return FL_REACH_NOTHING;
	if (its->priority != own->priority)
		return its->priority < own->priority ? FL_REACH_ALL : FL_REACH_NOTHING;
	if (gives_way(c, mine, other))
		return FL_REACH_ALL;
	if (!c->ready[other.v] || ahead > 0 || (ahead == 0 && its->rank > own->rank))
		return FL_REACH_UNHELD;
	return FL_REACH_NOTHING;
}

/* --- which leaves claim --- */

/* @leaf can start something within its shares: so can all queues above it. */
static void set_ready(struct fl_policy *p, struct fl_node leaf)
{
	for (struct fl_node n = leaf; n.v != FL_NONE; n = p->queues[n.v].parent)
		p->claims->ready[n.v] = true;
}

/* Finds for each leaf the largest minimum of a running gang, for each resource separately. */
static void find_running(struct fl_policy *p)
{
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		const struct fl_job *j = &p->jobs[p->job_order[i]];
		struct fl_bundle core = { 0 }, *most;
		uint32_t n = 0;

		if (j->queue.v == FL_NONE)
			continue;
		for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n; t++)
			if (p->tasks[t].state == FL_TASK_HOLDS && n++ < j->min_tasks)
				fl_bundle_add(&core, &p->tasks[t].request);
		most = &p->claims->runs[j->queue.v];
		for (int r = 0; r < FL_BUNDLE; r++)
			most->of[r] = fmax(most->of[r], core.of[r]);
	}
}

static struct fl_claim keep_claim(const struct fl_policy *p, struct fl_node leaf)
{
	return (struct fl_claim){ .leaf = leaf, .keeps = true, .amount = p->claims->runs[leaf.v] };
}

/* Is its next job alone larger than its share? */
static bool is_larger(const struct fl_policy *p, const struct fl_claim *claim)
{
	return !fl_bundle_within(&claim->amount, &p->queues[claim->leaf.v].fair_share);
}

/*
 * Finds the leaves with a job larger than their share, running or pending; returns the resources
 * of which they are short.
 */
static unsigned find_claims(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;
	unsigned resources = 0;

	fl_claims_find_next(p);
	find_running(p);
	for (uint32_t i = 0; i < p->n_order; i++) {
		struct fl_claim start, keep = keep_claim(p, p->order[i]);
		bool keeps = fl_claim_is_short(p, &keep);

		resources = add_short(p, &keep, resources);
		if (c->next[p->order[i].v] == FL_NONE)
			continue;
		start = start_claim(p, p->order[i]);
		if (!fl_claim_is_short(p, &start)) {
			set_ready(p, p->order[i]);
		} else if (!keeps && is_larger(p, &start)) {
			c->leaves[c->n_leaves++] = p->order[i].v;
			resources = add_short(p, &start, resources);
		}
	}
	return resources;
}

/* Did the last cycle reserve room for it, which another workload is about to leave? */
static bool is_awaited(const struct fl_policy *p, uint32_t leaf)
{
	return p->jobs[p->claims->next[leaf]].reason == FL_REASON_RESERVED;
}

/*
 * Compares at the node where the paths to two leaves part: priority; which has room reserved;
 * `had`; age.
 */
static int cmp_claims(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const double *had = p->claims->had;
	struct fl_node l, r;

	fl_reclaim_sides(p->queues, (struct fl_node){ a }, (struct fl_node){ b }, &l, &r);
	if (p->queues[l.v].priority != p->queues[r.v].priority)
		return p->queues[l.v].priority > p->queues[r.v].priority ? -1 : 1;
	if (is_awaited(p, a) != is_awaited(p, b))
		return is_awaited(p, a) ? -1 : 1;
	if (had[l.v] != had[r.v])
		return had[l.v] < had[r.v] ? -1 : 1;
	return (p->queues[l.v].rank > p->queues[r.v].rank) -
	       (p->queues[l.v].rank < p->queues[r.v].rank);
}

/* The first resource of which it is short. */
static int lacks(const struct fl_policy *p, const struct fl_claim *claim)
{
	int r = 0;

	while (r < FL_BUNDLE - 1 && !(fl_claim_short(p, claim, r) > 0))
		r++;
	return r;
}

/* Tells the sink how far siblings are ahead that hold something. */
static void hear(const struct fl_policy *p, const struct fl_claim *claim, struct fl_node mine,
		 struct fl_node other)
{
	const struct fl_claims *c = p->claims;
	const struct fl_evidence row = {
		.check = FL_CHECK_TURN,
		.workload = { c->next[claim->leaf.v] },
		.podset = FL_NONE,
		.node = other,
		.flavor = { FL_NONE },
		.resource = p->model->axis[lacks(p, claim)],
		.victim = { FL_NONE },
		.lhs = { .kind = FL_NUMBER_RATIO, .share = c->had[mine.v] + c->margin[other.v] },
		.rhs = { .kind = FL_NUMBER_RATIO, .share = c->had[other.v] },
		.holds = gives_way(c, mine, other),
	};

	if (c->margin[other.v] > 0 && p->queues[other.v].priority == p->queues[mine.v].priority)
		p->sink->row(p->sink->user, &row);
}

static void hear_all(const struct fl_policy *p, const struct fl_claim *claim)
{
	const struct fl_claims *c = p->claims;

	for (struct fl_node n = claim->leaf; n.v != FL_NONE; n = p->queues[n.v].parent) {
		struct fl_span siblings = fl_claim_siblings(p, n);

		for (uint32_t i = siblings.first; i < siblings.first + siblings.n; i++)
			if (c->child[i] != n.v)
				hear(p, claim, n, (struct fl_node){ c->child[i] });
	}
}

static bool start(struct fl_policy *p, struct fl_node leaf)
{
	struct fl_claim claim = start_claim(p, leaf);
	uint32_t only = p->only.v;

	if (only != FL_NONE && only != p->claims->next[leaf.v])
		return false;
	if (p->sink)
		hear_all(p, &claim);
	if (!fl_claim_serve(p, &claim, starts_from))
		return false;
	for (struct fl_node n = leaf; n.v != FL_NONE; n = p->queues[n.v].parent)
		p->queues[n.v].late = -1;
	return true;
}

void fl_turns_share(struct fl_policy *p)
{
	struct fl_claims *c = p->claims;
	unsigned resources;

	fl_claims_begin(p);
	resources = find_claims(p);
	if (!resources)
		return;
	for (uint32_t q = 0; q <= p->model->n_nodes; q++)
		measure_siblings(p, c->children[q], resources);
	fl_claims_rank(p);
	for (uint32_t i = 0; i < p->n_order; i++)
		if (p->is_leaf[p->order[i].v]) {
			struct fl_claim claim = keep_claim(p, p->order[i]);

			if (fl_claim_is_short(p, &claim))
				(void)fl_claim_serve(p, &claim, keeps_from);
		}
	fl_sort(c->leaves, c->n_leaves, c->spare, cmp_claims, p);
	for (uint32_t i = 0; i < c->n_leaves; i++)
		if (start(p, (struct fl_node){ c->leaves[i] }))
			return;
}
