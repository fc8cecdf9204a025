/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decay - usage that is forgotten by half every half-life (Admission Fair Sharing)
 *
 * consumed' = consumed * (1 - alpha) + used * alpha, alpha = 1 - 0.5^(t / half-life).
 * Amounts are exact decimals of nine places; a product is exact and then cut
 * (towards zero) to nine places, so that the same steps give the same digits.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_SHARE_DECAY_H
#define FL_SHARE_DECAY_H

#include "base/amount.h"
#include "base/ids.h"

/*
 * 1 - 0.5^(elapsed / half_life), at most 1.  0, and nothing is forgotten, when half_life
 * is 0 and when the clock went back.
 */
double fl_decay_alpha(fl_time elapsed, fl_time half_life);

/* @amount * @factor, with @factor read as its shortest decimal; cut to nine places. 0 <= factor <= 1. */
fl_nanos fl_decay_scale(fl_nanos amount, double factor);

#endif
