/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_of - the page of a report that comes on standard input: what the browser tests look at
 */
#include "report/out/page.h"

#include <stdlib.h>

int main(void)
{
	size_t len = 0, room = 1 << 20;
	char *json = malloc(room);

	while (json) {
		len += fread(json + len, 1, room - len, stdin);
		if (len < room)
			break;
		room *= 2;
		json = realloc(json, room);
	}
	if (!json || ferror(stdin))
		return 1;

	int r = fl_page_write(stdout, json, len);

	free(json);
	return r ? 1 : 0;
}
