/* SPDX-License-Identifier: Apache-2.0 */
/* When a job is to begin, as people write it, seen from a moment in a zone of theirs. */
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "cli/client/submit_begin.h"
#include "lib/unit.h"

/* Thursday, 2026-03-26, 13:30:15 in Berlin, three days before its clocks go forward. */
static const time_t now = 1774528215;

static const struct {
	const char *text, *wanted; /* wanted NULL: refused */
} rows[] = {
	{ "now", "2026-03-26T12:30:15Z" },
	{ "now+90", "2026-03-26T12:31:45Z" },
	{ "now+1hour", "2026-03-26T13:30:15Z" },
	{ "NOW+2hours", "2026-03-26T14:30:15Z" },
	{ "now+5minutes", "2026-03-26T12:35:15Z" },
	{ "now+1week", "2026-04-02T12:30:15Z" },
	{ "now+1h30m", "2026-03-26T14:00:15Z" },
	{ "2h", "2026-03-26T14:30:15Z" },
	{ "16:00", "2026-03-26T15:00:00Z" },
	{ "16:00:05", "2026-03-26T15:00:05Z" },
	{ "4:00pm", "2026-03-26T15:00:00Z" },
	{ "12:00AM", "2026-03-26T23:00:00Z" },
	{ "13:00", "2026-03-27T12:00:00Z" }, /* over for today */
	{ "noon", "2026-03-27T11:00:00Z" },
	{ "midnight", "2026-03-26T23:00:00Z" },
	{ "teatime", "2026-03-26T15:00:00Z" },
	{ "fika", "2026-03-26T14:00:00Z" },
	{ "today", "2026-03-25T23:00:00Z" },
	{ "tomorrow", "2026-03-26T23:00:00Z" },
	{ "tomorrow 16:00", "2026-03-27T15:00:00Z" },
	{ "todayT9:00", "2026-03-26T08:00:00Z" },
	{ "2026-03-30", "2026-03-29T22:00:00Z" }, /* in summer */
	{ "2026-12-01T08:00", "2026-12-01T07:00:00Z" },
	{ "2026-12-01t08:00:30", "2026-12-01T07:00:30Z" },
	{ "2026-12-01 noon", "2026-12-01T11:00:00Z" },
	{ "12/01/26", "2026-11-30T23:00:00Z" },
	{ "12.01.26", "2026-11-30T23:00:00Z" },
	{ "12/01", "2026-11-30T23:00:00Z" },
	{ "120126", "2026-11-30T23:00:00Z" },
	{ "2020-01-01", "2019-12-31T23:00:00Z" }, /* over: it begins at once */
	{ "2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z" },
	{ "2026-12-01T08:00:00.5+02:00", "2026-12-01T06:00:00.5Z" },
	{ "", NULL },
	{ "0", NULL },
	{ "90", NULL },
	{ "now+", NULL },
	{ "now-1hour", NULL },
	{ "now+1year", NULL },
	{ "now+1hour30", NULL },
	{ "now+9999999999", NULL },
	{ "nowadays", NULL },
	{ "24:00", NULL },
	{ "12:60", NULL },
	{ "13:00pm", NULL },
	{ "0:30am", NULL },
	{ "12:00xm", NULL },
	{ "1600", NULL },
	{ "tomorrowish", NULL },
	{ "tomorrow ", NULL },
	{ "16:00 tomorrow", NULL },
	{ "2026-02-29", NULL },
	{ "2026-13-01", NULL },
	{ "2026-12-01T", NULL },
	{ "2026/12/01/01", NULL },
	{ "133126", NULL },
	{ "2026-12-01T08:00:00+99:00", NULL },
	{ "elsewhen-and-much-longer-than-any-date-could-be", NULL },
};

TEST(begins)
{
	assert_int_equal(setenv("TZ", "Europe/Berlin", 1), 0);
	tzset();
	for (size_t i = 0; i < COUNT(rows); i++) {
		char got[40] = "";
		fl_time at;
		bool well = fl_submit_begin(rows[i].text, now, &at);

		if (well)
			fl_time_format(got, at);
		if (well != (rows[i].wanted != NULL) || (well && strcmp(got, rows[i].wanted) != 0))
			fail_msg("'%s': '%s'", rows[i].text, got);
	}
}

UNIT_GROUP("begin")
