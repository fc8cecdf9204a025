/* SPDX-License-Identifier: Apache-2.0 */
/* As many configurations come out of the orbits as the formula says, and no orbit twice. */
#include "enumerate.h"

#include <stdlib.h>

static int pass(void *user, const struct config *c)
{
	uint64_t *n = user;

	(void)c;
	++*n;
	return 0;
}

int main(void)
{
	static const struct family families[] = {
		{ "flat", 1, 1, 3, 4, 2, 3, 1, 0, 2, 1, 0, 0, false },
		{ "priorities", 1, 1, 3, 3, 1, 2, 1, 0, 1, 2, 0, 0, false },
		{ "two levels", 2, 1, 3, 4, 1, 2, 1, 1, 2, 1, 0, 0, false },
		{ "four queues", 2, 1, 4, 4, 1, 1, 0, 1, 1, 1, 0, 0, false },
		{ "gangs", 1, 1, 3, 3, 1, 3, 1, 0, 2, 1, 0, 0, true },
		{ "two resources", 1, 2, 2, 3, 1, 2, 1, 0, 2, 1, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		struct enumerated e;
		uint64_t left = 0;

		(void)enumerate(&families[i], pass, &left, &e);
		printf("%s: %llu configurations (%.0f), %llu orbits, %llu left\n", families[i].name,
		       (unsigned long long)e.configurations, enumerate_expected(&families[i]),
		       (unsigned long long)e.orbits, (unsigned long long)left);
		if ((double)e.configurations != enumerate_expected(&families[i]) ||
		    left != e.orbits - e.fits - e.never - e.alike)
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
