/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver - when a policy runs, and what becomes of its decisions
 *
 * One for everything that goes on in time: the simulator gives it a clock of its own, the
 * daemon the real one.  Events go into the policy at once; what comes together is decided
 * together.  A cycle is due when something changed since the last one, when the last one
 * itself moved something (policy.h), at the policy's own wake, and at least every `period`
 * while somebody waits; two cycles are never less than `interval` apart, so that nothing
 * the policy does can stop the clock.  Decisions go to a backend, whose outcomes come back
 * as events.
 *
 * Preemption that goes round is told (rounds.h), and goes on.
 *
 * Cost: an event O(1) beside the policy's; a cycle O(decisions) beside it, while nothing goes
 * round.
 */
#ifndef FL_SIM_DRIVER_H
#define FL_SIM_DRIVER_H

#include "sim/rounds.h"

/* Where decisions go. Each 0 or negative, which ends the cycle with that error. */
struct fl_backend {
	/* @w was admitted, or has been given more: what it holds is policy->placement(w). */
	int (*start)(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err);
	/* It must go; FL_EV_EVICTED once it has.  Not called again while it goes. */
	int (*evict)(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err);
	/* After each cycle, all of its decisions were handed over; NULL: nobody wants to know. */
	int (*cycle)(void *user, fl_time now, const struct fl_decisions *d, fairlead_error *err);
	/* Then: preemption goes round, its pairs stand in driver->rounds; NULL: the same. */
	int (*loop)(void *user, fl_time now, const struct fl_rounds_loop *l, fairlead_error *err);
	void *user;
};

struct fl_driver_options {
	const struct fl_mem *mem;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	uint32_t n_workloads; /* of the policy's model */
	struct fl_backend backend;
	fl_time interval, period; /* FL_NEVER: no period */
};

struct fl_driver {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	struct fl_backend backend;
	fl_time interval, period;
	struct fl_rounds rounds;

	fl_time last; /* the last cycle; FL_TIME_NONE before the first */
	fl_time wake; /* of the policy, as of the last cycle */
	bool due;     /* something happened since, or in it */
	bool waiting; /* the last cycle had heads */
	uint64_t cycles, events, heads;
};

/* A cycle is due at once. */
int fl_driver_init(struct fl_driver *d, const struct fl_driver_options *options,
		   fairlead_error *err);
void fl_driver_done(struct fl_driver *d);
/* @d, fresh, goes on from @from, whose policy its own has adopted (policy.h) by the same @was. */
int fl_driver_adopt(struct fl_driver *d, const struct fl_driver *from,
		    const struct fl_workload *was, fairlead_error *err);

/* What happened at @now. As the policy's apply. */
int fl_driver_apply(struct fl_driver *d, fl_time now, const struct fl_event *event,
		    fairlead_error *err);

/* When the next cycle is due if nothing happens before, not before @now; FL_NEVER. */
fl_time fl_driver_next(const struct fl_driver *d, fl_time now);

/* One cycle at @now; its decisions go to the backend. */
int fl_driver_cycle(struct fl_driver *d, fl_time now, fairlead_error *err);

#endif
