/* SPDX-License-Identifier: Apache-2.0 */
/* used - what a job waited for, lost and used, as lines of its page */
#ifndef FL_REPORT_JOB_USED_H
#define FL_REPORT_JOB_USED_H

#include <jansson.h>

#include "report/out/report.h"

/* As far as it is known. */
void fl_job_say_used(const struct fl_report *r, const json_t *job);

#endif
