/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amount.h"
#include "lib/unit.h"

#define MAX INT64_MAX
#define MIN INT64_MIN
#define UNL FL_UNLIMITED

struct row {
	const char *name;
	int64_t a, b, want;
};

static void check(int64_t (*f)(int64_t, int64_t), const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK(f(rows[i].a, rows[i].b) == rows[i].want, rows[i].name);
}

TEST(saturating_sum)
{
	static const struct row rows[] = {
		{ "small", 2, 3, 5 },
		{ "negative", -2, -3, -5 },
		{ "exactly the largest", MAX - 1, 1, MAX },
		{ "one too many", MAX, 1, MAX },
		{ "two huge ones", MAX, MAX, MAX },
		{ "exactly the least", MIN + 1, -1, MIN },
		{ "one too few", MIN, -1, MIN },
		{ "two least ones", MIN, MIN, MIN },
		{ "opposite signs never overflow", MAX, MIN, -1 },
	};

	check(fl_sat_add, rows, COUNT(rows));
}

TEST(saturating_difference)
{
	static const struct row rows[] = {
		{ "small", 2, 3, -1 },
		{ "largest minus negative", MAX, -1, MAX },
		{ "zero minus least", 0, MIN, MAX },
		{ "minus one minus least is exact", -1, MIN, MAX },
		{ "least minus one", MIN, 1, MIN },
		{ "least minus least", MIN, MIN, 0 },
		{ "negative minus largest", -2, MAX, MIN },
		{ "minus one minus largest is exact", -1, MAX, MIN },
	};

	check(fl_sat_sub, rows, COUNT(rows));
}

TEST(saturating_product)
{
	static const struct row rows[] = {
		{ "small", 6, 7, 42 },
		{ "by zero", MAX, 0, 0 },
		{ "signs", -6, 7, -42 },
		{ "too large", MAX, 2, MAX },
		{ "too large, both negative", MIN, -1, MAX },
		{ "too small", MAX, -2, MIN },
		{ "too small, other way round", MIN, 2, MIN },
		{ "2^31 twice", INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 62 },
		{ "2^32 twice", INT64_C(1) << 32, INT64_C(1) << 32, MAX },
	};

	check(fl_sat_mul, rows, COUNT(rows));
}

TEST(quota_sum)
{
	static const struct row rows[] = {
		{ "bounded", 4, 5, 9 },
		{ "unlimited left", UNL, 5, UNL },
		{ "unlimited right", 5, UNL, UNL },
		{ "unlimited and negative", UNL, -5, UNL },
		{ "both", UNL, UNL, UNL },
		{ "bounded never becomes unlimited", MAX - 1, 5, MAX - 1 },
		{ "nor when the sum is exactly the sentinel", MAX - 5, 5, MAX - 1 },
		{ "below the least", MIN, -1, MIN },
	};

	check(fl_quota_add, rows, COUNT(rows));
}

TEST(quota_difference)
{
	static const struct row rows[] = {
		{ "bounded", 4, 5, -1 },
		{ "unlimited minus bounded", UNL, 5, UNL },
		{ "unlimited minus unlimited", UNL, UNL, 0 },
		{ "bounded minus unlimited", 5, UNL, MIN },
		{ "zero minus unlimited", 0, UNL, MIN },
	};

	check(fl_quota_sub, rows, COUNT(rows));
}

TEST(quota_less_usage)
{
	static const struct row rows[] = {
		{ "room", 10, 4, 6 },
		{ "over", 4, 10, -6 },
		{ "unlimited whatever is used", UNL, MAX - 1, UNL },
		{ "negative usage does not make it unlimited twice", UNL, -1, UNL },
	};

	check(fl_quota_less, rows, COUNT(rows));
}

TEST(extremes)
{
	static const struct row least[] = {
		{ "less left", 1, 2, 1 },
		{ "less right", 2, 1, 1 },
		{ "equal", 2, 2, 2 },
		{ "no limit is below all", FL_NO_LIMIT, 0, FL_NO_LIMIT },
	};
	static const struct row most[] = {
		{ "more right", 1, 2, 2 },
		{ "more left", 2, 1, 2 },
		{ "signs", MIN, MAX, MAX },
	};

	check(fl_amount_min, least, COUNT(least));
	check(fl_amount_max, most, COUNT(most));
}

UNIT_GROUP("amount")
