/* SPDX-License-Identifier: Apache-2.0 */
#include "base/plain.h"

#include "lib/unit.h"

TEST(odd)
{
	static const struct {
		const char *text;
		size_t bytes;
	} rows[] = {
		{ "", 1 }, /* its end is a control character, too */
		{ "a", 0 },
		{ " ", 0 },
		{ "~", 0 },
		{ "\x1b[2J", 1 },
		{ "\n", 1 },
		{ "\x7f", 1 },
		{ "\xc2\x9b", 2 },         /* U+009B: begins a sequence of a terminal */
		{ "\xc2\xa0", 0 },         /* a blank that does not break */
		{ "\xc2\xad", 2 },         /* a hyphen that is not seen */
		{ "\xc3\xa9", 0 },         /* e with an accent */
		{ "\xd8\x9c", 2 },         /* U+061C */
		{ "\xe2\x80\x8a", 0 },     /* U+200A, a thin blank */
		{ "\xe2\x80\x8b", 3 },     /* U+200B, a blank without width */
		{ "\xe2\x80\x8d", 3 },     /* U+200D, a joiner */
		{ "\xe2\x80\xa7", 0 },     /* U+2027 */
		{ "\xe2\x80\xa8", 3 },     /* U+2028, a new line */
		{ "\xe2\x80\xae", 3 },     /* U+202E, from right to left */
		{ "\xe2\x80\xaf", 0 },     /* U+202F */
		{ "\xe2\x81\xa6", 3 },     /* U+2066 */
		{ "\xef\xbb\xbf", 3 },     /* U+FEFF */
		{ "\xf0\x9f\x9a\x80", 0 }, /* a rocket */
		{ "\xf3\xa0\x81\x81", 4 }, /* U+E0041, a tag */
		{ "\x80", 0 },             /* what is no UTF-8 is for others to see */
		{ "\xe2\x80", 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (fl_plain_odd(rows[i].text) != rows[i].bytes)
			fail_msg("row %zu: %zu", i, fl_plain_odd(rows[i].text));
}

UNIT_GROUP("plain")
