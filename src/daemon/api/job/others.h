/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others - jobs that a caller may not get: which they are, and how many, by queue
 *
 * Cost: names are compared once for each queue, not for each job.
 * Tested in tests/kube/test_people.py.
 */
#ifndef FL_DAEMON_API_JOB_OTHERS_H
#define FL_DAEMON_API_JOB_OTHERS_H

#include "daemon/api/call.h"

struct fl_others {
	const struct fl_call *call;
	const struct fl_live_view *view;
	uint8_t *may;     /* by queue of jobs, a symbol: enum of others.c; NULL: it may get all */
	uint32_t *counts; /* by node, the last: of queues whose names it may not see */
	struct fl_others_answer *rows;
	uint32_t n;
};

int fl_others_begin(struct fl_others *o, const struct fl_call *call,
		    const struct fl_live_view *view, fairlead_error *err);
void fl_others_end(struct fl_others *o);

/* May it be told? */
bool fl_others_may(struct fl_others *o, const struct fl_live *job);
/* Counts those in @states that may not be told; fills in rows. */
int fl_others_count(struct fl_others *o, uint32_t states, fairlead_error *err);

#endif
