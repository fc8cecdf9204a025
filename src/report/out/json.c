/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "report/out/report.h"

void fl_json_init(struct fl_json *j, FILE *out) { *j = (struct fl_json){ .out = out }; }

static void put(struct fl_json *j, const char *text, size_t len)
{
	if (fwrite(text, 1, len, j->out) != len)
		j->failed = true;
}

static void put_char(struct fl_json *j, char c)
{
	if (putc(c, j->out) == EOF)
		j->failed = true;
}

static void put_text(struct fl_json *j, const char *text) { put(j, text, strlen(text)); }

static void put_code(struct fl_json *j, unsigned char c)
{
	char text[8];

	snprintf(text, sizeof(text), "\\u%04x", c);
	put_text(j, text);
}

/* Of @n bytes of UTF-8; beyond U+FFFF it is two. */
static void put_ascii(struct fl_json *j, const unsigned char *s, size_t n)
{
	uint32_t code = *s & (0x7fu >> n);
	char text[16];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	if (code > 0xffff)
		snprintf(text, sizeof(text), "\\u%04X\\u%04X", 0xd7c0 + (code >> 10),
			 0xdc00 + (code & 0x3ff));
	else
		snprintf(text, sizeof(text), "\\u%04X", code);
	put_text(j, text);
}

/* Bytes from @s on that stand for themselves. */
static size_t plain(const unsigned char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

static void put_string(struct fl_json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	put_char(j, '"');
	while (*s) {
		size_t n = plain(s);

		if (n) {
			put(j, (const char *)s, n);
			s += n;
			continue;
		}
		n = fl_report_utf8((const char *)s);
		if (n == 0) {
			put_text(j, "\\ufffd");
			s++;
		} else if (n > 1 && j->ascii) {
			put_ascii(j, s, n);
			s += n;
		} else if (n == 2 && fl_report_control((const char *)s)) {
			put_code(j, s[1]);
			s += 2;
		} else if (n > 1) {
			put(j, (const char *)s, n);
			s += n;
		} else {
			if (*s == '"' || *s == '\\') {
				put_char(j, '\\');
				put_char(j, (char)*s);
			} else if (*s == '\n')
				put_text(j, "\\n");
			else if (*s == '\t')
				put_text(j, "\\t");
			else
				put_code(j, *s);
			s++;
		}
	}
	put_char(j, '"');
}

static void lead_in(struct fl_json *j, const char *key)
{
	if (j->any[j->depth])
		put_char(j, ',');
	j->any[j->depth] = true;
	if (key) {
		put_string(j, key);
		put_char(j, ':');
	}
}

static void open_with(struct fl_json *j, const char *key, char bracket)
{
	lead_in(j, key);
	put_char(j, bracket);
	assert(j->depth + 1 < sizeof(j->any) / sizeof(j->any[0]));
	j->any[++j->depth] = false;
}

static void close_with(struct fl_json *j, char bracket)
{
	assert(j->depth > 0);
	j->depth--;
	put_char(j, bracket);
}

void fl_json_object(struct fl_json *j, const char *key) { open_with(j, key, '{'); }
void fl_json_list(struct fl_json *j, const char *key) { open_with(j, key, '['); }
void fl_json_end_object(struct fl_json *j) { close_with(j, '}'); }
void fl_json_end_list(struct fl_json *j) { close_with(j, ']'); }

void fl_json_text(struct fl_json *j, const char *key, const char *value)
{
	lead_in(j, key);
	put_string(j, value);
}

void fl_json_int(struct fl_json *j, const char *key, int64_t value)
{
	lead_in(j, key);
	if (fprintf(j->out, "%lld", (long long)value) < 0)
		j->failed = true;
}

const char *fl_json_digits(double value, char buffer[32])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buffer, 32, "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	return buffer;
}

void fl_json_number(struct fl_json *j, const char *key, double value)
{
	char text[32];

	lead_in(j, key);
	put_text(j, fl_json_digits(value, text));
}

void fl_json_real(struct fl_json *j, const char *key, double value)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%.17g", value);
	char *e = strchr(text, 'e');

	if (e) { /* "1e-05" and "1e+20": of the exponent what is needed */
		char *digits = e + 1 + (e[1] == '-');
		size_t zeros = strspn(digits, "+0");

		memmove(digits, digits + zeros, strlen(digits + zeros) + 1);
	} else if (!strchr(text, '.')) {
		snprintf(text + n, sizeof(text) - (size_t)n, ".0");
	}
	lead_in(j, key);
	put_text(j, text);
}

void fl_json_bool(struct fl_json *j, const char *key, bool value)
{
	lead_in(j, key);
	put_text(j, value ? "true" : "false");
}

void fl_json_null(struct fl_json *j, const char *key)
{
	lead_in(j, key);
	put_text(j, "null");
}

void fl_json_raw(struct fl_json *j, const char *key, const char *value, size_t len)
{
	lead_in(j, key);
	put(j, value, len);
}
