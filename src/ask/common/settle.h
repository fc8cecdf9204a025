/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle - cycle after cycle, until the asked number is done or nothing changes any more
 *
 * Between two cycles every workload that is being evicted releases its quota
 * and is pending again, and the clock moves by the interval; what is admitted never
 * finishes, and no workload arrives.  So the sequence of states either settles
 * or repeats itself, and a state's digest that was seen before tells which:
 * with nothing decided in between nothing ever will be (settled), with
 * decisions in between the same ones follow for ever (a loop).
 *
 * Where only time can change anything (wake), the clock is moved there at once when the
 * end is asked for, and no state before that is called settled.
 *
 * Memory: one digest a cycle, freed on return.
 */
#ifndef FL_ASK_COMMON_SETTLE_H
#define FL_ASK_COMMON_SETTLE_H

#include "decide/policy.h"

struct fl_settle_options {
	const struct fl_mem *mem;
	const struct fl_sink *sink; /* evidence of every cycle; NULL: none */
	fl_time now, interval;
	uint32_t cycles; /* at most so many, at least 1 */
	/*
	 * Stop at the first loop, and let evictions complete even when none is pending.
	 * Without it a run ends, as Kueue's scheduler sleeps, when no queue has a head.
	 */
	bool to_the_end;
};

/* One cycle, valid during the callback: admissions are done, evictions not yet. */
struct fl_settle_cycle {
	uint32_t number; /* 1-based */
	fl_time now;
	const struct fl_decisions *decisions;
	bool decided; /* admitted or newly preempted a workload */
};

typedef int fl_settle_each(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err);

struct fl_settle_result {
	uint32_t cycles;      /* that ran */
	uint32_t kept;        /* up to the last that decided something; at least 1 */
	bool settled;         /* nothing would change any more */
	uint32_t loop_first;  /* the first cycle of the loop; 0: no loop was seen */
	uint32_t loop_period; /* in cycles */
};

/*
 * Run.  @each is called after every cycle, also those beyond result.kept.
 * 0, or an error of the policy, of @each, or FAIRLEAD_ENOMEM; the policy then
 * stays where it was (mark before if that matters).
 */
int fl_settle(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	      const struct fl_settle_options *options, fl_settle_each *each, void *user,
	      struct fl_settle_result *ret, fairlead_error *err);

/* Did a cycle admit or newly preempt a workload? */
bool fl_settle_decides(const struct fl_decisions *d);

#endif
