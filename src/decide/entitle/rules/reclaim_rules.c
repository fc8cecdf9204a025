/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/reclaim_rules.h"

/* A queue that loses something in this call, or that is above one that does. */
struct loser {
	uint64_t call; /* if another call: all below is not valid */
	struct fl_bundle remaining;
	unsigned involved;       /* resources that victims below it held: 1 << r */
	uint32_t child, sibling; /* losers below it; the next loser of its parent */
	uint32_t victim, last;   /* victims of the queue itself: first and last in the list */
	struct fl_node next;     /* the next queue with victims */
};

struct fl_reclaim_scratch {
	struct loser *losers; /* by node; [n_nodes]: the parent of the roots */
	uint32_t n_nodes;
	uint32_t *next; /* by victim: the next victim of its queue */
	uint64_t call;
};

struct call {
	const struct fl_standing *queues;
	const struct fl_reclaim_options *options;
	const struct fl_reclaimer *reclaimer;
	const struct fl_reclaim_victim *victims;
	struct fl_reclaim_scratch *s;
	const struct fl_witness *witness; /* for rows about queues; may be NULL */
	const struct fl_witness *nosy;    /* for rows about single victims; may be NULL */
};

int fl_reclaim_scratch_new(struct fl_arena *a, uint32_t n_nodes, uint32_t max_victims,
			   struct fl_reclaim_scratch **ret, fairlead_error *err)
{
	struct fl_reclaim_scratch *s = fl_arena_alloc(a, 1, sizeof *s, err);

	if (!s)
		return FAIRLEAD_ENOMEM;
	s->n_nodes = n_nodes;
	s->losers = fl_arena_alloc(a, (size_t)n_nodes + 1, sizeof *s->losers, err);
	s->next = fl_arena_alloc(a, max_victims, sizeof *s->next, err);
	if (!s->losers || !s->next)
		return FAIRLEAD_ENOMEM;
	*ret = s;
	return 0;
}

/* --- comparisons --- */

/* One resource of fl_bundle_within. */
static bool within(double a, double b)
{
	return b == FL_UNBOUNDED || (a != FL_UNBOUNDED && a <= b);
}

/* fl_bundle_within; the witness is told of every comparison up to the first that fails. */
static bool all_within(const struct fl_witness *w, const struct fl_rule_compared *c,
		       const struct fl_bundle *a, const struct fl_bundle *b)
{
	for (int r = 0; r < FL_BUNDLE; r++) {
		bool holds = within(a->of[r], b->of[r]);

		if (b->of[r] != FL_UNBOUNDED)
			fl_witness_hears(w, c, r, a->of[r], b->of[r], holds);
		if (!holds)
			return false;
	}
	return true;
}

/* Not within?  The witness is told of the resource that decides, or of all when none does. */
static bool any_over(const struct fl_witness *w, const struct fl_rule_compared *c,
		     const struct fl_bundle *bound, const struct fl_bundle *held)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!within(held->of[r], bound->of[r])) {
			fl_witness_hears(w, c, r, bound->of[r], held->of[r], true);
			return true;
		}
	for (int r = 0; w && r < FL_BUNDLE; r++)
		fl_witness_hears(w, c, r, bound->of[r], held->of[r], false);
	return false;
}

static struct fl_bundle sum(const struct fl_bundle *a, const struct fl_bundle *b)
{
	struct fl_bundle s = *a;

	fl_bundle_add(&s, b);
	return s;
}

/* Does what cannot be preempted stay within what is deserved? */
static bool keeps_within_deserved(const struct fl_standing *queues, struct fl_node n,
				  const struct fl_reclaimer *reclaimer, const struct fl_witness *w)
{
	const struct fl_bundle after = sum(&queues[n.v].non_preemptible, &reclaimer->request);
	const struct fl_rule_compared compared = {
		.check = FL_CHECK_NON_PREEMPTIBLE_QUOTA,
		.node = n,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_BUNDLE,
	};

	return reclaimer->preemptible || all_within(w, &compared, &after, &queues[n.v].deserved);
}

bool fl_reclaim_may(const struct fl_standing *queues, const struct fl_reclaimer *reclaimer,
		    const struct fl_witness *witness)
{
	const struct fl_standing *q = &queues[reclaimer->queue.v];
	const struct fl_bundle after = sum(&q->allocated, &reclaimer->request);
	const struct fl_rule_compared compared = {
		.check = FL_CHECK_CAN_RECLAIM,
		.node = reclaimer->queue,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_BUNDLE,
	};

	return all_within(witness, &compared, &after, &q->fair_share) &&
	       keeps_within_deserved(queues, reclaimer->queue, reclaimer, witness);
}

/* --- A: the side of each victim --- */

void fl_reclaim_sides(const struct fl_standing *queues, struct fl_node reclaimer,
		      struct fl_node victim, struct fl_node *ret_reclaimer,
		      struct fl_node *ret_victim)
{
	while (queues[reclaimer.v].depth > queues[victim.v].depth)
		reclaimer = queues[reclaimer.v].parent;
	while (queues[victim.v].depth > queues[reclaimer.v].depth)
		victim = queues[victim.v].parent;
	while (queues[reclaimer.v].parent.v != queues[victim.v].parent.v) {
		reclaimer = queues[reclaimer.v].parent;
		victim = queues[victim.v].parent;
	}
	*ret_reclaimer = reclaimer;
	*ret_victim = victim;
}

static bool maintains_fair_share(const struct fl_witness *w, struct fl_rule_compared c,
				 const struct fl_standing *side, const struct fl_bundle *remaining)
{
	struct fl_bundle may;

	for (int r = 0; r < FL_BUNDLE; r++)
		may.of[r] = fl_standing_allocatable(side, r);
	c.check = FL_CHECK_MAINTAIN_FAIR_SHARE;
	return any_over(w, &c, &may, remaining);
}

static bool guarantees_deserved(const struct fl_witness *w, struct fl_rule_compared c,
				struct fl_node reclaimer_side, const struct fl_standing *reclaimer,
				const struct fl_bundle *request, const struct fl_standing *side,
				const struct fl_bundle *remaining)
{
	const struct fl_bundle after = sum(&reclaimer->allocated, request);
	struct fl_rule_compared own = c;

	own.check = c.check = FL_CHECK_GUARANTEE_DESERVED;
	own.node = reclaimer_side;
	return all_within(w, &own, &after, &reclaimer->deserved) &&
	       any_over(w, &c, &side->deserved, remaining);
}

bool fl_reclaim_maintains_fair_share(const struct fl_standing *side,
				     const struct fl_bundle *remaining)
{
	return maintains_fair_share(/* w= */ NULL, (struct fl_rule_compared){ 0 }, side, remaining);
}

bool fl_reclaim_guarantees_deserved(const struct fl_standing *reclaimer,
				    const struct fl_bundle *request, const struct fl_standing *side,
				    const struct fl_bundle *remaining)
{
	const struct fl_node nowhere = { FL_NONE };

	return guarantees_deserved(/* w= */ NULL, (struct fl_rule_compared){ 0 }, nowhere,
				   reclaimer, request, side, remaining);
}

/* --- which queues lose what --- */

/* The row of @n; for FL_NONE the row whose children are the roots. */
static uint32_t row_of(const struct call *c, struct fl_node n)
{
	return n.v == FL_NONE ? c->s->n_nodes : n.v;
}

static bool is_in(const struct call *c, uint32_t row)
{
	return c->s->losers[row].call == c->s->call;
}

static void begin(const struct call *c, uint32_t row)
{
	c->s->losers[row] = (struct loser){
		.call = c->s->call,
		.child = FL_NONE,
		.sibling = FL_NONE,
		.victim = FL_NONE,
		.last = FL_NONE,
		.next = { FL_NONE },
	};
}

/* Enters rows of this call for @n and all queues above it, and links them. */
static void enter(const struct call *c, struct fl_node n)
{
	struct loser *losers = c->s->losers;
	uint32_t child = FL_NONE;

	for (;; n = c->queues[n.v].parent) {
		uint32_t row = row_of(c, n);
		bool is_new = !is_in(c, row);

		if (is_new) {
			begin(c, row);
			losers[row].remaining = c->queues[row].allocated;
		}
		if (child != FL_NONE) {
			losers[child].sibling = losers[row].child;
			losers[row].child = child;
		}
		if (!is_new)
			return;
		child = row;
	}
}

/*
 * Groups victims by queue, in the order of their first victims; returns the first queue, or none.
 */
static struct fl_node group(const struct call *c, uint32_t n_victims)
{
	struct fl_node first = { FL_NONE }, last = { FL_NONE };
	struct loser *losers = c->s->losers;

	for (uint32_t i = 0; i < n_victims; i++) {
		struct fl_node q = c->victims[i].queue;

		enter(c, q);
		c->s->next[i] = FL_NONE;
		if (losers[q.v].victim != FL_NONE) {
			c->s->next[losers[q.v].last] = i;
		} else {
			losers[q.v].victim = i;
			*(last.v == FL_NONE ? &first : &losers[last.v].next) = q;
			last = q;
		}
		losers[q.v].last = i;
	}
	return first;
}

static void lose(const struct call *c, const struct fl_reclaim_victim *victim)
{
	for (struct fl_node n = victim->queue; n.v != FL_NONE; n = c->queues[n.v].parent) {
		struct loser *l = &c->s->losers[n.v];

		fl_bundle_take(&l->remaining, &victim->amount);
		for (int r = 0; r < FL_BUNDLE; r++)
			l->involved |= (unsigned)(victim->amount.of[r] > 0) << r;
	}
}

bool fl_reclaim_passes(const struct fl_standing *queues, struct fl_node own, struct fl_node side,
		       const struct fl_bundle *request, const struct fl_bundle *remaining,
		       struct fl_workload victim, const struct fl_witness *witness)
{
	const struct fl_rule_compared compared = {
		.node = side,
		.victim = victim,
		.kind = FL_NUMBER_BUNDLE,
	};

	return maintains_fair_share(witness, compared, &queues[side.v], remaining) ||
	       guarantees_deserved(witness, compared, own, &queues[own.v], request, &queues[side.v],
				   remaining);
}

/* A: do all victims of queue @q pass, one after another? */
static bool victims_pass(const struct call *c, struct fl_node q)
{
	const struct loser *losers = c->s->losers;
	const struct fl_standing *queues = c->queues;
	struct fl_node own, side;

	fl_reclaim_sides(queues, c->reclaimer->queue, q, &own, &side);
	for (uint32_t i = losers[q.v].victim; i != FL_NONE; i = c->s->next[i]) {
		if (!fl_reclaim_passes(queues, own, side, &c->reclaimer->request,
				       &losers[side.v].remaining, c->victims[i].workload, c->nosy))
			return false;
		lose(c, &c->victims[i]);
	}
	return true;
}

/* --- B: every level of the reclaimer --- */

/* Compares @n, which would hold @mine, with its sibling @s, which loses something. */
static bool stays_less_saturated(const struct call *c, struct fl_node n,
				 const struct fl_bundle *mine, struct fl_node s)
{
	const struct fl_bundle *share = &c->queues[n.v].fair_share;
	const struct fl_bundle *other = &c->queues[s.v].fair_share;
	const struct loser *l = &c->s->losers[s.v];
	const struct fl_rule_compared compared = {
		.check = FL_CHECK_SATURATION,
		.node = s,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_RATIO,
	};

	for (int r = 0; r < FL_BUNDLE; r++) {
		double x = fl_saturation(mine->of[r], share->of[r]);
		double y = fl_saturation(l->remaining.of[r], other->of[r]);
		bool counts = (l->involved >> r & 1) || c->reclaimer->request.of[r] > 0;

		if (c->options->multiplied_first)
			x *= c->options->multiplier;
		if (!counts || !(x > 1) || !(other->of[r] > 0))
			continue;
		if (!c->options->multiplied_first)
			x *= c->options->multiplier;
		fl_witness_hears(c->witness, &compared, r, x, y, x < y);
		if (x >= y)
			return false;
	}
	return true;
}

/*
 * keep_below_quota: a queue that held less than it deserves must not hold more than it deserves
 * afterwards.
 */
static bool stays_below_quota(const struct call *c, struct fl_node n, const struct fl_bundle *mine)
{
	const struct fl_standing *q = &c->queues[n.v];
	const struct fl_rule_compared compared = {
		.check = FL_CHECK_KEEPS_BELOW_QUOTA,
		.node = n,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_BUNDLE,
	};

	for (int r = 0; r < FL_BUNDLE; r++) {
		double deserved = q->deserved.of[r];

		if (deserved == FL_UNBOUNDED || !(c->reclaimer->request.of[r] > 0) ||
		    !(q->allocated.of[r] < deserved))
			continue;
		fl_witness_hears(c->witness, &compared, r, mine->of[r], deserved,
				 mine->of[r] <= deserved);
		if (mine->of[r] > deserved)
			return false;
	}
	return true;
}

static bool level_passes(const struct call *c, struct fl_node n)
{
	const struct loser *losers = c->s->losers;
	const struct fl_bundle mine = sum(is_in(c, n.v) ? &losers[n.v].remaining :
							  &c->queues[n.v].allocated,
					  &c->reclaimer->request);
	uint32_t parent = row_of(c, c->queues[n.v].parent);

	for (uint32_t s = is_in(c, parent) ? losers[parent].child : FL_NONE; s != FL_NONE;
	     s = losers[s].sibling)
		if (s != n.v && !stays_less_saturated(c, n, &mine, (struct fl_node){ s }))
			return false;
	return keeps_within_deserved(c->queues, n, c->reclaimer, c->witness) &&
	       (!c->options->keep_below_quota || stays_below_quota(c, n, &mine));
}

/*
 * protect_quota for @n.  What it held need not be compared: if it held less than it deserves and
 * loses some of it, it holds less than it deserves now.
 */
static bool keeps_quota(const struct call *c, struct fl_node n)
{
	const struct fl_bundle *deserved = &c->queues[n.v].deserved;
	const struct loser *l = &c->s->losers[n.v];
	const struct fl_rule_compared compared = {
		.check = FL_CHECK_PROTECTED_QUOTA,
		.node = n,
		.victim = { FL_NONE },
		.kind = FL_NUMBER_BUNDLE,
	};

	for (int r = 0; r < FL_BUNDLE; r++) {
		bool holds = deserved->of[r] <= l->remaining.of[r];

		if (deserved->of[r] == FL_UNBOUNDED || !(l->involved >> r & 1))
			continue;
		fl_witness_hears(c->witness, &compared, r, deserved->of[r], l->remaining.of[r],
				 holds);
		if (!holds)
			return false;
	}
	return true;
}

/* The same for all queues from leaf @q up to its side. */
static bool side_keeps_quota(const struct call *c, struct fl_node q)
{
	struct fl_node own, side;

	fl_reclaim_sides(c->queues, c->reclaimer->queue, q, &own, &side);
	for (;; q = c->queues[q.v].parent) {
		if (!keeps_quota(c, q))
			return false;
		if (q.v == side.v)
			return true;
	}
}

bool fl_reclaim_allows(const struct fl_standing *queues, const struct fl_reclaim_options *options,
		       const struct fl_reclaimer *reclaimer,
		       const struct fl_reclaim_victim *victims, uint32_t n_victims,
		       struct fl_reclaim_scratch *scratch, const struct fl_witness *witness)
{
	const struct call c = {
		.queues = queues,
		.options = options,
		.reclaimer = reclaimer,
		.victims = victims,
		.s = scratch,
		.witness = witness,
		.nosy = witness && !witness->sink->not_victims ? witness : NULL,
	};
	struct fl_node first, n;

	scratch->call++;
	begin(&c, scratch->n_nodes);
	first = group(&c, n_victims);
	for (n = first; n.v != FL_NONE; n = scratch->losers[n.v].next)
		if (!victims_pass(&c, n))
			return false;
	for (n = reclaimer->queue; n.v != FL_NONE; n = queues[n.v].parent)
		if (!level_passes(&c, n))
			return false;
	for (n = first; n.v != FL_NONE && options->protect_quota; n = scratch->losers[n.v].next)
		if (!side_keeps_quota(&c, n))
			return false;
	return true;
}
