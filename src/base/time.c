/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time.h"

#include <stdio.h>
#include <string.h>

/*
 * Days since 1970-01-01 of the proleptic Gregorian calendar.  The year is taken
 * to begin in March, so that the leap day is its last and (153 * m + 2) / 5
 * gives the days before month m.
 */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t m = month > 2 ? month - 3 : month + 9;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t in_era = y - era * 400;

	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + (153 * m + 2) / 5 + day -
	       1 - 719468;
}

void fl_time_date(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t d = days + 719468;
	int64_t era = (d >= 0 ? d : d - 146096) / 146097;
	int64_t in_era = d - era * 146097;
	int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * in_year + 2) / 153;

	*day = in_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = y + era * 400 + (*month <= 2);
}

struct cursor {
	const char *at, *end;
	bool ok;
};

static int64_t digits(struct cursor *c, int n)
{
	int64_t value = 0;

	for (int i = 0; i < n; i++) {
		if (c->at == c->end || *c->at < '0' || *c->at > '9') {
			c->ok = false;
			return 0;
		}
		value = value * 10 + (*c->at++ - '0');
	}
	return value;
}

static void literal(struct cursor *c, char want)
{
	if (c->at != c->end && *c->at == want)
		c->at++;
	else
		c->ok = false;
}

static int64_t fraction(struct cursor *c)
{
	int64_t value = 0, unit = FL_SECOND / 10;

	if (c->at == c->end || *c->at != '.')
		return 0;
	c->at++;
	value = digits(c, 1) * unit;
	for (; c->at != c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
		unit /= 10;
		value += (*c->at - '0') * unit;
	}
	return value;
}

/* Seconds east of UTC. */
static int64_t offset(struct cursor *c)
{
	int64_t hours, minutes;
	char sign = c->at != c->end ? *c->at : '\0';

	if (sign != '+' && sign != '-') {
		literal(c, 'Z');
		return 0;
	}
	c->at++;
	hours = digits(c, 2);
	literal(c, ':');
	minutes = digits(c, 2);
	c->ok &= hours < 24 && minutes < 60;
	return (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

static bool leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int fl_time_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err)
{
	static const char lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	struct cursor c = { .at = text, .end = text + len, .ok = true };
	int64_t year = digits(&c, 4), month, day, hour, minute, second, nanos, east;
	int shown = len < 60 ? (int)len : 60;

	literal(&c, '-');
	month = digits(&c, 2);
	literal(&c, '-');
	day = digits(&c, 2);
	literal(&c, 'T');
	hour = digits(&c, 2);
	literal(&c, ':');
	minute = digits(&c, 2);
	literal(&c, ':');
	second = digits(&c, 2);
	nanos = fraction(&c);
	east = offset(&c);
	if (c.ok && c.at == c.end && month >= 1 && month <= 12 && day >= 1 && hour < 24 &&
	    minute < 60 && second < 60 && day <= lengths[month - 1] + (month == 2 && leap(year))) {
		if (year < 1678 || year > 2261)
			return fl_fail(err, FAIRLEAD_EINPUT,
				       "the time '%.*s' is not within the years 1678 to 2261",
				       shown, text);
		second += days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 - east;
		*ret = second * FL_SECOND + nanos;
		return 0;
	}
	fl_fail(err, FAIRLEAD_EINPUT, "'%.*s%s' is not a time", shown, text, len > 60 ? "..." : "");
	fl_fail_hint(err, "write it like 2026-01-31T12:00:00Z");
	return FAIRLEAD_EINPUT;
}

/* Nanoseconds of the unit at c->at; 0 when it is none. */
static int64_t unit(struct cursor *c, bool days)
{
	static const struct {
		const char *name;
		int64_t nanos;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\xc2\xb5s", 1000 },
		{ "\xce\xbcs", 1000 },
		{ "ms", 1000000 },
		{ "s", FL_SECOND },
		{ "m", 60 * FL_SECOND },
		{ "h", 3600 * FL_SECOND },
		{ "d", 86400 * FL_SECOND },
		{ "w", 7 * 86400 * FL_SECOND },
		{ "y", 365 * 86400 * FL_SECOND },
	};
	size_t n_units = sizeof units / sizeof *units - (days ? 0 : 3);

	for (size_t i = 0; i < n_units; i++) {
		size_t n = strlen(units[i].name);

		if ((size_t)(c->end - c->at) >= n && memcmp(c->at, units[i].name, n) == 0) {
			c->at += n;
			return units[i].nanos;
		}
	}
	return 0;
}

/* One number and its unit, added to *sum; false when it is none, or the sum too large. */
static bool duration_part(struct cursor *c, bool days, int64_t *sum)
{
	int64_t whole = 0, tenths = 0, scale = 1, nanos;
	const char *start = c->at;

	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *c->at - '0', &whole))
			return false;
	if (c->at < c->end && *c->at == '.')
		for (c->at++; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
			if (scale < 1000000) {
				tenths = tenths * 10 + (*c->at - '0');
				scale *= 10;
			}
	if (c->at == start || (c->at == start + 1 && *start == '.'))
		return false;
	nanos = unit(c, days);
	return nanos && !__builtin_mul_overflow(whole, nanos, &whole) &&
	       !__builtin_add_overflow(*sum, whole, sum) &&
	       !__builtin_add_overflow(
		       *sum, tenths * (nanos / scale) + tenths * (nanos % scale) / scale, sum);
}

static int parse(const char *text, size_t len, bool days, fl_time *ret, fairlead_error *err)
{
	struct cursor c = { .at = text, .end = text + len, .ok = len > 0 };
	int64_t sum = 0;

	if (len == 1 && *text == '0')
		c.at++;
	while (c.ok && c.at < c.end)
		c.ok = duration_part(&c, days, &sum);
	if (c.ok) {
		*ret = sum;
		return 0;
	}
	fl_fail(err, FAIRLEAD_EINPUT, "'%.*s%s' is not a length of time", len < 60 ? (int)len : 60,
		text, len > 60 ? "..." : "");
	fl_fail_hint(err, "write it like 10s, 5m or %s", days ? "30d" : "1h30m");
	return FAIRLEAD_EINPUT;
}

int fl_duration_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err)
{
	return parse(text, len, /* days= */ false, ret, err);
}

int fl_period_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err)
{
	return parse(text, len, /* days= */ true, ret, err);
}

/* "90", "90:30", "1:30:00"; or behind a day "02", "02:30", "02:30:15": in seconds, per part. */
static bool limit_parts(struct cursor *c, bool behind_day, int64_t *sum)
{
	static const int64_t units[2][3][3] = {
		{ { 60 }, { 60, 1 }, { 3600, 60, 1 } },
		{ { 3600 }, { 3600, 60 }, { 3600, 60, 1 } },
	};
	int64_t parts[3];
	int n = 0;

	do {
		const char *start = c->at;

		if (n == 3)
			return false;
		parts[n] = 0;
		for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
			parts[n] = parts[n] * 10 + (*c->at - '0');
		if (c->at == start || c->at - start > 9 || (n > 0 && parts[n] > 59) ||
		    (behind_day && n == 0 && parts[n] > 23))
			return false;
		n++;
	} while (c->at < c->end && *c->at == ':' && c->at++);
	for (int i = 0; i < n; i++)
		*sum += parts[i] * units[behind_day][n - 1][i];
	return c->at == c->end;
}

static bool limit_of_sbatch(struct cursor c, fl_time *ret)
{
	int64_t sum = 0, days = 0;
	const char *dash = memchr(c.at, '-', (size_t)(c.end - c.at));

	if (dash) {
		if (dash == c.at || dash - c.at > 5)
			return false;
		days = digits(&c, (int)(dash - c.at));
		c.at++;
	}
	if (!c.ok || !limit_parts(&c, dash != NULL, &sum) ||
	    __builtin_add_overflow(sum, days * 86400, &sum))
		return false;
	return !__builtin_mul_overflow(sum, FL_SECOND, ret);
}

int fl_limit_parse(const char *text, size_t len, fl_time *ret, fairlead_error *err)
{
	struct cursor c = { .at = text, .end = text + len, .ok = true };

	if (limit_of_sbatch(c, ret) || fl_period_parse(text, len, ret, err) == 0)
		return 0;
	return fl_fail_hint(err, "write it like 90 (minutes), 1:30:00, 1-12 (days-hours) or 1h30m");
}

const char *fl_time_format(char buffer[40], fl_time t)
{
	int64_t nanos = t % FL_SECOND, seconds = t / FL_SECOND, days, year, month, day;
	int n;

	if (nanos < 0) {
		nanos += FL_SECOND;
		seconds--;
	}
	days = seconds / 86400;
	seconds %= 86400;
	if (seconds < 0) {
		seconds += 86400;
		days--;
	}
	fl_time_date(days, &year, &month, &day);
	n = snprintf(buffer, 40, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, (int)month, (int)day,
		     (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
	if (nanos) {
		n += snprintf(buffer + n, 40 - (size_t)n, ".%09d", (int)nanos);
		while (buffer[n - 1] == '0')
			n--;
	}
	buffer[n] = 'Z';
	buffer[n + 1] = '\0';
	return buffer;
}
