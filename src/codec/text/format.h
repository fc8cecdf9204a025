/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format - the two formats behind the reader, and what they share; private to src/codec
 */
#ifndef FL_CODEC_TEXT_FORMAT_H
#define FL_CODEC_TEXT_FORMAT_H

#include "codec/text/buffer.h"
#include "codec/text/reader.h"

struct fl_json_reader;
struct fl_yaml;

/* They take over what @buffer holds, also when they fail. */
int fl_json_new(const struct fl_mem *mem, struct fl_input_buffer *buffer,
		struct fl_json_reader **ret, fairlead_error *err);
struct fl_json_reader *fl_json_free(struct fl_json_reader *j);
int fl_json_next(struct fl_json_reader *j, struct fl_token *ret, fairlead_error *err);

int fl_yaml_new(const struct fl_mem *mem, struct fl_input_buffer *buffer, struct fl_yaml **ret,
		fairlead_error *err);
struct fl_yaml *fl_yaml_free(struct fl_yaml *y);
int fl_yaml_next(struct fl_yaml *y, struct fl_token *ret, fairlead_error *err);

/* As fl_fail, with a place. */
int fl_format_fail(fairlead_error *err, int code, uint32_t line, uint32_t column,
		   const char *format, ...) FL_PRINTF(5, 6);

/* Length of the well-formed UTF-8 sequence at @at (1 to 4 bytes), or 0. */
size_t fl_utf8_sequence(const char *at, const char *end);
/* Put a code point into 1 to 4 bytes; how many. */
size_t fl_utf8_put(char *to, uint32_t point);

#endif
