/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cron - schedules, as five fields of text, and their times
 *
 * The fields are minute hour day-of-month month day-of-week, or one of @yearly @annually
 * @monthly @weekly @daily @midnight @hourly; in UTC.  A field is a list of *, N, N-M, each
 * with /STEP behind it (N/STEP goes to the field's end), months and days of the week also by
 * their names' first three letters, and ? is *.  When both days are restricted one of them is
 * enough; a field that begins with * is not restricted unless its step is above 1.
 *
 * Pure: allocates nothing.
 */
#ifndef FL_BASE_CRON_H
#define FL_BASE_CRON_H

#include <stddef.h>

#include "base/error.h"
#include "base/ids.h"

/* Bit n is set when the schedule has n. */
struct fl_cron {
	uint64_t minutes;
	uint32_t hours, days, months, weekdays;
	bool any_day, any_weekday; /* not restricted */
};

/* 0, or FAIRLEAD_EINPUT with the field named; so for one that never comes, such as the 30th of February. */
int fl_cron_parse(const char *text, size_t len, struct fl_cron *ret, fairlead_error *err);

/* The first time strictly after @t, and the last one strictly before; FL_NEVER and FL_TIME_NONE beyond what fl_time holds. */
fl_time fl_cron_after(const struct fl_cron *c, fl_time t);
fl_time fl_cron_before(const struct fl_cron *c, fl_time t);

#endif
