/* SPDX-License-Identifier: Apache-2.0 */
/* queues - the daemon's queues as a tree */
#ifndef FL_REPORT_JOB_QUEUES_H
#define FL_REPORT_JOB_QUEUES_H

#include <jansson.h>

#include "report/job/job_report.h"

/* Cohorts and queues as a tree: rows in order, parents before children. */
struct fl_queue_text {
	const json_t *queue; /* NULL: a cohort that is only mentioned */
	const char *name;
	int parent; /* row; -1 */
};
/* From malloc. @doors: LocalQueues, too, that are called otherwise than what is behind them. */
int fl_queue_lines(const json_t *answer, bool doors, struct fl_queue_text **ret, uint32_t *ret_n,
		   fairlead_error *err);

#endif
