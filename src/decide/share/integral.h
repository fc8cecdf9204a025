/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integral - usage with a half-life, as the exact integral of what was held
 *
 * What was held one half-life ago counts half as much as what is held now.  Over all the past that
 * is U(t) = ln 2 / h * integral of u(s) 2^-((t - s) / h) ds, and while u stays the same it has a
 * closed form,
 *
 *   U(t) = U(t0) 2^-((t - t0) / h) + u (1 - 2^-((t - t0) / h)),
 *
 * so it is exact to update it only when u changes.  Updating in several steps gives the same as in
 * one step, up to the last bits of a double: nothing is subtracted, so the relative error of U is
 * at most a few times 2^-53 per step.
 *
 * Half-life 0 is the limit: U is what is held now.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_DECIDE_SHARE_INTEGRAL_H
#define FL_DECIDE_SHARE_INTEGRAL_H

#include "base/ids.h"

/*
 * Of a time span: which part of the usage before it is left, and by which factor counts what is
 * held during it.
 */
struct fl_integral {
	double left, gained; /* left + gained == 1, each from 0 to 1 */
};

/* For a time span of @elapsed; if the clock went back, of 0. */
struct fl_integral fl_integral_over(fl_time elapsed, fl_time half_life);

/* U at the end of the time span, from U at its beginning and what was @held during it. */
static inline double fl_integral_of(struct fl_integral stretch, double before, double held)
{
	return before * stretch.left + held * stretch.gained;
}

#endif
