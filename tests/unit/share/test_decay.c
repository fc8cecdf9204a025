/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "decide/share/decay.h"
#include "lib/unit.h"

struct wide {
	uint64_t high, low;
};

static fl_nanos nanos(struct wide w) { return (fl_nanos)w.high << 64 | (fl_nanos)w.low; }

/* Random amounts and factors; the products were made with 80-digit decimals and cut. */
static const struct {
	struct wide amount;
	double factor;
	struct wide product;
} rows[] = {
	{ { UINT64_C(0), UINT64_C(5) }, 1.0, { UINT64_C(0), UINT64_C(5) } },
	{ { UINT64_C(0), UINT64_C(13955769177) },
	  0.13876741839890316,
	  { UINT64_C(0), UINT64_C(1936606060) } },
	{ { UINT64_C(170), UINT64_C(16093082754760413529) },
	  0.5,
	  { UINT64_C(85), UINT64_C(8046541377380206764) } },
	{ { UINT64_C(0), UINT64_C(182170637201) }, 0.5, { UINT64_C(0), UINT64_C(91085318600) } },
	{ { UINT64_C(0), UINT64_C(338522957466) }, 0.5, { UINT64_C(0), UINT64_C(169261478733) } },
	{ { UINT64_C(0), UINT64_C(446010367290) },
	  0.03814662662724255,
	  { UINT64_C(0), UINT64_C(17013790952) } },
	{ { UINT64_C(0), UINT64_C(0) }, 1.0, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(41936378), UINT64_C(1698453461018775374) },
	  6.268057685261074e-10,
	  { UINT64_C(0), UINT64_C(484890445090025599) } },
	{ { UINT64_C(0), UINT64_C(9) }, 0.1, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(33), UINT64_C(11775006403331327306) },
	  9.497985626218988e-10,
	  { UINT64_C(0), UINT64_C(589366687363) } },
	{ { UINT64_C(0), UINT64_C(0) }, 1.0, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(64295989), UINT64_C(5860572209549989719) },
	  1.0,
	  { UINT64_C(64295989), UINT64_C(5860572209549989719) } },
	{ { UINT64_C(0), UINT64_C(1) }, 0.5, { UINT64_C(0), UINT64_C(0) } },
	{ { UINT64_C(41030236), UINT64_C(14012861395017210221) },
	  7.69747473157619e-10,
	  { UINT64_C(0), UINT64_C(582602062056152713) } },
	{ { 0, 1 }, 0.5, { 0, 0 } },
	{ { 0, 3 }, 0.5, { 0, 1 } },
	{ { 0, 0 }, 0.25, { 0, 0 } },
	{ { 0, 1000000000 }, 0, { 0, 0 } },
};

TEST(products_are_exact_and_cut)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(
			fl_decay_scale(nanos(rows[i].amount), fl_decay_factor(rows[i].factor)) ==
			nanos(rows[i].product));
		/* Towards zero on both sides. */
		assert_true(
			fl_decay_scale(-nanos(rows[i].amount), fl_decay_factor(rows[i].factor)) ==
			-nanos(rows[i].product));
	}
}

TEST(half_is_forgotten_every_half_life)
{
	assert_true(fl_decay_alpha(3600 * FL_SECOND, 3600 * FL_SECOND) == 0.5);
	assert_true(fl_decay_alpha(7200 * FL_SECOND, 3600 * FL_SECOND) == 0.75);
	assert_true(fl_decay_alpha(0, 3600 * FL_SECOND) == 0);
	assert_true(fl_decay_alpha(3600 * FL_SECOND, 0) == 0);
	assert_true(fabs(fl_decay_alpha(60 * FL_SECOND, 3600 * FL_SECOND) - 0.0114863) < 1e-6);
}

TEST(factors_are_as_short_as_they_can_be)
{
	static const struct {
		double x;
		uint64_t digits;
		int places;
	} factors[] = {
		{ 0, 0, 0 },
		{ 1, 1, 0 },
		{ 0.5, 5, 1 },
		{ 0.1, 1, 1 },
		{ 0.3, 3, 1 },
		{ 1e-9, 1, 9 },
		{ 0.1 + 0.2, 30000000000000004, 17 },
		{ 1.0 / 3, 3333333333333333, 16 },
		{ 2.0 / 3, 6666666666666666, 16 },
		{ 0.13876741839890316, 13876741839890316, 17 },
	};

	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		struct fl_factor f = fl_decay_factor(factors[i].x);

		assert_true(f.digits == factors[i].digits);
		if (f.digits)
			assert_int_equal(f.places, factors[i].places);
	}
}

TEST(usage_is_one_number)
{
	const double weights[] = { 2, 0, 1e-9 }, amounts[] = { 1.5, 7, 4e9 };

	assert_true(fl_decay_natural(1500000000) == 1.5);
	assert_true(fl_decay_natural(INT64_C(2838500000)) ==
		    2.8385000000000002); /* as the reference */
	assert_true(fl_decay_usage(weights, amounts, 3, 1) == 7);
	assert_true(fl_decay_usage(weights, amounts, 3, 0.5) == 14);
	assert_true(isinf(fl_decay_usage(weights, amounts, 3, 0)));
	assert_true(isinf(fl_decay_usage(weights, amounts, 0, 0)));
	assert_true(fl_decay_usage(weights, amounts, 0, 1) == 0);
}

TEST(consumed_goes_towards_what_is_held)
{
	struct fl_decay half = fl_decay_over(3600 * FL_SECOND, 3600 * FL_SECOND);
	struct fl_decay none = fl_decay_over(3600 * FL_SECOND, 0);

	assert_true(fl_decay_toward(half, 8, 2) == 5);
	assert_true(fl_decay_toward(half, 3, 3) == 2); /* each product is cut */
	assert_true(fl_decay_toward(none, 8, 2) == 8);
}

UNIT_GROUP("decay")
