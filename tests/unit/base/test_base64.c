/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include "lib/unit.h"

/* Those of RFC 4648, section 10, and all digits. */
TEST(both_ways)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *text;
	} rows[] = {
		{ "", 0, "" },
		{ "f", 1, "Zg==" },
		{ "fo", 2, "Zm8=" },
		{ "foo", 3, "Zm9v" },
		{ "foob", 4, "Zm9vYg==" },
		{ "fooba", 5, "Zm9vYmE=" },
		{ "foobar", 6, "Zm9vYmFy" },
		{ "\0\0\0", 3, "AAAA" },
		{ "\xff\xff\xfe\xfb", 4, "///++w==" },
		{ "\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97\x61\x96"
		  "\x9b\x71\xd7\x9f\x82\x18\xa3\x92\x59\xa7\xa2\x9a\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3"
		  "\x5d\xb7\xe3\x9e\xbb\xf3\xdf\xbf",
		  48, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[80], bytes[80];
		size_t len = 99;

		fl_base64(rows[i].bytes, rows[i].len, text);
		CHECK(strcmp(text, rows[i].text) == 0, text);
		CHECK(strlen(text) + 1 == FL_BASE64_SIZE(rows[i].len), text);
		CHECK(fl_base64_read(rows[i].text, bytes, &len), rows[i].text);
		CHECK(len == rows[i].len && memcmp(bytes, rows[i].bytes, len) == 0, rows[i].text);
	}
}

TEST(what_is_read)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "Zm9v\nYmFy\r\n", true },
		{ "Zm\n9v", true },
		{ "Zg=\n=", true },
		{ "Zg", false },
		{ "Zg=", false },
		{ "Zm9vYg===", false },
		{ "=", false },
		{ "Z===", false },
		{ "====", false },
		{ "Zg==Zg==", false },
		{ "Zm9=vYmE", false },
		{ "Zm 9v", false },
		{ "Zm-_", false },
		{ "Zm9\xc3", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char bytes[80];
		size_t len;

		CHECK(fl_base64_read(rows[i].text, bytes, &len) == rows[i].is, rows[i].text);
	}
}

UNIT_GROUP("base64")
