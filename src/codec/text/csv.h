/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv - lines of fields with commas in between, by the names in the first one
 *
 * Private to src/codec.  Fields stand as they are: one that begins with a quotation mark is
 * refused, as is a line with more or fewer fields than the first.
 */
#ifndef FL_CODEC_TEXT_CSV_H
#define FL_CODEC_TEXT_CSV_H

#include "codec/text/lines.h"

enum { FL_CSV_COLUMNS = 64 };

struct fl_csv_field {
	const char *at, *end;
};

struct fl_csv_reader {
	uint32_t n;                                 /* of the first line */
	struct fl_csv_field fields[FL_CSV_COLUMNS]; /* of the line in hand */
};

/*
 * Cut the line in hand; the first time n is 0.  FAIRLEAD_EINPUT without file.
 */
int fl_csv_cut(struct fl_csv_reader *csv, const struct fl_line_reader *lines, fairlead_error *err);
/* After the first line: which column has that name; FL_NONE. */
uint32_t fl_csv_column(const struct fl_csv_reader *csv, const char *name);

#endif
