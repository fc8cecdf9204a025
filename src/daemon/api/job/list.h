/* SPDX-License-Identifier: Apache-2.0 */
/* list - jobs as JSON: some of them, or one whole */
#ifndef FL_DAEMON_API_LIST_H
#define FL_DAEMON_API_LIST_H

#include "daemon/api/call.h"

void fl_api_jobs(struct fl_call *call);
void fl_api_job(struct fl_call *call);
/* What people call a job: its own name, or that of its program. Needs its spec. */
const char *fl_api_name(const struct fl_job_row *row, char name[FL_JOB_NAME]);

#endif
