/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation - workloads come, run and end in virtual time, and a policy decides in between
 *
 * Promises: the same model, policy and settings (seed among them) give the same events at
 * the same times, to the nanosecond, on every machine.  Virtual time always moves on: a
 * policy that evicts in a circle is simulated doing so.  Work is accounted for exactly: what
 * a job has done is kept, or lost at an eviction, to the nanosecond.
 *
 * What it does not know: time to pull images or start pods (a start is at once, but for
 * `restart`), what a job really needs beside what it asks for, people who change what they
 * submit because of what they wait.
 *
 * Order at one moment: who finishes, who has let go, what changes, who gives up, who comes
 * back, who arrives; then one cycle.  All before anything later.
 *
 * Cost: O(log n) an event beside the policy's own.
 */
#ifndef FL_SIM_SIMULATION_H
#define FL_SIM_SIMULATION_H

#include "sim/calendar.h"
#include "sim/driver.h"

enum fl_sim_state {
	FL_SIM_TO_COME,   /* has not arrived */
	FL_SIM_WAITS,     /* in its queue */
	FL_SIM_BACKS_OFF, /* was evicted, and stays away for a while */
	FL_SIM_RUNS,
	FL_SIM_LEAVES, /* runs, and was told to go */
	FL_SIM_FINISHED,
	FL_SIM_GONE,     /* gave up */
	FL_SIM_EXCLUDED, /* takes no part (model's `excluded`) */
};

/* One a workload of the model, by its index. */
struct fl_sim_job {
	const struct fl_life_row *life; /* NULL: there from the beginning, never ends */
	enum fl_sim_state state;
	uint32_t epoch; /* of its entries in the calendar */
	uint32_t starts, evictions;
	uint32_t running, pods; /* of all its pods so many run */
	fl_time first_start;    /* FL_TIME_NONE */
	fl_time started;        /* the last time; FL_TIME_NONE */
	fl_time ended;          /* finished or gone; FL_TIME_NONE */
	fl_time waits_since;    /* while it waits or backs off */
	fl_time waited;         /* until its last start, or its end, in all */
	fl_time since;          /* work goes on, and `done` is, as of; ahead while it restarts */
	fl_time done;           /* work, all pods running; of life->runs */
	fl_time lost;           /* work that was done and lost, the same */
};

enum fl_sim_event_kind {
	FL_SIM_ARRIVED,
	FL_SIM_STARTED,  /* admitted, or given more */
	FL_SIM_EVICTED,  /* told to go: reason, preemptor */
	FL_SIM_LET_GO,   /* has gone, all or in part: lost */
	FL_SIM_KILLED,   /* lost at once what it ran on: lost */
	FL_SIM_RETURNED, /* its back-off is over: waits again */
	FL_SIM_ENDED,    /* finished */
	FL_SIM_GAVE_UP,
	FL_SIM_CHANGED, /* one row of model->changes, or a failure */
	FL_SIM_EVENTS
};

struct fl_sim_event {
	enum fl_sim_event_kind kind;
	fl_time at;
	struct fl_workload workload;  /* FL_NONE: CHANGED */
	struct fl_workload preemptor; /* EVICTED; FL_NONE when for nobody */
	struct fl_node queue;         /* the workload's; or whose cell changed */
	enum fl_reason reason;        /* EVICTED */
	fl_time lost;                 /* LET_GO, KILLED: work, in time of the whole job */
	const struct fl_cell *cell;   /* CHANGED */
};

struct fl_sim;

/* Who watches. Each 0 or negative, which ends the simulation with that error. */
struct fl_sim_listener {
	/* After it was entered. */
	int (*event)(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		     fairlead_error *err);
	/* The clock goes on to @to, and all is as it is until then. NULL: does not care. */
	int (*passes)(void *user, const struct fl_sim *sim, fl_time to, fairlead_error *err);
	void *user;
};

enum fl_sim_end {
	FL_SIM_GOES_ON,
	FL_SIM_ALL_DONE,    /* nothing is left to happen */
	FL_SIM_UNTIL,       /* the time was over */
	FL_SIM_NO_PROGRESS, /* who still waits, waits for ever: nothing can start any more */
	FL_SIM_STOPPED,     /* go_on said no */
};

enum { FL_SIM_LISTENERS = 4 };

struct fl_sim_options {
	const struct fl_mem *mem;
	fl_time start; /* the clock when it begins */
	struct fl_sim_listener listeners[FL_SIM_LISTENERS];
	uint32_t n_listeners;
	/* Asked now and then (every thousand events or so); false: stop. NULL: go on. */
	bool (*go_on)(void *user, const struct fl_sim *sim);
	void *user;
};

struct fl_sim {
	const struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	struct fl_simulation_settings settings;
	struct fl_sim_options options;
	struct fl_driver driver;
	struct fl_calendar calendar;
	struct fl_arena arena;
	struct fl_sim_job *jobs;
	uint32_t *arrivals; /* ids of lives to come, by arrival */
	uint32_t n_arrivals, arrived;
	fl_time now, end; /* end FL_NEVER: open */
	enum fl_sim_end ended;
	uint64_t events;                       /* that happened: what listeners were told */
	uint32_t n_running, n_waiting, n_done; /* jobs; done: finished or gone */
	uint32_t n_finite;                     /* not done, and some day done if it runs */
	uint64_t idle_cycles;                  /* since something started, ended or arrived */
};

/*
 * The policy is fresh, made of the same sealed model with `now` = options->start; whoever
 * arrives later is taken out of it.  Workloads that run run on.
 */
int fl_sim_init(struct fl_sim *s, const struct fl_model *model, const struct fl_policy_ops *ops,
		struct fl_policy *policy, const struct fl_simulation_settings *settings,
		const struct fl_sim_options *options, fairlead_error *err);
void fl_sim_done(struct fl_sim *s);

/* To the end; s->ended says which. An error of the policy or a listener, or ENOMEM. */
int fl_sim_run(struct fl_sim *s, fairlead_error *err);

/* When it starts by itself: settings.start, else the first arrival, else the newest time, else 0. */
fl_time fl_sim_start(const struct fl_model *model);

/* What @w asks for in all, in the units of amounts. */
double fl_sim_request(const struct fl_model *model, struct fl_workload w, struct fl_resource r);

#endif
