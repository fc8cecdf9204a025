/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions - the decisions of a cycle as changes of jobs
 *
 * A job that is admitted starts, one that is preempted stops: their rows are changed here, and a
 * callback tells of each, so that the caller starts or stops the run.  A decision about a job that
 * has left, or is not in that state any more, changes nothing and calls nothing.
 */
#ifndef FL_DAEMON_ENGINE_DECISIONS_H
#define FL_DAEMON_ENGINE_DECISIONS_H

#include "daemon/engine/generation.h"

/* Each is called once the row is changed. 0 or negative, which ends the cycle with that error. */
struct fl_decisions_heard {
	struct fl_jobs *jobs;
	const struct fl_generation *generation; /* the generation whose policy decides */
	/* The job is admitted: a new attempt, since @now. What it holds: placement.h. */
	int (*starts)(void *user, fl_time now, struct fl_live *job, const struct fl_decision *d,
		      fairlead_error *err);
	/*
	 * The job is evicted, possibly again; `stopping` and `preemptor` of the job say why and for
	 * which job.
	 */
	int (*goes)(void *user, fl_time now, struct fl_live *job, const struct fl_decision *d,
		    fairlead_error *err);
	/* A preemption loop was detected. */
	int (*loops)(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err);
	void *user;
};

/* For drivers of generations; @h outlives them. */
struct fl_backend fl_decisions_backend(struct fl_decisions_heard *h);

enum { FL_LOOP_TEXT = 160 };
const char *fl_loop_text(const struct fl_watched_loop *l, char buffer[FL_LOOP_TEXT]);

#endif
