/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view - jobs and the policy that decides about them at a moment: the state that questions are
 * about (ask/)
 *
 * Filled in by their owner, and valid until the owner goes on.
 */
#ifndef FL_DAEMON_ENGINE_VIEW_H
#define FL_DAEMON_ENGINE_VIEW_H

#include "ask/common/explain.h"
#include "daemon/engine/generation.h"

/* The parts of a daemon, wherever its jobs run; the daemon keeps owning them. */
struct fl_living {
	const struct fl_config *config;
	const struct fl_capacity *capacity;
	const struct fl_jobs *jobs;
	const struct fl_generation *generation;
	const struct fl_workload_maker *maker; /* NULL: no job has `made_of` */
};

/* The state at a moment. The policy may be marked and rolled back. */
struct fl_live_view {
	const struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_driver *driver;
	fl_time now;
	const struct fl_live *jobs; /* all of them, by number; n_jobs */
	uint32_t n_jobs;
	struct fl_living of;
};
void fl_live_view_of(const struct fl_living *of, fl_time now, struct fl_live_view *ret);

/* Resources that one job asks for: as many as are told. */
enum { FL_LIVE_ASKS = 64 };

/* What its workload asks for of one resource, all its pods together. */
struct fl_live_ask {
	struct fl_resource resource;
	fl_amount amount;
};
/* Of @room rows at most; of a job that is in the policy, by every policy's own objects. */
uint32_t fl_live_asks(const struct fl_live_view *v, const struct fl_live *job,
		      struct fl_live_ask *ret, uint32_t room);

/* What quotas are parts of. In @arena; FAIRLEAD_ENOMEM. */
int fl_live_view_machine(const struct fl_live_view *v, struct fl_arena *arena,
			 struct fl_explain_machine *ret, fairlead_error *err);
/*
 * In a copy of the process (aside.h), once: the next generation of @jobs, which are those of the
 * view and may be more by now, as it would be by @config, beside the present one. *ret may be the
 * view itself.  FAIRLEAD_EINPUT: the configuration would be refused.
 */
int fl_live_view_try(const struct fl_live_view *v, struct fl_jobs *jobs,
		     const struct fl_config *config, struct fl_live_view *ret, fairlead_error *err);

/* --- the order of pending jobs in their queues --- */

/*
 * Where a pending job stands.  In each queue the higher priority is first, then the earlier job: that
 * is the order by which `why` counts, and by which positions are numbers.
 */
struct fl_live_pending {
	uint32_t node; /* of the ClusterQueue or Queue */
	int32_t priority;
	fl_time submitted;
	uint64_t job;
	struct fl_workload workload; /* not compared, and neither is: */
	struct fl_sym queue;         /* as the job names it */
};

static inline bool fl_live_is_pending(const struct fl_live *job)
{
	return job->state == FL_JOB_WAITS && job->workload.v != FL_NONE;
}

static inline struct fl_live_pending fl_live_pending_of(const struct fl_model *m,
							const struct fl_live *job)
{
	return (struct fl_live_pending){ m->workloads[job->workload.v].cluster_queue.v,
					 job->priority,
					 job->submitted,
					 job->id,
					 job->workload,
					 job->queue };
}

/* Queue by queue, in each in its order; for qsort, too. */
int fl_live_pending_cmp(const void *a, const void *b);

#endif
