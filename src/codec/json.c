/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json - RFC 8259, strictly, as tokens with places
 *
 * One pass, no recursion, nothing copied but strings with escapes.  Newlines
 * stand only between tokens (a string must escape them), so lines are counted
 * there alone and a column is a difference of pointers.
 *
 * Why not a library: yajl 2.1 reads a dump at 470 MB/s, this at 420 with places
 * and duplicate keys checked (one core, 11 MB).  But yajl calls back instead of
 * being asked, gives a token's end, not its start, and keeps a string of any
 * length in memory; json-c builds the whole tree.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/keyset.h"
#include "codec/source.h"

enum state {
	AT_DOCUMENT, /* between values of the input */
	AT_ROOT,     /* DOCUMENT was given; its value follows */
	AT_FIRST_KEY,
	AT_KEY,
	AT_VALUE,
	AT_FIRST_ITEM,
	AT_ITEM,
	AFTER_VALUE,
};

struct fl_json {
	const struct fl_mem *mem;
	const char *at, *end, *line_start;
	uint32_t line;
	enum state state;
	uint32_t depth;
	bool is_map[FL_MAX_DEPTH + 1]; /* by depth, 1-based */
	struct fl_keyset keys;
	char scratch[FL_MAX_TEXT + 8]; /* a string with escapes */
};

int fl_json_new(const struct fl_mem *mem, const char *text, size_t len, struct fl_json **ret,
		fairlead_error *err)
{
	struct fl_json *j = mem->resize(mem->user, NULL, sizeof *j);

	if (!j)
		return fl_fail_nomem(err);
	j->mem = mem;
	j->at = j->line_start = text;
	j->end = text + len;
	j->line = 1;
	j->state = AT_DOCUMENT;
	j->depth = 0;
	fl_keyset_init(&j->keys, mem);
	*ret = j;
	return 0;
}

struct fl_json *fl_json_free(struct fl_json *j)
{
	if (!j)
		return NULL;
	fl_keyset_done(&j->keys);
	return fl_mem_free(j->mem, j);
}

static uint32_t column_of(const struct fl_json *j, const char *at)
{
	ptrdiff_t column = at - j->line_start + 1;

	return column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}

static int fail(const struct fl_json *j, const char *at, const char *text, fairlead_error *err)
{
	return fl_source_fail(err, FAIRLEAD_EINPUT, j->line, column_of(j, at), "%s", text);
}

/* "expected X, not 'c'" at the current byte. */
static int unexpected(const struct fl_json *j, const char *expected, fairlead_error *err)
{
	unsigned char c = j->at < j->end ? (unsigned char)*j->at : 0;
	uint32_t column = column_of(j, j->at);

	if (j->at == j->end)
		return fl_source_fail(err, FAIRLEAD_EINPUT, j->line, column,
				      "expected %s, but the input ends", expected);
	if (c > 0x20 && c < 0x7f)
		return fl_source_fail(err, FAIRLEAD_EINPUT, j->line, column,
				      "expected %s, not '%c'", expected, c);
	return fl_source_fail(err, FAIRLEAD_EINPUT, j->line, column, "expected %s, not byte 0x%02x",
			      expected, c);
}

static void skip_blanks(struct fl_json *j)
{
	const char *at = j->at, *end = j->end;

	for (; at < end; at++) {
		if (*at == '\n') {
			j->line++;
			j->line_start = at + 1;
		} else if (*at != ' ' && *at != '\r' && *at != '\t') {
			break;
		}
	}
	j->at = at;
}

static int too_long(const struct fl_json *j, const char *start, fairlead_error *err)
{
	return fl_source_fail(err, FAIRLEAD_ELIMIT, j->line, column_of(j, start),
			      "a text of more than %d bytes", FL_MAX_TEXT);
}

static int hex4(const char *at, const char *end, uint32_t *ret)
{
	uint32_t value = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = at[i];
		uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') :
				 c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10) :
				 c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10) :
							16;

		if (digit == 16)
			return -1;
		value = value << 4 | digit;
	}
	*ret = value;
	return 0;
}

/* \uXXXX, two of them for a surrogate pair; *at is behind the 'u'. Bytes written, or an error. */
static int unicode_escape(const struct fl_json *j, const char **at, char *to, fairlead_error *err)
{
	uint32_t point, low;
	const char *start = *at - 2;

	if (hex4(*at, j->end, &point) < 0)
		return fail(j, start, "'\\u' needs four hexadecimal digits", err);
	*at += 4;
	if (point >= 0xd800 && point < 0xdc00) {
		if (j->end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' ||
		    hex4(*at + 2, j->end, &low) < 0 || low < 0xdc00 || low > 0xdfff)
			return fail(j, start, "half of a surrogate pair", err);
		point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
		*at += 6;
	} else if (point >= 0xdc00 && point < 0xe000) {
		return fail(j, start, "half of a surrogate pair", err);
	} else if (point == 0) {
		return fail(j, start, "a NUL character in a text", err);
	}
	return (int)fl_utf8_put(to, point);
}

/* One escape at *at, the backslash; bytes written to @to, or an error. */
static int escape(const struct fl_json *j, const char **at, char *to, fairlead_error *err)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *start = *at, *found;
	char text[48];

	if (j->end - start < 2)
		return fail(j, start, "the input ends inside a string", err);
	*at += 2;
	if (start[1] == 'u')
		return unicode_escape(j, at, to, err);
	found = start[1] ? strchr(from, start[1]) : NULL;
	if (!found) {
		bool shown = start[1] > 0x20 && start[1] < 0x7f;

		(void)snprintf(text, sizeof text,
			       shown ? "unknown escape '\\%c'" : "unknown escape", start[1]);
		return fail(j, start, text, err);
	}
	*to = into[found - from];
	return 1;
}

/* Bytes that stand for themselves in a string. */
static bool plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

/* The rest of a string from its first escape on: [start, at) is copied as it is. */
static int escaped_string(struct fl_json *j, const char *start, const char *at, struct fl_token *t,
			  fairlead_error *err)
{
	size_t n = (size_t)(at - start);

	memcpy(j->scratch, start, n);
	for (;;) {
		unsigned char c = at < j->end ? (unsigned char)*at : 0;

		if (n > FL_MAX_TEXT)
			return too_long(j, start - 1, err);
		if (at == j->end)
			return fail(j, start - 1, "the string does not end", err);
		if (c == '"')
			break;
		if (c == '\\') {
			int r = escape(j, &at, j->scratch + n, err);

			if (r < 0)
				return r;
			n += (size_t)r;
			continue;
		}
		size_t size = c < 0x20 ? 0 : fl_utf8_sequence(at, j->end);

		if (size == 0)
			return fail(j, at,
				    c < 0x20 ? "a control character in a string" : "invalid UTF-8",
				    err);
		memcpy(j->scratch + n, at, size);
		n += size;
		at += size;
	}
	t->text = j->scratch;
	t->len = n;
	j->at = at + 1;
	return 0;
}

/* j->at is the opening quote. */
static int string(struct fl_json *j, struct fl_token *t, fairlead_error *err)
{
	const char *start = j->at + 1, *at = start, *end = j->end;

	if (end - at > FL_MAX_TEXT + 1)
		end = at + FL_MAX_TEXT + 1;
	for (;;) {
		while (at < end && plain((unsigned char)*at))
			at++;
		if (at == end)
			return end < j->end ? too_long(j, start - 1, err) :
					      fail(j, start - 1, "the string does not end", err);
		if (*at == '"')
			break;
		if (*at == '\\')
			return escaped_string(j, start, at, t, err);
		size_t size = (unsigned char)*at < 0x20 ? 0 : fl_utf8_sequence(at, j->end);

		if (size == 0)
			return fail(j, at,
				    (unsigned char)*at < 0x20 ? "a control character in a string" :
								"invalid UTF-8",
				    err);
		at += size;
		if (at > end)
			return too_long(j, start - 1, err);
	}
	t->text = start;
	t->len = (size_t)(at - start);
	j->at = at + 1;
	return 0;
}

static bool digit_at(const struct fl_json *j, const char *at)
{
	return at < j->end && *at >= '0' && *at <= '9';
}

static const char *digits(const struct fl_json *j, const char *at)
{
	while (digit_at(j, at))
		at++;
	return at;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static int number(struct fl_json *j, struct fl_token *t, fairlead_error *err)
{
	const char *start = j->at, *at = start + (*start == '-');
	bool ok = digit_at(j, at);

	t->type = FL_SCALAR_INT;
	if (ok && *at == '0')
		ok = !digit_at(j, ++at);
	at = digits(j, at);
	if (ok && at < j->end && *at == '.') {
		t->type = FL_SCALAR_FLOAT;
		ok = digit_at(j, ++at);
		at = digits(j, at);
	}
	if (ok && at < j->end && (*at == 'e' || *at == 'E')) {
		t->type = FL_SCALAR_FLOAT;
		at++;
		at += at < j->end && (*at == '+' || *at == '-');
		ok = digit_at(j, at);
		at = digits(j, at);
	}
	if (at - start > FL_MAX_TEXT)
		return too_long(j, start, err);
	if (!ok)
		return fail(j, start, "not a JSON number", err);
	t->text = start;
	t->len = (size_t)(at - start);
	j->at = at;
	return 0;
}

static int literal(struct fl_json *j, struct fl_token *t, const char *word,
		   enum fl_scalar_type type, fairlead_error *err)
{
	size_t n = strlen(word);

	if ((size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0)
		return unexpected(j, "a value", err);
	t->type = type;
	t->text = j->at;
	t->len = n;
	j->at += n;
	return 0;
}

static int open(struct fl_json *j, struct fl_token *t, bool map, fairlead_error *err)
{
	if (j->depth == FL_MAX_DEPTH)
		return fl_source_fail(err, FAIRLEAD_ELIMIT, t->line, t->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	j->at++;
	j->is_map[++j->depth] = map;
	if (map)
		fl_keyset_open(&j->keys);
	t->kind = map ? FL_TOKEN_MAP : FL_TOKEN_LIST;
	j->state = map ? AT_FIRST_KEY : AT_FIRST_ITEM;
	return 0;
}

static int close(struct fl_json *j, struct fl_token *t)
{
	bool map = j->is_map[j->depth--];

	j->at++;
	if (map)
		fl_keyset_close(&j->keys);
	t->kind = map ? FL_TOKEN_MAP_END : FL_TOKEN_LIST_END;
	j->state = j->depth ? AFTER_VALUE : AT_DOCUMENT;
	return 0;
}

static int value(struct fl_json *j, struct fl_token *t, fairlead_error *err)
{
	char c = j->at < j->end ? *j->at : '\0';

	t->kind = FL_TOKEN_SCALAR;
	j->state = j->depth ? AFTER_VALUE : AT_DOCUMENT;
	switch (c) {
	case '{':
	case '[':
		return open(j, t, c == '{', err);
	case '"':
		t->type = FL_SCALAR_STRING;
		return string(j, t, err);
	case 't':
		return literal(j, t, "true", FL_SCALAR_BOOL, err);
	case 'f':
		return literal(j, t, "false", FL_SCALAR_BOOL, err);
	case 'n':
		return literal(j, t, "null", FL_SCALAR_NULL, err);
	default:
		if (c == '-' || (c >= '0' && c <= '9'))
			return number(j, t, err);
		return unexpected(j, "a value", err);
	}
}

static int key(struct fl_json *j, struct fl_token *t, fairlead_error *err)
{
	int r;

	if (j->at == j->end || *j->at != '"')
		return unexpected(j, "a key in double quotes", err);
	t->kind = FL_TOKEN_KEY;
	r = string(j, t, err);
	if (r < 0)
		return r;
	r = fl_keyset_add(&j->keys, t->text, t->len, err);
	if (r < 0)
		return r;
	if (r > 0)
		return fl_source_fail(err, FAIRLEAD_EINPUT, t->line, t->column,
				      "duplicate key '%.*s%s'", t->len < 60 ? (int)t->len : 60,
				      t->text, t->len > 60 ? "..." : "");
	skip_blanks(j);
	if (j->at == j->end || *j->at != ':')
		return unexpected(j, "':' after the key", err);
	j->at++;
	j->state = AT_VALUE;
	return 0;
}

static void here(const struct fl_json *j, struct fl_token *t)
{
	t->line = j->line;
	t->column = column_of(j, j->at);
}

int fl_json_next(struct fl_json *j, struct fl_token *ret, fairlead_error *err)
{
	skip_blanks(j);
	if (j->state == AFTER_VALUE) {
		bool map = j->is_map[j->depth];

		if (j->at < j->end && *j->at == ',') {
			j->at++;
			skip_blanks(j);
			j->state = map ? AT_KEY : AT_ITEM;
		} else if (j->at == j->end || *j->at != (map ? '}' : ']')) {
			return unexpected(j, map ? "',' or '}'" : "',' or ']'", err);
		} else {
			here(j, ret);
			return close(j, ret);
		}
	}
	here(j, ret);
	switch (j->state) {
	case AT_DOCUMENT:
		ret->kind = j->at == j->end ? FL_TOKEN_END : FL_TOKEN_DOCUMENT;
		j->state = j->at == j->end ? AT_DOCUMENT : AT_ROOT;
		return 0;
	case AT_FIRST_KEY:
		if (j->at < j->end && *j->at == '}')
			return close(j, ret);
		return key(j, ret, err);
	case AT_KEY:
		return key(j, ret, err);
	case AT_FIRST_ITEM:
		if (j->at < j->end && *j->at == ']')
			return close(j, ret);
		break;
	default:
		break;
	}
	return value(j, ret, err);
}
