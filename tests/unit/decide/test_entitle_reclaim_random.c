/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of reclaim on trees at random: against a second way to write them down, one that
 * copies everything; and what they promise.
 */
#include <math.h>

#include "decide/entitle/rules/reclaim_rules.h"
#include "entitle_rows.h"

enum { NODES = 12, VICTIMS = 6, WORLDS = 10000 };

struct world {
	struct fl_standing q[NODES];
	struct fl_reclaimer reclaimer;
	struct fl_reclaim_victim victims[VICTIMS];
	uint32_t n_victims;
};

static struct fl_bundle some(uint64_t *seed, uint32_t from, uint32_t n)
{
	struct fl_bundle b;

	for (int r = 0; r < FL_BUNDLE; r++)
		b.of[r] = (double)chance(seed, n + from) - from;
	return b;
}

static bool has_children(const struct world *w, uint32_t n)
{
	for (uint32_t i = n + 1; i < NODES; i++)
		if (w->q[i].parent.v == n)
			return true;
	return false;
}

static uint32_t some_leaf_but(const struct world *w, uint32_t other, uint64_t *seed)
{
	uint32_t n;

	do
		n = chance(seed, NODES);
	while (n == other || has_children(w, n));
	return n;
}

static void make_world(struct world *w, uint64_t *seed)
{
	for (uint32_t i = 0; i < NODES; i++) {
		struct fl_standing *q = &w->q[i];
		bool is_top = i < 2 || chance(seed, 3) == 0;

		*q = (struct fl_standing){ .parent = { is_top ? FL_NONE : chance(seed, i) } };
		q->deserved = some(seed, 1, 4);
		q->limit = chance(seed, 3) ? (struct fl_bundle)ALL(-1) : some(seed, 1, 8);
		q->fair_share = some(seed, chance(seed, 4) == 0, 6);
	}
	set_depths(w->q, NODES);
	/* What leaves hold, all above them hold, so that victims can be taken from somebody. */
	for (uint32_t i = NODES; i-- > 0;) {
		if (!has_children(w, i)) {
			w->q[i].allocated = some(seed, 0, 6);
			w->q[i].non_preemptible = some(seed, 0, 2);
		}
		if (w->q[i].parent.v != FL_NONE)
			fl_bundle_add(&w->q[w->q[i].parent.v].allocated, &w->q[i].allocated);
	}
	w->reclaimer.queue.v = some_leaf_but(w, FL_NONE, seed);
	w->reclaimer.preemptible = chance(seed, 3) > 0;
	w->reclaimer.request = some(seed, 0, 3);
	w->n_victims = 1 + chance(seed, VICTIMS);
	for (uint32_t i = 0; i < w->n_victims; i++)
		w->victims[i] = (struct fl_reclaim_victim){
			.queue = { some_leaf_but(w, w->reclaimer.queue.v, seed) },
			.amount = some(seed, 0, 3),
			.workload = { i },
		};
}

/* --- the second way --- */

struct naive {
	struct fl_bundle remaining[NODES];
	bool touched[NODES], involved[NODES][FL_BUNDLE];
};

static double unlimited(double a) { return a == -1 ? (double)INFINITY : a; }
static bool le(double a, double b) { return unlimited(a) <= unlimited(b); }

/* From the top to @n; how many. */
static uint32_t path_to(const struct world *w, uint32_t n, uint32_t path[NODES])
{
	uint32_t up[NODES], count = 0;

	for (; n != FL_NONE; n = w->q[n].parent.v)
		up[count++] = n;
	for (uint32_t i = 0; i < count; i++)
		path[i] = up[count - 1 - i];
	return count;
}

static void naive_sides(const struct world *w, uint32_t victim, uint32_t *own, uint32_t *side)
{
	uint32_t x[NODES], y[NODES];
	uint32_t nx = path_to(w, w->reclaimer.queue.v, x), ny = path_to(w, victim, y);

	for (uint32_t i = 0; i < nx && i < ny; i++) {
		*own = x[i];
		*side = y[i];
		if (x[i] != y[i])
			return;
	}
}

static double naive_may(const struct fl_standing *q, int r)
{
	double m = fmax(q->deserved.of[r], q->fair_share.of[r]);

	if (q->deserved.of[r] == -1)
		return q->limit.of[r];
	return q->limit.of[r] == -1 ? m : fmin(q->limit.of[r], m);
}

static bool naive_passes(const struct world *w, const struct naive *s, uint32_t own, uint32_t side)
{
	bool over_share = false, over_quota = false, own_within = true;

	for (int r = 0; r < FL_BUNDLE; r++) {
		double left = s->remaining[side].of[r];

		over_share |= !le(left, naive_may(&w->q[side], r));
		over_quota |= !le(left, w->q[side].deserved.of[r]);
		own_within &= le(w->q[own].allocated.of[r] + w->reclaimer.request.of[r],
				 w->q[own].deserved.of[r]);
	}
	return over_share || (own_within && over_quota);
}

static bool naive_victims(const struct world *w, struct naive *s)
{
	bool seen[NODES] = { false };

	for (uint32_t i = 0; i < w->n_victims; i++) {
		uint32_t queue = w->victims[i].queue.v, own = 0, side = 0;

		if (seen[queue])
			continue;
		seen[queue] = true;
		naive_sides(w, queue, &own, &side);
		for (uint32_t j = i; j < w->n_victims; j++) {
			if (w->victims[j].queue.v != queue)
				continue;
			if (!naive_passes(w, s, own, side))
				return false;
			for (uint32_t n = queue; n != FL_NONE; n = w->q[n].parent.v) {
				s->touched[n] = true;
				for (int r = 0; r < FL_BUNDLE; r++) {
					s->remaining[n].of[r] -= w->victims[j].amount.of[r];
					s->involved[n][r] |= w->victims[j].amount.of[r] > 0;
				}
			}
		}
	}
	return true;
}

static double naive_saturation(double amount, double share)
{
	if (share == -1)
		return 0;
	if (share == 0)
		return amount > 0 ? INFINITY : 0;
	return amount / share;
}

static bool naive_level(const struct world *w, const struct naive *s, uint32_t n,
			const struct fl_reclaim_options *options)
{
	const struct fl_bundle *request = &w->reclaimer.request;

	for (int r = 0; r < FL_BUNDLE; r++) {
		const struct fl_standing *q = &w->q[n];
		double mine = s->remaining[n].of[r] + request->of[r];
		double x = naive_saturation(mine, q->fair_share.of[r]);

		for (uint32_t i = 0; i < NODES; i++) {
			double y = naive_saturation(s->remaining[i].of[r],
						    w->q[i].fair_share.of[r]);

			if (i == n || !s->touched[i] || w->q[i].parent.v != q->parent.v ||
			    (!s->involved[i][r] && request->of[r] <= 0) ||
			    (q->fair_share.of[r] == -1 && w->q[i].fair_share.of[r] == -1))
				continue;
			if (x > 1 && w->q[i].fair_share.of[r] > 0 && x * options->multiplier >= y)
				return false;
		}
		if (!w->reclaimer.preemptible &&
		    !le(q->non_preemptible.of[r] + request->of[r], q->deserved.of[r]))
			return false;
	}
	return true;
}

static bool naive_allows(const struct world *w, const struct fl_reclaim_options *options)
{
	struct naive s = { .touched = { false } };

	for (uint32_t i = 0; i < NODES; i++)
		s.remaining[i] = w->q[i].allocated;
	if (!naive_victims(w, &s))
		return false;
	for (uint32_t n = w->reclaimer.queue.v; n != FL_NONE; n = w->q[n].parent.v)
		if (!naive_level(w, &s, n, options))
			return false;
	return true;
}

/* --- the promises --- */

static double taken_from(const struct world *w, uint32_t n, int r)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->n_victims; i++)
		for (uint32_t q = w->victims[i].queue.v; q != FL_NONE; q = w->q[q].parent.v)
			sum += q == n ? w->victims[i].amount.of[r] : 0;
	return sum;
}

static bool is_above(const struct world *w, uint32_t n, uint32_t leaf)
{
	for (; leaf != FL_NONE; leaf = w->q[leaf].parent.v)
		if (leaf == n)
			return true;
	return false;
}

/* Whoever held less than it deserves does not hold more. */
static bool kept_below(const struct world *w)
{
	for (uint32_t n = 0; n < NODES; n++)
		for (int r = 0; r < FL_BUNDLE; r++) {
			double held = w->q[n].allocated.of[r], quota = w->q[n].deserved.of[r];
			double gets = is_above(w, n, w->reclaimer.queue.v) ?
					      w->reclaimer.request.of[r] :
					      0;

			if (quota != -1 && gets > 0 && held < quota &&
			    held - taken_from(w, n, r) + gets > quota)
				return false;
		}
	return true;
}

/* Who does not get anything keeps what it held of its quota. */
static bool kept_quota(const struct world *w)
{
	for (uint32_t n = 0; n < NODES; n++)
		for (int r = 0; r < FL_BUNDLE; r++) {
			double held = w->q[n].allocated.of[r], quota = w->q[n].deserved.of[r];
			double taken = taken_from(w, n, r);

			if (quota != -1 && taken > 0 && !is_above(w, n, w->reclaimer.queue.v) &&
			    held - taken < fmin(held, quota))
				return false;
		}
	return true;
}

struct tally {
	int yes, no, broken_below, broken_quota, by_multiplier;
};

static void look_at(const struct world *w, struct fl_reclaim_scratch *scratch, struct tally *t)
{
	const struct fl_reclaim_options once = { .multiplier = 1 };
	const struct fl_reclaim_options twice = { .multiplier = 2 };
	const struct fl_reclaim_options keep = { .multiplier = 1, .keep_below_quota = true };
	const struct fl_reclaim_options protect = { .multiplier = 1, .protect_quota = true };
	struct heard heard = { 0 };
	const struct fl_sink sink = { .row = hear, .user = &heard };
	const struct fl_witness witness = { &sink, test_axis, { 7 }, 1 };
	struct world more = *w;
	bool plain = naive_allows(w, &once), strict = naive_allows(w, &twice);

#define ALLOWS(w, options, witness)                                                                \
	fl_reclaim_allows((w)->q, options, &(w)->reclaimer, (w)->victims, (w)->n_victims, scratch, \
			  witness)
	assert_int_equal(ALLOWS(w, &once, NULL), plain);
	assert_int_equal(ALLOWS(w, &twice, NULL), strict);
	assert_true(plain || !strict);
	/* Somebody who listens changes nothing; the last thing to hear is why not. */
	assert_int_equal(ALLOWS(w, &once, &witness), plain);
	assert_true(plain || (heard.n > 0 && !heard.last.holds));
	/* The modes are what was allowed and keeps their promise, neither more nor less. */
	assert_int_equal(ALLOWS(w, &keep, NULL), plain && kept_below(w));
	assert_int_equal(ALLOWS(w, &protect, NULL), plain && kept_quota(w));
	/* A larger request, of the same resources. */
	for (int r = 0; r < FL_BUNDLE; r++)
		more.reclaimer.request.of[r] *= 1.5;
	assert_true(plain || !ALLOWS(&more, &once, NULL));
#undef ALLOWS
	*(plain ? &t->yes : &t->no) += 1;
	t->broken_below += plain && !kept_below(w);
	t->broken_quota += plain && !kept_quota(w);
	t->by_multiplier += plain && !strict;
}

TEST(random_worlds)
{
	struct fl_reclaim_scratch *scratch;
	struct tally t = { 0 };
	struct fl_arena arena;
	uint64_t seed = 3;

	fl_arena_init(&arena, &fl_mem_heap);
	assert_int_equal(fl_reclaim_scratch_new(&arena, NODES, VICTIMS, &scratch, NULL), 0);
	for (int i = 0; i < WORLDS; i++) {
		struct world w;

		make_world(&w, &seed);
		look_at(&w, scratch, &t);
	}
	fl_arena_done(&arena);
	print_message(
		"# allowed %d, refused %d; by default %d rise above their quota, %d fall below, "
		"multiplier refuses %d\n",
		t.yes, t.no, t.broken_below, t.broken_quota, t.by_multiplier);
	assert_true(t.yes > WORLDS / 20 && t.no > WORLDS / 20);
	assert_true(t.broken_below > 0 && t.broken_quota > 0 && t.by_multiplier > 0);
}

UNIT_GROUP("entitle-reclaim-random")
