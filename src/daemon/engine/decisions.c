/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/decisions.h"

#include <stdio.h>

static int start(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_decisions_heard *h = user;
	struct fl_live *job = fl_generation_job(h->generation, h->jobs, d->workload);

	if (!job || job->state != FL_JOB_WAITS)
		return 0;
	job->state = FL_JOB_STARTS;
	job->attempt++;
	job->started = now;
	job->relimited = false;
	return h->starts(h->user, now, job, d, err);
}

static int evict(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_decisions_heard *h = user;
	struct fl_live *job = fl_generation_job(h->generation, h->jobs, d->workload);
	const struct fl_live *by = fl_generation_job(h->generation, h->jobs, d->preemptor);

	if (!job || !fl_live_runs(job))
		return 0;
	job->evictions++;
	if (job->stopping == FL_GO_NOT) {
		job->stopping = FL_GO_PREEMPTED;
		job->preemptor = by ? by->id : 0;
	}
	job->state = FL_JOB_STOPS;
	return h->goes(h->user, now, job, d, err);
}

static int loop(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err)
{
	struct fl_decisions_heard *h = user;

	return h->loops(h->user, now, l, err);
}

struct fl_backend fl_decisions_backend(struct fl_decisions_heard *h)
{
	return (struct fl_backend){ .start = start, .evict = evict, .loop = loop, .user = h };
}

const char *fl_loop_text(const struct fl_watched_loop *l, char buffer[FL_LOOP_TEXT])
{
	(void)snprintf(buffer, FL_LOOP_TEXT,
		       "%u jobs preempt each other in turn, %llu times so far", l->workloads,
		       (unsigned long long)l->preemptions);
	return buffer;
}
