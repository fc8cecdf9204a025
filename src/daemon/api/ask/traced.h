/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traced - jobs of a log that a client sends, on the queues that the daemon has
 *
 * Only in a copy of the process, which is limited in memory and time: what a client sends is read here.
 */
#ifndef FL_DAEMON_API_TRACED_H
#define FL_DAEMON_API_TRACED_H

#include "daemon/config/config.h"
#include "daemon/engine/view.h"

struct fl_traced {
	const char *queue; /* of its jobs, as `to` of a rule of a Simulation */
	const void *text;  /* the log, as SWF */
	size_t len;
};

/*
 * The machine with @capacity, its queues as @config has them, and the jobs of the log and no others: model,
 * policy and start in @view.  FAIRLEAD_EINPUT with line and column.
 */
int fl_traced_read(const struct fl_config *config, const struct fl_capacity *capacity,
		   const struct fl_traced *traced, struct fl_live_view *view, fairlead_error *err);

#endif
