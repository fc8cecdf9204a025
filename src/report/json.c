/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

void fl_json_init(struct fl_json *j, FILE *out) { *j = (struct fl_json){ .out = out }; }

static void put_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		size_t n = fl_report_utf8((const char *)s);

		if (n == 0) {
			fputs("\\ufffd", out);
			s++;
		} else if (n == 2 && fl_report_control((const char *)s)) {
			fprintf(out, "\\u%04x", s[1]);
			s += 2;
		} else if (n > 1) {
			fwrite(s, 1, n, out);
			s += n;
		} else {
			if (*s == '"' || *s == '\\')
				fprintf(out, "\\%c", *s);
			else if (*s == '\n')
				fputs("\\n", out);
			else if (*s == '\t')
				fputs("\\t", out);
			else if (*s < 0x20 || *s == 0x7f)
				fprintf(out, "\\u%04x", *s);
			else
				putc(*s, out);
			s++;
		}
	}
	putc('"', out);
}

static void lead_in(struct fl_json *j, const char *key)
{
	if (j->any[j->depth])
		putc(',', j->out);
	j->any[j->depth] = true;
	if (key) {
		put_string(j->out, key);
		putc(':', j->out);
	}
}

static void open_with(struct fl_json *j, const char *key, char bracket)
{
	lead_in(j, key);
	putc(bracket, j->out);
	assert(j->depth + 1 < sizeof(j->any) / sizeof(j->any[0]));
	j->any[++j->depth] = false;
}

static void close_with(struct fl_json *j, char bracket)
{
	assert(j->depth > 0);
	j->depth--;
	putc(bracket, j->out);
}

void fl_json_object(struct fl_json *j, const char *key) { open_with(j, key, '{'); }
void fl_json_list(struct fl_json *j, const char *key) { open_with(j, key, '['); }
void fl_json_end_object(struct fl_json *j) { close_with(j, '}'); }
void fl_json_end_list(struct fl_json *j) { close_with(j, ']'); }

void fl_json_text(struct fl_json *j, const char *key, const char *value)
{
	lead_in(j, key);
	put_string(j->out, value);
}

void fl_json_int(struct fl_json *j, const char *key, int64_t value)
{
	lead_in(j, key);
	fprintf(j->out, "%lld", (long long)value);
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
	fputs(fl_json_digits(value, text), j->out);
}

void fl_json_bool(struct fl_json *j, const char *key, bool value)
{
	lead_in(j, key);
	fputs(value ? "true" : "false", j->out);
}

void fl_json_null(struct fl_json *j, const char *key)
{
	lead_in(j, key);
	fputs("null", j->out);
}

void fl_json_raw(struct fl_json *j, const char *key, const char *value, size_t len)
{
	lead_in(j, key);
	fwrite(value, 1, len, j->out);
}
