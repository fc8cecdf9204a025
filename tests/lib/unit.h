/* SPDX-License-Identifier: Apache-2.0 */
/* unit - what cmocka wants to have included, in its order, and what nearly all tests do; the tests of a
 * file; the length of a table
 *
 *   TEST(name) { ... }                      a test, which is run because it is there
 *   TEST_IN(set_up, tear_down, name) { ... }    the same between two calls; what they share is *unit_state
 *   UNIT_GROUP("name")                      at the end: runs them, in the order in which they stand
 *   UNIT_GROUP_IN(set_up, tear_down, "name")    the same between two calls for all of them
 */
#ifndef FL_TESTS_LIB_UNIT_H
#define FL_TESTS_LIB_UNIT_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/group.h"

struct unit_test {
	struct CMUnitTest test;
	int line;
	struct unit_test *next;
};

/* Of this file. */
__attribute__((unused)) static struct unit_test *unit_tests;

/* Before main; keeps @t. */
void unit_add(struct unit_test **tests, struct unit_test *t);

/* How many failed. */
int unit_run_tests(const char *name, const struct unit_test *tests, CMFixtureFunction set_up,
		   CMFixtureFunction tear_down);

#define TEST(called) TEST_IN(NULL, NULL, called)

#define TEST_IN(before, after, called)                                                             \
	static void called(void **unit_state);                                                     \
	__attribute__((constructor)) static void unit_add_##called(void)                           \
	{                                                                                          \
		static struct unit_test t = { { #called, called, before, after, NULL },            \
					      __LINE__,                                            \
					      NULL };                                              \
                                                                                                   \
		unit_add(&unit_tests, &t);                                                         \
	}                                                                                          \
	static void called(__attribute__((unused)) void **unit_state)

#define UNIT_GROUP(called) UNIT_GROUP_IN(NULL, NULL, called)

#define UNIT_GROUP_IN(before, after, called)                                                       \
	UNIT_GROUP_RUN(called) { return unit_run_tests(called, unit_tests, before, after); }

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Members of a row that stand on one line; by themselves they would stand on a line each. */
#define FIELDS(...) __VA_ARGS__

/* Fails naming the row of the table, which cmocka's own message cannot know. */
#define CHECK(condition, row)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("row '%s': %s", (row), #condition);                               \
	} while (0)

#endif
