/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/csv.h"

#include <string.h>

#include "base/ids.h"
#include "codec/text/format.h"

int fl_csv_cut(struct fl_csv_reader *csv, const struct fl_line_reader *lines, fairlead_error *err)
{
	const char *at = lines->text;
	uint32_t n = 0;

	for (;; at++) {
		const char *from = at;

		if (n == FL_CSV_COLUMNS)
			return fl_format_fail(err, FAIRLEAD_EINPUT, lines->number,
					      fl_lines_column(lines, at), "more than %d columns",
					      FL_CSV_COLUMNS);
		if (at < lines->end && *at == '"')
			return fl_format_fail(err, FAIRLEAD_EINPUT, lines->number,
					      fl_lines_column(lines, at),
					      "fields in quotation marks are not supported");
		while (at < lines->end && *at != ',')
			at++;
		if (csv->n && n == csv->n)
			return fl_format_fail(err, FAIRLEAD_EINPUT, lines->number,
					      fl_lines_column(lines, from),
					      "more than the %u fields of the first line", n);
		csv->fields[n++] = (struct fl_csv_field){ from, at };
		if (at == lines->end)
			break;
	}
	if (csv->n && n < csv->n)
		return fl_format_fail(err, FAIRLEAD_EINPUT, lines->number,
				      fl_lines_column(lines, at),
				      "%u fields, the first line has %u", n, csv->n);
	csv->n = n;
	return 0;
}

uint32_t fl_csv_column(const struct fl_csv_reader *csv, const char *name)
{
	for (uint32_t i = 0; i < csv->n; i++) {
		const struct fl_csv_field *f = &csv->fields[i];

		if ((size_t)(f->end - f->at) == strlen(name) &&
		    memcmp(f->at, name, strlen(name)) == 0)
			return i;
	}
	return FL_NONE;
}
