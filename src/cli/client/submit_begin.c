/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/submit_begin.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/amount.h"
#include "base/time.h"

/* A number of one to @most digits; *at moves behind it. */
static bool digits(const char **at, size_t most, int *ret)
{
	size_t n = strspn(*at, "0123456789");

	if (n == 0 || n > most)
		return false;
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret = *ret * 10 + ((*at)[i] - '0');
	*at += n;
	return true;
}

static bool skip(const char **at, char c)
{
	bool is = **at == c;

	*at += is;
	return is;
}

/* --- the time of a day --- */

struct clock {
	int hour, minute, second;
};

/* "AM" and "PM", of hours from 1 to 12; nothing. */
static bool half_of_day(const char *text, int *hour)
{
	bool late = strcasecmp(text, "PM") == 0;

	if (*text == '\0')
		return *hour < 24;
	if ((!late && strcasecmp(text, "AM") != 0) || *hour < 1 || *hour > 12)
		return false;
	*hour = *hour % 12 + (late ? 12 : 0);
	return true;
}

static bool read_clock(const char *text, struct clock *ret)
{
	static const struct {
		const char *name;
		int hour;
	} named[] = { { "midnight", 0 },
		      { "noon", 12 },
		      { "elevenses", 11 },
		      { "fika", 15 },
		      { "teatime", 16 } };

	*ret = (struct clock){ 0 };
	for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
		if (strcasecmp(text, named[i].name) == 0) {
			ret->hour = named[i].hour;
			return true;
		}
	if (!digits(&text, 2, &ret->hour) || !skip(&text, ':') || !digits(&text, 2, &ret->minute))
		return false;
	if (skip(&text, ':') && !digits(&text, 2, &ret->second))
		return false;
	return ret->minute < 60 && ret->second < 60 && half_of_day(text, &ret->hour);
}

/* --- the day --- */

static bool is_day(struct tm *day, int year, int month, int mday)
{
	struct tm t = { .tm_year = year - 1900,
			.tm_mon = month - 1,
			.tm_mday = mday,
			.tm_hour = 12,
			.tm_isdst = -1 };

	if (year < 1970 || year > 2261 || mktime(&t) == (time_t)-1 || t.tm_mday != mday ||
	    t.tm_mon != month - 1)
		return false;
	*day = t;
	return true;
}

/* YYYY-MM-DD, MM/DD/YY, MM.DD.YY, MM/DD, MMDDYY; *day is today. */
static bool read_date(const char *text, struct tm *day)
{
	int a, b, c;
	const char *at = text;
	char mark;

	if (strlen(text) == 6 && strspn(text, "0123456789") == 6)
		return sscanf(text, "%2d%2d%2d", &a, &b, &c) == 3 && is_day(day, 2000 + c, a, b);
	if (!digits(&at, 4, &a))
		return false;
	mark = *at;
	if ((mark != '-' && mark != '/' && mark != '.') || !skip(&at, mark) || !digits(&at, 2, &b))
		return false;
	if (mark == '/' && *at == '\0')
		return is_day(day, day->tm_year + 1900, a, b);
	if (!skip(&at, mark) || !digits(&at, 2, &c) || *at)
		return false;
	return mark == '-' ? is_day(day, a, b, c) : is_day(day, 2000 + c, a, b);
}

static bool read_day(const char *text, struct tm *day)
{
	if (strcasecmp(text, "today") == 0)
		return true;
	if (strcasecmp(text, "tomorrow") == 0)
		return ++day->tm_mday; /* behind the last of a month it is the first of the next */
	return read_date(text, day);
}

static bool at_clock(const struct tm *day, const struct clock *clock, int days, time_t *ret)
{
	struct tm t = { .tm_year = day->tm_year,
			.tm_mon = day->tm_mon,
			.tm_mday = day->tm_mday + days,
			.tm_hour = clock->hour,
			.tm_min = clock->minute,
			.tm_sec = clock->second,
			.tm_isdst = -1 };

	*ret = mktime(&t);
	return *ret != (time_t)-1;
}

/* A time of the day, or a day, or both. */
static bool read_local(const char *text, time_t now, time_t *ret)
{
	struct clock clock = { 0 };
	struct tm day;
	char first[32];
	size_t n = strcspn(text, " Tt");

	if (!localtime_r(&now, &day))
		return false;
	if (read_clock(text, &clock))
		return at_clock(&day, &clock, 0, ret) &&
		       (*ret > now || at_clock(&day, &clock, 1, ret));
	clock = (struct clock){ 0 };
	/* "today" and "tomorrow" begin with one of the letters that may stand before the clock. */
	if (strncasecmp(text, "today", 5) == 0)
		n = 5;
	else if (strncasecmp(text, "tomorrow", 8) == 0)
		n = 8;
	if (n >= sizeof first)
		return false;
	memcpy(first, text, n);
	first[n] = '\0';
	if (!read_day(first, &day) ||
	    (text[n] && (!strchr(" Tt", text[n]) || !read_clock(text + n + 1, &clock))))
		return false;
	return at_clock(&day, &clock, 0, ret);
}

/* --- from now on --- */

/* "", "+90", "+1hour", "+1h30m": the length behind "now". */
static bool read_length(const char *text, fl_time *ret)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = { { "", 1 },        { "second", 1 },  { "minute", 60 },  { "min", 60 },
		      { "hour", 3600 }, { "day", 86400 }, { "week", 604800 } };
	const char *at = text + 1;
	size_t n;
	int count;

	*ret = 0;
	if (*text == '\0')
		return true;
	if (*text != '+')
		return false;
	if (fl_period_parse(at, strlen(at), ret, NULL) == 0)
		return true;
	if (!digits(&at, 9, &count))
		return false;
	n = strlen(at);
	n -= n > 1 && at[n - 1] == 's';
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].name) == n && strncasecmp(units[i].name, at, n) == 0)
			return !__builtin_mul_overflow(count, units[i].seconds * FL_SECOND, ret);
	return false;
}

bool fl_submit_begin(const char *text, time_t now, fl_time *ret)
{
	fl_time length;
	time_t at;

	if (strncasecmp(text, "now", 3) == 0) {
		if (!read_length(text + 3, &length))
			return false;
		*ret = fl_sat_add((fl_time)now * FL_SECOND, length);
		return true;
	}
	if (fl_time_parse(text, strlen(text), ret, NULL) == 0)
		return true;
	if (*text != '0' && fl_period_parse(text, strlen(text), &length, NULL) == 0) {
		*ret = fl_sat_add((fl_time)now * FL_SECOND, length);
		return true;
	}
	if (!read_local(text, now, &at))
		return false;
	*ret = (fl_time)at * FL_SECOND;
	return true;
}
