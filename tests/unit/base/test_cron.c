/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "base/cron.h"
#include "base/time.h"

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

static const struct {
	const char *cron, *from, *after, *before;
} times[] = {
	{ "* * * * *", "2026-03-01T00:00:30Z", "2026-03-01T00:01:00Z", "2026-03-01T00:00:00Z" },
	/* A time of the schedule is neither before nor after itself. */
	{ "* * * * *", "2026-03-01T00:01:00Z", "2026-03-01T00:02:00Z", "2026-03-01T00:00:00Z" },
	{ "* * * * *", "2026-03-01T00:00:59.999999999Z", "2026-03-01T00:01:00Z",
	  "2026-03-01T00:00:00Z" },
	{ "*/15 * * * *", "2026-12-31T23:50:00Z", "2027-01-01T00:00:00Z", "2026-12-31T23:45:00Z" },
	{ "7/20 * * * *", "2026-03-01T10:48:00Z", "2026-03-01T11:07:00Z", "2026-03-01T10:47:00Z" },
	{ "0 9-17/4 * * *", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z",
	  "2026-03-01T09:00:00Z" },
	{ "5,10 0,12 * * *", "2026-03-01T00:10:00Z", "2026-03-01T12:05:00Z",
	  "2026-03-01T00:05:00Z" },
	{ "0 0 * * 0", "2026-03-05T00:00:00Z", "2026-03-08T00:00:00Z", "2026-03-01T00:00:00Z" },
	{ "0 0 * * sun", "2026-03-05T00:00:00Z", "2026-03-08T00:00:00Z", "2026-03-01T00:00:00Z" },
	{ "0 0 * * Mon-FRI", "2026-03-06T12:00:00Z", "2026-03-09T00:00:00Z",
	  "2026-03-06T00:00:00Z" },
	{ "0 0 1 jan,Jul ?", "2026-03-05T00:00:00Z", "2026-07-01T00:00:00Z",
	  "2026-01-01T00:00:00Z" },
	/* Both days restricted: one is enough. One restricted: that one. */
	{ "0 0 13 * 5", "2026-03-05T12:00:00Z", "2026-03-06T00:00:00Z", "2026-02-27T00:00:00Z" },
	{ "0 0 13 * *", "2026-03-05T12:00:00Z", "2026-03-13T00:00:00Z", "2026-02-13T00:00:00Z" },
	/* A step makes a star a restriction, as common parsers have it. */
	{ "0 0 */10 * 5", "2026-03-05T12:00:00Z", "2026-03-06T00:00:00Z", "2026-03-01T00:00:00Z" },
	{ "0 0 */1 * 5", "2026-03-05T12:00:00Z", "2026-03-06T00:00:00Z", "2026-02-27T00:00:00Z" },
	{ "0 0 31 * *", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z", "2026-01-31T00:00:00Z" },
	{ "59 23 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T23:59:00Z", "2024-02-29T23:59:00Z" },
	{ "0 0 29 2 *", "2097-01-01T00:00:00Z", "2104-02-29T00:00:00Z", "2096-02-29T00:00:00Z" },
	{ "0 0 29 2 *", "2103-12-31T00:00:00Z", "2104-02-29T00:00:00Z", "2096-02-29T00:00:00Z" },
	{ "* 23 31 12 *", "1969-12-31T23:59:30Z", "1970-12-31T23:00:00Z", "1969-12-31T23:59:00Z" },
	{ " 0\t0 *   * * ", "2026-03-05T12:00:00Z", "2026-03-06T00:00:00Z",
	  "2026-03-05T00:00:00Z" },
	{ "@hourly", "2026-03-05T12:30:00Z", "2026-03-05T13:00:00Z", "2026-03-05T12:00:00Z" },
	{ "@daily", "2026-03-05T12:30:00Z", "2026-03-06T00:00:00Z", "2026-03-05T00:00:00Z" },
	{ "@midnight", "2026-03-05T12:30:00Z", "2026-03-06T00:00:00Z", "2026-03-05T00:00:00Z" },
	{ "@weekly", "2026-03-05T12:30:00Z", "2026-03-08T00:00:00Z", "2026-03-01T00:00:00Z" },
	{ "@monthly", "2026-03-05T12:30:00Z", "2026-04-01T00:00:00Z", "2026-03-01T00:00:00Z" },
	{ "@yearly", "2026-03-05T12:30:00Z", "2027-01-01T00:00:00Z", "2026-01-01T00:00:00Z" },
	{ "@annually", "2026-03-05T12:30:00Z", "2027-01-01T00:00:00Z", "2026-01-01T00:00:00Z" },
};

TEST(times_of_schedules)
{
	for (size_t i = 0; i < COUNT(times); i++) {
		struct fl_cron c = schedule(times[i].cron);
		char text[40];

		assert_string_equal(fl_time_format(text, fl_cron_after(&c, at(times[i].from))),
				    times[i].after);
		assert_string_equal(fl_time_format(text, fl_cron_before(&c, at(times[i].from))),
				    times[i].before);
	}
}

static const struct {
	const char *cron, *message;
} bad[] = {
	{ "", "a schedule has five fields, not 0" },
	{ "* * * *", "a schedule has five fields, not 4" },
	{ "0 * * * * *", "a schedule has five fields, not 6" },
	{ "60 * * * *", "minute: '60' is not within 0 to 59" },
	{ "0 24 * * *", "hour: '24' is not within 0 to 23" },
	{ "0 0 0 * *", "day of the month: '0' is not within 1 to 31" },
	{ "0 0 * 13 *", "month: '13' is not within 1 to 12" },
	{ "0 0 * * 7", "day of the week: '7' is not within 0 to 6" },
	{ "0 0 * janu *", "month: 'janu' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "0 0 * * mo", "day of the week: 'mo' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "mon * * * *", "minute: 'mon' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "1- * * * *", "minute: '1-' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "1-2-3 * * * *", "minute: '1-2-3' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "-1 * * * *", "minute: '-1' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "*/x * * * *", "minute: '*/x' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "1,,2 * * * *", "minute: '' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "1, * * * *", "minute: '' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "99999999999 * * * *",
	  "minute: '99999999999' is none of *, N, N-M, */STEP and N-M/STEP" },
	{ "30-10 * * * *", "minute: '30-10' ends before it begins" },
	{ "*/0 * * * *", "minute: '*/0' has a step of 0" },
	{ "0 0 30 2 *", "day of the month: no month of the schedule has a day 30: it never comes" },
	{ "0 0 31 2,4,6,9,11 *",
	  "day of the month: no month of the schedule has a day 31: it never comes" },
	{ "@dayly", "'@dayly' is not a schedule" },
	{ "@every 1h", "'@every 1h' is not a schedule" },
};

TEST(bad_schedules_are_named)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct fl_cron c = { .minutes = 77 };
		fairlead_error err = { .code = 0 };

		assert_int_equal(fl_cron_parse(bad[i].cron, strlen(bad[i].cron), &c, &err),
				 FAIRLEAD_EINPUT);
		assert_string_equal(err.text, bad[i].message);
		assert_int_equal(c.minutes, 77);
	}
}

/* Where fl_time ends there is no time, and no hang. */
TEST(ends_of_time)
{
	struct fl_cron c = schedule("0 0 29 2 *");

	assert_true(fl_cron_after(&c, FL_NEVER - 1) == FL_NEVER);
	assert_true(fl_cron_before(&c, FL_TIME_NONE + 1) == FL_TIME_NONE);
}

/* Walking forward with `after` and back with `before` sees the same times. */
TEST(both_ways_are_one)
{
	static const char *const crons[] = { "*/7 3-5 * * *", "13 1 1,31 * 2", "0 0 29 2 *",
					     "1-3 0,23 * 2-3 sat" };

	for (size_t i = 0; i < COUNT(crons); i++) {
		struct fl_cron c = schedule(crons[i]);
		fl_time t = at("2026-02-27T11:11:11Z"), next;

		for (int n = 0; n < 30; n++, t = next) {
			next = fl_cron_after(&c, t);
			assert_true(next > t);
			assert_true(fl_cron_before(&c, next + 1) == next);
			assert_true(fl_cron_before(&c, next) <= t || n == 0);
			assert_true(fl_cron_after(&c, next - 1) == next);
		}
	}
}

UNIT_GROUP("cron")
