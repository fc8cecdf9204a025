/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds - preemption that goes round, found while it does
 *
 * Two kinds of loop are told, each once, and again only when another workload joins it or it
 * becomes sure:
 *
 *   sure      Nothing came from outside (nobody arrived, finished, was cancelled, rejected or killed;
 *             no cell or sample changed), nobody is on the way out but whom the last cycle
 *             told to go, and the policy is in a state in which it was before, with preemptions in
 *             between.  As long as nothing comes from outside, and who must go takes as long as
 *             before, the same follows for ever.  States are equal by their digests (128 bits).
 *   repeated  x preempts y for the third time (or later) after rounds.  A round is: x preempted y;
 *             then y got its quota back, and x got nothing, or what x got was taken from it in a
 *             ring; and x preempts y again.  In a ring x lost it to y, or to one whom x had
 *             preempted in that round, or to one who lost to one of these, and so on over at most
 *             FL_ROUNDS_RING steps, all of whom were there when the round began.
 *
 * So what newcomers bring about is no loop: whoever loses to one what it took, or to somebody who
 * made up for what he lost to one, has not gone round, nor who lost it to a failure.  What can
 * be mistaken for a loop: x and y stay, and jobs beside them come, go and move so that now the one
 * queue has the larger share and now the other, each time with good reason.  Nothing in what a
 * driver sees tells that from a loop that needs an outside event to wake it.  What is not found: a
 * round in which no pair meets again (others of the same queues take the turns) unless nothing
 * comes from outside; what is beyond the bounds.  While nothing comes from outside a repeated loop
 * is told only after FL_ROUNDS_PATIENCE rounds: it will be sure by then, unless somebody is always
 * on the way out.
 *
 * Where usage that decides moves with time no state comes again: such loops are repeated, too.
 * Who was evicted, is cancelled and submitted again (a back-off) stays the same, but that is from
 * outside: with back-offs loops are repeated, never sure.
 *
 * Cost: O(1) an event and decision.  States are looked at, O(workloads) each, only from when
 * a pair met twice since the last event from outside, and only after cycles that admitted
 * somebody; loops cost O(pairs) when they are told.  Memory: 20 bytes a workload, and up
 * to FL_ROUNDS_PAIRS pairs and FL_ROUNDS_LOOPS loops; warm, no allocation.  When there are more
 * pairs, those are forgotten that did not meet in the last half as many preemptions.
 */
#ifndef FL_SIM_ROUNDS_H
#define FL_SIM_ROUNDS_H

#include "decide/policy.h"

enum {
	FL_ROUNDS_PAIRS = 1 << 16,
	FL_ROUNDS_LOOPS = 1 << 12, /* the newest */
	FL_ROUNDS_TOLD = 2,        /* rounds after which a loop is told: the third time */
	FL_ROUNDS_PATIENCE = 8,
	FL_ROUNDS_RING = 8,
};

/* One preempted the other. */
struct fl_rounds_pair {
	uint32_t preemptor, victim;
	uint32_t loop;   /* its number; 0: none */
	uint32_t times;  /* in all */
	uint32_t rounds; /* of these times, so many ended a round */
	uint32_t last;   /* cycle */
	uint32_t serial; /* of the last time, among all preemptions */
	enum fl_reason reason;
	bool told;
	fl_time first;
};

struct fl_rounds_loop {
	uint32_t number; /* from 1 on; 0: it became part of an older one */
	uint32_t workloads;
	bool sure;
	bool changed;        /* to be told */
	fl_time since, last; /* first and last preemption of its pairs */
	uint64_t preemptions;
};

/* Of a workload; cycles, 0: never. */
struct fl_rounds_job {
	uint32_t arrived; /* after this cycle; 0: it was there from the beginning */
	uint32_t admitted, lost_at, lost_to;
	uint32_t loop; /* number */
};

struct fl_rounds {
	const struct fl_mem *mem;
	struct fl_rounds_job *jobs;
	uint32_t n_jobs;
	struct fl_rounds_pair *pairs; /* by their first time */
	uint32_t n_pairs, cap_pairs;
	struct fl_pairs by_names; /* (preemptor, victim) -> pair */
	struct fl_rounds_loop *loops;
	uint32_t cap_loops;
	uint32_t changed; /* loops to be told */
	uint32_t cycle, serial;
	/* Counters: loops found, and preemptions of their pairs. */
	uint32_t n_loops;
	uint64_t preemptions;

	/* What goes on by itself. */
	uint32_t outside; /* the cycle before the last event from outside */
	bool watched;     /* a pair met twice since: states are compared */
	bool recurred;    /* and one came again */
	bool admitted;    /* somebody was, in the last cycle */
	uint64_t anchor[2];
	uint32_t anchor_cycle, lap, laps;
};

int fl_rounds_init(struct fl_rounds *r, const struct fl_mem *mem, uint32_t n_workloads,
		   fairlead_error *err);
void fl_rounds_done(struct fl_rounds *r);
/*
 * @r, fresh, goes on from @from, whose workloads had other numbers: was[w] is what w was, FL_NONE:
 * it comes now, from outside.  Loops keep their numbers, without those who are gone.
 * O(workloads + pairs). ENOMEM: @r is to be done with.
 */
int fl_rounds_adopt(struct fl_rounds *r, const struct fl_rounds *from,
		    const struct fl_workload *was, fairlead_error *err);

/* What was applied to the policy. */
void fl_rounds_event(struct fl_rounds *r, const struct fl_event *event);
/* What a cycle decided. ENOMEM: what is left of it is not seen. */
int fl_rounds_decided(struct fl_rounds *r, fl_time now, const struct fl_decisions *decisions,
		      fairlead_error *err);
/* After it, before anything else is applied: is the policy in a state that was there before? */
int fl_rounds_look(struct fl_rounds *r, const struct fl_policy_ops *ops,
		   const struct fl_policy *policy, fl_time now, fairlead_error *err);

/* A loop that is new or changed, which is told by this; NULL. Valid until the next cycle. */
const struct fl_rounds_loop *fl_rounds_next(struct fl_rounds *r);
/* The loops, oldest first, that are kept: @from 0 and on; NULL: no more. */
const struct fl_rounds_loop *fl_rounds_loop_at(const struct fl_rounds *r, uint32_t *from);
/* The pairs of loop @number in the order of their first times: @from 0 and on; NULL: no more. */
const struct fl_rounds_pair *fl_rounds_pair_of(const struct fl_rounds *r, uint32_t number,
					       uint32_t *from);

#endif
