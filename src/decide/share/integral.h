/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integral - usage with a half-life, as the exact integral of what was held
 *
 * What was held a half-life ago counts half as much as what is held now.  Over all
 * the past that is U(t) = ln 2 / h * integral of u(s) 2^-((t - s) / h) ds, and while u
 * stays the same it has a closed form,
 *
 *   U(t) = U(t0) 2^-((t - t0) / h) + u (1 - 2^-((t - t0) / h)),
 *
 * so it is exact to move it on only when u changes.  Moving it on in several pieces
 * gives what one piece gives, but for the last bits of a double: nothing is subtracted,
 * so the relative error of U is at most a few times 2^-53 for each piece.
 *
 * Half-life 0 is the limit: U is what is held now.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_DECIDE_SHARE_INTEGRAL_H
#define FL_DECIDE_SHARE_INTEGRAL_H

#include "base/ids.h"

/* Of a stretch of time: how much of what was there before is left, and how much what is held counts. */
struct fl_integral {
	double left, gained; /* left + gained == 1, both from 0 to 1 */
};

/* Of @elapsed; when the clock went back, of no time. */
struct fl_integral fl_integral_over(fl_time elapsed, fl_time half_life);

/* U at the end of the stretch, from U at its beginning and what was @held all through it. */
static inline double fl_integral_of(struct fl_integral stretch, double before, double held)
{
	return before * stretch.left + held * stretch.gained;
}

#endif
