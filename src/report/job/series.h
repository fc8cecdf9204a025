/* SPDX-License-Identifier: Apache-2.0 */
/* series - one queue along time, for people */
#ifndef FL_REPORT_JOB_SERIES_H
#define FL_REPORT_JOB_SERIES_H

#include "report/job/job_report.h"

/* Of GET /v1/series. */
int fl_series_text(const struct fl_report *r, const struct json_t *answer, fairlead_error *err);

#endif
