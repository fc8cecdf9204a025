/* SPDX-License-Identifier: Apache-2.0 */
/* May a queue reclaim, and may these be the victims? */
#include <math.h>

#include "decide/entitle/rules/reclaim_rules.h"
#include "entitle_rows.h"

static const struct fl_reclaim_options plain = { .multiplier = 1 };

/* One question in a scratch of its own. */
static bool allows(const struct fl_standing *queues, uint32_t n,
		   const struct fl_reclaim_options *options, const struct fl_reclaimer *reclaimer,
		   const struct fl_reclaim_victim *victims, uint32_t n_victims,
		   const struct fl_witness *witness)
{
	struct fl_reclaim_scratch *scratch;
	struct fl_arena arena;
	bool result;

	fl_arena_init(&arena, &fl_mem_heap);
	assert_int_equal(fl_reclaim_scratch_new(&arena, n, n_victims, &scratch, NULL), 0);
	result = fl_reclaim_allows(queues, options, reclaimer, victims, n_victims, scratch,
				   witness);
	fl_arena_done(&arena);
	return result;
}

static struct fl_reclaim_victim gpus(uint32_t queue, double amount)
{
	return (struct fl_reclaim_victim){ { queue }, GPU(amount), { 100 + queue } };
}

TEST(may)
{
	static const struct {
		const char *name;
		struct fl_bundle deserved, fair, held, non_preemptible;
		bool preemptible, want;
	} rows[] = {
		{ "up to its fair share", ALL(0), ALL(3), ALL(2), ALL(2), true, true },
		{ "above it in one", ALL(9), OF(3, 3, 2.5), ALL(2), ALL(0), true, false },
		{ "a share that is not bounded", ALL(0), OF(-1, -1, 3), ALL(2), ALL(2), true,
		  true },
		{ "not preemptible, within quota", ALL(3), ALL(9), ALL(4), ALL(2), false, true },
		{ "not preemptible, above in one", OF(3, 2, 3), ALL(9), ALL(4), ALL(2), false,
		  false },
		{ "preemptible, above quota", OF(3, 2, 3), ALL(9), ALL(4), ALL(2), true, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_standing q = {
			.parent = { FL_NONE },
			.deserved = rows[i].deserved,
			.fair_share = rows[i].fair,
			.allocated = rows[i].held,
			.non_preemptible = rows[i].non_preemptible,
		};
		const struct fl_reclaimer reclaimer = { { 0 }, rows[i].preemptible, ALL(1) };
		struct heard heard = { 0 };
		const struct fl_sink sink = { .row = hear, .user = &heard };
		const struct fl_witness witness = { &sink, test_axis, { 7 }, 1 };

		CHECK(fl_reclaim_may(&q, &reclaimer, &witness) == rows[i].want, rows[i].name);
		CHECK(fl_reclaim_may(&q, &reclaimer, NULL) == rows[i].want, rows[i].name);
		CHECK((heard.n_refusals > 0) != rows[i].want, rows[i].name);
	}
}

/* A > (AX > (LEFT, RIGHT), LOW), and B > FAR. */
enum { A, B, AX, LEFT, RIGHT, LOW, FAR, TREE };

/* Nobody has anything, in GPUs, and everybody's share is 0. */
static void tree(struct fl_standing q[TREE])
{
	static const uint32_t parents[TREE] = { FL_NONE, FL_NONE, A, AX, AX, A, B };

	for (uint32_t i = 0; i < TREE; i++)
		q[i] = gpu_queue(parents[i], 0, 0, 0);
	set_depths(q, TREE);
}

TEST(sides)
{
	static const struct {
		const char *name;
		uint32_t reclaimer, victim, own, side;
	} rows[] = {
		{ "siblings", LEFT, RIGHT, LEFT, RIGHT },
		{ "two trees", LEFT, FAR, A, B },
		{ "an uncle", LEFT, LOW, AX, LOW },
		{ "a nephew", LOW, LEFT, LOW, AX },
		{ "the same", LEFT, LEFT, LEFT, LEFT },
		{ "above", LEFT, AX, AX, AX },
		{ "below", A, LEFT, A, A },
	};
	struct fl_standing q[TREE];

	tree(q);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_node own, side;

		fl_reclaim_sides(q, NODE(rows[i].reclaimer), NODE(rows[i].victim), &own, &side);
		CHECK(own.v == rows[i].own && side.v == rows[i].side, rows[i].name);
	}
}

TEST(strategies)
{
	static const struct {
		const char *name;
		struct fl_bundle own_deserved, own_held, deserved, fair, limit, remaining;
		bool maintain, guarantee;
	} rows[] = {
		{ "over both", ALL(3), ALL(2), ALL(1), ALL(2), ALL(-1), ALL(3), true, true },
		{ "at its share, over its quota", ALL(3), ALL(2), ALL(1), ALL(2), ALL(-1), ALL(2),
		  false, true },
		{ "over in one resource", ALL(3), ALL(2), ALL(1), ALL(2), ALL(-1), OF(0, 3, 0),
		  true, true },
		{ "a quota above its share counts", ALL(3), ALL(2), ALL(5), ALL(2), ALL(-1), ALL(4),
		  false, false },
		{ "a limit below its share counts", ALL(3), ALL(2), ALL(0), ALL(5), ALL(3), ALL(4),
		  true, true },
		{ "a quota that is not bounded", ALL(3), ALL(2), ALL(-1), ALL(2), ALL(-1), ALL(9),
		  false, false },
		{ "the reclaimer above its quota", OF(3, 2, 3), ALL(2), ALL(1), ALL(2), ALL(-1),
		  ALL(2), false, false },
		{ "the reclaimer's is not bounded", OF(3, -1, 3), ALL(2), ALL(1), ALL(2), ALL(-1),
		  ALL(2), false, true },
	};
	const struct fl_bundle request = ALL(1);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_standing own = { .deserved = rows[i].own_deserved,
						 .allocated = rows[i].own_held };
		const struct fl_standing side = { .deserved = rows[i].deserved,
						  .fair_share = rows[i].fair,
						  .limit = rows[i].limit };

		CHECK(fl_reclaim_maintains_fair_share(&side, &rows[i].remaining) ==
			      rows[i].maintain,
		      rows[i].name);
		CHECK(fl_reclaim_guarantees_deserved(&own, &request, &side, &rows[i].remaining) ==
			      rows[i].guarantee,
		      rows[i].name);
	}
}

/* Two queues at the top: the reclaimer deserves 2 and has a share of 4; the victim's 4 and 4. */
static void pair(struct fl_standing q[2], double reclaimer_holds, double victim_holds)
{
	q[0] = gpu_queue(FL_NONE, 2, 4, reclaimer_holds);
	q[1] = gpu_queue(FL_NONE, 4, 4, victim_holds);
	set_depths(q, 2);
}

/* The test is made before a victim goes: the last may take its queue below its quota. */
TEST(protect_quota)
{
	static const struct fl_reclaim_options protect = { .multiplier = 1, .protect_quota = true };
	static const struct {
		const char *name;
		double deserved, held, victim;
		bool plain, protect;
	} rows[] = {
		{ "the last victim is larger than what is over", 4, 5, 2, true, false },
		{ "down to the quota", 4, 5, 1, true, true },
		{ "a quota of nothing protects nothing", 0, 5, 5, true, true },
		{ "not over: refused anyway", 4, 4, 1, false, false },
	};
	const struct fl_reclaimer reclaimer = { { 0 }, true, GPU(1) };

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_reclaim_victim victim = gpus(1, rows[i].victim);
		struct fl_standing q[2];

		pair(q, 0, rows[i].held);
		q[1].deserved.of[FL_GPU] = rows[i].deserved;
		CHECK(allows(q, 2, &plain, &reclaimer, &victim, 1, NULL) == rows[i].plain,
		      rows[i].name);
		CHECK(allows(q, 2, &protect, &reclaimer, &victim, 1, NULL) == rows[i].protect,
		      rows[i].name);
	}
}

/* Every level up to the side, not only the side: it stays above its quota, the leaf does not. */
TEST(protect_quota_below_the_side)
{
	static const struct fl_reclaim_options protect = { .multiplier = 1, .protect_quota = true };
	const struct fl_reclaimer reclaimer = { { FAR }, true, GPU(2) };
	const struct fl_reclaim_victim victim = gpus(LEFT, 2);
	struct fl_standing q[TREE];

	tree(q);
	q[FAR].fair_share.of[FL_GPU] = q[B].fair_share.of[FL_GPU] = 4;
	q[A].allocated.of[FL_GPU] = q[AX].allocated.of[FL_GPU] = 9;
	q[A].deserved.of[FL_GPU] = q[AX].deserved.of[FL_GPU] = 5;
	q[LEFT].allocated.of[FL_GPU] = q[LEFT].deserved.of[FL_GPU] = 3;
	assert_true(allows(q, TREE, &plain, &reclaimer, &victim, 1, NULL));
	assert_false(allows(q, TREE, &protect, &reclaimer, &victim, 1, NULL));
	q[LEFT].deserved.of[FL_GPU] = 1;
	assert_true(allows(q, TREE, &protect, &reclaimer, &victim, 1, NULL));
	/* Quota that is not bounded promises nothing. */
	q[LEFT].deserved.of[FL_GPU] = FL_UNBOUNDED;
	assert_true(allows(q, TREE, &protect, &reclaimer, &victim, 1, NULL));
}

/* A queue below its quota may be above it after a reclaim by fair share. */
TEST(keep_below_quota)
{
	static const struct fl_reclaim_options keep = { .multiplier = 1, .keep_below_quota = true };
	static const struct {
		const char *name;
		double deserved, held, request;
		bool plain, keep;
	} rows[] = {
		{ "from below to above", 2, 1, 2, true, false },
		{ "from nothing to above", 2, 0, 3, true, false },
		{ "from below to its quota", 2, 1, 1, true, true },
		{ "it was at its quota", 2, 2, 1, true, true },
		{ "it was above", 2, 2.5, 1, true, true },
		{ "it deserves nothing", 0, 0, 2, true, true },
		{ "what it deserves is not bounded", -1, 0, 4, true, true },
		{ "not asked for", 2, 1, 0, true, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_reclaimer reclaimer = { { 0 }, true, GPU(rows[i].request) };
		const struct fl_reclaim_victim victim = gpus(1, 4);
		struct fl_standing q[2];

		pair(q, rows[i].held, 8);
		q[0].deserved.of[FL_GPU] = rows[i].deserved;
		CHECK(allows(q, 2, &plain, &reclaimer, &victim, 1, NULL) == rows[i].plain,
		      rows[i].name);
		CHECK(allows(q, 2, &keep, &reclaimer, &victim, 1, NULL) == rows[i].keep,
		      rows[i].name);
	}
}

/* The same of a queue above the leaf; what victims below it gave up counts. */
TEST(keep_below_quota_above_the_leaf)
{
	static const struct fl_reclaim_options keep = { .multiplier = 1, .keep_below_quota = true };
	const struct fl_reclaimer reclaimer = { { LEFT }, true, GPU(2) };
	const struct fl_reclaim_victim near = gpus(RIGHT, 2), far = gpus(FAR, 2);
	struct fl_standing q[TREE];

	tree(q);
	for (uint32_t i = 0; i < TREE; i++)
		q[i].fair_share.of[FL_GPU] = 4;
	q[A].fair_share.of[FL_GPU] = 8;
	q[AX].fair_share.of[FL_GPU] = 8;
	q[A].deserved.of[FL_GPU] = 6;
	q[A].allocated.of[FL_GPU] = q[AX].allocated.of[FL_GPU] = 5;
	q[RIGHT].allocated.of[FL_GPU] = 5;
	q[B].allocated.of[FL_GPU] = q[FAR].allocated.of[FL_GPU] = 9;
	assert_true(allows(q, TREE, &plain, &reclaimer, &near, 1, NULL));
	assert_true(allows(q, TREE, &keep, &reclaimer, &near, 1, NULL));
	assert_true(allows(q, TREE, &plain, &reclaimer, &far, 1, NULL));
	assert_false(allows(q, TREE, &keep, &reclaimer, &far, 1, NULL));
}

/* What one queue of a side has lost, the next one's victims have to do without. */
TEST(side_is_shared)
{
	const struct fl_reclaimer reclaimer = { { FAR }, true, GPU(1) };
	const struct fl_reclaim_victim small_first[] = { gpus(LEFT, 1), gpus(RIGHT, 3) };
	const struct fl_reclaim_victim large_first[] = { gpus(RIGHT, 3), gpus(LEFT, 1) };
	const struct fl_reclaim_victim mixed[] = { gpus(LEFT, 1), gpus(RIGHT, 3), gpus(LEFT, 1) };
	struct fl_standing q[TREE];

	tree(q);
	q[B].fair_share.of[FL_GPU] = q[FAR].fair_share.of[FL_GPU] = 1;
	q[A].fair_share.of[FL_GPU] = 4;
	q[A].allocated.of[FL_GPU] = q[AX].allocated.of[FL_GPU] = 6;
	q[LEFT].allocated.of[FL_GPU] = q[RIGHT].allocated.of[FL_GPU] = 3;
	/* From 6 to 5 to 2, with a share of 4; the other way it is at 3 for the second. */
	assert_true(allows(q, TREE, &plain, &reclaimer, small_first, 2, NULL));
	assert_false(allows(q, TREE, &plain, &reclaimer, large_first, 2, NULL));
	/* Queue by queue: 6, 5, and at 4 it is over no more. */
	assert_false(allows(q, TREE, &plain, &reclaimer, mixed, 3, NULL));
	q[A].fair_share.of[FL_GPU] = 3.5;
	assert_true(allows(q, TREE, &plain, &reclaimer, mixed, 3, NULL));
}

/* Saturation decides only where an ancestor of the reclaimer is above its share. */
TEST(saturation)
{
	static const struct {
		const char *name;
		double multiplier, own_share, own_held, share, held, victim;
		bool want;
	} rows[] = {
		/* 5 of 4 with the request against what is left of the other. */
		{ "less saturated", 1, 4, 4, 2, 4, 1, true },
		{ "as saturated", 1, 4, 4, 2.4, 4, 1, false },
		{ "more saturated", 1, 4, 4, 3, 4, 1, false },
		{ "within its share nothing is asked", 9, 5, 4, 3.9, 4, 4, true },
		{ "a multiplier that is too much", 1.3, 4, 4, 2, 4, 1, false },
		{ "a multiplier that is not", 1.15, 4, 4, 2, 4, 1, true },
		{ "the other's share is nothing", 1, 4, 4, 0, 4, 1, true },
		{ "its own share is nothing", 1, 0, 0, 2, 99, 1, false },
		{ "its own share is not bounded", 9, -1, 4, 2, 4, 4, true },
		{ "the other's share is not bounded", 1, 4, 4, -1, 4, 1, true },
	};
	const struct fl_reclaimer reclaimer = { { LEFT }, true, GPU(1) };

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fl_reclaim_options options = { .multiplier = rows[i].multiplier };
		const struct fl_reclaim_victim victim = gpus(FAR, rows[i].victim);
		struct fl_standing q[TREE];

		tree(q);
		q[LEFT].fair_share.of[FL_GPU] = q[AX].fair_share.of[FL_GPU] = 9;
		q[A].fair_share.of[FL_GPU] = rows[i].own_share;
		q[A].allocated.of[FL_GPU] = rows[i].own_held;
		q[B].fair_share.of[FL_GPU] = q[FAR].fair_share.of[FL_GPU] = rows[i].share;
		q[B].allocated.of[FL_GPU] = q[FAR].allocated.of[FL_GPU] = rows[i].held;
		CHECK(allows(q, TREE, &options, &reclaimer, &victim, 1, NULL) == rows[i].want,
		      rows[i].name);
	}
}

/*
 * The documented multiplier also binds a queue that stays within its share; with 1 it decides what
 * the ordinary one does.
 */
TEST(multiplied_first)
{
	static const struct {
		const char *name;
		double multiplier, own_held, held;
		bool plain, want;
	} rows[] = {
		/* Shares of 4 each; the reclaimer asks for 1, and the victim loses 1. */
		{ "1 within the share", 1, 3, 5, true, true },
		{ "1 above the share", 1, 4, 6, false, false },
		{ "less than the part that is left out", 1.2, 2, 6, true, true },
		{ "as much: above 1, and as saturated as the victim", 1.2, 3, 5, true, false },
		{ "above 1, and the victim is more saturated", 1.2, 3, 6, true, true },
		{ "twice: half of a share is free", 2, 1, 5, true, true },
		{ "twice: above half of it the victim must be twice as saturated", 2, 2, 6, true,
		  false },
	};
	const struct fl_reclaimer reclaimer = { { 0 }, true, GPU(1) };
	const struct fl_reclaim_victim victim = gpus(1, 1);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_reclaim_options options = { .multiplier = rows[i].multiplier };
		struct fl_standing q[2];

		pair(q, rows[i].own_held, rows[i].held);
		q[0].fair_share.of[FL_GPU] = q[1].fair_share.of[FL_GPU] = 4;
		CHECK(allows(q, 2, &options, &reclaimer, &victim, 1, NULL) == rows[i].plain,
		      rows[i].name);
		options.multiplied_first = true;
		CHECK(allows(q, 2, &options, &reclaimer, &victim, 1, NULL) == rows[i].want,
		      rows[i].name);
	}
}

/* Only what is asked for, or what victims held, is compared. */
TEST(saturation_of_involved)
{
	const struct fl_reclaimer reclaimer = { { 0 }, true, GPU(1) };
	struct fl_reclaim_victim victim = gpus(1, 1);
	struct fl_standing q[2];

	pair(q, 0, 8);
	q[0].fair_share.of[FL_CPU] = q[1].fair_share.of[FL_CPU] = 2;
	q[0].allocated.of[FL_CPU] = 4;
	q[1].allocated.of[FL_CPU] = 3;
	assert_true(allows(q, 2, &plain, &reclaimer, &victim, 1, NULL));
	victim.amount.of[FL_CPU] = 0.5;
	assert_false(allows(q, 2, &plain, &reclaimer, &victim, 1, NULL));
}

TEST(non_preemptible_at_every_level)
{
	struct fl_reclaimer reclaimer = { { LEFT }, false, GPU(1) };
	const struct fl_reclaim_victim victim = gpus(FAR, 1);
	struct fl_standing q[TREE];

	tree(q);
	for (uint32_t i = 0; i < TREE; i++) {
		q[i].fair_share.of[FL_GPU] = 4;
		q[i].deserved.of[FL_GPU] = 3;
	}
	q[B].allocated.of[FL_GPU] = q[FAR].allocated.of[FL_GPU] = 9;
	q[A].non_preemptible.of[FL_GPU] = 2;
	assert_true(allows(q, TREE, &plain, &reclaimer, &victim, 1, NULL));
	q[A].non_preemptible.of[FL_GPU] = 2.5;
	assert_false(allows(q, TREE, &plain, &reclaimer, &victim, 1, NULL));
	reclaimer.preemptible = true;
	assert_true(allows(q, TREE, &plain, &reclaimer, &victim, 1, NULL));
}

/* The row that refuses is the last one, with both numbers; rows of victims can be left out. */
TEST(evidence)
{
	const struct fl_reclaimer reclaimer = { { 0 }, true, GPU(3) };
	const struct fl_reclaim_victim victims[] = { gpus(1, 1), gpus(1, 1) };
	const struct fl_reclaim_options keep = { .multiplier = 1, .keep_below_quota = true };
	struct heard heard = { 0 }, few = { 0 };
	struct fl_sink sink = { .row = hear, .user = &heard };
	const struct fl_sink short_sink = { .row = hear, .user = &few, .not_victims = true };
	const struct fl_witness witness = { &sink, test_axis, { 7 }, 1 };
	const struct fl_witness in_short = { &short_sink, test_axis, { 7 }, 1 };
	struct fl_standing q[2];

	pair(q, 1, 5);
	assert_false(allows(q, 2, &plain, &reclaimer, victims, 2, &witness));
	/* The first is taken by fair share; of the second, neither rule holds. */
	assert_true(heard.of_check[FL_CHECK_MAINTAIN_FAIR_SHARE] == 1 + FL_BUNDLE);
	assert_false(heard.last.holds);
	assert_int_equal(heard.last.check, FL_CHECK_GUARANTEE_DESERVED);
	assert_int_equal(heard.last.victim.v, 101);
	assert_int_equal(heard.last.node.v, 0);
	assert_true(heard.last.lhs.share == 4 && heard.last.rhs.share == 2);

	assert_false(allows(q, 2, &plain, &reclaimer, victims, 2, &in_short));
	assert_int_equal(few.n, 0);

	assert_false(allows(q, 2, &keep, &reclaimer, victims, 1, &in_short));
	assert_int_equal(few.n, 1);
	assert_int_equal(few.last.check, FL_CHECK_KEEPS_BELOW_QUOTA);
	assert_true(few.last.lhs.share == 4 && few.last.rhs.share == 2);
}

UNIT_GROUP("entitle-reclaim")
