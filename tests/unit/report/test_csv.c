/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/csv.h"

#include <math.h>

#include "lib/unit.h"
#include "report/out/report.h"
#include "report/out/spark.h"

static struct fl_csv_writer begin(char **text, size_t *len)
{
	struct fl_csv_writer c = { .out = open_memstream(text, len) };

	assert_non_null(c.out);
	return c;
}

TEST(quotes)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "plain name-1.2/3", "plain name-1.2/3" },
		{ "a,b", "\"a,b\"" },
		{ "say \"so\"", "\"say \"\"so\"\"\"" },
		{ "\"", "\"\"\"\"" },
		{ "two\nlines", "\"two\nlines\"" },
		{ "two\r\nlines", "\"two\r\nlines\"" },
		{ " blanks ", " blanks " },
		{ "a;b\tc'd", "a;b\tc'd" },
		{ "Zürich", "Zürich" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = NULL, want[64];
		size_t len;
		struct fl_csv_writer c = begin(&text, &len);

		fl_csv_text(&c, rows[i].text);
		fl_csv_text(&c, "x");
		fl_csv_end(&c);
		fclose(c.out);
		snprintf(want, sizeof want, "%s,x\r\n", rows[i].want);
		assert_string_equal(text, want);
		free(text);
	}
}

TEST(numbers)
{
	char *text = NULL;
	size_t len;
	struct fl_csv_writer c = begin(&text, &len);

	fl_csv_number(&c, 0.1);
	fl_csv_number(&c, 1.0 / 3);
	fl_csv_number(&c, 1e300);
	fl_csv_number(&c, (double)NAN);
	fl_csv_number(&c, (double)INFINITY);
	fl_csv_empty(&c);
	fl_csv_int(&c, INT64_MIN);
	fl_csv_end(&c);
	fl_csv_time(&c, 0);
	fl_csv_time(&c, FL_TIME_NONE);
	fl_csv_time(&c, FL_NEVER);
	fl_csv_time(&c, 90 * FL_SECOND + 500000000);
	fl_csv_end(&c);
	fclose(c.out);
	assert_string_equal(text, "0.1,0.3333333333333333,1e+300,,,,-9223372036854775808\r\n"
				  "0,,,90.5\r\n");
	free(text);
}

TEST(seconds)
{
	static const struct {
		fl_time time;
		const char *want;
	} rows[] = {
		{ 0, "0" },
		{ 1, "0.000000001" },
		{ -1, "-0.000000001" },
		{ FL_SECOND, "1" },
		{ -3 * FL_SECOND, "-3" },
		{ -FL_SECOND - FL_SECOND / 4, "-1.25" },
		{ FL_NEVER, "9223372036.854775807" },
		{ INT64_MIN, "-9223372036.854775808" },
	};
	char text[32];

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(fl_report_seconds(rows[i].time, text), rows[i].want);
}

TEST(sparks)
{
	static const double up[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	static const double odd[] = { (double)NAN, 8, 0.001, 16 };
	static const struct {
		const double *values;
		uint32_t n;
		unsigned columns;
		const char *want, *ascii;
	} rows[] = {
		{ up, 9, 9, " ▁▂▃▄▅▆▇█", " .:-=+*#@" },
		{ up, 9, 3, "▁▄▇", ".=#" },
		{ up, 9, 40, " ▁▂▃▄▅▆▇█", " .:-=+*#@" }, /* no more bars than numbers */
		{ up, 9, 2, "▂▇", ":#" },                /* a number may be in two bars */
		{ up, 0, 5, "", "" },
		{ up, 9, 0, "", "" },
		{ odd, 4, 4, " █▁█", " @.@" },
	};
	char text[3 * FL_SPARK + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_string_equal(fl_spark(rows[i].values, rows[i].n, 8, rows[i].columns,
					     /* ascii= */ false, text),
				    rows[i].want);
		assert_string_equal(fl_spark(rows[i].values, rows[i].n, 8, rows[i].columns,
					     /* ascii= */ true, text),
				    rows[i].ascii);
	}
}

UNIT_GROUP("csv")
