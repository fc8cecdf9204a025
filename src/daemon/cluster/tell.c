/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/tell.h"

#include "daemon/cluster/decided.h"
#include "daemon/engine/rows.h"

/* In the order in which they are looked at (enum fl_said). */
static const struct {
	enum fl_said said;
	enum fl_happened what;
	const char *text;
} told[] = {
	{ FL_SAID_GONE, FL_HAPPENED_CANCELLED, "deleted" },
	{ FL_SAID_OVER, FL_HAPPENED_FINISHED, "finished" },
	{ FL_SAID_RELEASED, FL_HAPPENED_REQUEUED, "its quota was released" },
	{ FL_SAID_OUT, FL_HAPPENED_HELD, "deactivated" },
	{ FL_SAID_COMES, FL_HAPPENED_SUBMITTED, "pending" },
	{ FL_SAID_CHANGED, FL_HAPPENED_CHANGED, "asks for something else, or at another time" },
	{ FL_SAID_PRIORITY, FL_HAPPENED_PRIORITY, "has another priority" },
	{ FL_SAID_HOLDS, FL_HAPPENED_ADMITTED, "quota was reserved" },
	{ FL_SAID_GOES, FL_HAPPENED_PREEMPTED, "evicted" },
};

/* For which Workload, and why; what Kueue's controllers evict for a cause of their own is not counted with these. */
static void fill_eviction(struct fl_cluster *c, struct fl_tell *tell)
{
	const struct fl_living living = c->daemon.ops->living(&c->daemon);
	const char *queue = fl_live_queue(&living, tell->job);
	struct fl_last_eviction last;
	const struct fl_live *by;
	fairlead_error err = { 0 };

	if (fl_cluster_last_eviction(c, tell->job, &last, &err) <= 0)
		last = (struct fl_last_eviction){ .preempted = true, .by = { FL_NONE } };
	by = last.by.v == FL_NONE ? NULL : fl_generation_job(&c->generation, &c->jobs, last.by);
	tell->by = by ? by->id : 0;
	if (last.why != FL_REASON_NONE)
		tell->reason = fl_reason_name(last.why);
	if (last.preempted || last.why != FL_REASON_NONE)
		fl_metrics_preempted(c->daemon.metrics, queue,
				     by ? fl_live_queue(&living, by) : NULL, last.why);
}

static void count(struct fl_cluster *c, const struct fl_live *job, enum fl_said said)
{
	const struct fl_living living = c->daemon.ops->living(&c->daemon);
	const char *queue = fl_live_queue(&living, job);

	if (said == FL_SAID_COMES)
		fl_metrics_submitted(c->daemon.metrics, queue, 1);
	else if (said == FL_SAID_HOLDS && job->started != FL_TIME_NONE)
		fl_metrics_waited(c->daemon.metrics, queue, job->started - job->waits);
	else if (said == FL_SAID_OVER)
		fl_metrics_ended(c->daemon.metrics, queue, FL_JOB_DONE);
	else if (said == FL_SAID_GONE)
		fl_metrics_ended(c->daemon.metrics, queue, FL_JOB_CANCELLED);
}

void fl_cluster_tell(struct fl_cluster *c, const struct fl_live *job, unsigned said)
{
	const fl_time now = fl_clock_now(&c->daemon.clock);
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		struct fl_tell tell = {
			.what = told[i].what, .at = now, .job = job, .text = told[i].text
		};

		if (!(said & told[i].said))
			continue;
		count(c, job, told[i].said);
		if (told[i].said == FL_SAID_GOES)
			fill_eviction(c, &tell);
		fl_kept_event(c, &tell, c->version, n++);
	}
}
