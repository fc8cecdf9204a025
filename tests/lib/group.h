/* SPDX-License-Identifier: Apache-2.0 */
/* group - the tests of one file, a part of the program of its module
 *
 * A file writes UNIT_GROUP("name") of unit.h where it would write `int main(void)`.  Below it is
 * UNIT_GROUP_RUN("name"), whose body runs the tests and returns how many failed.  group.c has the
 * main of them all:
 *
 *   test_codec              each group in a process of its own; 1 when a test failed
 *   test_codec reader       that group only, in this process; so does `meson test codec/reader`
 *   test_codec reader kai   these groups, each in a process of its own
 *   test_codec --list       the names
 *
 * A name that no group has, and one that two have, is an error: what was not run has not passed.
 */
#ifndef FL_TESTS_LIB_GROUP_H
#define FL_TESTS_LIB_GROUP_H

struct unit_group {
	const char *name;
	int (*run)(void);
	struct unit_group *next;
};

/* Before main; keeps @g. */
void unit_register(struct unit_group *g);

#define UNIT_GROUP_RUN(called)                                                                     \
	static int unit_run(void);                                                                 \
	__attribute__((constructor)) static void unit_begin(void)                                  \
	{                                                                                          \
		static struct unit_group g = { .name = called, .run = unit_run };                  \
                                                                                                   \
		unit_register(&g);                                                                 \
	}                                                                                          \
	static int unit_run(void)

#endif
