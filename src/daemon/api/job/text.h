/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text - jobs with a text in their number, name, user, queue or in why they do not run, as the caller may read it
 *
 * Letters A to Z are the same in either case.  Specs are read of jobs alone that have no name of their own.
 */
#ifndef FL_DAEMON_API_JOB_TEXT_H
#define FL_DAEMON_API_JOB_TEXT_H

#include "daemon/api/call.h"
#include "daemon/engine/why.h"

struct fl_job_text {
	const struct fl_call *call;
	const char *wanted; /* NULL: all jobs have it */
	struct fl_live_why *why;
};

/* One that is in memory.  FAIRLEAD_ENOMEM. */
int fl_job_text_in(const struct fl_job_text *t, const struct fl_live *job, bool *ret,
		   fairlead_error *err);
/* One that is over, from its row. */
bool fl_job_text_over(const struct fl_job_text *t, const struct fl_job_row *row);

#endif
