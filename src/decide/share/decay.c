/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/decay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double fl_decay_alpha(fl_time elapsed, fl_time half_life)
{
	if (half_life <= 0 || elapsed <= 0)
		return 0;
	return 1.0 - pow(0.5, ((double)elapsed / 1e9) / ((double)half_life / 1e9));
}

/*
 * At most 17 digits.  A decimal of up to 15 digits is printed as it is, with zeros behind it, so
 * shorter ones need not be tried. strtod reads what snprintf wrote, so the decimal point of the
 * locale does not matter.
 */
struct fl_factor fl_decay_factor(double x)
{
	char text[40];
	uint64_t digits = 0;
	int precision = 14, places, exponent = 0;

	do
		(void)snprintf(text, sizeof text, "%.*e", precision, x);
	while (strtod(text, NULL) != x && precision++ < 17);
	for (const char *c = text; *c != 'e'; c++)
		if (*c >= '0' && *c <= '9') /* whatever the locale's decimal point is */
			digits = digits * 10 + (uint64_t)(*c - '0');
	/* Factors are at most 1: the exponent is 0 or negative. */
	for (const char *c = strchr(text, 'e'); *c; c++)
		if (*c >= '0' && *c <= '9')
			exponent = exponent * 10 + (*c - '0');
	places = precision + exponent;
	for (; digits && digits % 10 == 0; digits /= 10)
		places--;
	return (struct fl_factor){ digits, places };
}

enum { LIMBS = 6 }; /* of 32 bits each: 2^127 * 10^17 < 2^184 */

static void multiply(uint32_t n[LIMBS], uint32_t by)
{
	uint64_t carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		carry += (uint64_t)n[i] * by;
		n[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void divide(uint32_t n[LIMBS], uint32_t by)
{
	uint64_t rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		rest = rest << 32 | n[i];
		n[i] = (uint32_t)(rest / by);
		rest %= by;
	}
}

fl_nanos fl_decay_scale(fl_nanos amount, struct fl_factor factor)
{
	int places = factor.places;
	bool negative = amount < 0;
	fl_nanos magnitude = negative ? -amount : amount, result = 0;
	uint32_t low[LIMBS] = { 0 }, high[LIMBS];
	uint64_t carry = 0;

	for (int i = 0; i < 4; i++)
		low[i] = (uint32_t)(magnitude >> 32 * i);
	for (int i = 0; i < LIMBS; i++)
		high[i] = low[i];
	multiply(low, (uint32_t)factor.digits);
	multiply(high, (uint32_t)(factor.digits >> 32));
	for (int i = 0; i < LIMBS; i++) {
		carry += low[i] + (uint64_t)(i ? high[i - 1] : 0);
		low[i] = (uint32_t)carry;
		carry >>= 32;
	}
	for (; places > 0; places--)
		divide(low, 10); /* cutting step by step gives the same as cutting once */
	for (; places < 0; places++)
		multiply(low, 10);
	for (int i = 3; i >= 0; i--)
		result = result << 32 | low[i];
	return negative ? -result : result;
}

struct fl_decay fl_decay_over(fl_time elapsed, fl_time half_life)
{
	double alpha = fl_decay_alpha(elapsed, half_life);

	return (struct fl_decay){ fl_decay_factor(1 - alpha), fl_decay_factor(alpha) };
}

fl_nanos fl_decay_toward(struct fl_decay d, fl_nanos consumed, fl_nanos used)
{
	return fl_decay_scale(consumed, d.left) + fl_decay_scale(used, d.gained);
}

double fl_decay_natural(fl_nanos amount) { return (double)amount * 1e-9; }

double fl_decay_usage(const double *resource_weights, const double *amounts, uint32_t n,
		      double weight)
{
	double sum = 0;

	if (weight <= 0)
		return HUGE_VAL;
	for (uint32_t r = 0; r < n; r++)
		sum += resource_weights[r] * amounts[r];
	return sum / weight;
}
