/* SPDX-License-Identifier: Apache-2.0 */
/* upkeep - history of a core is summed up and expires (daemon/history/upkeep.h), with the output of its jobs */
#ifndef FL_DAEMON_MACHINE_UPKEEP_H
#define FL_DAEMON_MACHINE_UPKEEP_H

#include "daemon/history/upkeep.h"
#include "daemon/machine/core.h"

/* The core has it from now on, until fl_core_end_upkeep, before it is closed. */
int fl_core_begin_upkeep(struct fl_core *c, fairlead_error *err);
void fl_core_end_upkeep(struct fl_core *c, void (*closed)(void *user), void *user);

#endif
