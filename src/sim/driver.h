/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver - when a policy runs, and what becomes of its decisions
 *
 * The simulator and the daemon use the same driver: the one with a simulated clock, the other with
 * the real one.  Events go into the policy at once; a cycle decides on all events before it.  A
 * cycle is due when something changed since the last one, when the last one itself moved
 * something (policy.h), at the policy's own wake, and at least every `period` while a workload
 * waits; two cycles are never less than `interval` apart, so that nothing
 * the policy does can stop the clock.  Decisions go to a backend, whose outcomes come back
 * as events.
 *
 * A preemption loop (livelock) is reported (rounds.h) and goes on.
 *
 * Cost: an event O(1) beside the policy's; a cycle O(decisions) beside it, as long as there is no
 * loop.
 */
#ifndef FL_SIM_DRIVER_H
#define FL_SIM_DRIVER_H

#include "sim/loop_watch.h"

/* Where decisions go. Each 0 or negative, which ends the cycle with that error. */
struct fl_backend {
	/* @w was admitted, or holds more than before: policy->placement(w) is what it holds. */
	int (*start)(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err);
	/* It is to be evicted; FL_EV_EVICTED once it has ended.  Not called again until then. */
	int (*evict)(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err);
	/* After each cycle, when all of its decisions were handed over; NULL: not wanted. */
	int (*cycle)(void *user, fl_time now, const struct fl_decisions *d, fairlead_error *err);
	/* After that: there is a preemption loop, its pairs are in driver->rounds; NULL: not wanted. */
	int (*loop)(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err);
	void *user;
};

struct fl_driver_options {
	const struct fl_mem *mem;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	uint32_t n_workloads; /* of the policy's model, or places in it */
	struct fl_backend backend;
	fl_time interval, period; /* FL_NEVER: no period */
	unsigned flags;           /* of its steps (policy.h) */
};

struct fl_driver {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	struct fl_backend backend;
	fl_time interval, period;
	unsigned flags;
	struct fl_loop_watch loop_watch;

	fl_time last; /* the last cycle; FL_TIME_NONE before the first */
	fl_time wake; /* of the policy, as of the last cycle */
	bool due;     /* something happened since, or in it */
	bool waiting; /* there were heads in the last cycle */
	uint64_t cycles, events, heads;
};

/* A cycle is due at once. */
int fl_driver_init(struct fl_driver *d, const struct fl_driver_options *options,
		   fairlead_error *err);
void fl_driver_done(struct fl_driver *d);
/* @d, which is fresh, takes over from @from; @d's policy has adopted @from's (policy.h) by the same @was. */
int fl_driver_adopt(struct fl_driver *d, const struct fl_driver *from,
		    const struct fl_workload *was, fairlead_error *err);

/* @w joined @d's policy and takes the place of another one, or a new one below n_workloads. */
void fl_driver_join(struct fl_driver *d, struct fl_workload w);
/* The same, where it is the workload that was @from, which has left. */
void fl_driver_move(struct fl_driver *d, struct fl_workload from, struct fl_workload w);

/* What happened at @now. As the policy's apply. */
int fl_driver_apply(struct fl_driver *d, fl_time now, const struct fl_event *event,
		    fairlead_error *err);

/*
 * The same where another scheduler decides: @event is FL_EV_HOLDS or FL_EV_GOES, @preemptor the
 * workload that GOES makes room for (FL_NONE: none, or it is not known).  So its preemption loops
 * are found, and told to the backend, as those of cycles here are.
 */
int fl_driver_follow(struct fl_driver *d, fl_time now, const struct fl_event *event,
		     struct fl_workload preemptor, fairlead_error *err);

/* When the next cycle is due if nothing happens before, not before @now; FL_NEVER. */
fl_time fl_driver_next(const struct fl_driver *d, fl_time now);

/* One cycle at @now; its decisions go to the backend. */
int fl_driver_cycle(struct fl_driver *d, fl_time now, fairlead_error *err);

/*
 * As if @w, which is pending in its queue, were the only head of a cycle (policy.h, serve); all others are looked at
 * in the next.  Nothing happens where it is behind one for which quota is held, or its queue is not active.
 */
int fl_driver_serve(struct fl_driver *d, fl_time now, struct fl_workload w, fairlead_error *err);

#endif
