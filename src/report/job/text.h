/* SPDX-License-Identifier: Apache-2.0 */
/* text - jobs as a table, and parts of the page of one */
#ifndef FL_REPORT_JOB_TEXT_H
#define FL_REPORT_JOB_TEXT_H

#include <jansson.h>

#include "report/job/job_report.h"

/* A list of them as a table. */
int fl_jobs_table(const struct fl_report *r, const json_t *jobs, fl_time now, fairlead_error *err);

/* A label, and a text beside it, in as many lines as it takes. */
void fl_job_field(const struct fl_report *r, const char *label, const char *text);

#endif
