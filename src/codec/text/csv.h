/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv - lines of fields separated by commas, with names in the first line
 *
 * Private to src/codec.  Fields have no quoting: one that begins with a quotation mark is refused,
 * as is a line with more or fewer fields than the first.
 */
#ifndef FL_CODEC_TEXT_CSV_H
#define FL_CODEC_TEXT_CSV_H

#include "codec/text/lines.h"

enum { FL_CSV_COLUMNS = 64 };

struct fl_csv_field {
	const char *at, *end;
};

struct fl_csv_reader {
	uint32_t n;                                 /* columns of the first line */
	struct fl_csv_field fields[FL_CSV_COLUMNS]; /* fields of the current line */
};

/*
 * Cuts the current line into fields; the first time n is 0.  FAIRLEAD_EINPUT without file.
 */
int fl_csv_cut(struct fl_csv_reader *csv, const struct fl_line_reader *lines, fairlead_error *err);
/* After the first line: which column has that name; FL_NONE. */
uint32_t fl_csv_column(const struct fl_csv_reader *csv, const char *name);

#endif
