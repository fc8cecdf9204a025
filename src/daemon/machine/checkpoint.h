/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint - the image of what there is, now and then, so that a start need not begin at row 1 */
#ifndef FL_DAEMON_MACHINE_CHECKPOINT_H
#define FL_DAEMON_MACHINE_CHECKPOINT_H

#include "daemon/machine/core.h"

/* Enough has happened since the last one, and one can be made. */
bool fl_core_checkpoint_due(const struct fl_core *c);
/* Of this moment: here and now, or by a copy of the process. When it fails the log says so. */
int fl_core_checkpoint(struct fl_core *c, fairlead_error *err);
void fl_core_checkpoint_aside(struct fl_core *c);

/*
 * What is older than its time is about to be dropped, but for what the last checkpoint needs: one is
 * made soon, unless the last one is less than a day old, or nothing has happened since.
 */
void fl_core_age(struct fl_core *c);

#endif
