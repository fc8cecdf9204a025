/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cron.h"

#include <string.h>

#include "base/time.h"

enum { MINUTES_A_DAY = 24 * 60 };
#define MINUTE (60 * FL_SECOND)

/* --- reading a schedule -------------------------------------------------------------- */

struct field {
	const char *name;
	uint32_t min, max;
	const char *names; /* three letters each, the first one is `min`; NULL: none */
};

static const struct field fields[] = {
	{ "minute", 0, 59, NULL },
	{ "hour", 0, 23, NULL },
	{ "day of the month", 1, 31, NULL },
	{ "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
	{ "day of the week", 0, 6, "sunmontuewedthufrisat" },
};
enum { MINUTE_FIELD, HOUR_FIELD, DAY_FIELD, MONTH_FIELD, WEEKDAY_FIELD, FIELDS };

/* One item of a list, while it is read. */
struct item {
	const char *at, *end;
	const struct field *field;
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* A number of at most four digits, or a name; false when there is neither. */
static bool read_value(struct item *i, uint32_t *ret)
{
	const char *start = i->at;
	uint32_t value = 0;

	for (; i->at < i->end && *i->at >= '0' && *i->at <= '9' && i->at - start < 4; i->at++)
		value = value * 10 + (uint32_t)(*i->at - '0');
	*ret = value;
	if (i->at > start)
		return true;
	if (!i->field->names || i->end - i->at < 3)
		return false;
	for (uint32_t n = 0; n <= i->field->max - i->field->min; n++) {
		const char *name = i->field->names + 3 * n;

		if (lower(start[0]) == name[0] && lower(start[1]) == name[1] &&
		    lower(start[2]) == name[2]) {
			i->at += 3;
			*ret = i->field->min + n;
			return true;
		}
	}
	return false;
}

static bool take(struct item *i, char c)
{
	if (i->at == i->end || *i->at != c)
		return false;
	i->at++;
	return true;
}

/* "*", "N", "N-M", and "/STEP" behind it: its bits; *any becomes true when it restricts nothing. */
static int read_item(struct item i, uint64_t *bits, bool *any, fairlead_error *err)
{
	const struct field *f = i.field;
	const char *text = i.at;
	int shown = i.end - text < 40 ? (int)(i.end - text) : 40;
	uint32_t from = f->min, to = f->max, step = 1;
	bool star = take(&i, '*') || take(&i, '?'), range = false, good;

	good = star || read_value(&i, &from);
	if (good && !star) {
		range = take(&i, '-');
		to = from;
		if (range)
			good = read_value(&i, &to);
	}
	if (good && take(&i, '/')) {
		good = read_value(&i, &step);
		if (!star && !range)
			to = f->max;
	}
	if (!good || i.at != i.end)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "%s: '%.*s' is none of *, N, N-M, */STEP and N-M/STEP", f->name,
			       shown, text);
	if (from < f->min || to > f->max || from > f->max)
		return fl_fail(err, FAIRLEAD_EINPUT, "%s: '%.*s' is not within %u to %u", f->name,
			       shown, text, f->min, f->max);
	if (from > to)
		return fl_fail(err, FAIRLEAD_EINPUT, "%s: '%.*s' ends before it begins", f->name,
			       shown, text);
	if (step == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "%s: '%.*s' has a step of 0", f->name, shown,
			       text);
	for (uint32_t n = from; n <= to; n += step)
		*bits |= UINT64_C(1) << n;
	*any |= star && step == 1;
	return 0;
}

static int read_field(const char *at, const char *end, const struct field *f, uint64_t *bits,
		      bool *any, fairlead_error *err)
{
	int r = 0;

	*bits = 0;
	*any = false;
	for (bool more = true; more && r == 0;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;

		r = read_item((struct item){ at, stop, f }, bits, any, err);
		more = comma != NULL;
		at = stop + 1;
	}
	return r;
}

static bool blank(char c) { return c == ' ' || c == '\t'; }

/* Only a day of the month can never come: the 31st of April and the like. */
static int check_comes(const struct fl_cron *c, fairlead_error *err)
{
	static const char longest[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	uint32_t first = (uint32_t)__builtin_ctz(c->days);

	if (c->any_day || !c->any_weekday)
		return 0;
	for (uint32_t month = 1; month <= 12; month++)
		if (c->months >> month & 1 && first <= (uint32_t)longest[month - 1])
			return 0;
	return fl_fail(err, FAIRLEAD_EINPUT,
		       "day of the month: no month of the schedule has a day %u: it never comes",
		       first);
}

static int read_fields(const char *text, size_t len, struct fl_cron *ret, fairlead_error *err)
{
	const char *at = text, *end = text + len;
	uint64_t bits[FIELDS];
	bool any[FIELDS];
	int n = 0;

	for (;; n++) {
		const char *start;

		while (at < end && blank(*at))
			at++;
		if (at == end)
			break;
		for (start = at; at < end && !blank(*at);)
			at++;
		if (n < FIELDS) {
			int r = read_field(start, at, &fields[n], &bits[n], &any[n], err);

			if (r < 0)
				return r;
		}
	}
	if (n != FIELDS) {
		fl_fail(err, FAIRLEAD_EINPUT, "a schedule has five fields, not %d", n);
		fl_fail_hint(err,
			     "minute hour day-of-month month day-of-week, such as 0 0 * * mon");
		return FAIRLEAD_EINPUT;
	}
	struct fl_cron cron = {
		.minutes = bits[MINUTE_FIELD],
		.hours = (uint32_t)bits[HOUR_FIELD],
		.days = (uint32_t)bits[DAY_FIELD],
		.months = (uint32_t)bits[MONTH_FIELD],
		.weekdays = (uint32_t)bits[WEEKDAY_FIELD],
		.any_day = any[DAY_FIELD],
		.any_weekday = any[WEEKDAY_FIELD],
	};
	int r = check_comes(&cron, err);

	if (r == 0)
		*ret = cron;
	return r;
}

int fl_cron_parse(const char *text, size_t len, struct fl_cron *ret, fairlead_error *err)
{
	static const struct {
		const char *name, *fields;
	} named[] = {
		{ "@yearly", "0 0 1 1 *" },  { "@annually", "0 0 1 1 *" },
		{ "@monthly", "0 0 1 * *" }, { "@weekly", "0 0 * * 0" },
		{ "@daily", "0 0 * * *" },   { "@midnight", "0 0 * * *" },
		{ "@hourly", "0 * * * *" },
	};

	if (len == 0 || *text != '@')
		return read_fields(text, len, ret, err);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (strlen(named[i].name) == len && memcmp(named[i].name, text, len) == 0)
			return read_fields(named[i].fields, strlen(named[i].fields), ret, err);
	fl_fail(err, FAIRLEAD_EINPUT, "'%.*s' is not a schedule", len < 40 ? (int)len : 40, text);
	if (len > 6 && memcmp(text, "@every", 6) == 0)
		fl_fail_hint(err, "a sliding window of that length starts at the same times");
	else
		fl_fail_hint(err, "there are @yearly, @monthly, @weekly, @daily and @hourly");
	return FAIRLEAD_EINPUT;
}

/* --- its times ------------------------------------------------------------------------ */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool comes_on(const struct fl_cron *c, int64_t days)
{
	int64_t year, month, day, weekday = days + 4 - 7 * floor_div(days + 4, 7);
	bool by_day, by_weekday;

	fl_time_date(days, &year, &month, &day);
	by_day = c->days >> day & 1;
	by_weekday = c->weekdays >> weekday & 1;
	if (!(c->months >> month & 1))
		return false;
	return c->any_day || c->any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

/* The first minute of a day at @from or later, the last one at @to or earlier; -1: none. */
static int first_minute(const struct fl_cron *c, int from)
{
	for (int hour = from / 60; hour < 24; hour++) {
		uint64_t minutes = hour == from / 60 ? c->minutes >> from % 60 << from % 60 :
						       c->minutes;

		if (c->hours >> hour & 1 && minutes)
			return hour * 60 + __builtin_ctzll(minutes);
	}
	return -1;
}

static int last_minute(const struct fl_cron *c, int to)
{
	for (int hour = to / 60; hour >= 0; hour--) {
		int drop = hour == to / 60 ? 63 - to % 60 : 0;
		uint64_t minutes = c->minutes << drop >> drop;

		if (c->hours >> hour & 1 && minutes)
			return hour * 60 + 63 - __builtin_clzll(minutes);
	}
	return -1;
}

/* Days from one time to the next: at most the 8 years between leap days around 2100. */
enum { FARTHEST = 8 * 366 + 1 };

fl_time fl_cron_after(const struct fl_cron *c, fl_time t)
{
	int64_t minute = floor_div(t, MINUTE) + 1, day = floor_div(minute, MINUTES_A_DAY);
	int from = (int)(minute - day * MINUTES_A_DAY);
	fl_time ret;

	for (int64_t last = day + FARTHEST; day <= last; day++, from = 0) {
		int found = comes_on(c, day) ? first_minute(c, from) : -1;

		if (found < 0)
			continue;
		if (__builtin_mul_overflow(day * MINUTES_A_DAY + found, MINUTE, &ret))
			break;
		return ret;
	}
	return FL_NEVER;
}

fl_time fl_cron_before(const struct fl_cron *c, fl_time t)
{
	/* A time within a minute has that minute's beginning before it. */
	int64_t minute = floor_div(t, MINUTE) - (t % MINUTE == 0);
	int64_t day = floor_div(minute, MINUTES_A_DAY);
	int to = (int)(minute - day * MINUTES_A_DAY);
	fl_time ret;

	for (int64_t last = day - FARTHEST; day >= last; day--, to = MINUTES_A_DAY - 1) {
		int found = comes_on(c, day) ? last_minute(c, to) : -1;

		if (found < 0)
			continue;
		if (__builtin_mul_overflow(day * MINUTES_A_DAY + found, MINUTE, &ret))
			break;
		return ret;
	}
	return FL_TIME_NONE;
}
