/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_string - the bytes of a JSON string that mean themselves, eight at a time
 *
 * Tested in tests/unit/codec and tests/unit/kube, which read strings of all lengths, cut anywhere.
 */
#ifndef FL_BASE_IN_STRING_H
#define FL_BASE_IN_STRING_H

#include <stdint.h>

/* Eight bytes as a number, the first one lowest. */
static inline uint64_t fl_eight(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
	       (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
	       (uint64_t)b[7] << 56;
}

/* The first byte in [@at, @end) that is a control character, '"', '\\' or not ASCII; or @end. */
static inline const char *fl_pass_plain(const char *at, const char *end)
{
	const uint64_t each = UINT64_C(0x0101010101010101), top = each << 7;

	for (; end - at >= 8; at += 8) {
		uint64_t x = fl_eight(at), quote = x ^ each * '"', escape = x ^ each * '\\';
		/*
		 * The top bit of each other byte; a borrow can make wrong only those after the
		 * first.
		 */
		uint64_t odd = ((x - each * 0x20) | (quote - each) | (escape - each) | x) & top;

		if (odd)
			return at + __builtin_ctzll(odd) / 8;
	}
	while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
	       *at != '\\')
		at++;
	return at;
}

#endif
