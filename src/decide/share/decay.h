/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decay - usage that is forgotten by half every half-life, from samples
 *
 * The arithmetic of Admission Fair Sharing as the reference has it; decide/share/integral.h
 * has the exact one, and decide/share/history.h usage in a window, by which entitlement is divided.
 *
 * consumed' = consumed * (1 - alpha) + used * alpha, alpha = 1 - 0.5^(t / half-life).
 * Amounts are exact decimals of nine places; a product is exact and then cut
 * (towards zero) to nine places, so that the same steps give the same digits.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_DECIDE_SHARE_DECAY_H
#define FL_DECIDE_SHARE_DECAY_H

#include "base/amount.h"
#include "base/ids.h"

/*
 * 1 - 0.5^(elapsed / half_life), at most 1.  0, and nothing is forgotten, when half_life
 * is 0 and when the clock went back.
 */
double fl_decay_alpha(fl_time elapsed, fl_time half_life);

/* A factor from 0 to 1 as the shortest decimal that reads back as it: digits * 10^-places. */
struct fl_factor {
	uint64_t digits;
	int places;
};
struct fl_factor fl_decay_factor(double x);

/* @amount * @factor, cut to nine places. */
fl_nanos fl_decay_scale(fl_nanos amount, struct fl_factor factor);

/* Of a stretch of time: 1 - alpha and alpha. */
struct fl_decay {
	struct fl_factor left, gained;
};
struct fl_decay fl_decay_over(fl_time elapsed, fl_time half_life);

/* What is consumed after the stretch, in which @used was held: as in the equation above. */
fl_nanos fl_decay_toward(struct fl_decay stretch, fl_nanos consumed, fl_nanos used);

/* In natural units (cores, bytes), as the reference turns such a decimal into a double. */
double fl_decay_natural(fl_nanos amount);

/*
 * The number that local queues are ordered by: the weighted sum of @amounts, in natural
 * units, over the @n resources in order, divided by @weight; INFINITY with weight 0.
 */
double fl_decay_usage(const double *resource_weights, const double *amounts, uint32_t n,
		      double weight);

#endif
