/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "decide/share/integral.h"
#include "lib/unit.h"

#define HOUR (3600 * FL_SECOND)

static const struct {
	fl_time elapsed, half_life;
	double before, held, after;
} rows[] = {
	{ 0, HOUR, 5, 9, 5 },          { -HOUR, HOUR, 5, 9, 5 }, /* the clock went back */
	{ HOUR, HOUR, 8, 0, 4 },       { HOUR, HOUR, 0, 8, 4 },
	{ HOUR, HOUR, 8, 8, 8 },       { 2 * HOUR, HOUR, 8, 4, 5 },
	{ 3 * HOUR, HOUR, 0, 16, 14 }, { 100 * HOUR, FL_SECOND, 1e18, 3, 3 }, /* long forgotten */
	{ INT64_MAX, 1, 7, 3, 3 },     { 0, 0, 5, 9, 9 }, /* no half-life: what is held now */
	{ HOUR, 0, 5, 9, 9 },          { -HOUR, 0, 5, 9, 9 },
};

TEST(closed_form)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fl_integral s = fl_integral_over(rows[i].elapsed, rows[i].half_life);

		assert_true(fabs(fl_integral_of(s, rows[i].before, rows[i].held) - rows[i].after) <=
			    1e-14 * rows[i].after);
	}
}

/* Ten milliseconds in a half-life of a month: eight digits would be lost in 1 - exp2(-x). */
TEST(short_stretches_keep_their_digits)
{
	struct fl_integral s = fl_integral_over(FL_SECOND / 100, 720 * HOUR);
	long double want = -expm1l(-0.01L / (720 * 3600) * 0.693147180559945309417232121458176568L);

	assert_true(fabs(s.gained / (double)want - 1) < 4e-16);
	assert_true(fabs(1 - exp2(-0.01 / (720 * 3600)) - (double)want) > 1e-11 * (double)want);
}

/* A year in pieces of a minute is a year. */
TEST(many_pieces_are_one)
{
	struct fl_integral minute = fl_integral_over(60 * FL_SECOND, 168 * HOUR);
	struct fl_integral year = fl_integral_over(365 * 24 * HOUR, 168 * HOUR);
	double u = 123;

	for (int i = 0; i < 365 * 24 * 60; i++)
		u = fl_integral_of(minute, u, 7);
	assert_true(fabs(u - fl_integral_of(year, 123, 7)) < 1e-10);
}

TEST(never_past_what_is_held)
{
	for (int i = 0; i < 2000; i++) {
		struct fl_integral s = fl_integral_over(INT64_C(1) << i / 32, HOUR + i);

		assert_true(s.left >= 0 && s.left <= 1 && s.gained >= 0 && s.gained <= 1);
		assert_true(fabs(s.left + s.gained - 1) < 3e-16);
	}
}

UNIT_GROUP("integral")
