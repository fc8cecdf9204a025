/* SPDX-License-Identifier: Apache-2.0 */
/* replay - restores the state of the daemon from the store */
#ifndef FL_DAEMON_MACHINE_REPLAY_H
#define FL_DAEMON_MACHINE_REPLAY_H

#include "daemon/machine/core.h"

/* Writes the image of the present state: fl_store_checkpoint's @write. */
int fl_core_save(void *core, int fd, fairlead_error *err);
/* Restores the state from the store; a new store gets its first rows. */
int fl_core_recover(struct fl_core *c, const struct fl_capacity *capacity, fairlead_error *err);

#endif
