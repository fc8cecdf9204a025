/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint - an image of the state, now and then, so that a start need not begin at row 1 */
#ifndef FL_DAEMON_MACHINE_CHECKPOINT_H
#define FL_DAEMON_MACHINE_CHECKPOINT_H

#include "daemon/machine/core.h"

/* Has enough changed since the last one, and can one be made? */
bool fl_core_checkpoint_due(const struct fl_core *c);
/* Makes one of this moment: in this process, or by a copy of it. When it fails the log says so. */
int fl_core_checkpoint(struct fl_core *c, fairlead_error *err);
void fl_core_checkpoint_aside(struct fl_core *c);

/*
 * Old rows are about to be deleted, except those after the last checkpoint: makes one soon, unless
 * the last one is less than a day old, or nothing has changed since.
 */
void fl_core_age(struct fl_core *c);

#endif
