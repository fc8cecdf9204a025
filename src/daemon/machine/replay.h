/* SPDX-License-Identifier: Apache-2.0 */
/* replay - from the store to where the daemon was */
#ifndef FL_DAEMON_MACHINE_REPLAY_H
#define FL_DAEMON_MACHINE_REPLAY_H

#include "daemon/machine/core.h"

/* Write the image of what there is: fl_store_checkpoint's @write. */
int fl_core_save(void *core, int fd, fairlead_error *err);
/* From the store to where it was; a fresh store begins. */
int fl_core_recover(struct fl_core *c, const struct fl_capacity *capacity, fairlead_error *err);

#endif
