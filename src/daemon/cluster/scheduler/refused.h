/* SPDX-License-Identifier: Apache-2.0 */
/* refused - jobs whose decisions the API server refused, and until when they are not looked at */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_REFUSED_H
#define FL_DAEMON_CLUSTER_SCHEDULER_REFUSED_H

#include "daemon/engine/jobs.h"

struct fl_refused_row {
	uint64_t job, until; /* its number; ms */
	uint32_t times;
	bool out; /* not looked at */
};
struct fl_refused {
	struct fl_refused_row *rows; /* one a job, until ten minutes after its time is over */
	uint32_t n, cap;
};
void fl_refused_done(struct fl_refused *r);
/* Once more, at @now: 1 s, then twice as long each time, 5 minutes at most. ENOMEM. */
int fl_refused_put(struct fl_refused *r, const struct fl_live *job, uint64_t now,
		   fairlead_error *err);
/* Is any not looked at? */
bool fl_refused_any(const struct fl_refused *r);
/* The number of one whose time is over, once; 0: none. */
uint64_t fl_refused_due(struct fl_refused *r, uint64_t now);

#endif
