/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - what was submitted changes; and a job that has ended is pending again
 *
 * A change is a row of the journal with all that changes of a job, at once or not at all.  What
 * decisions depend on changes in memory when it is applied; the spec in the store with the next
 * batch, as rows for people do.
 */
#ifndef FL_DAEMON_MACHINE_CHANGE_H
#define FL_DAEMON_MACHINE_CHANGE_H

#include "codec/job/job_update.h"
#include "daemon/machine/core.h"

/* --- requests --- */

/*
 * May @update be made of @job now?  FAIRLEAD_ENOENT, ESTATE, EINPUT.  *ret_ends: what is known of
 * the jobs that it waits for.  @budget: dependencies that may still be looked at, for all jobs of
 * one request.
 */
struct fl_known_ends;
int fl_core_check_update(const struct fl_core *c, uint64_t job, const struct fl_job_update *update,
			 const struct fl_wisher *who, struct fl_known_ends *ret_ends,
			 uint32_t *budget, fairlead_error *err);
/* Of what to what: "time limit from 1h to 2h; queue from a to b". Needs a stored spec. */
enum { FL_CORE_CHANGES = 1200 };
void fl_core_tell_update(const struct fl_core *c, uint64_t job, const struct fl_job_update *update,
			 char ret[FL_CORE_CHANGES]);
/* The row CHANGE of a checked update; *ret_text is its text, for free. */
int fl_core_update_row(const struct fl_core *c, uint64_t job, const struct fl_job_update *update,
		       const struct fl_known_ends *ends, const struct fl_wisher *who,
		       struct fl_journal_row *ret, char **ret_text, fairlead_error *err);
/*
 * Of a job that has ended: the row REVIVE, and what limits count of it.  FAIRLEAD_ENOENT: it is not
 * in the store.
 */
int fl_core_revive_row(const struct fl_core *c, uint64_t job, const struct fl_wisher *who,
		       struct fl_journal_row *ret, char **ret_text, fairlead_error *err);

/* --- applying; *ret FAIRLEAD_EINPUT: it has changed meanwhile, so nothing was changed --- */

int fl_core_change(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		   int *ret, fairlead_error *err);
int fl_core_revive(struct fl_core *c, const struct fl_journal_row *row, int *ret,
		   fairlead_error *err);
/* In the table, and in the policy. */
int fl_core_prioritize(struct fl_core *c, fl_time at, struct fl_live *job, int32_t priority,
		       fairlead_error *err);
/* The reason of its hold is forgotten. */
int fl_core_forget_why(struct fl_core *c, struct fl_live *job, fairlead_error *err);

/* --- what is to be written of it --- */

/* Adds the changed specs to the batch that is gathered. */
int fl_core_write_specs(struct fl_core *c, fairlead_error *err);
void fl_core_drop_specs(struct fl_core *c);

#endif
