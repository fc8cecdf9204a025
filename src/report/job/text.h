/* SPDX-License-Identifier: Apache-2.0 */
/* text - jobs as a table */
#ifndef FL_REPORT_JOB_TEXT_H
#define FL_REPORT_JOB_TEXT_H

#include <jansson.h>

#include "report/job/job_report.h"

/* A list of them as a table. */
int fl_jobs_table(const struct fl_report *r, const json_t *jobs, fl_time now, fairlead_error *err);

#endif
