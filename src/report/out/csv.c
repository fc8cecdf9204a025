/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/out/json.h"
#include "report/out/report.h"

static void lead_in(struct fl_csv_writer *c)
{
	if (c->any)
		putc(',', c->out);
	c->any = true;
}

void fl_csv_text(struct fl_csv_writer *c, const char *text)
{
	lead_in(c);
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, c->out);
		return;
	}
	putc('"', c->out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', c->out);
		putc(*text, c->out);
	}
	putc('"', c->out);
}

void fl_csv_int(struct fl_csv_writer *c, int64_t value)
{
	lead_in(c);
	fprintf(c->out, "%" PRId64, value);
}

void fl_csv_number(struct fl_csv_writer *c, double value)
{
	char text[32];

	lead_in(c);
	if (isfinite(value))
		fputs(fl_json_digits(value, text), c->out);
}

void fl_csv_time(struct fl_csv_writer *c, fl_time time)
{
	char text[32];

	lead_in(c);
	if (time != FL_TIME_NONE && time != FL_NEVER)
		fputs(fl_report_seconds(time, text), c->out);
}

void fl_csv_empty(struct fl_csv_writer *c) { lead_in(c); }

void fl_csv_end(struct fl_csv_writer *c)
{
	fputs("\r\n", c->out);
	c->any = false;
}
