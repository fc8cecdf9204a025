/* SPDX-License-Identifier: Apache-2.0 */
/* ended - the effect of what is told of runs: that one began, what it used, how it ended */
#ifndef FL_DAEMON_MACHINE_ENDED_H
#define FL_DAEMON_MACHINE_ENDED_H

#include "daemon/machine/core.h"
#include "record/record.h"

/* Of a job that is not over; of another attempt than its own nothing is told. */
int fl_core_run_told(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		     fairlead_error *err);

#endif
