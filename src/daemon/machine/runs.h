/* SPDX-License-Identifier: Apache-2.0 */
/* runs - decisions are carried out by the backend, and its reports are noted */
#ifndef FL_DAEMON_MACHINE_RUNS_H
#define FL_DAEMON_MACHINE_RUNS_H

#include "daemon/engine/clock.h"
#include "daemon/engine/jobs.h"
#include "daemon/machine/core.h"

/* Starts the run of an admitted job; an error becomes an outcome. */
int fl_core_start(struct fl_core *c, struct fl_live *job, enum fl_before before,
		  fairlead_error *err);
/* Tells its run to stop. */
/* The time limit of its attempt, as the settings are now; FL_NEVER: none. */
fl_time fl_core_time_limit(const struct fl_core *c, const struct fl_live *job);
/* Its run is told of its present limit; or gets a signal, and goes on. Errors are logged. */
void fl_core_limit(const struct fl_core *c, const struct fl_live *job);
void fl_core_signal(const struct fl_core *c, const struct fl_live *job, int number);
int fl_core_stop(struct fl_core *c, struct fl_live *job, enum fl_go_why why, fairlead_error *err);
/* ENDED: a: the daemon's time when it ended, or FL_TIME_NONE; b: kind, reason and status. */
struct fl_journal_row fl_core_ended(const struct fl_clock *clock, const struct fl_run_outcome *o);
struct fl_run_outcome fl_core_outcome(const struct fl_journal_row *row);
int fl_core_open_host(struct fl_core *c, struct fl_capacity *ret, fairlead_error *err);
/* After recovery: looks up the runs of all jobs that should run, and ends runs that should not. */
int fl_core_find_runs(struct fl_core *c, fairlead_error *err);

#endif
