/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time - RFC 3339 times, as Kubernetes writes them, to nanoseconds and back
 *
 * Years 1678 to 2261, what nanoseconds in 64 bits hold.  Digits below a
 * nanosecond are cut.  No leap seconds.
 */
#ifndef FL_BASE_TIME_H
#define FL_BASE_TIME_H

#include <stddef.h>

#include "base/error.h"
#include "base/ids.h"

/* "2026-01-01T00:00:00Z", "2026-01-01T01:30:00.25+01:30"; 0 or FAIRLEAD_EINPUT. */
int fl_time_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err);

/* A duration such as "1h30m", "10s", "0"; not negative, cut to nanoseconds. */
int fl_duration_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err);
/*
 * The same with days of 24 hours, weeks, and years of 365 days: "30d", "2w", "1d12h", "5y"; what
 * Kubernetes has none of.
 */
int fl_period_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err);

/*
 * A time limit as sbatch reads it: "90" minutes, "90:30" minutes and seconds, "1:30:00" hours,
 * minutes and seconds, "1-02" days and hours, "1-02:30" and "1-02:30:15"; or else as
 * fl_period_parse reads it.  FAIRLEAD_EINPUT.
 */
int fl_limit_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err);

/* In UTC, with as many digits of a second as it takes. @buffer has 40 bytes. */
const char *fl_time_format(char buffer[40], fl_time t);

/* The date @days after 1970-01-01 in the Gregorian calendar; month and day from 1. */
void fl_time_date(int64_t days, int64_t *year, int64_t *month, int64_t *day);

/* @a - @b, within the range of fl_time. */
static inline fl_time fl_time_minus(fl_time a, fl_time b)
{
	fl_time ret;

	if (__builtin_sub_overflow(a, b, &ret))
		return b > 0 ? FL_TIME_NONE : FL_NEVER;
	return ret;
}

#endif
