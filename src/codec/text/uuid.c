/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/uuid.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

/* A hyphen stands before these bytes. */
static bool begins_group(unsigned byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/* -1: none. */
static int value_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool fl_uuid_read(const char *text, size_t n, struct fl_uuid *ret)
{
	if (n != FL_UUID - 1)
		return false;
	for (unsigned i = 0; i < sizeof ret->bytes; i++) {
		int high, low;

		if (begins_group(i) && *text++ != '-')
			return false;
		high = value_of(*text++);
		low = value_of(*text++);
		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

const char *fl_uuid_text(const struct fl_uuid *u, char ret[FL_UUID])
{
	char *to = ret;

	for (unsigned i = 0; i < sizeof u->bytes; i++) {
		if (begins_group(i))
			*to++ = '-';
		*to++ = digits[u->bytes[i] >> 4];
		*to++ = digits[u->bytes[i] & 15];
	}
	*to = '\0';
	return ret;
}
