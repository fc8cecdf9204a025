/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/page.h"

#include <fairlead/error.h>
#include <string.h>

/*
 * In JSON a '<' stands only inside strings, where it may as well be written by its number; without
 * any, neither a closing tag nor the start of a comment can appear in the data.
 */
static void write_json(FILE *out, const char *json, size_t len)
{
	const char *end = json + len;

	while (json < end) {
		const char *less = memchr(json, '<', (size_t)(end - json));
		size_t n = (size_t)((less ? less : end) - json);

		fwrite(json, 1, n, out);
		json += n;
		if (less) {
			fputs("\\u003c", out);
			json++;
		}
	}
}

int fl_page_write(FILE *out, const char *json, size_t len)
{
	fwrite(fl_page_head, 1, fl_page_head_len, out);
	write_json(out, json, len);
	fwrite(fl_page_tail, 1, fl_page_tail_len, out);
	return ferror(out) ? FAIRLEAD_EIO : 0;
}
