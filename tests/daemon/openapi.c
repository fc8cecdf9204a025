/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi [machine] - prints the description of the API, of all daemons or that of a machine, by which the
 * tests hold every answer
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/api/openapi.h"

int main(int argc, char **argv)
{
	(void)argv;
	char *text = fl_api_describe(argc > 1 ? FL_DAEMONS_MACHINE : FL_DAEMONS_EVERY);

	bool failed = !text || puts(text) < 0;

	free(text);
	return failed;
}
