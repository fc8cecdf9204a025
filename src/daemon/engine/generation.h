/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generation - the jobs of a moment as workloads of a sealed model, and the policy over them
 *
 * Jobs that are submitted join the model and the policy while there are places for them
 * (model/newcomer.h); those that left give theirs back.  Where that cannot be, the next generation is
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
 * Cost: O(jobs log jobs); of a job that joins, what its queue costs.
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
	uint64_t *job_of;        /* by workload, and place of one: the number of its job */
	uint64_t number;         /* no other one has it */
	bool still;              /* usage does not move */
	struct fl_pairs podsets; /* hash of what jobs ask for -> podset, of those that joined */
	uint32_t *left;          /* workloads that jobs left, whose places may be given back */
	uint32_t n_left, cap_left;
};

/*
 * Makes the workloads of jobs that have `made_of`: all that is said of them, which state they are in, what they
 * hold.
 */
struct fl_workload_maker {
	/* What jobs are made of stays as it is until `end`. On the thread of the jobs, as `end`. */
	int (*begin)(void *user, void **ret, fairlead_error *err);
	/* Adds one workload. On any thread. */
	int (*add)(void *making, struct fl_model *m, const void *made_of, fairlead_error *err);
	/* Behind the last workload: what else there is. NULL: nothing. */
	int (*finish)(void *making, struct fl_model *m, fairlead_error *err);
	void (*end)(void *making);
	void *user;
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
	const struct fl_workload_maker *maker; /* NULL: no job has `made_of` */
	uint32_t spare;                        /* places for newcomers; 0: as many as are usual */
	bool still; /* usage of queues is what objects say, and does not move (decide/policy.h) */
	bool ours;  /* cycles pass over trees that another scheduler decides (FL_STEP_OURS) */
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
 * The policy of the Daemon document, or the first policy for the kind of objects in the trees.
 * FAIRLEAD_EINPUT: there is none of that name, or it is for others.
 */
int fl_generation_policy(const struct fl_model *m, const struct fl_policy_ops **ret,
			 fairlead_error *err);

/* Is there a policy that takes the configuration of a cluster, before any job?  As fl_generation_new says it. */
int fl_generation_check(const struct fl_config *config, fl_time now, fairlead_error *err);
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
/* The job of @w left it: its place may be given back. */
int fl_generation_note_left(struct fl_generation *g, uint32_t w, fairlead_error *err);
/* The job leaves its workload; it may be added again. */
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
