/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expire - what is older than the configuration keeps is forgotten: on a thread, a little at a time
 *
 * Once an hour, and soon after the start.  The output of a job goes once its rows are gone.
 */
#ifndef FL_DAEMON_MACHINE_EXPIRE_H
#define FL_DAEMON_MACHINE_EXPIRE_H

#include "daemon/machine/core.h"

struct fl_expiry;

int fl_expiry_new(uv_loop_t *loop, struct fl_core *core, struct fl_expiry **ret,
		  fairlead_error *err);
/* Before the core is closed: waits for what is under way, then @closed; it is freed by then. */
void fl_expiry_close(struct fl_expiry *e, void (*closed)(void *user), void *user);

#endif
