/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulation - workloads come, run and end in virtual time, and a policy decides in between
 *
 * Promises: the same model, policy and settings (seed among them) give the same events at
 * the same times, to the nanosecond, on every machine.  Virtual time always moves on: a
 * policy that evicts in a loop is simulated as it does so.  Work is accounted for exactly: what
 * a job has done is kept, or lost at an eviction, to the nanosecond.
 *
 * What it does not know: time to pull images or start pods (a start is at once, but for
 * `restart`), what a job really needs beside what it asks for, people that submit other
 * jobs because they wait.
 *
 * Order at one moment: workloads that finish, workloads whose eviction completes, failures that are
 * over, changes, failures, workloads that give up, that come back, that arrive; then one cycle.
 * All of a moment comes before anything later; of one kind by name.
 *
 * It ends after FL_LONGEST_SIMULATION at the latest: what would end later runs for ever.
 *
 * A failure of a machine kills the workloads on it; a failure of quota kills workloads of queues
 * that hold more than their nominal quota, the newest started first, until the rest fits, and none
 * of a queue within its nominal quota.  A killed workload waits again at once.
 *
 * A gang of which fewer pods are left than its minimum stops: it holds what it holds, does nothing,
 * and loses what it did, as when all of it is evicted.  Above its minimum a gang that loses
 * pods goes on with less.
 *
 * Cost: O(log n) an event beside the policy's own; of a failure, and of a change that kills,
 * O(r log r) of those that run.
 */
#ifndef FL_SIM_SIMULATION_H
#define FL_SIM_SIMULATION_H

#include "sim/calendar.h"
#include "sim/driver.h"
#include "sim/due.h"

enum fl_sim_state {
	FL_SIM_TO_COME,   /* has not arrived */
	FL_SIM_WAITS,     /* in its queue */
	FL_SIM_BACKS_OFF, /* was evicted, and stays away for a while */
	FL_SIM_RUNS,
	FL_SIM_LEAVES, /* runs, and is being evicted */
	FL_SIM_FINISHED,
	FL_SIM_GONE,     /* gave up */
	FL_SIM_EXCLUDED, /* takes no part (model's `excluded`) */
};

/* One a workload of the model, by its index. */
struct fl_sim_job {
	const struct fl_life_row *life; /* NULL: there from the beginning, never ends */
	enum fl_sim_state state;
	uint32_t rank;  /* among all, by namespace and name */
	uint32_t epoch; /* of its entries in the calendar */
	uint32_t told;  /* to go, so often */
	uint32_t starts, evictions, kills;
	uint32_t at;            /* while it runs or leaves: in fl_sim.running */
	bool ran;               /* a pod of it did, once */
	uint32_t running, pods; /* of all its pods so many run */
	fl_time first_start;    /* FL_TIME_NONE */
	fl_time started;        /* the last time; FL_TIME_NONE */
	fl_time ended;          /* finished or gave up; FL_TIME_NONE */
	fl_time waits_since;    /* while it waits or backs off */
	fl_time waited;         /* until its last start, or its end, in all */
	fl_time since;          /* work goes on, and `done` is, as of; ahead while it restarts */
	fl_time done;           /* work, all pods running; of life->runs */
	fl_time saved;          /* of `done`, what no eviction takes */
	fl_time lost;           /* work that was done and lost, the same */
};

enum fl_sim_event_kind {
	FL_SIM_ARRIVED,
	FL_SIM_STARTED,  /* admitted, or given more */
	FL_SIM_EVICTED,  /* its eviction begins: reason, preemptor */
	FL_SIM_LET_GO,   /* its eviction is complete, for all or some pods: lost */
	FL_SIM_KILLED,   /* lost at once what it ran on: lost */
	FL_SIM_RETURNED, /* its back-off is over: waits again */
	FL_SIM_ENDED,    /* finished */
	FL_SIM_GAVE_UP,
	FL_SIM_CHANGED, /* one row of model->changes */
	FL_SIM_FAILED,  /* one of model->failures; of a machine: resource FL_NONE, value 0 */
	FL_SIM_BACK,    /* it is back; value 1 */
	FL_SIM_LOOP,    /* a preemption loop that is new or has changed since it was reported */
	FL_SIM_EVENTS
};

struct fl_sim_event {
	enum fl_sim_event_kind kind;
	fl_time at;
	struct fl_workload workload;  /* FL_NONE: CHANGED, FAILED, BACK, LOOP */
	struct fl_workload preemptor; /* EVICTED; FL_NONE: no preemptor */
	struct fl_node queue;         /* the workload's queue; or the node whose cell changed */
	enum fl_reason reason;        /* EVICTED */
	fl_time lost;                 /* LET_GO, KILLED: work, in time of the whole job */
	const struct fl_cell *cell;   /* CHANGED, FAILED, BACK: as it is now; else NULL */
	/* LOOP: until the next cycle, its pairs in driver.rounds; else NULL */
	const struct fl_watched_loop *loop;
};

/* Of a row of model->failures. */
struct fl_sim_failure {
	struct fl_random random;
	bool down;
	fl_amount lost; /* of quota, while it is down */
};

struct fl_sim;

/* A listener. Each 0 or negative, which ends the simulation with that error. */
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
	FL_SIM_ALL_DONE, /* nothing is left to happen */
	FL_SIM_UNTIL,    /* the time was over */
	/* Waiting workloads wait for ever: nothing can start any more, or starts in vain. */
	FL_SIM_NO_PROGRESS,
	FL_SIM_STOPPED, /* go_on said no */
};

enum { FL_SIM_LISTENERS = 4 };

struct fl_sim_options {
	const struct fl_mem *mem;
	fl_time start; /* the clock when it begins */
	/* One a workload, by its index, `workload` FL_NONE where it has none; NULL: the model's. */
	const struct fl_life_row *lives;
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
	uint32_t *by_rank;  /* workloads */
	uint32_t *arrivals; /* those to come, by arrival */
	uint32_t n_arrivals, arrived;
	uint32_t *running; /* those that run or leave, in no order; n_running */
	uint32_t *sorted, *spare;
	struct fl_sim_failure *failures; /* of the model's, by index */
	uint32_t n_up;                   /* of them will fail, and stand in the calendar so */
	struct fl_bundle *rooms;         /* of machines that are up: allocatable */
	fl_time now, end;                /* end FL_NEVER: open */
	fl_time last; /* the clock goes no further: what is due later never comes */
	enum fl_sim_end ended;
	uint64_t events;                       /* events so far */
	uint32_t n_running, n_waiting, n_done; /* jobs; done: finished or gave up */
	uint32_t n_finite;                     /* not done, and some day done if it runs */
	uint64_t idle_cycles;  /* since something happened, started, was evicted, or was parked */
	uint64_t vain_starts;  /* since something arrived, ended or saved any work */
	uint32_t most_flavors; /* among which a scan begins anew each time */
};

/*
 * The policy is fresh, made of the same sealed model with `now` = options->start; workloads that
 * arrive later are taken out of it.  Running workloads go on.
 */
int fl_sim_init(struct fl_sim *s, const struct fl_model *model, const struct fl_policy_ops *ops,
		struct fl_policy *policy, const struct fl_simulation_settings *settings,
		const struct fl_sim_options *options, fairlead_error *err);
void fl_sim_done(struct fl_sim *s);

/* From a listener: it ends with what is happening now, FL_SIM_STOPPED. */
void fl_sim_stop(struct fl_sim *s);

/* To the end; s->ended says which. An error of the policy or a listener, or ENOMEM. */
int fl_sim_run(struct fl_sim *s, fairlead_error *err);

/* --- for begin.c and failures.c --- */

int fl_sim_at(struct fl_sim *s, fl_time when, enum fl_sim_due kind, uint32_t number, uint32_t epoch,
	      fairlead_error *err);
int fl_sim_tell(struct fl_sim *s, struct fl_sim_event *e, fairlead_error *err);

static inline bool fl_sim_is_finite(const struct fl_sim_job *j)
{
	return j->life && j->life->runs != FL_NEVER;
}

/* The queue that it is of, or else that it holds quota of. */
struct fl_node fl_sim_queue(const struct fl_sim *s, struct fl_workload w);
/* How long it stays away after its last eviction. */
fl_time fl_sim_back_off(const struct fl_sim *s, const struct fl_sim_job *j);
/* It runs or leaves from now on. */
void fl_sim_enter(struct fl_sim *s, uint32_t w);
/* With those of its pods that the policy has running: when it will be done. */
int fl_sim_go_on(struct fl_sim *s, uint32_t w, fairlead_error *err);

/* What it has on @machine (FL_NONE: all of it) ends at once. */
int fl_sim_kill(struct fl_sim *s, uint32_t w, struct fl_machine machine, fairlead_error *err);

#endif
