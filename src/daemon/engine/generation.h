/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generation - the jobs of a moment as workloads of a sealed model, and the policy over them
 *
 * A sealed model has a fixed set of workloads.  When jobs were submitted the next generation is
 * made: the trees of the configuration, the jobs that take part already, and the new ones; its
 * policy takes over the whole state of the policy before (decide/policy.h, adopt).
 *
 * Guarantees: decisions do not depend on when generations were made, except that a job takes part
 * from then on.  All or nothing: after an error the old one goes on.
 *
 * The workload of job 17 is called "17", in the namespace of its LocalQueue: one podset `main` with
 * its tasks.  Entitle: a gang of one task with all requests of the job, as all of it runs on one
 * machine; in the first generation, jobs that hold quota are placed on the daemon's machine.
 *
 * Cost: O(jobs log jobs).
 */
#ifndef FL_DAEMON_ENGINE_GENERATION_H
#define FL_DAEMON_ENGINE_GENERATION_H

#include "daemon/config/config.h"
#include "daemon/engine/jobs.h"
#include "decide/policy.h"
#include "sim/driver.h"

struct fl_generation {
	struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	struct fl_driver driver;
	uint64_t *job_of; /* by workload: the number of its job */
};

struct fl_generation_options {
	const struct fl_config *config;
	const struct fl_capacity *capacity;
	fl_time now;
	uint64_t up_to;                   /* jobs with a higher number stay out */
	const struct fl_backend *backend; /* of its driver */
	const struct fl_generation *from; /* NULL: the first one */
	/* For the first one: what each job with quota holds; NULL: none does. */
	const struct fl_run_grant *(*held)(void *user, uint64_t job, uint32_t *ret_n);
	void *user;
};

/*
 * Pending jobs that are not in one yet are added, in the order of their numbers; the workload of
 * each in @jobs is set.  Pending jobs whose queue does not exist stay out, with retry FL_NEVER.
 * FAIRLEAD_EINPUT: the configuration does not suit: its models fit no policy, a job holds a flavor
 * or resource that it lacks, or a running job is of a queue that it lacks.
 */
int fl_generation_new(const struct fl_generation_options *options, struct fl_jobs *jobs,
		      struct fl_generation *ret, fairlead_error *err);
/*
 * A generation in the making, from the jobs of a moment.  The long steps, the model and a fresh
 * policy on it, need only data of the draft, so they may run on another thread while jobs and the
 * old policy go on.
 */
struct fl_draft;
/*
 * With the jobs that would be added now.  What the options point to must not change until it is
 * freed.
 */
int fl_draft_new(const struct fl_generation_options *options, const struct fl_jobs *jobs,
		 struct fl_draft **ret, fairlead_error *err);
/* On any thread, once. Its error is returned when the draft is taken. */
void fl_draft_make(struct fl_draft *d);
/*
 * It takes over from options->from, with the jobs as they are now: jobs that have left since stay
 * out, and priorities that were changed since are changed here, too.  Makes it now if that was not
 * done.
 */
int fl_draft_take(struct fl_draft *d, const struct fl_generation_options *options,
		  struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err);
struct fl_draft *fl_draft_free(struct fl_draft *d); /* NULL is fine; returns NULL */

/* From an image: takes over @model and @policy, also after an error. */
int fl_generation_load(const struct fl_policy_ops *ops, struct fl_model *model,
		       struct fl_policy *policy, const struct fl_generation_options *options,
		       const struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err);
void fl_generation_done(struct fl_generation *g);

/* The job of a workload; NULL: none, or it left. */
struct fl_live *fl_generation_job(const struct fl_generation *g, const struct fl_jobs *jobs,
				  struct fl_workload w);
/* The job leaves its workload; it may be added to a later generation. */
void fl_generation_leave(struct fl_generation *g, struct fl_live *job);
/* Would @job be added at @now? */
bool fl_generation_wants(const struct fl_live *job, fl_time now);
/*
 * Would any of the listed jobs be added?  Those that never would are removed from the list.
 * *ret_retry: when the first of the others would be.
 */
bool fl_generation_wants_any(const struct fl_jobs *jobs, uint64_t *newcomers, uint32_t *n,
			     fl_time now, fl_time *ret_retry);

#endif
