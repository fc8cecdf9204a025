/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time.h"

#include "lib/unit.h"

TEST(times)
{
	static const struct {
		const char *text;
		fl_time want;
		const char *utc; /* NULL: as it was */
	} rows[] = {
		{ "1970-01-01T00:00:00Z", 0, NULL },
		{ "2026-01-01T00:00:00Z", INT64_C(1767225600) * FL_SECOND, NULL },
		{ "2026-01-01T01:30:00.25+01:30", INT64_C(1767225600) * FL_SECOND + FL_SECOND / 4,
		  "2026-01-01T00:00:00.25Z" },
		{ "2025-12-31T19:00:00-05:00", INT64_C(1767225600) * FL_SECOND,
		  "2026-01-01T00:00:00Z" },
		{ "1969-12-31T23:59:59.5Z", -FL_SECOND / 2, NULL },
		{ "2024-02-29T12:00:00Z", INT64_C(1709208000) * FL_SECOND, NULL },
		{ "2000-02-29T00:00:00Z", INT64_C(951782400) * FL_SECOND, NULL },
		{ "1970-01-01T00:00:00.123456789987Z", 123456789,
		  "1970-01-01T00:00:00.123456789Z" },
		{ "1678-01-01T00:00:00Z", INT64_C(-9214560000) * FL_SECOND, NULL },
		{ "2261-12-31T23:59:59Z", INT64_C(9214646399) * FL_SECOND, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fl_time got = 0;
		char buffer[40];

		CHECK(fl_time_parse(rows[i].text, strlen(rows[i].text), &got, NULL) == 0,
		      rows[i].text);
		CHECK(got == rows[i].want, rows[i].text);
		assert_string_equal(fl_time_format(buffer, got),
				    rows[i].utc ? rows[i].utc : rows[i].text);
	}
}

TEST(bad_times)
{
	static const char *const rows[] = {
		"",
		"2026-01-01",
		"2026-01-01 00:00:00Z",
		"2026-01-01T00:00:00",
		"2026-1-01T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-02-29T00:00:00Z",
		"1900-02-29T00:00:00Z",
		"2026-01-32T00:00:00Z",
		"2026-01-01T24:00:00Z",
		"2026-01-01T00:60:00Z",
		"2026-01-01T00:00:60Z",
		"2026-01-01T00:00:00.Z",
		"2026-01-01T00:00:00+1:00",
		"2026-01-01T00:00:00+01:60",
		"2026-01-01T00:00:00Zx",
		"1677-12-31T00:00:00Z",
		"2262-01-01T00:00:00Z",
		"0000-01-01T00:00:00Z",
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fl_time got = 5;

		CHECK(fl_time_parse(rows[i], strlen(rows[i]), &got, NULL) == FAIRLEAD_EINPUT,
		      rows[i]);
		CHECK(got == 5, rows[i]);
	}
}

TEST(messages)
{
	fairlead_error err = { 0 };
	fl_time got;

	fl_time_parse("soon", 4, &got, &err);
	assert_string_equal(err.text, "'soon' is not a time");
	assert_string_equal(err.hint, "write it like 2026-01-31T12:00:00Z");
	fl_time_parse("2500-01-01T00:00:00Z", 20, &got, &err);
	assert_string_equal(err.text,
			    "the time '2500-01-01T00:00:00Z' is not within the years 1678 to 2261");
	fl_duration_parse("5 m", 3, &got, &err);
	assert_string_equal(err.text, "'5 m' is not a length of time");
	assert_string_equal(err.hint, "write it like 10s, 5m or 1h30m");
}

TEST(durations)
{
	static const struct {
		const char *text;
		fl_time want; /* -1: refused */
	} rows[] = {
		{ "0", 0 },
		{ "0s", 0 },
		{ "10s", 10 * FL_SECOND },
		{ "1h30m", 5400 * FL_SECOND },
		{ "1.5h", 5400 * FL_SECOND },
		{ "250ms", FL_SECOND / 4 },
		{ ".5s", FL_SECOND / 2 },
		{ "3us", 3000 },
		{ "7ns", 7 },
		{ "168h", 604800 * FL_SECOND },
		{ "", -1 },
		{ "5", -1 },
		{ "s", -1 },
		{ ".s", -1 },
		{ "-5s", -1 },
		{ "5d", -1 },
		{ "5 s", -1 },
		{ "9999999999999999999s", -1 },
		{ "9999999999h", -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fl_time got = -1;
		int r = fl_duration_parse(rows[i].text, strlen(rows[i].text), &got, NULL);

		CHECK((r == 0) == (rows[i].want >= 0), rows[i].text);
		CHECK(got == rows[i].want, rows[i].text);
	}
}

/* As durations, and with what Kubernetes has none of. */
TEST(periods)
{
	static const struct {
		const char *text;
		fl_time want; /* -1: refused */
	} rows[] = {
		{ "30d", 30 * 86400 * FL_SECOND },
		{ "2w", 14 * 86400 * FL_SECOND },
		{ "1d12h", 36 * 3600 * FL_SECOND },
		{ "0.5d", 43200 * FL_SECOND },
		{ "250ms", FL_SECOND / 4 },
		{ "0", 0 },
		{ "5", -1 },
		{ "d", -1 },
		{ "-1d", -1 },
		{ "5y", INT64_C(5) * 365 * 86400 * FL_SECOND },
		{ "1mo", -1 },
		{ "9999999w", -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fl_time got = -1;
		int r = fl_period_parse(rows[i].text, strlen(rows[i].text), &got, NULL);

		CHECK((r == 0) == (rows[i].want >= 0), rows[i].text);
		CHECK(got == rows[i].want, rows[i].text);
	}
}

/* As sbatch reads them, and as all other periods. */
TEST(limits)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
	} rows[] = {
		{ "90", 5400 },
		{ "0", 0 },
		{ "90:30", 5430 },
		{ "1:30:00", 5400 },
		{ "100:00:00", 360000 },
		{ "1-02", 93600 },
		{ "1-02:00", 93600 },
		{ "1-02:30", 95400 },
		{ "1-02:00:05", 93605 },
		{ "0-0:5", 300 },
		{ "1h30m", 5400 },
		{ "90s", 90 },
		{ "2w", 1209600 },
		{ "", -1 },
		{ ":30", -1 },
		{ "30:", -1 },
		{ "1:60", -1 },
		{ "1:00:60", -1 },
		{ "1:2:3:4", -1 },
		{ "1-", -1 },
		{ "-1", -1 },
		{ "1-24", -1 },
		{ "1-2-3", -1 },
		{ "1 h", -1 },
		{ "1h30", -1 },
		{ "+90", -1 },
		{ "90.5", -1 },
		{ "1234567890", -1 },
		{ "99999-00", 8639913600 },
		{ "999999-00", -1 },
		{ "999999999:00:00", -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fl_time got = -1;
		int r = fl_limit_parse(rows[i].text, strlen(rows[i].text), &got, NULL);

		CHECK((r == 0) == (rows[i].seconds >= 0), rows[i].text);
		if (r == 0)
			CHECK(got == rows[i].seconds * FL_SECOND, rows[i].text);
	}
}

UNIT_GROUP("time")
