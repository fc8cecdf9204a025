/* SPDX-License-Identifier: Apache-2.0 */
#include "base/plain.h"

#include <stdint.h>

/* First and last of each range; rising. */
static const struct {
	uint32_t first, last;
} odd[] = {
	{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x34f, 0x34f },
	{ 0x61c, 0x61c },   { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
	{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xe0000, 0xe0fff },
};

static uint32_t code_of(const unsigned char *s, size_t n)
{
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = s[0] & mask[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

size_t fl_plain_odd(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = *s < 0xc0 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	uint32_t code;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0; /* cut off */
	code = code_of(s, n);
	if (*s >= 0x80 && *s < 0xc0)
		return 0;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		if (code >= odd[i].first && code <= odd[i].last)
			return n;
	return 0;
}
