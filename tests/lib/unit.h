/* SPDX-License-Identifier: Apache-2.0 */
/* unit - what cmocka wants to have included, in its order; the group of a file; the length of a table */
#ifndef FL_TESTS_LIB_UNIT_H
#define FL_TESTS_LIB_UNIT_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "lib/group.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Fails naming the row of the table, which cmocka's own message cannot know. */
#define CHECK(condition, row)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("row '%s': %s", (row), #condition);                               \
	} while (0)

#endif
