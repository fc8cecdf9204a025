/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generation - the jobs of a time as workloads of a sealed model, and the policy over them
 *
 * A sealed model has a fixed set of workloads.  When jobs have come the next generation is made:
 * the trees of the configuration, those who take part already, and the new ones; its policy goes
 * on from where the one before is, with all it knows (decide/policy.h, adopt).
 *
 * Guarantees: what is decided does not hang on when generations were made, but for when a job
 * takes part.  All or nothing: after an error the old one goes on.
 *
 * The workload of job 17 is called "17", in the namespace of its LocalQueue: one podset `main`
 * with its tasks.  Entitle: a gang of one task with all that it asks for, for all of it is on one
 * machine; of the first generation, who holds quota is on the daemon's.
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
	uint64_t *job_of; /* by workload */
};

struct fl_generation_options {
	const struct fl_config *config;
	const struct fl_capacity *capacity;
	fl_time now;
	uint64_t up_to;                   /* no job with a higher number comes in */
	const struct fl_backend *backend; /* of its driver */
	const struct fl_generation *from; /* NULL: the first one */
	/* The first one, of jobs that hold quota: what each holds; NULL: nobody does. */
	const struct fl_run_grant *(*held)(void *user, uint64_t job, uint32_t *ret_n);
	void *user;
};

/*
 * Jobs that wait and are not in one yet come in, in the order of their numbers; the workload of
 * each in @jobs is set.  Those who wait and whose queue is not there stay
 * out; their retry is FL_NEVER then.  FAIRLEAD_EINPUT: the configuration cannot be (its models fit no
 * policy, or somebody holds what it does not have, or runs and is of a queue that is not there).
 */
int fl_generation_new(const struct fl_generation_options *options, struct fl_jobs *jobs,
		      struct fl_generation *ret, fairlead_error *err);
/*
 * One in the making, of the jobs of a moment.  What takes long, the model and a fresh policy on it,
 * needs nothing but what it holds, so that it may be done on another thread while jobs and the old
 * policy go on.
 */
struct fl_draft;
/* Who would come in now. What the options point to stays as it is until it is freed. */
int fl_draft_new(const struct fl_generation_options *options, const struct fl_jobs *jobs,
		 struct fl_draft **ret, fairlead_error *err);
/* On any thread, once. How it went is said when it is taken. */
void fl_draft_make(struct fl_draft *d);
/*
 * It goes on from options->from, with the jobs as they are now: who has left since stays out, and
 * a priority that was changed since is changed here, too.  Made now if it was not before.
 */
int fl_draft_take(struct fl_draft *d, const struct fl_generation_options *options,
		  struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err);
struct fl_draft *fl_draft_free(struct fl_draft *d); /* NULL is fine; returns NULL */

/* Of an image: model and policy are given, and are its own from now on, also after an error. */
int fl_generation_load(const struct fl_policy_ops *ops, struct fl_model *model,
		       struct fl_policy *policy, const struct fl_generation_options *options,
		       const struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err);
void fl_generation_done(struct fl_generation *g);

/* The job that a workload is; NULL: none, or it left. */
struct fl_live *fl_generation_job(const struct fl_generation *g, const struct fl_jobs *jobs,
				  struct fl_workload w);
/* It is a workload no more; it may come in again. */
void fl_generation_leave(struct fl_generation *g, struct fl_live *job);
/* Would @job come in at @now? */
bool fl_generation_wants(const struct fl_live *job, fl_time now);
/*
 * Would any of those who may want to?  Those who do not any more go out of the list.  *ret_retry: when
 * somebody will that does not yet.
 */
bool fl_generation_wants_any(const struct fl_jobs *jobs, uint64_t *newcomers, uint32_t *n,
			     fl_time now, fl_time *ret_retry);

#endif
