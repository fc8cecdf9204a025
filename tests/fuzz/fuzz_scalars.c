/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities, numbers, times and lengths of time: what is read can be written
 * and read again, and the readings of one text agree with each other.  Schedules
 * come again and again, the same ones forward and back;
 * windows begin by now.
 */
#include <math.h>
#include <string.h>

#include "base/cron.h"
#include "base/time.h"
#include "codec/text/quantity.h"
#include "decide/share/window.h"
#include "fuzz/fuzz.h"

static void refused(int r, const fairlead_error *err)
{
	ENSURE(r == FAIRLEAD_EINPUT && err->code == r && err->text[0]);
}

static bool quantity(const char *text, size_t len, int decimals, fl_amount *ret)
{
	char buffer[32];
	fairlead_error err = { 0 };
	fl_amount any, again;
	int r = fl_quantity_parse(text, len, decimals, /* negative= */ false, ret, &err);

	if (r < 0) {
		refused(r, &err);
		return false;
	}
	ENSURE(*ret >= 0);
	ENSURE(fl_quantity_parse(text, len, decimals, /* negative= */ true, &any, &err) == 0);
	ENSURE(any == *ret);
	if (*ret == INT64_MAX) /* saturated: no text stands for it */
		return true;
	for (int binary = 0; binary < 2; binary++) {
		fl_quantity_format(buffer, *ret, decimals == 3, binary);
		ENSURE(fl_quantity_parse(buffer, strlen(buffer), decimals, false, &again, &err) ==
		       0);
		ENSURE(again == *ret);
	}
	return true;
}

/* The same quantity in whole, thousandth and thousand-millionth parts, each rounded up. */
static void quantities(const char *text, size_t len)
{
	fl_amount whole = 0, milli = 0;
	fl_nanos nano = 0;
	double number = 0;
	fairlead_error err = { 0 };
	bool is_whole = quantity(text, len, 0, &whole), is_milli = quantity(text, len, 3, &milli);
	const fl_nanos cap = (fl_nanos)1 << 100;

	if (is_whole && whole < INT64_MAX && is_milli && milli < INT64_MAX) {
		ENSURE((fl_nanos)milli <= (fl_nanos)whole * 1000);
		ENSURE((fl_nanos)milli > ((fl_nanos)whole - 1) * 1000);
	}
	int r = fl_quantity_parse_nanos(text, len, &nano, &err);

	if (r < 0)
		refused(r, &err);
	else
		ENSURE(nano >= 0 && nano <= cap);
	if (r == 0 && is_milli && milli < INT64_MAX) {
		ENSURE(nano <= (fl_nanos)milli * 1000000);
		ENSURE(nano > ((fl_nanos)milli - 1) * 1000000);
	}
	int d = fl_quantity_parse_double(text, len, &number, &err);

	if (d < 0)
		refused(d, &err);
	else
		ENSURE(!isnan(number));
	if (d == 0 && r == 0 && nano < cap) {
		ENSURE(number <= (double)nano * 1e-9 * (1 + 1e-9));
		ENSURE(number >= ((double)nano - 1) * 1e-9 * (1 - 1e-9));
	}
}

static bool is_plain_number(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("0123456789+-.eE", text[i]) || !text[i])
			return false;
	return len > 0 && len <= 40;
}

/* To the nearest double, as the C library reads it; digits beyond the 40th may go unread. */
static void numbers(const char *text, size_t len)
{
	double got = 0;
	fairlead_error err = { 0 };
	int r = fl_number_parse(text, len, &got, &err);

	if (r < 0) {
		refused(r, &err);
		return;
	}
	ENSURE(!isnan(got));
	if (is_plain_number(text, len)) {
		char copy[41], *end;
		double want;

		memcpy(copy, text, len);
		copy[len] = '\0';
		want = strtod(copy, &end);
		ENSURE(*end == '\0');
		ENSURE(memcmp(&want, &got, sizeof want) == 0);
	}
}

static void times(const char *text, size_t len)
{
	char buffer[40];
	fl_time t = 0, again = 0;
	fairlead_error err = { 0 };
	int r = fl_time_parse(text, len, &t, &err);

	if (r < 0) {
		refused(r, &err);
	} else {
		fl_time_format(buffer, t);
		r = fl_time_parse(buffer, strlen(buffer), &again, &err);
		/* The offset may lead out of the years that can be written. */
		ENSURE(r == 0 || strncmp(buffer, "2262", 4) == 0 ||
		       strncmp(buffer, "1677", 4) == 0);
		ENSURE(r < 0 || again == t);
	}
	r = fl_duration_parse(text, len, &t, &err);
	if (r < 0)
		refused(r, &err);
	else
		ENSURE(t >= 0);
}

static void schedules(const char *text, size_t len)
{
	struct fl_cron c;
	fairlead_error err = { 0 };
	fl_time t = 1782864000 * FL_SECOND, next;
	int r = fl_cron_parse(text, len, &c, &err);

	if (r < 0) {
		refused(r, &err);
		return;
	}
	for (int i = 0; i < 3; i++, t = next) {
		next = fl_cron_after(&c, t);
		ENSURE(next > t && next < FL_NEVER);
		ENSURE(fl_cron_before(&c, next + 1) == next);
		ENSURE(fl_cron_before(&c, next) < next);
		ENSURE(fl_cron_after(&c, next - 1) == next);
	}
}

/* A window begins by now, and never before what was called the oldest that is needed. */
static void window(const struct fl_usage_window *w)
{
	fl_time now = 1782864000 * FL_SECOND, oldest = fl_window_oldest(w, now);

	for (int i = 0; i < 5; i++, now += 7777 * FL_SECOND) {
		ENSURE(fl_window_start(w, now) <= now);
		ENSURE(fl_window_start(w, now) >= oldest);
		ENSURE(fl_window_oldest(w, now) <= fl_window_start(w, now));
	}
}

static void windows(const char *text, size_t len)
{
	struct fl_usage_window w = { .first = 1782863000 * FL_SECOND };
	fairlead_error err;

	if (fl_cron_parse(text, len, &w.cron, &err) == 0) {
		w.kind = FL_WINDOW_CRON;
		window(&w);
	}
	if (fl_duration_parse(text, len, &w.length, &err) == 0 && w.length > 0) {
		w.kind = FL_WINDOW_SLIDING;
		window(&w);
		w.kind = FL_WINDOW_TUMBLING;
		window(&w);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = data ? (const char *)data : "";

	quantities(text, size);
	numbers(text, size);
	times(text, size);
	schedules(text, size);
	windows(text, size);
	return 0;
}
