/* SPDX-License-Identifier: Apache-2.0 */
/* usage - what each user held over a time, for people */
#ifndef FL_REPORT_JOB_USAGE_H
#define FL_REPORT_JOB_USAGE_H

#include "report/job/job_report.h"

/* Of GET /v1/usage. */
int fl_usage_text(const struct fl_report *r, const struct json_t *answer, fairlead_error *err);

#endif
