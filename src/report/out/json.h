/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json - writes JSON as it goes, to a stream
 *
 * Commas and nesting are kept here; strings are escaped, and bytes that are not
 * UTF-8 become U+FFFD, so that the output is always valid JSON.  Numbers do not
 * depend on the locale.  Whether all was written, the stream itself knows (ferror).
 */
#ifndef FL_REPORT_OUT_JSON_H
#define FL_REPORT_OUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct fl_json {
	FILE *out;
	bool any[32]; /* by depth: something stands there already */
	unsigned depth;
	bool ascii;  /* all other characters as \u00FC */
	bool failed; /* something could not be written: a stream in memory does not always tell */
};

void fl_json_init(struct fl_json *j, FILE *out);

/* @key NULL in a list and at the top. */
void fl_json_object(struct fl_json *j, const char *key);
void fl_json_list(struct fl_json *j, const char *key);
void fl_json_end_object(struct fl_json *j);
void fl_json_end_list(struct fl_json *j);

void fl_json_text(struct fl_json *j, const char *key, const char *value);
void fl_json_int(struct fl_json *j, const char *key, int64_t value);
/* In the fewest digits that read back as the same double; @value is finite. */
void fl_json_number(struct fl_json *j, const char *key, double value);
/* In 17 digits, with a point or an exponent: it reads back as no integer. */
void fl_json_real(struct fl_json *j, const char *key, double value);
const char *fl_json_digits(double value, char buffer[32]);
void fl_json_bool(struct fl_json *j, const char *key, bool value);
void fl_json_null(struct fl_json *j, const char *key);
/* @value is JSON already. */
void fl_json_raw(struct fl_json *j, const char *key, const char *value, size_t len);

#endif
