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

/*
 * In a copy of the process, once: when will job @id start, which is in the policy?  @jobs are those
 * of the view.  What it waits for is told in workloads of the present generation.
 */
int fl_past_foretell(const struct fl_past *p, const struct fl_live_view *is, struct fl_jobs *jobs,
		     uint64_t id, struct fl_eta *ret, fairlead_error *err);

#endif
