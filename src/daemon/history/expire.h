/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expire - deletes rows older than .spec.keep of the Daemon says, on a thread, a few at a time
 *
 * Once an hour, and soon after the start.  What else there is of a job, as its output, is deleted after its rows.
 */
#ifndef FL_DAEMON_HISTORY_EXPIRE_H
#define FL_DAEMON_HISTORY_EXPIRE_H

#include "daemon/history/upkeep.h"

struct fl_expiry;

int fl_expiry_new(const struct fl_upkeep_options *options, struct fl_expiry **ret,
		  fairlead_error *err);
/* Before the daemon is closed: waits for the step under way, then calls @closed; freed by then. */
void fl_expiry_close(struct fl_expiry *e, void (*closed)(void *user), void *user);

#endif
