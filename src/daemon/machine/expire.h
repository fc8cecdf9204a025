/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expire - deletes rows older than .spec.keep of the Daemon says, on a thread, a few at a time
 *
 * Once an hour, and soon after the start.  The output of a job is deleted after its rows.
 */
#ifndef FL_DAEMON_MACHINE_EXPIRE_H
#define FL_DAEMON_MACHINE_EXPIRE_H

#include "daemon/machine/core.h"

struct fl_expiry;

int fl_expiry_new(uv_loop_t *loop, struct fl_core *core, struct fl_expiry **ret,
		  fairlead_error *err);
/* Before the core is closed: waits for the step under way, then calls @closed; freed by then. */
void fl_expiry_close(struct fl_expiry *e, void (*closed)(void *user), void *user);

#endif
