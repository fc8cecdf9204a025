/* SPDX-License-Identifier: Apache-2.0 */
/* rows - rows for people (jobs, events, admissions), added to the batch that is gathered */
#ifndef FL_DAEMON_MACHINE_ROWS_H
#define FL_DAEMON_MACHINE_ROWS_H

#include "daemon/engine/rows.h"
#include "daemon/machine/core.h"

/* The ClusterQueue or Queue of a job; "" when its queue does not exist any more. */
const char *fl_core_queue(const struct fl_core *c, const struct fl_live *job);

/* The job's row in the store is to be written. */
int fl_core_touch(struct fl_core *c, const struct fl_live *job, fairlead_error *err);
/* Adds the rows of all touched jobs, changed specs, and tokens to the batch that is gathered. */
int fl_core_write_jobs(struct fl_core *c, fairlead_error *err);
int fl_core_tell(struct fl_core *c, const struct fl_tell *tell, fairlead_error *err);
int fl_core_admit(struct fl_core *c, const struct fl_live *job, fairlead_error *err);
int fl_core_release(struct fl_core *c, const struct fl_live *job, fl_time at, const char *ended,
		    fairlead_error *err);
/* Adds the conditions of all nodes of the generation. */
int fl_core_conditions(struct fl_core *c, fl_time at, fairlead_error *err);

#endif
