/* SPDX-License-Identifier: Apache-2.0 */
/* failed - what to try when a job has failed, and the last lines that it wrote */
#ifndef FL_REPORT_JOB_FAILED_H
#define FL_REPORT_JOB_FAILED_H

#include "report/job/words.h"

enum { FL_JOB_LAST_LINES = 10 };
/* The end of what it wrote to standard error. */
struct fl_job_tail {
	const char *text;
	size_t len;
	bool of_task; /* there are several, and it is of this one: */
	unsigned task;
};
/*
 * Of one that has failed, below its page: the last lines and what to try.  @tail NULL: its output is
 * not for the user that asks, or the daemon does not have it.
 */
void fl_job_failed_text(const struct fl_report *r, const json_t *job,
			const struct fl_job_tail *tail);

#endif
