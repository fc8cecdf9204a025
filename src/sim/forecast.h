/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forecast - when will it start?  Many futures, and what they have in common
 *
 * Many runs start from the present state of a policy, each with run times of its own, drawn from
 * what is known (runtimes.h): of running workloads given how long they have run already, of waiting
 * and arriving ones (spares.h) in full.  A run ends once all that were asked for have started, or at the
 * horizon.
 *
 * Promises: the policy is as it was afterwards, exactly, also after an error; the same seed
 * gives the same answer.
 *
 * What it does not know: failures, changes to the cluster, changed minds;
 * and new arrivals other than those that came lately, when it is asked to draw them again.
 *
 * When arrivals are drawn again, a run looks ahead no further than the last of them: after it the
 * cluster would run empty, which real clusters do not.
 *
 * Cost: a run is a simulation of what is there now, beside O(workloads) to begin it.  All runs
 * together take no more than `steps` of work: where much happens, or preemption loops,
 * there are fewer runs, and none looks further than its part of them.
 */
#ifndef FL_SIM_FORECAST_H
#define FL_SIM_FORECAST_H

#include "sim/runtimes.h"
#include "sim/simulation.h"
#include "sim/spares.h"

struct fl_forecast_options {
	const struct fl_mem *mem;
	fl_time now;
	uint64_t seed;
	uint32_t runs;   /* at most */
	uint64_t steps;  /* in all: an event, a head looked at, a workload to begin with */
	double level;    /* of the interval: so often the start shall fall into it; 0.8 */
	fl_time horizon; /* as long as a run looks ahead at most */
	/*
	 * Workloads that came so lately come once more, in each run at other times, and again after
	 * the same time for each further spare that they have; 0: none.  Of whole days each run has
	 * the days in another order, so that each one comes at its time of day; of any other period
	 * all come in a circle from another moment on.  `original` has the workload that each spare
	 * stands for, by workload; FL_NONE: it is not a spare.
	 */
	fl_time arrivals;
	const uint32_t *original;
	/* Run times of the model's lives are what people say beforehand: they count. */
	bool told;
};

extern const struct fl_forecast_options fl_forecast_default;

enum fl_forecast_state {
	FL_FORECAST_HOLDS,   /* runs, or is about to let go: it has started */
	FL_FORECAST_NOT,     /* takes no part, has ended or has not come */
	FL_FORECAST_FITS,    /* starts before any workload has ended */
	FL_FORECAST_LATER,   /* has a start */
	FL_FORECAST_BEYOND,  /* in no run, as far as they looked */
	FL_FORECAST_NEVER,   /* does not, though all that will end has ended */
	FL_FORECAST_UNKNOWN, /* the same, but of some it is not known when they end */
};

struct fl_forecast {
	struct fl_workload workload; /* by the caller */
	enum fl_forecast_state state;
	fl_time start, from,
		to;       /* on the clock: median, interval; FL_NEVER: not until the horizon */
	uint32_t started; /* in so many runs */
	/* The workload whose end it follows most often, of those that are there; FL_NONE: none. */
	struct fl_workload awaited;
	uint32_t awaited_runs;
	struct fl_node awaited_queue; /* the same of queues */
	uint32_t awaited_queue_runs;
};

/* What it stands on. */
struct fl_forecast_basis {
	uint32_t n
		[FL_RUN_BASES]; /* how many of those that run and wait have run times of each basis */
	uint32_t arrivals;      /* drawn a run */
	uint32_t runs;
	uint32_t cut;    /* of them, before the horizon: too much happened */
	fl_time horizon; /* as long as they looked ahead */
};

/* For @n workloads at once: the same runs answer for all.  @times is as before afterwards. */
int fl_forecast(const struct fl_policy_ops *ops, struct fl_policy *policy,
		const struct fl_model *model, struct fl_runtimes *times,
		const struct fl_forecast_options *options, struct fl_forecast *rows, uint32_t n,
		struct fl_forecast_basis *ret, fairlead_error *err);

/*
 * One future to look at: a life for each workload of @model, by its index (as fl_sim_options
 * wants them), as run number @run of a forecast has them, with its arrivals; the basis counts those
 * of all copies, and its horizon is as long as they come.  @ret has room for all.
 */
int fl_forecast_lives(const struct fl_policy_ops *ops, const struct fl_policy *policy,
		      const struct fl_model *model, struct fl_runtimes *times,
		      const struct fl_forecast_options *options, uint32_t run,
		      struct fl_life_row *ret, struct fl_forecast_basis *ret_basis,
		      fairlead_error *err);

#endif
