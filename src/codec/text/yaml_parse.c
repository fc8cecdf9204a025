/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/yaml_parse.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/limits.h"
#include "codec/text/format.h"

/* A place in the input that only moves on. */
struct place {
	int64_t offset, line_start; /* bytes */
	size_t index;               /* characters */
	uint32_t line;
};

struct fl_yaml_parser {
	char number[32]; /* a whole number in decimal, that was written otherwise */
	const struct fl_mem *mem;
	struct fl_input_buffer buffer;
	yaml_parser_t libyaml;
	yaml_event_t event; /* owns the text of the last item */
	bool has_event;
	int64_t fed;           /* bytes that libyaml has read */
	struct place checked;  /* up to here the bytes are valid */
	struct place last;     /* the place of the last event; all after it is in the buffer */
	fairlead_error failed; /* error of the source or of its bytes */
};

/* --- input bytes --- */

static uint32_t column_of(const struct place *p)
{
	int64_t column = p->offset - p->line_start + 1;

	return column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}

/* Move on by one character of @size bytes. */
static void pass(struct place *p, char c, size_t size)
{
	p->offset += (int64_t)size;
	p->index++;
	if (c == '\n') {
		p->line++;
		p->line_start = p->offset;
	}
}

static const char *at_offset(const struct fl_yaml_parser *p, int64_t offset)
{
	return p->buffer.bytes + (offset - p->buffer.before);
}

/*
 * Errors that libyaml would report without a place, or late: characters that YAML 1.2, 5.1 does not
 * allow.
 */
static const char *fault(const char *at, size_t size)
{
	unsigned char c = (unsigned char)at[0], d = size > 1 ? (unsigned char)at[1] : 0;

	if (size == 0)
		return "invalid UTF-8";
	if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
		return "a control character";
	if (c == 0xc2 && d < 0xa0 && d != 0x85)
		return "a control character";
	if (c == 0xef && d == 0xbf && (unsigned char)at[2] > 0xbd)
		return "a character that no text may have";
	return NULL;
}

static int check_bytes(struct fl_yaml_parser *p, int64_t to)
{
	const char *at = at_offset(p, p->checked.offset), *end = at_offset(p, to);

	while (at < end) {
		size_t size = (unsigned char)*at < 0x80 ? 1 : fl_utf8_sequence(at, p->buffer.end);
		const char *text = fault(at, size);

		if (text)
			return fl_format_fail(&p->failed, FAIRLEAD_EINPUT, p->checked.line,
					      column_of(&p->checked), "%s", text);
		pass(&p->checked, *at, size);
		at += size;
	}
	return 0;
}

/*
 * Makes sure that @size bytes after those fed, and the rest of a character, are in the buffer, or
 * all there are.
 */
static int reach(struct fl_yaml_parser *p, size_t size)
{
	if (p->fed - p->last.offset > FL_MAX_GAP)
		return fl_format_fail(&p->failed, FAIRLEAD_ELIMIT, p->last.line,
				      column_of(&p->last),
				      "more than %d bytes from here to the next value", FL_MAX_GAP);
	if (p->buffer.end - at_offset(p, p->fed) >= (ptrdiff_t)size + 4)
		return 0;
	return fl_input_buffer_fill(&p->buffer, at_offset(p, p->last.offset), (uint32_t)size + 4,
				    &p->failed);
}

/* libyaml asks for bytes; 0 is failure. */
static int feed(void *user, unsigned char *buffer, size_t size, size_t *ret)
{
	struct fl_yaml_parser *p = user;
	size_t left;

	if (reach(p, size) < 0)
		return 0;
	left = (size_t)(p->buffer.end - at_offset(p, p->fed));
	*ret = left < size ? left : size;
	if (check_bytes(p, p->fed + (int64_t)*ret) < 0)
		return 0;
	memcpy(buffer, at_offset(p, p->fed), *ret);
	p->fed += (int64_t)*ret;
	return 1;
}

/* --- life --- */

int fl_yaml_parser_new(const struct fl_mem *mem, struct fl_input_buffer *buffer,
		       struct fl_yaml_parser **ret, fairlead_error *err)
{
	struct fl_yaml_parser *p = mem->resize(mem->user, NULL, sizeof *p);
	int64_t start = buffer->before;

	if (!p || !yaml_parser_initialize(&p->libyaml)) {
		fl_mem_free(mem, p);
		fl_input_buffer_done(buffer);
		return fl_fail_nomem(err);
	}
	yaml_parser_set_encoding(&p->libyaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input(&p->libyaml, feed, p);
	p->mem = mem;
	p->buffer = *buffer;
	p->has_event = false;
	p->fed = start;
	p->last = p->checked = (struct place){ .offset = start, .line_start = start, .line = 1 };
	p->failed = (fairlead_error){ 0 };
	*ret = p;
	return 0;
}

struct fl_yaml_parser *fl_yaml_parser_free(struct fl_yaml_parser *p)
{
	if (!p)
		return NULL;
	if (p->has_event)
		yaml_event_delete(&p->event);
	yaml_parser_delete(&p->libyaml);
	fl_input_buffer_done(&p->buffer);
	return fl_mem_free(p->mem, p);
}

/* --- places --- */

/* Walks to the character number @index; a mark before the last one is taken for the last one. */
static void walk(struct fl_yaml_parser *p, size_t index)
{
	const char *at = at_offset(p, p->last.offset), *end = at_offset(p, p->fed);

	while (p->last.index < index && at < end) {
		size_t size = (unsigned char)*at < 0x80 ? 1 : fl_utf8_sequence(at, p->buffer.end);

		pass(&p->last, *at, size);
		at += size;
	}
}

/* What most often leads to what libyaml says. */
static const struct {
	const char *problem, *hint;
} likely[] = {
	{ "did not find expected key",
	  "the keys of a map begin in one column: compare this line with those above it" },
	{ "did not find expected '-' indicator",
	  "the dashes of a list begin in one column: compare this line with those above it" },
	{ "mapping values are not allowed in this context",
	  "a text with ': ' in it needs quotes; a key begins in the column of those beside it" },
};

static void add_hint(const char *problem, fairlead_error *err)
{
	for (size_t i = 0; problem && i < sizeof likely / sizeof *likely; i++)
		if (strcmp(problem, likely[i].problem) == 0)
			fl_fail_hint(err, "%s", likely[i].hint);
}

static int parser_error(struct fl_yaml_parser *p, fairlead_error *err)
{
	const yaml_parser_t *y = &p->libyaml;
	char context[120] = "";
	int r;

	if (p->failed.code < 0) {
		if (err)
			*err = p->failed;
		return p->failed.code;
	}
	if (y->error == YAML_MEMORY_ERROR)
		return fl_fail_nomem(err);
	if (y->context && y->context_mark.line != y->problem_mark.line)
		(void)snprintf(context, sizeof context, " %s that starts in line %zu", y->context,
			       y->context_mark.line + 1);
	else if (y->context)
		(void)snprintf(context, sizeof context, " %s", y->context);
	walk(p, y->problem_mark.index);
	if (at_offset(p, p->last.offset) < p->buffer.end && *at_offset(p, p->last.offset) == '\t')
		return fl_format_fail(err, FAIRLEAD_EINPUT, p->last.line, column_of(&p->last),
				      "invalid YAML: a tab where only blanks may indent");
	r = fl_format_fail(err, FAIRLEAD_EINPUT, p->last.line, column_of(&p->last),
			   "invalid YAML: %s%s", y->problem ? y->problem : "", context);
	add_hint(y->problem, err);
	return r;
}

/* --- scalars --- */

static bool is_one_of(const char *text, size_t len, const char *words)
{
	for (const char *at = words; *at;) {
		size_t n = strcspn(at, " ");

		if (n == len && memcmp(at, text, n) == 0)
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

static size_t span_digits(const char *text, size_t at, size_t len)
{
	while (at < len && text[at] >= '0' && text[at] <= '9')
		at++;
	return at;
}

/* What a plain text is: a number in another base, or with '_', is written as a decimal one. */
struct plain {
	enum fl_scalar_type type;
	const char *text; /* NULL: as it stands */
};

/* A whole number as Go's base 0 reads it: 0x, 0o, 0b, a leading 0 for octal, '_' between digits. */
static bool whole_number(const char *text, size_t len, char *ret, size_t size, bool *changed)
{
	bool negative = len && text[0] == '-';
	size_t at = len && (text[0] == '-' || text[0] == '+'), n = 0;
	uint64_t value = 0;
	bool large = false;
	unsigned base = 10;

	if (at + 1 < len && text[at] == '0') {
		char c = (char)(text[at + 1] | 32);

		base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
		at += c == 'x' || c == 'b' || c == 'o' ? 2 : 1;
	}
	*changed = base != 10;
	for (; at < len; at++) {
		unsigned digit = text[at] >= '0' && text[at] <= '9' ?
					 (unsigned)(text[at] - '0') :
				 (text[at] | 32) >= 'a' && (text[at] | 32) <= 'f' ?
					 (unsigned)(text[at] | 32) - 'a' + 10 :
					 99U;

		*changed |= text[at] == '_';
		if (text[at] == '_')
			continue;
		if (digit >= base)
			return false;
		large |= value > ((uint64_t)INT64_MAX - digit) / base;
		value = large ? value : value * base + digit;
		n++;
	}
	if (n == 0 || (*changed && large))
		return false;
	if (*changed)
		(void)snprintf(ret, size, "%s%llu", negative ? "-" : "", (unsigned long long)value);
	return true;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_float(const char *text, size_t start, size_t len)
{
	size_t at = span_digits(text, start, len), digits = at - start;

	if (at < len && text[at] == '.') {
		size_t fraction = at + 1;

		at = span_digits(text, fraction, len);
		digits += at - fraction;
	}
	if (digits && at < len && (text[at] == 'e' || text[at] == 'E')) {
		size_t exponent = at + 1 +
				  (at + 1 < len && (text[at + 1] == '-' || text[at + 1] == '+'));

		at = span_digits(text, exponent, len);
		digits = at - exponent;
	}
	return digits && at == len;
}

/*
 * YAML 1.1 as the library of Kubernetes reads it: yes, no, on, off, y and n are booleans (their text
 * stays), and numbers have more forms; base 60 and dates are texts.
 */
static struct plain type_of_plain(const char *text, size_t len, char *number, size_t size)
{
	size_t start = len && (text[0] == '-' || text[0] == '+');
	bool changed = false;

	if (len && !strchr("+-.0123456789~nNtTfFyYoO", text[0]))
		return (struct plain){ FL_SCALAR_STRING, NULL }; /* most are */
	if (len == 0 || is_one_of(text, len, "null ~ Null NULL"))
		return (struct plain){ FL_SCALAR_NULL, NULL };
	if (is_one_of(text, len, "true True TRUE y Y yes Yes YES on On ON"))
		return (struct plain){ FL_SCALAR_BOOL, NULL };
	if (is_one_of(text, len, "false False FALSE n N no No NO off Off OFF"))
		return (struct plain){ FL_SCALAR_BOOL, NULL };
	if (span_digits(text, start, len) > start || (len > start && text[start] == '.')) {
		if (span_digits(text, start, len) == len && text[start] != '0')
			return (struct plain){ FL_SCALAR_INT, NULL };
		if (whole_number(text, len, number, size, &changed))
			return (struct plain){ FL_SCALAR_INT, changed ? number : NULL };
		if (is_float(text, start, len))
			return (struct plain){ FL_SCALAR_FLOAT, NULL };
	}
	if (is_one_of(text + start, len - start, ".inf .Inf .INF") ||
	    is_one_of(text, len, ".nan .NaN .NAN"))
		return (struct plain){ FL_SCALAR_FLOAT, NULL };
	return (struct plain){ FL_SCALAR_STRING, NULL };
}

/* --- events --- */

static int scalar_item(struct fl_yaml_parser *p, struct fl_yaml_item *item, fairlead_error *err)
{
	static const char string[] = "tag:yaml.org,2002:str";
	const char *text = (const char *)p->event.data.scalar.value;
	const char *tag = (const char *)p->event.data.scalar.tag;
	size_t len = p->event.data.scalar.length;
	struct plain plain = { FL_SCALAR_STRING, NULL };

	if (len > FL_MAX_TEXT)
		return fl_format_fail(err, FAIRLEAD_ELIMIT, item->line, item->column,
				      "a text of more than %d bytes", FL_MAX_TEXT);
	if (memchr(text, '\0', len))
		return fl_format_fail(err, FAIRLEAD_EINPUT, item->line, item->column,
				      "a NUL character in a text");
	item->kind = FL_TOKEN_SCALAR;
	item->plain = p->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (item->plain && !(tag && strcmp(tag, string) == 0))
		plain = type_of_plain(text, len, p->number, sizeof p->number);
	item->type = plain.type;
	item->text = plain.text ? plain.text : text;
	item->len = (uint32_t)(plain.text ? strlen(plain.text) : len);
	return 0;
}

/* 1 when the event has no meaning here. */
static int translate(struct fl_yaml_parser *p, struct fl_yaml_event *ret, fairlead_error *err)
{
	const yaml_event_t *e = &p->event;

	switch (e->type) {
	case YAML_STREAM_END_EVENT:
		ret->item.kind = FL_TOKEN_END;
		return 0;
	case YAML_DOCUMENT_START_EVENT:
		ret->item.kind = FL_TOKEN_DOCUMENT;
		return 0;
	case YAML_MAPPING_START_EVENT:
		ret->item.kind = FL_TOKEN_MAP;
		ret->anchor = (const char *)e->data.mapping_start.anchor;
		return 0;
	case YAML_SEQUENCE_START_EVENT:
		ret->item.kind = FL_TOKEN_LIST;
		ret->anchor = (const char *)e->data.sequence_start.anchor;
		return 0;
	case YAML_MAPPING_END_EVENT:
		ret->item.kind = FL_TOKEN_MAP_END;
		return 0;
	case YAML_SEQUENCE_END_EVENT:
		ret->item.kind = FL_TOKEN_LIST_END;
		return 0;
	case YAML_SCALAR_EVENT:
		ret->anchor = (const char *)e->data.scalar.anchor;
		return scalar_item(p, &ret->item, err);
	case YAML_ALIAS_EVENT:
		ret->alias = true;
		ret->anchor = (const char *)e->data.alias.anchor;
		return 0;
	default:
		return 1;
	}
}

int fl_yaml_parser_next(struct fl_yaml_parser *p, struct fl_yaml_event *ret, fairlead_error *err)
{
	int r;

	do {
		if (p->has_event)
			yaml_event_delete(&p->event);
		p->has_event = yaml_parser_parse(&p->libyaml, &p->event);
		if (!p->has_event)
			return parser_error(p, err);
		walk(p, p->event.start_mark.index);
		*ret = (struct fl_yaml_event){
			.item = { .line = p->last.line, .column = column_of(&p->last) },
		};
		r = translate(p, ret, err);
	} while (r > 0);
	return r;
}
