/* SPDX-License-Identifier: Apache-2.0 */
/* asked - the effect of what users ask for: submit, cancel, hold, release, requeue, signal, priority */
#ifndef FL_DAEMON_MACHINE_ASKED_H
#define FL_DAEMON_MACHINE_ASKED_H

#include "daemon/machine/core.h"
#include "record/record.h"

int fl_core_submitted(struct fl_core *c, const struct fl_journal_row *row,
		      const struct fl_job_spec *spec, fairlead_error *err);
/* All but a submit, of a job that is not over; rows of other kinds do nothing. */
int fl_core_asked(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		  fairlead_error *err);

/* --- jobs that it waits for --- */

/* The state of a job in memory or only in the store; FL_JOB_STATES: it is in neither. */
enum fl_job_state fl_core_state_of(const struct fl_core *c, uint64_t id);
/*
 * Removes dependencies on jobs that have ended.  False: one of them did not end as required.  By
 * bit, of those that ended before the row was written: whether they ended so.
 */
struct fl_known_ends {
	uint64_t wanted, unwanted;
};
bool fl_core_look_back(struct fl_core *c, const struct fl_known_ends *known,
		       const struct fl_live *job, const struct fl_job_after *after,
		       uint32_t n_after);

#endif
