/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/quantity.h"

#include "lib/unit.h"

TEST(amounts)
{
	/* milli: in units of 10^-3, as cpu; whole: as all else */
	static const struct {
		const char *text;
		fl_amount milli, whole;
	} rows[] = {
		{ "0", 0, 0 },
		{ "1", 1000, 1 },
		{ "+1", 1000, 1 },
		{ "-0", 0, 0 },
		{ "100m", 100, 1 },
		{ "0.5", 500, 1 },
		{ ".5", 500, 1 },
		{ "5.", 5000, 5 },
		{ "1e3", 1000000, 1000 },
		{ "1E3", 1000000, 1000 },
		{ "12e-1", 1200, 2 },
		{ "1k", 1000000, 1000 },
		{ "1M", 1000000000, 1000000 },
		{ "1Ki", 1024000, 1024 },
		{ "1.5Gi", INT64_C(1610612736000), INT64_C(1610612736) },
		{ "0.1Ki", 102400, 103 },
		{ "1u", 1, 1 },
		{ "1n", 1, 1 },
		{ "1e-400", 1, 1 },
		{ "0e999999999999", 0, 0 },
		{ "1.0000000001", 1001, 2 },
		{ "00000000000000000000000000000007", 7000, 7 },
		{ "1E", INT64_MAX, INT64_C(1000000000000000000) },
		{ "1Ei", INT64_MAX, INT64_C(1) << 60 },
		{ "7Ei", INT64_MAX, INT64_C(7) << 60 },
		{ "8Ei", INT64_MAX, INT64_MAX },
		{ "9223372036854775807", INT64_MAX, INT64_MAX },
		{ "9223372036854775806", INT64_MAX, INT64_MAX - 1 },
		{ "9223372036854775805.1", INT64_MAX, INT64_MAX - 1 },
		{ "16Ei", INT64_MAX, INT64_MAX },
		{ "1000E", INT64_MAX, INT64_MAX },
		{ "1e20", INT64_MAX, INT64_MAX },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t n = strlen(rows[i].text);
		fl_amount got = -1;

		CHECK(fl_quantity_parse(rows[i].text, n, 3, false, &got, NULL) == 0, rows[i].text);
		CHECK(got == rows[i].milli, rows[i].text);
		CHECK(fl_quantity_parse(rows[i].text, n, 0, false, &got, NULL) == 0, rows[i].text);
		CHECK(got == rows[i].whole, rows[i].text);
	}
}

TEST(bad)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "", "'' is not a quantity" },
		{ ".", "'.' is not a quantity" },
		{ "m", "'m' is not a quantity" },
		{ "1kk", "'1kk' is not a quantity" },
		{ "1 Gi", "'1 Gi' is not a quantity" },
		{ "1gi", "'1gi' is not a quantity" },
		{ "1K", "'1K' is not a quantity" },
		{ "1ki", "'1ki' is not a quantity" },
		{ "1mi", "'1mi' is not a quantity" },
		{ "1e", "'1e' is not a quantity" },
		{ "9223372036854775808", "the quantity '9223372036854775808' overflows" },
		{ "99999999999999999999", "the quantity '99999999999999999999' overflows" },
		{ "2000Ei", "the quantity '2000Ei' overflows" },
		{ "1e22", "the quantity '1e22' overflows" },
		{ "1e99999999999999999999", "the quantity '1e99999999999999999999' overflows" },
		{ "1e+", "'1e+' is not a quantity" },
		{ "1e1.5", "'1e1.5' is not a quantity" },
		{ "1.2.3", "'1.2.3' is not a quantity" },
		{ "--1", "'--1' is not a quantity" },
		{ "0x10", "'0x10' is not a quantity" },
		{ "inf", "'inf' is not a quantity" },
		{ "-1", "the quantity '-1' is negative" },
		{ "-1n", "the quantity '-1n' is negative" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };
		fl_amount got = 77;

		CHECK(fl_quantity_parse(rows[i].text, strlen(rows[i].text), 0, false, &got, &err) ==
			      FAIRLEAD_EINPUT,
		      rows[i].text);
		CHECK(got == 77, rows[i].text);
		assert_string_equal(err.text, rows[i].message);
	}
}

TEST(negative)
{
	fl_amount got = 0;

	assert_int_equal(fl_quantity_parse("-1.5", 4, 3, true, &got, NULL), 0);
	assert_int_equal(got, -1500);
	assert_int_equal(fl_quantity_parse("-1m", 3, 0, true, &got, NULL), 0);
	assert_int_equal(got, -1);
}

/* 60,000 digits behind the point: exact, and no slower than their number. */
TEST(many_digits)
{
	static char text[60003];
	fl_amount got = 0;

	memset(text, '0', sizeof text);
	text[0] = '1';
	text[1] = '.';
	assert_int_equal(fl_quantity_parse(text, sizeof text, 0, false, &got, NULL), 0);
	assert_int_equal(got, 1);
	text[sizeof text - 1] = '1';
	assert_int_equal(fl_quantity_parse(text, sizeof text, 0, false, &got, NULL), 0);
	assert_int_equal(got, 2);
}

TEST(doubles)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {
		{ "1", 1 },
		{ "500m", 0.5 },
		{ "1500m", 1.5 },
		{ "0", 0 },
		{ "0.3", 3 * 0.1 },
		{ "2Ki", 2048 },
		{ "1e3", 1000 },
		{ "1e-20", 1e-20 },
		{ "1.0000000001", 1.0000000001 },
		{ "123456789012345678901234567890", 123456789012345678901234567890.0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		double got = -1;

		CHECK(fl_quantity_parse_double(rows[i].text, strlen(rows[i].text), &got, NULL) == 0,
		      rows[i].text);
		CHECK(memcmp(&got, &rows[i].want, sizeof got) == 0, rows[i].text);
	}
}

TEST(numbers)
{
	double got = 0;

	assert_int_equal(fl_number_parse("0.3", 3, &got, NULL), 0);
	assert_true(got >= 0.3 && got <= 0.3);
	assert_int_equal(fl_number_parse("-25e-1", 6, &got, NULL), 0);
	assert_true(got >= -2.5 && got <= -2.5);
}

TEST(nanos)
{
	fl_nanos got = 0;

	assert_int_equal(fl_quantity_parse_nanos("2.8385", 6, &got, NULL), 0);
	assert_true(got == 2838500000);
	assert_int_equal(fl_quantity_parse_nanos("8Ei", 3, &got, NULL), 0);
	assert_true(got == ((fl_nanos)1 << 63) * 1000000000);
	assert_int_equal(fl_quantity_parse_nanos("-1", 2, &got, NULL), FAIRLEAD_EINPUT);
}

TEST(formats)
{
	static const struct {
		fl_amount amount;
		bool cpu, binary;
		const char *want;
	} rows[] = {
		{ 1500, true, false, "1500m" },
		{ 3000, true, false, "3" },
		{ 0, true, false, "0" },
		{ INT64_C(8) << 30, false, true, "8Gi" },
		{ 1536, false, true, "1536" },
		{ INT64_C(4000000000), false, true, "4G" },
		{ INT64_C(1500000000), false, true, "1500M" },
		{ 1024000, false, true, "1000Ki" },
		{ INT64_C(500) << 20, false, true, "500Mi" },
		{ INT64_C(1000) << 30, false, true, "1000Gi" },
		{ 0, false, true, "0" },
		{ -(INT64_C(2) << 30), false, true, "-2Gi" },
		{ INT64_C(2000000000000), true, false, "2G" },
		{ 3, false, false, "3" },
		{ 5000000, false, false, "5M" },
		{ -1500, true, false, "-1500m" },
		{ FL_UNLIMITED, true, false, "unlimited" },
		{ INT64_MIN, false, false, "-9223372036854775808" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char buffer[32];

		assert_string_equal(fl_quantity_format(buffer, rows[i].amount, rows[i].cpu,
						       rows[i].binary),
				    rows[i].want);
	}
}

UNIT_GROUP("quantity")
