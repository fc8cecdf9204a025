/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/integral.h"

#include <math.h>

struct fl_integral fl_integral_over(fl_time elapsed, fl_time half_life)
{
	static const double ln2 = 0.693147180559945309417232121458;
	double halvings;

	if (half_life <= 0)
		return (struct fl_integral){ .left = 0, .gained = 1 };
	if (elapsed <= 0)
		return (struct fl_integral){ .left = 1, .gained = 0 };
	halvings = (double)elapsed / (double)half_life;
	/*
	 * 1 - exp2(-x) would lose all digits when x is small, as for a short job with a long
	 * half-life.
	 */
	return (struct fl_integral){ .left = exp2(-halvings), .gained = -expm1(-halvings * ln2) };
}
