/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply - the effect of a row of the journal on jobs, policy and backend
 *
 * What fails here is an error after which the core cannot go on.
 */
#ifndef FL_DAEMON_MACHINE_APPLY_H
#define FL_DAEMON_MACHINE_APPLY_H

#include "daemon/engine/events.h"
#include "daemon/machine/core.h"
#include "record/record.h"

/* *ret: the result for the client; FAIRLEAD_ESTATE, ENOENT: nothing was changed. */
int fl_core_apply(struct fl_core *c, const struct fl_journal_row *row,
		  const struct fl_job_spec *spec, int *ret, fairlead_error *err);
/* Fills in c->deciding and c->driven, which carry out the decisions of cycles. */
void fl_core_decide(struct fl_core *c);
/*
 * A job without a run is held, waits for other jobs (gate.h), or is pending: the state that it is
 * in, and if it is pending the next generation has it.
 */
int fl_core_let_in(struct fl_core *c, struct fl_live *job, fairlead_error *err);
/* @gone has ended, is held or has another name: jobs that only waited for that go on. */
int fl_core_let_others_in(struct fl_core *c, const struct fl_live *gone, fairlead_error *err);
/* Ends a job in memory that cannot go on, without a row of the journal. */
int fl_core_end(struct fl_core *c, uint64_t id, enum fl_job_state state, const char *why,
		fairlead_error *err);

/* --- for the rows of jobs (asked.c, change.c, ended.c) --- */

/* Ends the job; jobs that waited for it may go on, or end as well. */
int fl_core_end_job(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_job_state state,
		    const char *text, fairlead_error *err);
/* Stops its run.  The first reason stays, but a cancelled job is not requeued. */
int fl_core_stop_job(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_go_why why,
		     const char *text, fairlead_error *err);
/* Its run began: jobs that waited for that may go on. */
int fl_core_tell_begun(struct fl_core *c, const struct fl_live *job, fl_time at,
		       fairlead_error *err);

/* Tells the policy of a job that is in it. */
int fl_core_tell_policy(struct fl_core *c, fl_time at, enum fl_event_kind kind,
			const struct fl_live *job, fairlead_error *err);
/* Tells people, and has the job's row written. */
int fl_core_happened(struct fl_core *c, enum fl_happened what, fl_time at,
		     const struct fl_live *job, const char *reason, const char *text,
		     fairlead_error *err);

#endif
