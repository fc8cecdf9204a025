/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - reads a source line by line, and numbers in lines; private to src/codec
 *
 * Lines end with a newline, with or without a carriage return; the last one need not.  Memory: 64
 * KiB, for any source.  The size of the source's pieces makes no difference.
 */
#ifndef FL_CODEC_TEXT_LINES_H
#define FL_CODEC_TEXT_LINES_H

#include "codec/text/buffer.h"

enum {
	FL_MAX_LINE = 1 << 14
}; /* bytes of a line of a table of numbers: the longest known has 300 */

struct fl_line_reader {
	struct fl_input_buffer buffer;
	const char *next;
	const char *text, *end; /* the current line; valid until the next one */
	uint32_t number;
};

int fl_lines_open(struct fl_line_reader *lines, const struct fl_mem *mem,
		  const struct fl_source *source, fairlead_error *err);
void fl_lines_done(struct fl_line_reader *lines);
/* 0; 1 after the last line; FAIRLEAD_ELIMIT with its number for one that is too long. */
int fl_lines_next(struct fl_line_reader *lines, fairlead_error *err);

/* Column of @at in the current line, from 1. */
static inline uint32_t fl_lines_column(const struct fl_line_reader *lines, const char *at)
{
	return (uint32_t)(at - lines->text) + 1;
}

/*
 * All of [at, end) as a decimal number in units of 10^-9, further digits cut.  FAIRLEAD_EINPUT
 * without place for anything else, and beyond INT32_MAX.
 */
int fl_lines_number(const char *at, const char *end, int64_t *ret, fairlead_error *err);

#endif
