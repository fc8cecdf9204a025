/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "base/time.h"
#include "decide/share/window.h"

static fl_time at(const char *text)
{
	fl_time t;

	if (fl_time_parse(text, strlen(text), &t, NULL) < 0)
		fail_msg("'%s'", text);
	return t;
}

static struct fl_cron schedule(const char *text)
{
	struct fl_cron c;
	fairlead_error err;

	if (fl_cron_parse(text, strlen(text), &c, &err) < 0)
		fail_msg("'%s': %s", text, err.text);
	return c;
}

#define HOUR (3600 * FL_SECOND)

static const struct {
	const char *name;
	enum fl_window_kind kind;
	fl_time length;
	const char *first, *now, *start;
} windows[] = {
	{ "sliding", FL_WINDOW_SLIDING, HOUR, NULL, "2026-03-05T12:30:00Z",
	  "2026-03-05T11:30:00Z" },
	{ "inside the third", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z",
	  "2026-03-05T02:16:00Z", "2026-03-05T02:15:00Z" },
	{ "on a boundary the one that ends", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z",
	  "2026-03-05T02:15:00Z", "2026-03-05T01:15:00Z" },
	{ "just after", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z",
	  "2026-03-05T02:15:00.000000001Z", "2026-03-05T02:15:00Z" },
	{ "on the first boundary", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z",
	  "2026-03-05T01:15:00Z", "2026-03-05T00:15:00Z" },
	{ "within the first", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z",
	  "2026-03-05T00:16:00Z", "2026-03-05T00:15:00Z" },
	{ "at its beginning", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z",
	  "2026-03-05T00:15:00Z", "2026-03-05T00:15:00Z" },
	{ "not yet", FL_WINDOW_TUMBLING, HOUR, "2026-03-05T00:15:00Z", "2026-03-05T00:14:00Z",
	  "2026-03-05T00:14:00Z" },
};

TEST(starts_of_windows)
{
	for (size_t i = 0; i < COUNT(windows); i++) {
		struct fl_usage_window w = { .kind = windows[i].kind,
					     .length = windows[i].length,
					     .first = windows[i].first ? at(windows[i].first) : 0 };
		fl_time now = at(windows[i].now);

		CHECK(fl_window_start(&w, now) == at(windows[i].start), windows[i].name);
		CHECK(fl_window_oldest(&w, now) <= fl_window_start(&w, now), windows[i].name);
	}
}

static const struct {
	const char *cron, *now, *start;
} cron_windows[] = {
	{ "0 0 * * *", "2026-03-05T12:00:00Z", "2026-03-05T00:00:00Z" },
	/* On one of its times the window that ends there still counts. */
	{ "0 0 * * *", "2026-03-05T00:00:00Z", "2026-03-04T00:00:00Z" },
	{ "0 9-17 * * 1-5", "2026-03-09T08:00:00Z", "2026-03-09T05:00:00Z" },
	/* The last time was on Friday, farther back than the third next one lies ahead: 11:00. */
	{ "0 9-17 * * 1-5", "2026-03-07T12:00:00Z", "2026-03-06T17:00:00Z" },
};

TEST(starts_of_cron_windows)
{
	for (size_t i = 0; i < COUNT(cron_windows); i++) {
		struct fl_usage_window w = { .kind = FL_WINDOW_CRON,
					     .cron = schedule(cron_windows[i].cron) };
		char text[40];

		assert_string_equal(fl_time_format(text,
						   fl_window_start(&w, at(cron_windows[i].now))),
				    cron_windows[i].start);
	}
}

/* Also at the moments of the schedule, where the start may go back. */
TEST(nothing_older_is_needed)
{
	struct fl_usage_window w = { .kind = FL_WINDOW_CRON,
				     .cron = schedule("0,1,2,30 9,17 * * 1-5") };
	fl_time now = at("2026-03-05T00:00:00Z"), oldest = FL_TIME_NONE;

	for (int i = 0; i < 14 * 24 * 60; i++, now += 30 * FL_SECOND) {
		fl_time next = fl_window_oldest(&w, now);

		assert_true(next >= oldest);
		assert_true(fl_window_start(&w, now) >= next);
		oldest = next;
	}
}

UNIT_GROUP("window")
