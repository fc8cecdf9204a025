/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/wire/scan.h"

#include <string.h>

#include "base/in_string.h"

enum state {
	AT_DOCUMENT,
	AT_FIRST_KEY,
	AT_KEY,
	AT_COLON,
	AT_VALUE,
	AT_FIRST_ITEM,
	AT_OPEN, /* BEGIN was told; its first byte follows */
	AFTER_VALUE,
	/* From here on inside a text or a word. */
	IN_STRING,
	IN_ESCAPE,
	IN_DIGITS, /* of \u */
	IN_PAIR,   /* '\' of the second half of a pair is due */
	IN_PAIR_U, /* its 'u' */
	IN_WIDE,   /* a character of more than one byte */
	IN_NUMBER,
	IN_WORD,
	IS_BAD,
};

/* What a number may go on with. */
enum number { MINUS, ZERO, WHOLE, POINT, FRACTION, EXPONENT, SIGN, POWER, ENDED, WRONG };

void fl_scan_init(struct fl_scan *s)
{
	s->state = AT_DOCUMENT;
	s->depth = s->deepest = 0;
	s->quiet = UINT32_MAX;
	s->keep = s->in_key = s->cut = false;
	s->n = 0;
	s->high = 0;
	s->problem = NULL;
}

bool fl_scan_rests(const struct fl_scan *s) { return s->state == AT_DOCUMENT; }

static enum fl_scan_event bad(struct fl_scan *s, const char *problem)
{
	s->state = IS_BAD;
	s->problem = problem;
	return FL_SCAN_BAD;
}

static bool in_map(const struct fl_scan *s)
{
	return s->depth > 0 && s->is_map[(s->depth - 1) / 8] >> (s->depth - 1) % 8 & 1;
}

static void keep(struct fl_scan *s, const char *bytes, size_t n)
{
	size_t room = FL_SCAN_TEXT - s->n;

	if (!s->keep || s->cut)
		return;
	s->cut = n > room;
	n = n < room ? n : room;
	memcpy(s->text + s->n, bytes, n);
	s->n += n;
	s->text[s->n] = '\0';
}

static void keep_point(struct fl_scan *s, uint32_t c)
{
	char t[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		t[i] = (char)(0x80 | (c & 0x3f));
	t[0] = (char)(c | marks[n]);
	keep(s, t, n);
}

static void begin_text(struct fl_scan *s)
{
	s->n = 0;
	s->cut = false;
	s->text[0] = '\0';
}

static enum fl_scan_event end_value(struct fl_scan *s)
{
	s->keep = false;
	if (s->depth == s->quiet)
		s->quiet = UINT32_MAX;
	s->state = s->depth ? AFTER_VALUE : AT_DOCUMENT;
	return FL_SCAN_END;
}

/* --- strings --- */

/* The first byte of a character of several; bounds of the second one are those of RFC 3629. */
static bool begin_wide(struct fl_scan *s, unsigned char c)
{
	s->low = 0x80;
	s->top = 0xbf;
	if (c >= 0xc2 && c <= 0xdf) {
		s->left = 1;
	} else if (c >= 0xe0 && c <= 0xef) {
		s->left = 2;
		s->low = c == 0xe0 ? 0xa0 : 0x80;
		s->top = c == 0xed ? 0x9f : 0xbf;
	} else if (c >= 0xf0 && c <= 0xf4) {
		s->left = 3;
		s->low = c == 0xf0 ? 0x90 : 0x80;
		s->top = c == 0xf4 ? 0x8f : 0xbf;
	} else {
		return false;
	}
	s->state = IN_WIDE;
	return true;
}

static enum fl_scan_event end_string(struct fl_scan *s)
{
	if (!s->in_key)
		return end_value(s);
	s->in_key = s->keep = false;
	s->state = AT_COLON;
	return FL_SCAN_KEY;
}

/* Of the byte behind a backslash. */
static bool take_escape(struct fl_scan *s, char c)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *name = c ? strchr(names, c) : NULL;

	s->state = IN_STRING;
	if (c == 'u') {
		s->state = IN_DIGITS;
		s->left = 4;
		s->point = 0;
		return true;
	}
	if (name)
		keep(s, &means[name - names], 1);
	return name;
}

static bool take_digit(struct fl_scan *s, char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

	if (!digit)
		return false;
	s->point = s->point << 4 | (uint32_t)(digit - digits);
	if (--s->left > 0)
		return true;
	bool low = s->point >= 0xdc00 && s->point <= 0xdfff;
	if (low != (s->high != 0))
		return false;
	if (s->point >= 0xd800 && s->point <= 0xdbff) {
		s->high = s->point;
		s->state = IN_PAIR;
		return true;
	}
	keep_point(s, low ? 0x10000 + ((s->high - 0xd800) << 10) + (s->point - 0xdc00) : s->point);
	s->high = 0;
	s->state = IN_STRING;
	return true;
}

static enum fl_scan_event in_string(struct fl_scan *s, const char **at, const char *end)
{
	while (*at < end) {
		const char *from = *at;
		bool ok = true;
		char c;

		if (s->state == IN_STRING) {
			*at = fl_pass_plain(from, end);
			if (s->keep)
				keep(s, from, (size_t)(*at - from));
			if (*at == end)
				return FL_SCAN_MORE;
		}
		c = *(*at)++;
		switch (s->state) {
		case IN_STRING:
			if (c == '"')
				return end_string(s);
			if (c == '\\') {
				s->state = IN_ESCAPE;
				break;
			}
			keep(s, &c, 1);
			ok = begin_wide(s, (unsigned char)c);
			break;
		case IN_WIDE:
			keep(s, &c, 1);
			ok = (unsigned char)c >= s->low && (unsigned char)c <= s->top;
			s->low = 0x80;
			s->top = 0xbf;
			s->state = --s->left ? IN_WIDE : IN_STRING;
			break;
		case IN_ESCAPE:
			ok = take_escape(s, c);
			break;
		case IN_DIGITS:
			ok = take_digit(s, c);
			break;
		case IN_PAIR:
			ok = c == '\\';
			s->state = IN_PAIR_U;
			break;
		default:
			ok = c == 'u';
			s->state = IN_DIGITS;
			s->left = 4;
			s->point = 0;
			break;
		}
		if (!ok)
			return bad(s, "a string is not valid JSON");
	}
	return FL_SCAN_MORE;
}

/* --- numbers and words --- */

static enum number next_number(int state, char c)
{
	bool digit = c >= '0' && c <= '9', e = c == 'e' || c == 'E';

	switch (state) {
	case MINUS:
		return c == '0' ? ZERO : digit ? WHOLE : WRONG;
	case ZERO:
	case WHOLE:
		if (digit)
			return state == WHOLE ? WHOLE : WRONG;
		return c == '.' ? POINT : e ? EXPONENT : ENDED;
	case POINT:
		return digit ? FRACTION : WRONG;
	case FRACTION:
		return digit ? FRACTION : e ? EXPONENT : ENDED;
	case EXPONENT:
		return digit ? POWER : c == '+' || c == '-' ? SIGN : WRONG;
	case SIGN:
		return digit ? POWER : WRONG;
	default:
		return digit ? POWER : ENDED;
	}
}

static enum fl_scan_event in_number(struct fl_scan *s, const char **at, const char *end)
{
	const char *from = *at;
	enum number next = MINUS;

	for (; *at < end; (*at)++) {
		next = next_number(s->number, **at);
		if (next == ENDED || next == WRONG)
			break;
		s->number = (int)next;
	}
	keep(s, from, (size_t)(*at - from));
	if (*at == end)
		return FL_SCAN_MORE;
	return next == ENDED ? end_value(s) : bad(s, "a number is not valid JSON");
}

static enum fl_scan_event in_word(struct fl_scan *s, const char **at, const char *end)
{
	for (; *s->word && *at < end; s->word++, (*at)++)
		if (**at != *s->word)
			return bad(s, "a value is not valid JSON");
	return *s->word ? FL_SCAN_MORE : end_value(s);
}

/* --- values --- */

static enum fl_scan_event open(struct fl_scan *s, bool map)
{
	if (s->depth == FL_SCAN_DEPTH)
		return bad(s, "it is nested deeper than any API server allows");
	uint8_t bit = (uint8_t)(1U << s->depth % 8), *byte = &s->is_map[s->depth / 8];
	*byte = (uint8_t)(map ? *byte | bit : *byte & ~bit);
	s->depth++;
	s->state = map ? AT_FIRST_KEY : AT_FIRST_ITEM;
	return FL_SCAN_MORE;
}

static enum fl_scan_event close(struct fl_scan *s)
{
	s->depth--;
	return end_value(s);
}

/* BEGIN was told of the value whose first byte is *at. MORE: go on. */
static enum fl_scan_event open_value(struct fl_scan *s, const char **at)
{
	char c = **at;

	begin_text(s);
	if (c == '{' || c == '[') {
		s->keep = false;
		(*at)++;
		return open(s, c == '{');
	}
	if (c == '"') {
		(*at)++;
		s->state = IN_STRING;
	} else if (c == 't' || c == 'f' || c == 'n') {
		s->keep = false;
		s->word = c == 't' ? "true" : c == 'f' ? "false" : "null";
		s->state = IN_WORD;
	} else if (c == '-' || (c >= '0' && c <= '9')) {
		s->number = MINUS;
		if (c == '-') {
			keep(s, "-", 1);
			(*at)++;
		}
		s->state = IN_NUMBER;
	} else {
		return bad(s, "a value is missing");
	}
	return FL_SCAN_MORE;
}

static enum fl_scan_event begin_value(struct fl_scan *s)
{
	s->state = AT_OPEN;
	if (s->depth > s->deepest)
		s->deepest = s->depth;
	return FL_SCAN_BEGIN;
}

static enum fl_scan_event between(struct fl_scan *s, const char **at)
{
	char c = **at;

	switch (s->state) {
	case AT_DOCUMENT:
		if (c != '{')
			return bad(s, "it does not begin with '{'");
		return begin_value(s);
	case AT_FIRST_ITEM:
	case AT_FIRST_KEY:
		if (c == (s->state == AT_FIRST_KEY ? '}' : ']')) {
			(*at)++;
			return close(s);
		}
		if (s->state == AT_FIRST_ITEM)
			return begin_value(s);
		/* fall through */
	case AT_KEY:
		if (c != '"')
			return bad(s, "a key is missing");
		(*at)++;
		begin_text(s);
		s->in_key = true;
		s->keep = s->depth <= s->quiet;
		s->state = IN_STRING;
		return FL_SCAN_MORE;
	case AT_COLON:
		if (c != ':')
			return bad(s, "':' is missing");
		(*at)++;
		s->state = AT_VALUE;
		return FL_SCAN_MORE;
	case AT_VALUE:
		return begin_value(s);
	default: /* AFTER_VALUE */
		(*at)++;
		if (c == ',') {
			s->state = in_map(s) ? AT_KEY : AT_VALUE;
			return FL_SCAN_MORE;
		}
		return c == (in_map(s) ? '}' : ']') ? close(s) : bad(s, "',' is missing");
	}
}

static enum fl_scan_event step(struct fl_scan *s, const char **at, const char *end)
{
	switch (s->state) {
	case IS_BAD:
		return FL_SCAN_BAD;
	case AT_OPEN:
		return open_value(s, at);
	case IN_NUMBER:
		return in_number(s, at, end);
	case IN_WORD:
		return in_word(s, at, end);
	default:
		break;
	}
	if (s->state >= IN_STRING)
		return in_string(s, at, end);
	if (**at != ' ' && **at != '\n' && **at != '\r' && **at != '\t')
		return between(s, at);
	(*at)++;
	return FL_SCAN_MORE;
}

/* Behind a text that begins at @at, is whole there and has ASCII without escapes alone; NULL: it is another. */
static const char *pass_text(const char *at, const char *end)
{
	if (*at != '"')
		return NULL;
	at = fl_pass_plain(at + 1, end);
	return at < end && *at == '"' ? at + 1 : NULL;
}

/* Most of what is not told is plain texts; these are passed at once, and `step` takes the rest. */
static void pass_quiet(struct fl_scan *s, const char **at, const char *end)
{
	while (s->depth > s->quiet && *at < end) {
		const char *text = s->state == AFTER_VALUE ? NULL : pass_text(*at, end);

		if (s->state == AT_KEY && text && text < end && *text == ':') {
			*at = text + 1;
			s->state = AT_VALUE;
		} else if (s->state == AT_VALUE && text) {
			*at = text;
			(void)begin_value(s);
			s->state = AFTER_VALUE;
		} else if (s->state == AFTER_VALUE && **at == ',') {
			++*at;
			s->state = in_map(s) ? AT_KEY : AT_VALUE;
		} else {
			return;
		}
	}
}

enum fl_scan_event fl_scan_next(struct fl_scan *s, const char **at, const char *end)
{
	while (pass_quiet(s, at, end), *at < end) {
		const enum fl_scan_event event = step(s, at, end);

		if (event == FL_SCAN_BAD || (event != FL_SCAN_MORE && s->depth <= s->quiet))
			return event;
	}
	return FL_SCAN_MORE;
}
