/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "lib/unit.h"

#include "decide/share/history.h"
#include "decide/share/tune.h"

#define HOUR (3600 * FL_SECOND)
#define DAY (24 * HOUR)

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(b), 1); }

static bool near_time(fl_time a, fl_time b, double part)
{
	return a == b || fabs((double)a - (double)b) <= part * (double)b;
}

/* --- usage, portion, cost ------------------------------------------------------------------- */

static const struct {
	fl_time half_life, window, used, idle;
	double part, usage;
} usages[] = {
	{ 0, 7 * DAY, DAY, 0, 0.5, 0.5 / 7 },
	{ 0, 7 * DAY, DAY, 6 * DAY, 0.5, 0.5 / 7 },
	{ 0, 7 * DAY, 2 * DAY, 6 * DAY, 1, 1.0 / 7 },
	{ 0, 7 * DAY, DAY, 7 * DAY, 1, 0 },
	{ 0, 7 * DAY, 70 * DAY, 0, 0.25, 0.25 },
	{ 0, DAY, 0, 0, 1, 0 },
	{ DAY, 1000 * DAY, DAY, 0, 1, 0.5 },
	{ DAY, 1000 * DAY, DAY, DAY, 1, 0.25 },
	{ DAY, DAY, DAY, 0, 1, 1 },
	{ DAY, 2 * DAY, DAY, DAY, 1, 0.25 / 0.75 },
};

TEST(usage_of_a_stretch)
{
	for (size_t i = 0; i < COUNT(usages); i++) {
		struct fl_tune t = { 1, usages[i].half_life, usages[i].window, 0 };

		assert_true(near(fl_tune_usage(&t, usages[i].part, usages[i].used, usages[i].idle),
				 usages[i].usage));
	}
}

/* The same as what the history of such a queue says. */
TEST(usage_is_that_of_history)
{
	static const fl_time half_lives[] = { 0, 3 * HOUR, 100 * DAY };

	for (size_t i = 0; i < COUNT(half_lives); i++) {
		struct fl_history_settings s = { half_lives[i], { .length = DAY } };
		struct fl_tune t = { 1, half_lives[i], DAY, 0 };
		struct fl_bundle one = { { 0, 0, 3 } }, all = { { 0, 0, 8 } }, none = { { 0 } };
		struct fl_bundle usage;
		struct fl_history *h;

		assert_int_equal(fl_history_new(&fl_mem_heap, &s, 1, &h, NULL), 0);
		assert_int_equal(fl_history_reserve(h, NULL, 3, NULL), 0);
		fl_history_capacity(h, NULL, 0, &all);
		fl_history_hold(h, NULL, 10 * DAY, 0, &one);
		fl_history_hold(h, NULL, 10 * DAY + 5 * HOUR, 0, &none);
		fl_history_usage(h, 10 * DAY + 9 * HOUR, &usage);
		assert_true(near(usage.of[FL_GPU], fl_tune_usage(&t, 3.0 / 8, 5 * HOUR, 4 * HOUR)));
		fl_history_free(h);
	}
}

static const struct {
	const char *name;
	double k, weight, usage, idle, busy; /* the portions */
} portions[] = {
	{ "k = 0", 0, 0.25, 0.9, 0.25, 0.25 },
	{ "nothing used", 1, 0.25, 0, 0.25, 0.5 },
	{ "its weight's part", 1, 0.25, 0.25, 0.25 / 1.75, 0.25 },
	{ "more", 1, 0.25, 0.375, 0.125 / 1.625, 0.125 },
	{ "yields", 1, 0.25, 0.5, 0, 0 },
	{ "everything, heavy", 1, 0.75, 1, 0.5, 0.5 },
	{ "everything, heavy, k = 3", 3, 0.75, 1, 0, 0 },
	/* The others used too much: their P is cut. */
	{ "all of it", 4, 0.25, 0, 0.25, 1 },
	{ "alone", 1, 1, 0.5, 1, 1 },
};

TEST(portions_by_usage)
{
	for (size_t i = 0; i < COUNT(portions); i++) {
		double k = portions[i].k, w = portions[i].weight, u = portions[i].usage;

		CHECK(near(fl_tune_portion(k, w, u, FL_OTHERS_IDLE), portions[i].idle),
		      portions[i].name);
		CHECK(near(fl_tune_portion(k, w, u, FL_OTHERS_BUSY), portions[i].busy),
		      portions[i].name);
		CHECK(near(fl_tune_cost(k, w, u, FL_OTHERS_IDLE), 1 - portions[i].idle / w),
		      portions[i].name);
	}
}

/* --- backwards ------------------------------------------------------------------------------- */

/* What is found does what was asked for; what is not found is out of reach. */
TEST(found_is_what_was_asked)
{
	static const double weights[] = { 0.1, 0.25, 0.5, 0.9 }, costs[] = { 0.01, 0.3, 0.5, 1 };
	static const double values[] = { 0.02, 0.2, 0.5, 0.8, 1 };
	unsigned found = 0, lost = 0;

	for (unsigned i = 0; i < COUNT(weights) * COUNT(costs) * COUNT(values) * 2; i++) {
		enum fl_tune_others others = i % 2 ? FL_OTHERS_BUSY : FL_OTHERS_IDLE;
		double w = weights[i / 2 % 4], cost = costs[i / 8 % 4], u = values[i / 32];
		double k = fl_tune_k_for(w, u, cost, others);

		if (isinf(k)) {
			lost++;
			assert_true(fl_tune_most(w, u, others) <= cost + 1e-12);
			assert_true(fl_tune_cost(1e9, w, u, others) <= cost + 1e-6);
			continue;
		}
		found++;
		assert_true(near(fl_tune_cost(k, w, u, others), cost));
		assert_true(near(fl_tune_usage_for(k, w, cost, others), u));
		assert_true(fl_tune_most(w, u, others) >= cost);
	}
	assert_true(found > 50 && lost > 50);
	assert_true(isinf(fl_tune_usage_for(0, 0.5, 0.5, FL_OTHERS_IDLE)));
	assert_true(fl_tune_most(0.5, 0.5, FL_OTHERS_IDLE) == 1);
	assert_true(fl_tune_most(0.5, 0.5, FL_OTHERS_BUSY) == 0);
}

TEST(half_life_and_window_for_a_usage)
{
	struct fl_tune t = { 1, 0, 7 * DAY, 0 };
	fl_time h = fl_tune_half_life_for(&t, 0.25, 12 * HOUR, 0.125);
	struct fl_tune with = { 1, h, 7 * DAY, 0 };

	/* Were the window endless, it would be 12 hours exactly. */
	assert_true(near_time(h, 12 * HOUR, 1e-3));
	assert_true(fabs(fl_tune_usage(&with, 0.25, 12 * HOUR, 0) - 0.125) < 1e-6);
	assert_true(fl_tune_half_life_for(&t, 0.25, 12 * HOUR, 0.25) == 0);
	assert_true(fl_tune_half_life_for(&t, 0.25, 12 * HOUR, 0.01) == FL_NEVER);

	assert_true(fl_tune_window_for(&t, 0.25, 12 * HOUR, 0.125) == DAY);
	assert_true(fl_tune_window_for(&t, 0.25, 12 * HOUR, 0.26) == 0);
	t.half_life = 6 * HOUR;
	t.window = fl_tune_window_for(&t, 1, 6 * HOUR, 0.6);
	assert_true(near(fl_tune_usage(&t, 1, 6 * HOUR, 0), 0.6));
	assert_true(fl_tune_window_for(&t, 1, 6 * HOUR, 0.5) == FL_NEVER);
}

/* --- what follows ----------------------------------------------------------------------------- */

static const struct {
	double k, weight;
	fl_time half_life, window, yields, recovers;
} holders[] = {
	{ 0, 0.5, 0, DAY, FL_NEVER, 0 },
	{ 1, 0.5, 0, DAY, DAY, DAY / 2 },
	{ 0.99, 0.5, 0, DAY, FL_NEVER, DAY / 2 },
	{ 3, 0.5, 0, DAY, 16 * HOUR, DAY / 2 },
	{ 1, 0.75, 0, DAY, FL_NEVER, 6 * HOUR },
	{ 3, 0.75, 0, DAY, DAY, 6 * HOUR },
	{ 1, 0.25, 0, DAY, DAY / 2, 18 * HOUR },
	{ 3, 0.5, DAY, 1000 * DAY, 136940760062308, DAY },
	{ 1, 0.25, DAY, 1000 * DAY, DAY, 2 * DAY },
};

TEST(holders_yield)
{
	for (size_t i = 0; i < COUNT(holders); i++) {
		struct fl_tune t = { holders[i].k, holders[i].half_life, holders[i].window, 0 };

		assert_true(
			near_time(fl_tune_yields(&t, holders[i].weight), holders[i].yields, 1e-6));
		assert_true(near_time(fl_tune_recovers(&t, holders[i].weight), holders[i].recovers,
				      1e-6));
	}
	struct fl_tune none = { 1, 0, DAY, 0 };

	assert_true(near(fl_tune_least_k(&none, 0.75), 3));
	assert_true(near(fl_tune_least_k(&none, 0.5), 1));
	assert_true(isinf(fl_tune_least_k(&none, 1)));

	struct fl_tune eight = { 1, 0, DAY, 1 / 8.0 };

	assert_true(near(fl_tune_least_k(&eight, 0.5), 0.875));
	assert_true(near_time(fl_tune_yields(&eight, 0.5), 22 * HOUR + 24 * HOUR / 60, 1e-6));
}

TEST(halves)
{
	struct fl_tune t = { 1, DAY, 1000 * DAY, 0 }, none = { 1, 0, 7 * DAY, 0 };

	assert_true(near_time(fl_tune_halves(&t, 5 * HOUR), DAY, 1e-9));
	assert_true(near_time(fl_tune_halves(&none, DAY), 6 * DAY + DAY / 2, 1e-9));
	assert_true(near_time(fl_tune_halves(&none, 100 * DAY), 3 * DAY + DAY / 2, 1e-9));
}

static double portion_of(const struct fl_tune *t, const struct fl_bundle usage[2], uint32_t holder)
{
	double own = 0.5 + t->k * (0.5 - usage[holder].of[FL_GPU]);
	double other = 0.5 + t->k * (0.5 - usage[1 - holder].of[FL_GPU]);

	return own > 0 ? own / (own + other) : 0;
}

/* Two queues, minute by minute, from an idle cluster on: the length of a late turn. */
static fl_time turns_simulated(const struct fl_tune *t)
{
	struct fl_history_settings s = { t->half_life, { .length = t->window } };
	struct fl_bundle all = { { 0, 0, 1 } }, none = { { 0 } }, usage[2];
	fl_time now = 0, step = 60 * FL_SECOND, began = t->window, turn = 0;
	struct fl_history *h;
	unsigned turns = 0;
	uint32_t holder = 0;

	assert_int_equal(fl_history_new(&fl_mem_heap, &s, 2, &h, NULL), 0);
	assert_int_equal(fl_history_reserve(h, NULL, 4, NULL), 0);
	fl_history_capacity(h, NULL, 0, &all);
	now = began;
	fl_history_hold(h, NULL, now, holder, &all);
	while (turns < 30 && now < 100 * t->window) {
		now += step;
		fl_history_usage(h, now, usage);
		if (portion_of(t, usage, holder) - t->unit / 2 > 1e-9)
			continue;
		turn = now - began;
		began = now;
		turns++;
		assert_int_equal(fl_history_reserve(h, NULL, 2, NULL), 0);
		fl_history_hold(h, NULL, now, holder, &none);
		holder = 1 - holder;
		fl_history_hold(h, NULL, now, holder, &all);
	}
	fl_history_free(h);
	return turns == 30 ? turn : FL_NEVER;
}

static const struct fl_tune turns[] = {
	{ 0.5, 0, DAY, 0 },
	{ 1, 0, DAY, 0 },
	{ 2, 0, DAY, 0 },
	{ 5, 0, DAY, 0 },
	{ 2, 2 * HOUR, DAY, 0 },
	{ 5, 2 * HOUR, DAY, 0 },
	{ 1.5, 12 * HOUR, DAY, 0 },
	{ 3, 6 * HOUR, DAY, 0 },
	{ 0.9, 6 * HOUR, DAY, 0 },
	{ 1, 0, DAY, 1 / 8.0 },
	{ 0.8, 0, DAY, 1 / 8.0 },
	{ 0.9, 0, DAY, 1 / 8.0 },
	{ 5, 0, DAY, 1 / 16.0 },
	{ 2, 2 * HOUR, DAY, 1 / 8.0 },
	{ 1, 6 * HOUR, DAY, 1 / 64.0 },
};

TEST(turns_are_what_a_simulation_has)
{
	for (size_t i = 0; i < COUNT(turns); i++) {
		fl_time model = fl_tune_turn(&turns[i]), got = turns_simulated(&turns[i]);

		if (model != got && llabs(model - got) > 3 * 60 * FL_SECOND)
			fail_msg("row %zu: model %g h, simulated %g h", i,
				 (double)model / (double)HOUR, (double)got / (double)HOUR);
	}
	struct fl_tune endless = { 3, HOUR, 100000 * HOUR, 0 };

	assert_true(near_time(fl_tune_turn(&endless), HOUR, 1e-3)); /* log2(4 / 2) half-lives */
}

UNIT_GROUP("tune")
