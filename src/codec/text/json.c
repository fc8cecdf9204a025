/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json - RFC 8259, strictly, as tokens with places
 *
 * One pass, no recursion, nothing copied but strings with escapes.  Newlines
 * stand only between tokens (a string must escape them), so lines are counted
 * there alone and a column is a difference of offsets.
 *
 * Where a token begins the buffer reaches behind the end of the longest one
 * (LOOKAHEAD), so within a token nothing moves.  The exceptions are blanks and
 * strings with escapes, which may be longer as they are written: these go on
 * in a buffer that has moved.
 *
 * Why not a library: yajl 2.1 reads a dump at 470 MB/s, this at 420 with places
 * and duplicate keys checked (one core, 11 MB).  But yajl calls back instead of
 * being asked, gives a token's end, not its start, and keeps a string of any
 * length in memory; json-c builds the whole tree.
 */
#include <stdio.h>
#include <string.h>

#include "base/in_string.h"
#include "base/limits.h"
#include "codec/text/format.h"
#include "codec/text/keyset.h"

/* The block is some times larger, so that little is moved. */
enum { LOOKAHEAD = FL_MAX_TEXT + 16, BLOCK = 4 * FL_MAX_TEXT };

enum state {
	AT_DOCUMENT, /* between values of the input */
	AT_ROOT,     /* DOCUMENT was returned; its value follows */
	AT_FIRST_KEY,
	AT_KEY,
	AT_VALUE,
	AT_FIRST_ITEM,
	AT_ITEM,
	AFTER_VALUE,
};

struct fl_json_reader {
	const struct fl_mem *mem;
	struct fl_input_buffer buffer;
	const char *at, *end; /* in the buffer */
	int64_t line_start;   /* in the input */
	uint32_t line;
	enum state state;
	uint32_t depth;
	bool is_map[FL_MAX_DEPTH + 1]; /* by depth, 1-based */
	struct fl_keyset keys;
	char *scratch; /* FL_MAX_TEXT + 8 bytes: a text that is not as it is written; NULL: none was yet */
};

int fl_json_new(const struct fl_mem *mem, struct fl_input_buffer *buffer,
		struct fl_json_reader **ret, fairlead_error *err)
{
	struct fl_json_reader *j = mem->resize(mem->user, NULL, sizeof *j);

	if (!j) {
		fl_input_buffer_done(buffer);
		return fl_fail_nomem(err);
	}
	j->mem = mem;
	j->buffer = *buffer;
	j->at = buffer->bytes;
	j->end = buffer->end;
	j->line_start = buffer->before;
	j->line = 1;
	j->state = AT_DOCUMENT;
	j->depth = 0;
	j->scratch = NULL;
	fl_keyset_init(&j->keys, mem);
	*ret = j;
	return 0;
}

struct fl_json_reader *fl_json_free(struct fl_json_reader *j)
{
	if (!j)
		return NULL;
	fl_keyset_done(&j->keys);
	fl_mem_free(j->mem, j->scratch);
	fl_input_buffer_done(&j->buffer);
	return fl_mem_free(j->mem, j);
}

static uint32_t column_of(const struct fl_json_reader *j, const char *at)
{
	int64_t column = fl_input_buffer_offset(&j->buffer, at) - j->line_start + 1;

	return column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}

static int fail(const struct fl_json_reader *j, const char *at, const char *text,
		fairlead_error *err)
{
	return fl_format_fail(err, FAIRLEAD_EINPUT, j->line, column_of(j, at), "%s", text);
}

/* "expected X, not 'c'" at the current byte. */
static int unexpected(const struct fl_json_reader *j, const char *expected, fairlead_error *err)
{
	unsigned char c = j->at < j->end ? (unsigned char)*j->at : 0;
	uint32_t column = column_of(j, j->at);

	if (j->at == j->end)
		return fl_format_fail(err, FAIRLEAD_EINPUT, j->line, column,
				      "expected %s, but the input ends", expected);
	if (c > 0x20 && c < 0x7f)
		return fl_format_fail(err, FAIRLEAD_EINPUT, j->line, column,
				      "expected %s, not '%c'", expected, c);
	return fl_format_fail(err, FAIRLEAD_EINPUT, j->line, column, "expected %s, not byte 0x%02x",
			      expected, c);
}

/* Reads on; j->at keeps its place in the input. */
static int more(struct fl_json_reader *j, fairlead_error *err)
{
	int r = fl_input_buffer_fill(&j->buffer, j->at, BLOCK, err);

	j->at = j->buffer.bytes;
	j->end = j->buffer.end;
	return r;
}

/* Blanks in the buffer. */
static void skip_blanks(struct fl_json_reader *j)
{
	const char *at = j->at, *end = j->end;

	for (; at < end; at++) {
		if (*at == '\n') {
			j->line++;
			j->line_start = fl_input_buffer_offset(&j->buffer, at + 1);
			/* Usually indentation follows. */
			while (end - at > 8 && fl_eight(at + 1) == UINT64_C(0x2020202020202020))
				at += 8;
		} else if (*at != ' ' && *at != '\r' && *at != '\t') {
			break;
		}
	}
	j->at = at;
}

/* Moves to the beginning of the next token, with all of it in the buffer. */
static int to_token(struct fl_json_reader *j, fairlead_error *err)
{
	bool reaches = j->end - j->at >= LOOKAHEAD || j->buffer.ended;
	int r = 0;

	if (reaches && j->at<j->end && * j->at> ' ') /* as in compact JSON */
		return 0;
	skip_blanks(j);
	while (r == 0 && j->end - j->at < LOOKAHEAD && !j->buffer.ended) {
		r = more(j, err);
		skip_blanks(j);
	}
	return r;
}

static int fail_at(const struct fl_token *t, const char *text, fairlead_error *err)
{
	return fl_format_fail(err, FAIRLEAD_EINPUT, t->line, t->column, "%s", text);
}

static int too_long(const struct fl_token *t, fairlead_error *err)
{
	return fl_format_fail(err, FAIRLEAD_ELIMIT, t->line, t->column,
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
static int unicode_escape(const struct fl_json_reader *j, const char **at, char *to,
			  fairlead_error *err)
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
static int escape(const struct fl_json_reader *j, const char **at, char *to, fairlead_error *err)
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

/* A character of a string that is not ASCII: its bytes, or 0 after the error. */
static size_t wide(const struct fl_json_reader *j, const char *at, fairlead_error *err)
{
	bool control = (unsigned char)*at < 0x20;
	size_t size = control ? 0 : fl_utf8_sequence(at, j->end);

	if (size == 0)
		fail(j, at, control ? "a control character in a string" : "invalid UTF-8", err);
	return size;
}

/* @n bytes of a text are copied to where the rest of it can follow; they may be there already. */
static int to_scratch(struct fl_json_reader *j, const char *text, size_t n, fairlead_error *err)
{
	if (!j->scratch)
		j->scratch = j->mem->resize(j->mem->user, NULL, FL_MAX_TEXT + 8);
	if (!j->scratch)
		return fl_fail_nomem(err);
	if (text != j->scratch)
		memcpy(j->scratch, text, n);
	return 0;
}

/* The rest of a string from its first escape on, at @at: the part before it is copied unchanged. */
static int escaped_string(struct fl_json_reader *j, const char *at, struct fl_token *t,
			  fairlead_error *err)
{
	size_t n = (size_t)(at - j->at - 1);
	int r = to_scratch(j, j->at + 1, n, err);

	if (r < 0)
		return r;
	for (j->at = at;;) {
		r = j->end - j->at < 12 && !j->buffer.ended ? more(j, err) : 0;
		if (r < 0)
			return r;
		if (n > FL_MAX_TEXT)
			return too_long(t, err);
		if (j->at == j->end)
			return fail_at(t, "the string does not end", err);
		if (*j->at == '"')
			break;
		if (*j->at == '\\') {
			r = escape(j, &j->at, j->scratch + n, err);
			if (r < 0)
				return r;
			n += (size_t)r;
			continue;
		}
		at = fl_pass_plain(j->at, j->end);
		size_t size = at > j->at ? (size_t)(at - j->at) : wide(j, at, err);

		if (size == 0)
			return FAIRLEAD_EINPUT;
		if (size > FL_MAX_TEXT - n)
			return too_long(t, err);
		memcpy(j->scratch + n, j->at, size);
		n += size;
		j->at += size;
	}
	t->text = j->scratch;
	t->len = n;
	j->at++;
	return 0;
}

/* j->at is the opening quote. */
static int string(struct fl_json_reader *j, struct fl_token *t, fairlead_error *err)
{
	const char *start = j->at + 1, *at = start, *end = j->end;

	if (end - at > FL_MAX_TEXT + 1)
		end = at + FL_MAX_TEXT + 1;
	for (;;) {
		at = fl_pass_plain(at, end);
		if (at >= end)
			return end < j->end ? too_long(t, err) :
					      fail_at(t, "the string does not end", err);
		if (*at == '"')
			break;
		if (*at == '\\')
			return escaped_string(j, at, t, err);
		size_t size = wide(j, at, err);

		if (size == 0)
			return FAIRLEAD_EINPUT;
		at += size;
	}
	t->text = start;
	t->len = (size_t)(at - start);
	j->at = at + 1;
	return 0;
}

static bool digit_at(const struct fl_json_reader *j, const char *at)
{
	return at < j->end && *at >= '0' && *at <= '9';
}

static const char *digits(const struct fl_json_reader *j, const char *at)
{
	while (digit_at(j, at))
		at++;
	return at;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static int number(struct fl_json_reader *j, struct fl_token *t, fairlead_error *err)
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
		return too_long(t, err);
	if (!ok)
		return fail(j, start, "not a JSON number", err);
	t->text = start;
	t->len = (size_t)(at - start);
	j->at = at;
	return 0;
}

static int literal(struct fl_json_reader *j, struct fl_token *t, const char *word,
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

static int open(struct fl_json_reader *j, struct fl_token *t, bool map, fairlead_error *err)
{
	if (j->depth == FL_MAX_DEPTH)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, t->line, t->column,
				      "nested deeper than %d levels", FL_MAX_DEPTH);
	j->at++;
	j->is_map[++j->depth] = map;
	if (map)
		fl_keyset_open(&j->keys);
	t->kind = map ? FL_TOKEN_MAP : FL_TOKEN_LIST;
	j->state = map ? AT_FIRST_KEY : AT_FIRST_ITEM;
	return 0;
}

static int close(struct fl_json_reader *j, struct fl_token *t)
{
	bool map = j->is_map[j->depth--];

	j->at++;
	if (map)
		fl_keyset_close(&j->keys);
	t->kind = map ? FL_TOKEN_MAP_END : FL_TOKEN_LIST_END;
	j->state = j->depth ? AFTER_VALUE : AT_DOCUMENT;
	return 0;
}

static int value(struct fl_json_reader *j, struct fl_token *t, fairlead_error *err)
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

/* Skips the blanks after a key; the key is copied when they do not fit into the buffer. */
static int to_colon(struct fl_json_reader *j, struct fl_token *t, fairlead_error *err)
{
	int r = 0;

	skip_blanks(j);
	while (r == 0 && j->at == j->end && !j->buffer.ended) {
		if ((r = to_scratch(j, t->text, t->len, err)) < 0)
			return r;
		t->text = j->scratch;
		r = more(j, err);
		skip_blanks(j);
	}
	return r;
}

static int key(struct fl_json_reader *j, struct fl_token *t, fairlead_error *err)
{
	int r;

	if (j->at == j->end || *j->at != '"')
		return unexpected(j, "a key in double quotes", err);
	t->kind = FL_TOKEN_KEY;
	t->type = FL_SCALAR_STRING;
	r = string(j, t, err);
	if (r < 0)
		return r;
	r = fl_keyset_add(&j->keys, t->text, t->len, err);
	if (r < 0)
		return r;
	if (r > 0)
		return fl_format_fail(err, FAIRLEAD_EINPUT, t->line, t->column,
				      "duplicate key '%.*s%s'", t->len < 60 ? (int)t->len : 60,
				      t->text, t->len > 60 ? "..." : "");
	if ((r = to_colon(j, t, err)) < 0)
		return r;
	if (j->at == j->end || *j->at != ':')
		return unexpected(j, "':' after the key", err);
	j->at++;
	j->state = AT_VALUE;
	return 0;
}

static void here(const struct fl_json_reader *j, struct fl_token *t)
{
	t->line = j->line;
	t->column = column_of(j, j->at);
}

int fl_json_next(struct fl_json_reader *j, struct fl_token *ret, fairlead_error *err)
{
	int r = to_token(j, err);

	if (r == 0 && j->state == AFTER_VALUE) {
		bool map = j->is_map[j->depth];

		if (j->at < j->end && *j->at == ',') {
			j->at++;
			r = to_token(j, err);
			j->state = map ? AT_KEY : AT_ITEM;
		} else if (j->at == j->end || *j->at != (map ? '}' : ']')) {
			return unexpected(j, map ? "',' or '}'" : "',' or ']'", err);
		} else {
			here(j, ret);
			return close(j, ret);
		}
	}
	if (r < 0)
		return r;
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
