/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <math.h>

#include "lib/unit.h"

enum { DRAWS = 200000 };

/* The generator's own reference: state {1, 2, 3, 4} gives these first. */
TEST(bits_are_those_of_xoshiro)
{
	static const uint64_t first[] = { 11520u,
					  0u,
					  UINT64_C(1509978240),
					  UINT64_C(1215971899390074240),
					  UINT64_C(1216172134540287360),
					  UINT64_C(607988272756665600),
					  UINT64_C(16172922978634559625),
					  UINT64_C(8476171486693032832) };
	struct fl_random r = { { 1, 2, 3, 4 } };

	for (size_t i = 0; i < COUNT(first); i++)
		assert_true(fl_random_bits(&r) == first[i]);
}

TEST(seeds_and_streams_differ)
{
	static const struct {
		uint64_t seed, stream;
	} rows[] = {
		{ 1, 0 }, { 0, 1 }, { 1, 1 }, { 1, 2 }, { 2, 1 }, { 0, 0 }, { UINT64_MAX, 0 }
	};
	uint64_t first[COUNT(rows)];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_random r, again;

		fl_random_init(&r, rows[i].seed, rows[i].stream);
		fl_random_init(&again, rows[i].seed, rows[i].stream);
		first[i] = fl_random_bits(&r);
		assert_true(fl_random_bits(&again) == first[i]);
		for (size_t j = 0; j < i; j++)
			assert_true(first[i] != first[j]);
	}
	assert_true(fl_random_stream("small") == fl_random_stream("small"));
	assert_true(fl_random_stream("small") != fl_random_stream("large"));
	assert_true(fl_random_stream("") != 0);
}

TEST(units_fill_the_unit)
{
	struct fl_random r;
	double sum = 0, least = 1, most = 0;

	fl_random_init(&r, 1, 0);
	for (int i = 0; i < DRAWS; i++) {
		double u = fl_random_unit(&r);

		assert_true(u >= 0 && u < 1);
		assert_true(ldexp(u, 53) == floor(ldexp(u, 53)));
		sum += u;
		least = fmin(least, u);
		most = fmax(most, u);
	}
	assert_true(fabs(sum / DRAWS - 0.5) < 0.003);
	assert_true(least < 1e-4 && most > 1 - 1e-4);
}

/* Mean and deviation from the textbook; of heavy tails, where the table says no mean, the median. */
TEST(moments_are_those_of_the_distribution)
{
	static const struct {
		const char *name;
		struct fl_distribution d;
		double mean, deviation, below, part; /* `part` of all are below `below` */
	} rows[] = {
		{ "constant", { FL_CONSTANT, 3, 0, 0, INFINITY }, 3, 0, 3.5, 1 },
		{ "uniform", { FL_UNIFORM, 2, 6, 0, INFINITY }, 4, 1.1547, 3, 0.25 },
		{ "exponential", { FL_EXPONENTIAL, 10, 0, 0, INFINITY }, 10, 10, 6.9315, 0.5 },
		{ "lognormal", { FL_LOGNORMAL, 100, 2, 0, INFINITY }, 127.15, 99.95, 200, 0.84134 },
		{ "pareto", { FL_PARETO, 1, 3, 0, INFINITY }, 1.5, 0.866, 1.2599, 0.5 },
		{ "weibull", { FL_WEIBULL, 5, 2, 0, INFINITY }, 4.4311, 2.3163, 5, 0.63212 },
		{ "cut off below", { FL_UNIFORM, 0, 1, 0.5, INFINITY }, 0.625, 0.1614, 0.75, 0.75 },
		{ "cut off above", { FL_EXPONENTIAL, 1, 0, 0, 1 }, 0.63212, 0.3478, 0.5, 0.39347 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		double sum = 0, squares = 0, n = DRAWS, mean, below = 0;
		struct fl_random r;

		fl_random_init(&r, 7, i);
		for (int k = 0; k < DRAWS; k++) {
			double v = fl_random_draw(&r, &rows[i].d);

			CHECK(v >= rows[i].d.least && v <= rows[i].d.most, rows[i].name);
			sum += v;
			squares += v * v;
			below += v < rows[i].below;
		}
		mean = sum / n;
		CHECK(fabs(mean - rows[i].mean) <= 0.01 * rows[i].mean, rows[i].name);
		CHECK(fabs(sqrt(fabs(squares / n - mean * mean)) - rows[i].deviation) <=
			      0.05 * rows[i].deviation + 1e-6,
		      rows[i].name);
		CHECK(fabs(below / n - rows[i].part) < 0.005, rows[i].name);
	}
}

TEST(counts_are_whole)
{
	static const struct {
		const char *name;
		struct fl_distribution d;
		int32_t most, least_seen, most_seen;
	} rows[] = {
		{ "constant", { FL_CONSTANT, 4, 0, 0, INFINITY }, 100, 4, 4 },
		{ "to the nearest", { FL_CONSTANT, 2.5, 0, 0, INFINITY }, 100, 3, 3 },
		{ "at least one", { FL_CONSTANT, 0.2, 0, 0, INFINITY }, 100, 1, 1 },
		{ "at most", { FL_CONSTANT, 1e30, 0, 0, INFINITY }, 100, 100, 100 },
		{ "both ends", { FL_UNIFORM, 1, 8, 0, INFINITY }, 100, 1, 8 },
		{ "cut off", { FL_UNIFORM, 1, 8, 2, 5 }, 100, 2, 5 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		int32_t least = INT32_MAX, most = 0, ones = 0;
		struct fl_random r;

		fl_random_init(&r, 3, i);
		for (int k = 0; k < 8000; k++) {
			int32_t v = fl_random_count(&r, &rows[i].d, rows[i].most);

			least = v < least ? v : least;
			most = v > most ? v : most;
			ones += v == 1;
		}
		CHECK(least == rows[i].least_seen && most == rows[i].most_seen, rows[i].name);
		if (strcmp(rows[i].name, "both ends") == 0)
			CHECK(ones > 900 && ones < 1100, rows[i].name);
	}
}

UNIT_GROUP("random")
