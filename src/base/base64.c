/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void fl_base64(const void *bytes, size_t len, char *ret)
{
	const unsigned char *from = bytes;

	for (size_t i = 0; i < len; i += 3) {
		unsigned bits = (unsigned)from[i] << 16;

		if (i + 1 < len)
			bits |= (unsigned)from[i + 1] << 8;
		if (i + 2 < len)
			bits |= from[i + 2];
		*ret++ = digits[bits >> 18];
		*ret++ = digits[bits >> 12 & 63];
		*ret++ = i + 1 < len ? digits[bits >> 6 & 63] : '=';
		*ret++ = i + 2 < len ? digits[bits & 63] : '=';
	}
	*ret = '\0';
}

bool fl_base64_read(const char *text, char *ret, size_t *ret_len)
{
	unsigned bits = 0, have = 0, n = 0, filled = 0;
	char *at = ret;

	for (; *text; text++) {
		const char *digit = strchr(digits, *text);

		if (*text == '\n' || *text == '\r')
			continue;
		n++;
		if (*text == '=' && n % 4 != 1 && n % 4 != 2) {
			filled++;
			continue;
		}
		if (!digit || filled)
			return false;
		bits = bits << 6 | (unsigned)(digit - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			*at++ = (char)(bits >> have & 0xff);
		}
	}
	*ret_len = (size_t)(at - ret);
	return n % 4 == 0 && filled <= 2;
}
