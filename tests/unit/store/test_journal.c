/* SPDX-License-Identifier: Apache-2.0 */
/* Rows stand in their tables as they always did. */
#include "lib/unit.h"
#include "store/store_parts.h"
#include "world.h"

/* The tables are made to the byte as they always were: by that a daemon knows its own. */
static void tables(void **state)
{
	char schema[32];
	fairlead_error err;
	struct world w;
	struct fl_store *s;

	(void)state;
	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_get(s, "schema", schema, sizeof schema, &err), 0);
	assert_string_equal(schema, "-3460082234488955127");
	(void)fl_store_close(s);
	world_end(&w);
}

/* A number that its member cannot hold becomes one that is never right. */
static void odd_numbers(void **state)
{
	static const struct {
		size_t size;
		enum fl_store_number number;
		int64_t put, want;
	} rows[] = {
		{ 1, FL_NUMBER_UNSIGNED, 255, 255 },
		{ 1, FL_NUMBER_UNSIGNED, 256, 255 },
		{ 1, FL_NUMBER_UNSIGNED, -1, 255 },
		{ 1, FL_NUMBER_BOOL, 7, 1 },
		{ 1, FL_NUMBER_BOOL, 0, 0 },
		{ 4, FL_NUMBER_SIGNED, -5, -5 },
		{ 4, FL_NUMBER_SIGNED, INT64_C(1) << 31, -1 },
		{ 4, FL_NUMBER_UNSIGNED, UINT32_MAX, UINT32_MAX },
		{ 4, FL_NUMBER_UNSIGNED, INT64_C(1) << 32, UINT32_MAX },
		{ 8, FL_NUMBER_UNSIGNED, INT64_MIN, INT64_MIN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t room = 0;

		fl_number_set(&room, rows[i].size, rows[i].number, rows[i].put);
		assert_int_equal(fl_number_get(&room, rows[i].size, rows[i].number), rows[i].want);
	}
}

UNIT_GROUP("journal")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(odd_numbers),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
