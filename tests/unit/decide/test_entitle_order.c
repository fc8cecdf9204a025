/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two queues, and of two jobs, is next: every step, and what the order is not. */
#include "decide/entitle/rules/order.h"
#include "entitle_rows.h"
#include "lib/few.h"

struct half {
	int32_t priority;
	fl_time created;
	struct fl_bundle deserved, fair, held, comes, goes;
	struct fl_bundle limit; /* all 0: none */
};

static const struct fl_bundle total = ALL(100);

static void fill(const struct half *h, uint32_t i, struct fl_standing *q, struct fl_turn *t)
{
	*q = (struct fl_standing){
		.parent = { FL_NONE },
		.priority = h->priority,
		.created = h->created,
		.deserved = h->deserved,
		.limit = h->limit,
		.fair_share = h->fair,
		.allocated = h->held,
	};
	if (h->limit.of[0] == 0 && h->limit.of[1] == 0 && h->limit.of[2] == 0)
		q->limit = (struct fl_bundle)ALL(-1);
	*t = (struct fl_turn){ .queue = { i }, .comes = h->comes, .goes = h->goes };
}

static int compare(const struct half *l, const struct half *r)
{
	struct fl_standing queues[2];
	struct fl_turn turns[2];

	fill(l, 0, &queues[0], &turns[0]);
	fill(r, 1, &queues[1], &turns[1]);
	return fl_queue_order(queues, &total, &turns[0], &turns[1]);
}

/* In each row everything before the step is equal, and what is after it says the contrary. */
TEST(steps)
{
	static const struct {
		const char *name;
		struct half first, second;
	} rows[] = {
		{ "1 over in all three is last",
		  { .priority = 1, .fair = ALL(2), .held = OF(2, 9, 9), .comes = ALL(9) },
		  { .priority = 9, .fair = ALL(2), .held = ALL(3), .deserved = ALL(9) } },
		{ "1 not over by two resources",
		  { .priority = 9, .fair = ALL(2), .held = OF(2, 3, 3) },
		  { .priority = 1, .fair = ALL(2), .held = OF(2, 2, 2) } },
		{ "2 starved is first",
		  { .priority = 1,
		    .deserved = ALL(4),
		    .fair = ALL(9),
		    .held = ALL(3),
		    .comes = ALL(1) },
		  { .priority = 9,
		    .deserved = ALL(4),
		    .fair = ALL(9),
		    .held = ALL(3),
		    .comes = OF(1, 1, 2) } },
		{ "2 starved of what is not bounded",
		  { .priority = 1, .deserved = OF(-1, -1, 4), .fair = ALL(9), .held = OF(7, 7, 4) },
		  { .priority = 9,
		    .deserved = OF(4, -1, 4),
		    .fair = ALL(9),
		    .held = OF(7, 7, 4) } },
		{ "3 the higher priority",
		  { .priority = 101, .fair = ALL(9), .held = ALL(8) },
		  { .priority = 100, .fair = ALL(9), .held = ALL(1) } },
		{ "4 takes from a share of nothing",
		  { .fair = ALL(9), .held = OF(0, 0, 9), .comes = OF(1, 1, 90) },
		  { .fair = OF(9, 9, 0), .held = OF(1, 0, 0), .comes = GPU(0.001) } },
		{ "5 the smaller dominant share with what comes",
		  { .fair = ALL(10), .held = ALL(4), .comes = GPU(1) },
		  { .fair = ALL(10), .held = ALL(3), .comes = OF(0, 3, 0) } },
		{ "5 without what goes",
		  { .fair = ALL(10), .held = ALL(8), .goes = ALL(6) },
		  { .fair = ALL(10), .held = ALL(3) } },
		{ "5 of what the machines have, where nothing is bounded",
		  { .deserved = ALL(-1), .held = ALL(49) },
		  { .deserved = ALL(10), .held = ALL(5) } },
		{ "5 a thousandfold of a share of nothing",
		  { .fair = OF(1, 1, 0), .held = OF(101, 0, 0.001) },
		  { .fair = OF(1, 1, 0), .held = GPU(0.15) } },
		{ "5 never below nothing",
		  { .created = 1, .fair = ALL(10), .held = ALL(2), .goes = ALL(3) },
		  { .created = 2, .fair = ALL(10), .held = ALL(2), .goes = ALL(4) } },
		{ "6 the smaller one as it stands",
		  { .created = 9, .fair = ALL(10), .held = ALL(2), .comes = ALL(3) },
		  { .created = 1, .fair = ALL(10), .held = ALL(4), .comes = ALL(1) } },
		{ "7 may hold less, and nothing more",
		  { .created = 9, .fair = OF(4, 8, 8), .comes = OF(0, 1, 0) },
		  { .created = 1, .fair = ALL(8), .comes = OF(0, 0, 1) } },
		{ "7 not bounded is more than anything",
		  { .created = 9, .fair = ALL(8) },
		  { .created = 1, .deserved = OF(-1, 0, 0), .fair = ALL(8) } },
		{ "8 the older one, neither being larger",
		  { .created = 1, .fair = OF(4, 8, 8) },
		  { .created = 2, .fair = OF(8, 4, 8) } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK(compare(&rows[i].first, &rows[i].second) == -1, rows[i].name);
		CHECK(compare(&rows[i].second, &rows[i].first) == 1, rows[i].name);
	}
}

/* Of the same age and the same in all else: whoever is named second. */
TEST(second_of_equals)
{
	const struct half a = { .created = 5, .fair = OF(4, 8, 8) };
	const struct half b = { .created = 5, .fair = OF(8, 4, 8) };

	assert_int_equal(compare(&a, &b), 1);
	assert_int_equal(compare(&b, &a), 1);
	assert_int_equal(compare(&a, &a), 1);
}

/* Step 7 compares only some: a before c by size, c before b and b before a by age. */
TEST(not_transitive)
{
	const struct half a = { .created = 3, .fair = OF(1, 1, 9) };
	const struct half b = { .created = 2, .fair = OF(9, 9, 1) };
	const struct half c = { .created = 1, .fair = OF(2, 2, 9) };

	assert_int_equal(compare(&a, &c), -1);
	assert_int_equal(compare(&c, &b), -1);
	assert_int_equal(compare(&b, &a), -1);
}

static struct fl_bundle some(uint64_t *seed, uint32_t n)
{
	struct fl_bundle b;

	for (int r = 0; r < FL_BUNDLE; r++)
		b.of[r] = chance(seed, n);
	return b;
}

static struct fl_bundle some_bound(uint64_t *seed)
{
	struct fl_bundle b;

	for (int r = 0; r < FL_BUNDLE; r++)
		b.of[r] = (double)chance(seed, 5) - 1;
	return b;
}

static struct half some_half(uint64_t *seed)
{
	struct half h = { .priority = (int32_t)chance(seed, 2) };

	h.created = chance(seed, 3);
	h.deserved = some_bound(seed);
	h.fair = some(seed, 3);
	h.held = some(seed, 3);
	h.comes = some(seed, 2);
	h.goes = some(seed, 2);
	h.limit = some_bound(seed);
	return h;
}

TEST(antisymmetric_but_for_age)
{
	uint64_t seed = 1;
	int equals = 0;

	for (int i = 0; i < (int)few(20000); i++) {
		const struct half a = some_half(&seed), b = some_half(&seed);
		int order = compare(&a, &b), turned = compare(&b, &a);

		assert_true(order == 1 || order == -1);
		if (order == -turned)
			continue;
		equals++;
		assert_int_equal(order, 1);
		assert_int_equal(turned, 1);
		assert_int_equal(a.created, b.created);
	}
	assert_true(equals > 0);
}

TEST(jobs)
{
	/* Each before all below it. */
	static const struct {
		const char *name;
		struct fl_job_place job;
	} rows[] = {
		{ "priority", { .priority = 9, .holds = 7, .min_tasks = 1, .rank = 9 } },
		{ "below its minimum", { .priority = 5, .holds = 1, .min_tasks = 2, .rank = 8 } },
		{ "so too, younger", { .priority = 5, .holds = 0, .min_tasks = 5, .rank = 10 } },
		{ "at its minimum", { .priority = 5, .holds = 2, .min_tasks = 2, .rank = 6 } },
		{ "so too, younger", { .priority = 5, .holds = 0, .min_tasks = 0, .rank = 7 } },
		{ "above", { .priority = 5, .holds = 3, .min_tasks = 2, .rank = 4 } },
		{ "far above, younger", { .priority = 5, .holds = 9, .min_tasks = 1, .rank = 5 } },
		{ "lower priority", { .priority = -5, .holds = 0, .min_tasks = 1, .rank = 0 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t j = 0; j < COUNT(rows); j++)
			CHECK(fl_job_order(&rows[i].job, &rows[j].job) == (i > j) - (i < j),
			      rows[i].name);
}

UNIT_GROUP("entitle-order")
