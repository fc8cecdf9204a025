/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include <stdlib.h>

void unit_add(struct unit_test **tests, struct unit_test *t)
{
	/* The order of constructors is the linker's. */
	while (*tests && (*tests)->line < t->line)
		tests = &(*tests)->next;
	t->next = *tests;
	*tests = t;
}

int unit_run_tests(const char *name, const struct unit_test *tests, CMFixtureFunction set_up,
		   CMFixtureFunction tear_down)
{
	struct CMUnitTest *table;
	size_t n = 0;
	int failed;

	for (const struct unit_test *t = tests; t; t = t->next)
		n++;
	table = calloc(n + 1, sizeof *table);
	if (!table)
		abort();
	n = 0;
	for (const struct unit_test *t = tests; t; t = t->next)
		table[n++] = t->test;
	failed = _cmocka_run_group_tests(name, table, n, set_up, tear_down);
	free(table);
	/* A group of no tests has not passed. */
	return n ? failed : 1;
}
