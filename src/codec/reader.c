/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/source.h"

struct fl_reader {
	const struct fl_mem *mem;
	struct fl_json *json; /* one of the two */
	struct fl_yaml *yaml;
};

static bool looks_like_json(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r'))
		i++;
	return i < len && (text[i] == '{' || text[i] == '[');
}

int fl_reader_new(const struct fl_mem *mem, const char *text, size_t len, struct fl_reader **ret,
		  fairlead_error *err)
{
	struct fl_reader *r;
	int code;

	if (len > (size_t)FL_MAX_INPUT)
		return fl_fail(err, FAIRLEAD_ELIMIT, "an input of more than %lld bytes",
			       (long long)FL_MAX_INPUT);
	if (len >= 3 &&
	    memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark says nothing in UTF-8 */
		text += 3;
		len -= 3;
	}
	r = mem->resize(mem->user, NULL, sizeof *r);
	if (!r)
		return fl_fail_nomem(err);
	*r = (struct fl_reader){ .mem = mem };
	code = looks_like_json(text, len) ? fl_json_new(mem, text, len, &r->json, err) :
					    fl_yaml_new(mem, text, len, &r->yaml, err);
	if (code < 0) {
		fl_mem_free(mem, r);
		return code;
	}
	*ret = r;
	return 0;
}

struct fl_reader *fl_reader_free(struct fl_reader *r)
{
	if (!r)
		return NULL;
	fl_json_free(r->json);
	fl_yaml_free(r->yaml);
	return fl_mem_free(r->mem, r);
}

int fl_reader_next(struct fl_reader *r, struct fl_token *ret, fairlead_error *err)
{
	return r->json ? fl_json_next(r->json, ret, err) : fl_yaml_next(r->yaml, ret, err);
}

int fl_reader_skip(struct fl_reader *r, fairlead_error *err)
{
	uint32_t depth = 0;

	do {
		struct fl_token t;
		int code = fl_reader_next(r, &t, err);

		if (code < 0)
			return code;
		if (t.kind == FL_TOKEN_END)
			break;
		depth += t.kind == FL_TOKEN_MAP || t.kind == FL_TOKEN_LIST;
		depth -= t.kind == FL_TOKEN_MAP_END || t.kind == FL_TOKEN_LIST_END;
	} while (depth);
	return 0;
}

int fl_source_fail(fairlead_error *err, int code, uint32_t line, uint32_t column,
		   const char *format, ...)
{
	char text[sizeof err->text];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fl_fail(err, code, "%s", text);
	if (err) {
		err->line = line;
		err->column = column;
	}
	return code;
}

static bool is_tail(const char *at) { return ((unsigned char)*at & 0xc0) == 0x80; }

size_t fl_utf8_sequence(const char *at, const char *end)
{
	unsigned char first = (unsigned char)at[0];
	unsigned char second = end - at > 1 ? (unsigned char)at[1] : 0;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4 || (second & 0xc0) != 0x80)
		return 0;
	if (first < 0xe0)
		return 2;
	/* No overlong forms, no surrogates, nothing above U+10FFFF. */
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
		return 0;
	if (end - at < 3 || !is_tail(at + 2))
		return 0;
	if (first < 0xf0)
		return 3;
	return end - at >= 4 && is_tail(at + 3) ? 4 : 0;
}

size_t fl_utf8_put(char *to, uint32_t point)
{
	if (point < 0x80) {
		to[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		to[0] = (char)(0xc0 | point >> 6);
		to[1] = (char)(0x80 | (point & 0x3f));
		return 2;
	}
	if (point < 0x10000) {
		to[0] = (char)(0xe0 | point >> 12);
		to[1] = (char)(0x80 | (point >> 6 & 0x3f));
		to[2] = (char)(0x80 | (point & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | point >> 18);
	to[1] = (char)(0x80 | (point >> 12 & 0x3f));
	to[2] = (char)(0x80 | (point >> 6 & 0x3f));
	to[3] = (char)(0x80 | (point & 0x3f));
	return 4;
}
