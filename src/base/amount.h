/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amount - exact quantities of a resource: cpu in milli-units, all else in whole units
 *
 * A quota may be unlimited; it stays unlimited under + and -, and two unlimited
 * ones differ by nothing.  Bounded results saturate just below the sentinel, so
 * a bounded total is never mistaken for "no limit".  Usage is plain int64: what
 * would overflow it anywhere in the tree is never admitted, so sums of usage and
 * their undo are exact.
 */
#ifndef FL_BASE_AMOUNT_H
#define FL_BASE_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t fl_amount;

/* An exact decimal of nine places: consumed usage that decays (decide/share/decay.h). */
__extension__ typedef __int128 fl_nanos;
#define FL_NANOS_INFINITE ((fl_nanos)1 << 120) /* more than any sum of amounts */

#define FL_UNLIMITED INT64_MAX
/* An absent borrowing or lending limit: only compared, never summed. Limits are never negative. */
#define FL_NO_LIMIT INT64_C(-1)

static inline fl_amount fl_amount_min(fl_amount a, fl_amount b) { return a < b ? a : b; }
static inline fl_amount fl_amount_max(fl_amount a, fl_amount b) { return a > b ? a : b; }

/* Plain saturating sums of what workloads ask for. */
static inline int64_t fl_sat_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? INT64_MAX : INT64_MIN;
	return sum;
}

static inline int64_t fl_sat_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a >= 0 ? INT64_MAX : INT64_MIN;
	return difference;
}

static inline int64_t fl_sat_mul(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
	return product;
}

/* Quota plus quota: unlimited wins; a bounded overflow stays below the sentinel. */
static inline fl_amount fl_quota_add(fl_amount a, fl_amount b)
{
	if (a == FL_UNLIMITED || b == FL_UNLIMITED)
		return FL_UNLIMITED;
	fl_amount sum = fl_sat_add(a, b);
	return sum == FL_UNLIMITED ? FL_UNLIMITED - 1 : sum;
}

/* Quota minus quota: unlimited - unlimited = 0, bounded - unlimited = least. */
static inline fl_amount fl_quota_sub(fl_amount a, fl_amount b)
{
	if (b == FL_UNLIMITED)
		return a == FL_UNLIMITED ? 0 : INT64_MIN;
	if (a == FL_UNLIMITED)
		return FL_UNLIMITED;
	return fl_sat_sub(a, b);
}

/* Quota minus usage: usage is always bounded. */
static inline fl_amount fl_quota_less(fl_amount quota, fl_amount usage)
{
	return quota == FL_UNLIMITED ? quota : fl_sat_sub(quota, usage);
}

#endif
