/* SPDX-License-Identifier: Apache-2.0 */
/* Turns (turns.h): what the documents promise, by default and in this mode. */
#include <math.h>

#include "lib/entitle_series.h"
#include "lib/unit.h"

/* Jobs of the whole cluster: who has which part of four windows, a cycle every 10 s. */
struct rotation {
	const char *name;
	uint32_t n;
	double weights[10]; /* all 0: equal */
	double k;
	int64_t half_life; /* of a window of 1000 s; 0: none */
	double keeps_all;  /* by default, the part of the one who has most, at least */
	double off;        /* in turns, the largest distance from a weight's part */
	int64_t longest;   /* in turns, cycles that anybody waits */
};

static const struct rotation rotations[] = {
	/* story 1: equal users */
	{ "two, k 0.1", 2, { 0 }, 0.1, 100, 1, 0.03, 20 },
	{ "three", 3, { 0 }, 1, 0, 1, 0.06, 90 },
	{ "three, half-life", 3, { 0 }, 1, 100, 1, 0.02, 12 },
	{ "three, k 5", 3, { 0 }, 5, 0, 1, 0.03, 60 },
	{ "three, k 0.1", 3, { 0 }, 0.1, 100, 1, 0.02, 20 },
	{ "five", 5, { 0 }, 1, 0, 1, 0.06, 100 },
	{ "five, half-life", 5, { 0 }, 1, 100, 1, 0.02, 15 },
	{ "ten", 10, { 0 }, 1, 0, 1, 0.04, 100 },
	{ "ten, half-life", 10, { 0 }, 1, 100, 1, 0.02, 22 },
	{ "ten, k 0.1", 10, { 0 }, 0.1, 100, 1, 0.02, 30 },
	/* unequal weights: k >= w / (1 - w) is 3 here */
	{ "1 to 3, k 0.1", 2, { 1, 3 }, 0.1, 100, 1, 0.04, 35 },
	{ "1 to 3, k 1", 2, { 1, 3 }, 1, 100, 1, 0.03, 20 },
	{ "1 to 3, k 1, no half-life", 2, { 1, 3 }, 1, 0, 1, 0.06, 95 },
	{ "1 to 2 to 3", 3, { 1, 2, 3 }, 1, 100, 1, 0.03, 30 },
};

static double weight_of(const struct rotation *row, uint32_t i)
{
	double sum = 0;

	for (uint32_t j = 0; j < row->n; j++)
		sum += row->weights[j];
	return sum > 0 ? row->weights[i] / sum : 1.0 / row->n;
}

/* The largest distance from what is due, and in *ret_most the part of who has most. */
static double measure(const struct rotation *row, bool turns, double *ret_most,
		      int64_t *ret_longest)
{
	struct series_users u;
	struct world_of world =
		series_whole_cluster(&u, row->n, row->weights[0] > 0 ? row->weights : NULL,
				     series_over_time(row->k, 1000, row->half_life, turns));
	struct world_series s = series_begin(&world, 10);
	double off = 0;

	*ret_most = 0;
	series_run(&s, 300);
	series_reset(&s);
	series_run(&s, 400);
	for (uint32_t i = 0; i < row->n; i++) {
		double has = series_part(&s, u.names[i][0]);

		off = fmax(off, fabs(has - weight_of(row, i)));
		*ret_most = fmax(*ret_most, has);
	}
	*ret_longest = s.longest;
	series_end(&s);
	return off;
}

TEST(whole_cluster_jobs_take_turns)
{
	for (size_t i = 0; i < COUNT(rotations); i++) {
		const struct rotation *row = &rotations[i];
		double most;
		int64_t longest;

		(void)measure(row, /* turns= */ false, &most, &longest);
		CHECK(most >= row->keeps_all, row->name);
		CHECK(measure(row, /* turns= */ true, &most, &longest) <= row->off, row->name);
		CHECK(longest <= row->longest, row->name);
	}
}

/* turns.h: how long a turn is, and how far the parts of the last half-lives swing. */
TEST(turns_last_as_long_as_the_header_says)
{
	static const struct {
		double k, weights[2];
	} rows[] = { { 1, { 1, 1 } }, { 1, { 1, 3 } }, { 0.1, { 1, 3 } }, { 5, { 1, 3 } } };
	const double h = 1000;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct series_users u;
		struct world_of world = series_whole_cluster(
			&u, 2, rows[i].weights, series_over_time(rows[i].k, 100000, 1000, true));
		struct world_series s = series_begin(&world, 5);
		double w = rows[i].weights[0] / (rows[i].weights[0] + rows[i].weights[1]);
		double m = 1 / (1 + rows[i].k), lowest = 1, highest = 0, cycles = 8000;
		double low = w * (1 - (1 - w) * m), high = w * (1 + (1 - w) * m);
		double both = h * log2((1 - low) / (1 - high)) + h * log2(high / low);
		struct fl_node first = { series_node(&s, "u0") };

		series_run(&s, 1500);
		series_reset(&s);
		for (int j = 0; j < cycles; j++) {
			double used;

			series_run(&s, 1);
			used = fl_entitle_usage(s.p, first).of[FL_GPU];
			lowest = fmin(lowest, used);
			highest = fmax(highest, used);
		}
		/* A switch leaves the cluster empty for a cycle; one cycle adds 5 / h * ln 2. */
		assert_true(fabs(lowest - low) < 0.015 && fabs(highest - high) < 0.015);
		assert_true(fabs(2 * cycles * 5 / s.evictions - both) < 40);
		series_end(&s);
	}
}

/*
 * Story 2, as recorded: nine busy queues, one that wants 2 of 10 GPUs at once.  Each has a tenth
 * of the weight.
 */
static struct world_series burst(bool turns)
{
	static const struct world_machine ten[] = { { "m1", 10 } };
	static struct world_leaf queues[11] = { { LEAF("dept", NULL, 0, -1, 1) } };
	static struct world_gang gangs[37];
	static char names[10][8], jobs[37][20];
	uint32_t n = 0;

	for (uint32_t i = 0; i < 10; i++) {
		bool busy = i < 9;

		snprintf(names[i], sizeof names[i], busy ? "busy%u" : "q", i);
		queues[i + 1] = (struct world_leaf){ LEAF(names[i], "dept", 0, -1, 1) };
		for (uint32_t j = 0; j < (busy ? 4 : 1); j++, n++) {
			snprintf(jobs[n], sizeof jobs[n], "%.7s-%u", names[i], j);
			gangs[n] = (struct world_gang){ WAITS(jobs[n], names[i], 50, 1, 1,
							      busy ? 1 : 2) };
			gangs[n].running = busy && (j == 0 || (i == 0 && j == 1)) ? "m1" : NULL;
		}
	}
	struct world_of world = { .queues = queues,
				  .machines = ten,
				  .gangs = gangs,
				  .n_queues = 11,
				  .n_machines = 1,
				  .n_gangs = n,
				  .settings = series_over_time(1, 100, 0, turns) };
	struct world_series s = series_begin(&world, 1);

	series_run(&s, 400);
	return s;
}

TEST(a_burst_gets_its_resources)
{
	struct world_series s = burst(/* turns= */ false);
	int evictions = s.evictions;

	assert_true(series_part(&s, "q") == 0);
	series_end(&s);
	s = burst(/* turns= */ true);
	assert_true(fabs(series_part(&s, "q") - 0.1) < 0.02);
	/* And there is less to and fro than by default. */
	assert_true(s.evictions * 4 < evictions);
	series_end(&s);
}

/* Story 3: a deserves 4 of 8 and uses them; b and c have jobs of 4, and shares of 2. */
static struct world_series guaranteed(bool turns, double k, int32_t priority_of_b)
{
	static struct world_leaf queues[] = {
		{ LEAF("top", NULL, 0, -1, 1) },
		{ LEAF("a", "top", 4, -1, 1) },
		{ LEAF("b", "top", 0, -1, 1) },
		{ LEAF("c", "top", 0, -1, 1) },
	};
	static const struct world_gang gangs[] = {
		{ RUNS("a1", "a", 50, 4, 1, 1, "m1") },
		{ RUNS("c1", "c", 50, 1, 1, 4, "m1") },
		{ WAITS("b1", "b", 50, 1, 1, 4) },
		{ WAITS("a2", "a", 50, 1, 1, 1) },
	};
	struct world_of world = { .queues = queues,
				  .machines = series_eight,
				  .gangs = gangs,
				  .n_queues = COUNT(queues),
				  .n_machines = 1,
				  .n_gangs = 4,
				  .settings = series_over_time(k, 1000, 100, turns) };
	struct world_series s;

	queues[2].priority = priority_of_b;
	s = series_begin(&world, 10);
	series_run(&s, 400);
	return s;
}

TEST(what_is_deserved_stays)
{
	struct world_series s = guaranteed(/* turns= */ false, 0.1, 0);

	assert_true(series_part(&s, "b") == 0);
	series_end(&s);
	s = guaranteed(/* turns= */ true, 0.1, 0);
	/* Somebody in b or c switches; a has its 4 all the time, and its fifth waits. */
	assert_true(s.held[series_node(&s, "a")] == 4.0 * 10 * 400);
	assert_true(fabs(series_part(&s, "b") - series_part(&s, "c")) < 0.03);
	series_end(&s);
}

TEST(priority_stays)
{
	struct world_series s = guaranteed(/* turns= */ true, 1, 50);

	assert_true(series_part(&s, "b") == 0);
	series_end(&s);
	s = guaranteed(/* turns= */ true, 1, 200);
	assert_true(s.held[series_node(&s, "c")] < 0.01 * s.busy);
	series_end(&s);
}

TEST(without_history_there_are_no_turns)
{
	struct rotation row = { "k 0", 3, { 0 }, 0, 0, 1, 1, 1000 };
	double most;
	int64_t longest;

	(void)measure(&row, /* turns= */ true, &most, &longest);
	assert_true(most == 1);
}

/* Two departments, the second of two users: turns at both levels, 2 : 1 : 1. */
TEST(turns_in_a_tree)
{
	static const struct world_leaf queues[] = {
		{ LEAF("a", NULL, 0, -1, 1) }, { LEAF("b", NULL, 0, -1, 1) },
		{ LEAF("a1", "a", 0, -1, 1) }, { LEAF("b1", "b", 0, -1, 1) },
		{ LEAF("b2", "b", 0, -1, 1) },
	};
	static const struct world_gang gangs[] = {
		{ WAITS("ja", "a1", 50, 1, 1, 8) },
		{ WAITS("jb1", "b1", 50, 1, 1, 8) },
		{ WAITS("jb2", "b2", 50, 1, 1, 8) },
	};
	const double due[] = { 0.5, 0.25, 0.25 };
	const char *const leaves[] = { "a1", "b1", "b2" };

	for (int turns = 0; turns < 2; turns++) {
		struct world_of world = { .queues = queues,
					  .machines = series_eight,
					  .gangs = gangs,
					  .n_queues = COUNT(queues),
					  .n_machines = 1,
					  .n_gangs = 3,
					  .settings = series_over_time(0.5, 1000, 100, turns) };
		struct world_series s = series_begin(&world, 10);
		double off = 0;

		series_run(&s, 300);
		series_reset(&s);
		series_run(&s, 800);
		for (size_t i = 0; i < COUNT(leaves); i++)
			off = fmax(off, fabs(series_part(&s, leaves[i]) - due[i]));
		assert_true(turns ? off < 0.05 : off == 0.5);
		series_end(&s);
	}
}

/* u1 has had least, but no machine could ever hold its job: u2 is next. */
TEST(who_can_never_run_has_no_turn)
{
	static const struct world_machine two[] = { { "m1", 4 }, { "m2", 4 } };
	struct series_users u;
	struct world_of world = series_whole_cluster(&u, 3, NULL,
						     series_over_time(1, 1000, 100, true));
	struct world_series s;

	world.machines = two;
	world.n_machines = 2;
	for (uint32_t i = 0; i < 3; i++) {
		u.gangs[i].tasks = u.gangs[i].min_tasks = i == 1 ? 1 : 2;
		u.gangs[i].gpus = i == 1 ? 8 : 4;
	}
	s = series_begin(&world, 10);
	series_run(&s, 400);
	assert_true(series_part(&s, "u1") == 0);
	assert_true(fabs(series_part(&s, "u0") - series_part(&s, "u2")) < 0.05);
	series_end(&s);
}

UNIT_GROUP("entitle-turns")
