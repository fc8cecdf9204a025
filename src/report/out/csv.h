/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv - writes comma-separated values as RFC 4180 has them, to a stream
 *
 * A field stands in quotes only where it must.  Numbers do not depend on the locale.  Whether
 * all was written, the stream itself knows (ferror).
 */
#ifndef FL_REPORT_OUT_CSV_H
#define FL_REPORT_OUT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/ids.h"

struct fl_csv_writer {
	FILE *out;
	bool any; /* something stands in this line already */
};

void fl_csv_text(struct fl_csv_writer *c, const char *text);
void fl_csv_int(struct fl_csv_writer *c, int64_t value);
/* In the fewest digits that read back as the same double; empty when it is not finite. */
void fl_csv_number(struct fl_csv_writer *c, double value);
/* In seconds, exactly; empty for FL_TIME_NONE and FL_NEVER. */
void fl_csv_time(struct fl_csv_writer *c, fl_time time);
void fl_csv_empty(struct fl_csv_writer *c);
void fl_csv_end(struct fl_csv_writer *c);

#endif
