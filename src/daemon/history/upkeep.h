/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upkeep - history is summed up (tiers.h), and what is older than .spec.keep says expires (expire.h)
 *
 * Of any daemon that has a store; what is special about one it says by callbacks, which may be NULL.
 */
#ifndef FL_DAEMON_HISTORY_UPKEEP_H
#define FL_DAEMON_HISTORY_UPKEEP_H

#include <uv.h>

#include "daemon/engine/daemon.h"

struct fl_upkeep_options {
	uv_loop_t *loop;
	struct fl_daemon *daemon;
	/* The time of the last thing that its view follows from; NULL: it is that of now. */
	fl_time (*applied)(void *user);
	/* The number of the configuration that is in force; NULL: they have none. */
	uint64_t (*configuration)(void *user);
	/* Jobs that ended before @jobs_before expire soon, and others that are as old. */
	void (*expiring)(void *user, fl_time jobs_before);
	/* The rows of a job were deleted. */
	void (*gone)(void *user, uint64_t job);
	void *user;
};

struct fl_upkeep;
int fl_upkeep_new(const struct fl_upkeep_options *options, struct fl_upkeep **ret,
		  fairlead_error *err);
/* Waits for what is under way, then calls @closed; freed by then.  The daemon is closed after it. */
void fl_upkeep_close(struct fl_upkeep *u, void (*closed)(void *user), void *user);

/* The configuration changes at @at: what was until then is summed up with the present one.  NULL is fine. */
void fl_upkeep_cut(struct fl_upkeep *u, fl_time at);

#endif
