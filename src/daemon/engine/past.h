/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past - the data of a forecast: which jobs were submitted lately, how long they ran, and time
 * limits of the present ones
 *
 * The caller gives rows of jobs, on any thread, as specs are long and jobs are many.  Bounded: the
 * FL_PAST_LIVE first of those that are pending or hold quota, and of those that ended in the last
 * FL_PAST_DAYS days the FL_PAST_ENDED newest; specs of FL_PAST_BYTES in all.
 *
 * In a copy of the process (aside.h) they become spares beside the present jobs (sim/forecast.h),
 * in a generation of its own.
 */
#ifndef FL_DAEMON_ENGINE_PAST_H
#define FL_DAEMON_ENGINE_PAST_H

#include "daemon/engine/view.h"
#include "record/history.h"
#include "report/common/eta_report.h"
#include "sim/forecast.h"

enum {
	FL_PAST_LIVE = 20000,
	FL_PAST_ENDED = 5000,
	FL_PAST_DAYS = 30,
	FL_PAST_BYTES = 64 * 1024 * 1024,
};

struct fl_past;

int fl_past_new(struct fl_past **ret, fairlead_error *err);
struct fl_past *fl_past_free(struct fl_past *p); /* NULL is fine; returns NULL */
/* Adds a row with its spec. Present jobs first, then those that ended, the newest first. */
int fl_past_add(struct fl_past *p, const struct fl_job_row *row, fairlead_error *err);

/* When each of @n jobs will start, of which `job` is filled in. */
struct fl_foretold {
	uint64_t job;
	struct fl_forecast forecast; /* NOT: it is not in the policy */
};
/*
 * In a copy of the process, once: when will they start?  @jobs are those of the view.  What they
 * wait for is not told.
 */
int fl_past_foretell_all(const struct fl_past *p, const struct fl_live_view *is,
			 struct fl_jobs *jobs, struct fl_foretold *rows, uint32_t n,
			 struct fl_forecast_basis *ret_basis, fairlead_error *err);
/*
 * The same of job @id alone, which is in the policy.  What it waits for is told in workloads of the
 * present generation.
 */
int fl_past_foretell(const struct fl_past *p, const struct fl_live_view *is, struct fl_jobs *jobs,
		     uint64_t id, struct fl_eta *ret, fairlead_error *err);

/* One future to look at: each job's arrival and run time, beside a policy that has it before that. */
struct fl_future {
	struct fl_live_view view;
	struct fl_life_row *lives; /* by workload; from malloc */
	struct fl_forecast_basis basis;
};
struct fl_future_options {
	const struct fl_config *config; /* as it shall be */
	uint64_t seed;
	bool arrivals; /* jobs come as they came lately; false: no new ones */
};
/*
 * In a copy of the process, once.  Run times are drawn from those of jobs that ended lately.
 * FAIRLEAD_EINPUT: the configuration would be refused.
 */
int fl_past_future(const struct fl_past *p, const struct fl_live_view *is, struct fl_jobs *jobs,
		   const struct fl_future_options *options, struct fl_future *ret,
		   fairlead_error *err);

#endif
