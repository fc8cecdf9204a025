/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decay - usage that loses half its value in every half-life, computed from samples
 *
 * The arithmetic of Admission Fair Sharing as the reference has it; decide/share/integral.h has
 * the exact one, and decide/share/history.h usage in a window, by which entitlement is divided.
 *
 *   consumed' = consumed * (1 - alpha) + used * alpha, alpha = 1 - 0.5^(t / half-life)
 *
 * Amounts are exact decimals of nine places; a product is computed exactly and then cut (towards
 * zero) to nine places, so that the same steps give the same digits.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_DECIDE_SHARE_DECAY_H
#define FL_DECIDE_SHARE_DECAY_H

#include "base/amount.h"
#include "base/ids.h"

/*
 * 1 - 0.5^(elapsed / half_life), at most 1.  It is 0, so that nothing decays, when half_life is 0
 * and when the clock went back.
 */
double fl_decay_alpha(fl_time elapsed, fl_time half_life);

/*
 * A factor from 0 to 1 as the shortest decimal that is read back as the same double: digits *
 * 10^-places.
 */
struct fl_factor {
	uint64_t digits;
	int places;
};
struct fl_factor fl_decay_factor(double x);

/* @amount * @factor, cut to nine places. */
fl_nanos fl_decay_scale(fl_nanos amount, struct fl_factor factor);

/* The factors of a time span: 1 - alpha and alpha. */
struct fl_decay {
	struct fl_factor left, gained;
};
struct fl_decay fl_decay_over(fl_time elapsed, fl_time half_life);

/* What is consumed after the time span, during which @used was held: by the equation above. */
fl_nanos fl_decay_toward(struct fl_decay stretch, fl_nanos consumed, fl_nanos used);

/*
 * @amount in natural units (cores, bytes), converted from a decimal to a double as the reference
 * does it.
 */
double fl_decay_natural(fl_nanos amount);

/*
 * The number by which local queues are ordered: the sum over the @n resources, in order, of weight
 * * amount in natural units, divided by @weight; INFINITY with weight 0.
 */
double fl_decay_usage(const double *resource_weights, const double *amounts, uint32_t n,
		      double weight);

#endif
