/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns - a list of jobs with the columns that a user has chosen
 *
 * Two grammars: names with commas between, each with the widest that it may be, "id,name,state,why:40",
 * which become a table; and squeue's, "%.8i %.20j %T %R", where text between columns stays as it is.
 */
#ifndef FL_REPORT_JOB_COLUMNS_H
#define FL_REPORT_JOB_COLUMNS_H

#include <jansson.h>

#include "report/job/job_report.h"

enum { FL_JOB_COLUMNS = 32 /* of a list, at most */, FL_JOB_WIDEST = 1000 };

struct fl_job_column;

struct fl_job_format {
	struct fl_job_item {
		const struct fl_job_column *column;
		unsigned width; /* characters, at most; in squeue's grammar also at least; 0: any */
		bool right;     /* aligned to the right; squeue's grammar only */
		const char *before; /* text before it, of the format; squeue's grammar only */
		unsigned before_len;
	} items[FL_JOB_COLUMNS];
	unsigned n;
	const char *rest; /* text behind the last one */
	bool lines;       /* squeue's grammar: no table */
	bool starts;      /* a column needs the forecast */
};

/* *ret points into @text. FAIRLEAD_EINPUT: err says what is wrong, and what there is. */
int fl_job_format_parse(const char *text, struct fl_job_format *ret, fairlead_error *err);
/*
 * Jobs as in GET /v1/jobs, which may have "expected", one of GET /v1/starts each.  @heads: with a
 * line of names first; a table always has it.
 */
int fl_job_format_text(const struct fl_report *r, const struct fl_job_format *f, const json_t *jobs,
		       fl_time now, bool heads, fairlead_error *err);

#endif
