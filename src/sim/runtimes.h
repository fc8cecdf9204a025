/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtimes - how long a workload will run, from how long others did
 *
 * Workloads that ended are samples of nested groups: the cluster, a queue, one user of it (a local
 * queue if the input has no users), similar size and the same class (of a daemon's jobs: the same
 * name) if it has one, the same time limit.  A draw takes one of the newest samples of the narrowest
 * group, or, the more often the fewer these are, one of the next wider group.  Samples of wider
 * groups count by the part of their time limit that they took, if both workloads have one.  For a
 * workload that has run for a while only samples count that ran longer; beyond all of them its
 * limit, and without a limit the rule that half of the time it runs as long again as it has.
 *
 * What is not known is not made up: without any that ended, and without a limit, there is
 * no draw.
 *
 * Cost: a sample O(1), a draw O(samples looked at), FL_RUN_NEWEST a group at most.
 */
#ifndef FL_SIM_RUNTIMES_H
#define FL_SIM_RUNTIMES_H

#include "base/names.h"
#include "base/random.h"
#include "model/model.h"

/* Where a run time comes from. */
enum fl_run_basis {
	FL_RUN_CLUSTER,
	FL_RUN_QUEUE,
	FL_RUN_USER,
	FL_RUN_SIZE,
	FL_RUN_LIMIT, /* same limit, too */
	FL_RUN_GROUPS,
	FL_RUN_ASKED = FL_RUN_GROUPS, /* up to the limit that it asked for: there is no sample */
	FL_RUN_AGE,                   /* from how long it has run already */
	FL_RUN_EXACT,                 /* known beforehand */
	FL_RUN_UNKNOWN,
	FL_RUN_BASES
};

enum { FL_RUN_NEWEST = 50 };

struct fl_runtimes {
	const struct fl_mem *mem;
	const struct fl_model *model;
	struct fl_pairs ids; /* (wider group, what is the same) -> group */
	struct fl_run_group {
		uint32_t newest; /* into samples; FL_NONE */
		uint32_t wider;
	} * groups;
	uint32_t n_groups, cap_groups;
	struct fl_run_sample {
		fl_time runs, asked;            /* asked FL_TIME_NONE: no limit */
		uint32_t group;                 /* its narrowest */
		uint8_t first, end;             /* it is one of its groups [first, end) */
		uint32_t before[FL_RUN_GROUPS]; /* the next older one of each group; FL_NONE */
	} * samples;
	uint32_t n_samples, cap_samples;
};

/* The sealed model outlives it. */
int fl_runtimes_init(struct fl_runtimes *t, const struct fl_mem *mem, const struct fl_model *model,
		     fairlead_error *err);
void fl_runtimes_done(struct fl_runtimes *t);

/* @life's workload ended after @runs; the newest come last. Only its user and limit are read. */
int fl_runtimes_add(struct fl_runtimes *t, const struct fl_life_row *life, fl_time runs,
		    fairlead_error *err);

/* All that have ended in the model, by when they did. */
int fl_runtimes_learn(struct fl_runtimes *t, fairlead_error *err);

/*
 * How long it will run in all, of which @age is over; *ret only when something is known.  What
 * @r gives next decides.  The draw counts as a sample of the groups that did not decide it
 * otherwise: what is supposed of one is likelier for the next, as with those that have ended,
 * and the draws of few samples stay together.  FL_RUN_..., or an error.
 */
int fl_runtimes_suppose(struct fl_runtimes *t, const struct fl_life_row *life, fl_time age,
			struct fl_random *r, fl_time *ret, fairlead_error *err);
/* Back to @n samples: what was supposed is forgotten. */
void fl_runtimes_forget(struct fl_runtimes *t, uint32_t n);

/* When it arrived: as @life says (NULL: there is none), or else its object; FL_TIME_NONE. */
fl_time fl_run_came(const struct fl_model *m, struct fl_workload w, const struct fl_life_row *life);

/* When it ended, of a model that says so; FL_NEVER. */
fl_time fl_run_ended(const struct fl_model *m, const struct fl_life_row *life);

/* A number that those of similar size share: of GPUs and the like, or cores, in powers of 2. */
uint32_t fl_run_size(const struct fl_model *m, struct fl_workload w);

#endif
