/* SPDX-License-Identifier: Apache-2.0 */
/* used - what a job used, waited for and lost, summed up over its attempts */
#ifndef FL_DAEMON_API_USED_H
#define FL_DAEMON_API_USED_H

#include "daemon/engine/jobs.h"
#include "report/job/answers.h"

struct fl_used {
	struct fl_job_used job;
	double core_seconds, core_seconds_used; /* of attempts that were measured and held cores */
};

/* @live NULL: it is over; else it may wait for its next attempt. */
void fl_used_begin(struct fl_used *u, const struct fl_live *live, fl_time now);
/* Fills in what follows from @one's row, by the daemon's time, and adds it. */
void fl_used_add(struct fl_used *u, struct fl_attempt_answer *one);

#endif
