/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/text/format.h"

struct fl_reader {
	const struct fl_mem *mem;
	struct fl_json_reader *json; /* one of the two */
	struct fl_yaml *yaml;
};

enum { SNIFFED = 1 << 16 }; /* bytes that are checked to tell the formats apart */

static bool looks_like_json(const char *at, const char *end)
{
	if (end - at > SNIFFED)
		end = at + SNIFFED;
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
		at++;
	return at < end && (*at == '{' || *at == '[');
}

/* Takes over what @buffer holds, also when it fails. */
static int new_reader(const struct fl_mem *mem, struct fl_input_buffer *buffer,
		      struct fl_reader **ret, fairlead_error *err)
{
	struct fl_reader *r = mem->resize(mem->user, NULL, sizeof *r);
	int code;

	if (!r) {
		fl_input_buffer_done(buffer);
		return fl_fail_nomem(err);
	}
	/* A byte order mark has no meaning in UTF-8. */
	if (buffer->end - buffer->bytes >= 3 && memcmp(buffer->bytes, "\xef\xbb\xbf", 3) == 0)
		buffer->bytes += 3;
	*r = (struct fl_reader){ .mem = mem };
	code = looks_like_json(buffer->bytes, buffer->end) ?
		       fl_json_new(mem, buffer, &r->json, err) :
		       fl_yaml_new(mem, buffer, &r->yaml, err);
	if (code < 0) {
		fl_mem_free(mem, r);
		return code;
	}
	*ret = r;
	return 0;
}

int fl_reader_open(const struct fl_mem *mem, const struct fl_source *source, struct fl_reader **ret,
		   fairlead_error *err)
{
	struct fl_input_buffer buffer;
	int code = fl_input_buffer_open(&buffer, mem, source, err);

	return code < 0 ? code : new_reader(mem, &buffer, ret, err);
}

int fl_reader_new(const struct fl_mem *mem, const char *text, size_t len, struct fl_reader **ret,
		  fairlead_error *err)
{
	struct fl_input_buffer buffer;
	int code = fl_input_buffer_text(&buffer, text, len, err);

	return code < 0 ? code : new_reader(mem, &buffer, ret, err);
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

int fl_format_fail(fairlead_error *err, int code, uint32_t line, uint32_t column,
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
