/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/tune.h"

#include <math.h>

#include "decide/share/integral.h"

static fl_time least(fl_time a, fl_time b) { return a < b ? a : b; }

/* @ns rounded to nanoseconds, at most FL_NEVER. */
static fl_time to_time(double ns) { return ns < 9.2e18 ? (fl_time)round(ns) : FL_NEVER; }

/* The part that the last @length has of all that is remembered with @half_life. */
static double gained(fl_time length, fl_time half_life, fl_time window)
{
	length = least(length, window);
	if (half_life <= 0)
		return (double)length / (double)window;
	return fl_integral_over(length, half_life).gained /
	       fl_integral_over(window, half_life).gained;
}

double fl_tune_usage(const struct fl_tune *t, double part, fl_time used, fl_time idle)
{
	fl_time from = least(idle, t->window), length = least(used, t->window - from);
	double left = t->half_life > 0 ? fl_integral_over(from, t->half_life).left : 1;

	return part * left * gained(length, t->half_life, t->window);
}

double fl_tune_portion(double k, double weight, double usage, enum fl_tune_others others)
{
	double rest = 1 - weight, used = others == FL_OTHERS_BUSY ? 1 - usage : 0;
	double own = fmax(weight + k * (weight - usage), 0);
	/* The others count as one queue: their usage is in proportion to their weights. */
	double sum = own + fmax(rest + k * (rest - used), 0);

	return sum > 0 ? own / sum : 0;
}

double fl_tune_cost(double k, double weight, double usage, enum fl_tune_others others)
{
	return 1 - fl_tune_portion(k, weight, usage, others) / weight;
}

double fl_tune_usage_for(double k, double weight, double cost, enum fl_tune_others others)
{
	if (k <= 0)
		return HUGE_VAL;
	if (others == FL_OTHERS_BUSY)
		return weight * (1 + cost / k);
	return cost * weight * (1 + k) / (k * (1 - weight + cost * weight));
}

double fl_tune_k_for(double weight, double usage, double cost, enum fl_tune_others others)
{
	double gap = others == FL_OTHERS_BUSY ? usage - weight :
						usage * (1 - weight) - cost * weight * (1 - usage);

	return gap > 0 ? cost * weight / gap : HUGE_VAL;
}

double fl_tune_most(double weight, double usage, enum fl_tune_others others)
{
	if (usage >= weight)
		return usage > weight ? 1 : others == FL_OTHERS_IDLE;
	return others == FL_OTHERS_BUSY ? 0 : usage * (1 - weight) / (weight * (1 - usage));
}

fl_time fl_tune_half_life_for(const struct fl_tune *t, double part, fl_time used, double usage)
{
	double low = 1, high = 1e6 * (double)t->window;
	struct fl_tune with = *t;

	with.half_life = 0;
	if (usage <= fl_tune_usage(&with, part, used, 0))
		return FL_NEVER;
	if (usage >= part)
		return 0;
	/* Each step halves the logarithm of the ratio. */
	while (high / low > 1 + 1e-6 / 2) {
		double middle = sqrt(low * high);

		with.half_life = to_time(middle);
		if (fl_tune_usage(&with, part, used, 0) > usage)
			low = middle;
		else
			high = middle;
	}
	return to_time(sqrt(low * high));
}

fl_time fl_tune_window_for(const struct fl_tune *t, double part, fl_time used, double usage)
{
	double h = (double)t->half_life, mass;

	if (usage > part)
		return 0;
	if (t->half_life <= 0)
		return to_time(part / usage * (double)used);
	mass = part / usage * fl_integral_over(used, t->half_life).gained;
	return mass < 1 ? to_time(-h * log2(1 - mass)) : FL_NEVER;
}

double fl_tune_least_k(const struct fl_tune *t, double weight)
{
	return weight < 1 ? fmax(weight - t->unit / 2, 0) / (1 - weight) : HUGE_VAL;
}

/* For how long a queue must hold the whole cluster to reach this usage. */
static fl_time reaches(const struct fl_tune *t, double usage)
{
	if (usage > 1)
		return FL_NEVER;
	if (t->half_life <= 0)
		return to_time(usage * (double)t->window);
	double mass = usage * fl_integral_over(t->window, t->half_life).gained;

	return mass < 1 ? to_time(-(double)t->half_life * log2(1 - mass)) : FL_NEVER;
}

fl_time fl_tune_yields(const struct fl_tune *t, double weight)
{
	double half = t->unit / 2;

	if (t->k <= 0)
		return FL_NEVER;
	return reaches(t, (1 + 1 / t->k) * fmax(weight - half, 0) / (1 - half));
}

/* Usage falls from 1 to w: then the youngest part of the window, which others held, is 1 - w. */
fl_time fl_tune_recovers(const struct fl_tune *t, double weight)
{
	return t->k > 0 ? reaches(t, 1 - weight) : 0;
}

fl_time fl_tune_halves(const struct fl_tune *t, fl_time used)
{
	double half = fl_tune_usage(t, 1, used, 0) / 2;
	fl_time low = 0, high = t->window;

	while (high - low > 1) {
		fl_time middle = low + (high - low) / 2;

		if (fl_tune_usage(t, 1, used, middle) > half)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Usage of a queue at the end of its turn, when all turns last @turn. */
static double after_turn(const struct fl_tune *t, fl_time turn)
{
	double q = fl_integral_over(turn, t->half_life).left, n;
	double pairs = floor((double)t->window / (2 * (double)turn));
	fl_time rest = t->window - (fl_time)(2 * pairs * (double)turn);

	n = pow(q, 2 * pairs);
	return (1 - n) / (1 + q) / fl_integral_over(t->window, t->half_life).gained +
	       n * gained(least(rest, turn), t->half_life, t->window);
}

fl_time fl_tune_turn(const struct fl_tune *t)
{
	double usage = t->k > 0 ? (1 + (1 - t->unit) / t->k) / 2 : HUGE_VAL;
	fl_time turn = reaches(t, usage), low = t->window / 1000000 + 1, high = t->window / 2;

	if (turn == FL_NEVER || t->half_life <= 0 || turn >= high)
		return turn;
	while (high - low > high / 1000000 + 1) {
		fl_time middle = low + (high - low) / 2;

		if (after_turn(t, middle) < usage)
			low = middle;
		else
			high = middle;
	}
	return high;
}
