/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_watch - preemption loops (livelocks), found while they happen
 *
 * Two kinds of loop are reported, each once, and again only when another workload joins it or it
 * becomes sure:
 *
 *   sure      No event came from outside (no workload arrived, finished, was cancelled, rejected or
 *             killed; no cell or sample changed), all workloads that are being evicted were evicted
 *             by the last cycle, and the policy is in a state in which it was before, with
 *             preemptions in between.  As long as no event comes from outside, and evictions take
 *             as long as before, the same follows for ever.  States are equal by their digests
 *             (128 bits).
 *   repeated  x preempts y for the third time (or later) after rounds.  A round is: x preempted y;
 *             then y got its quota back, and x got nothing, or lost it in a ring; and x preempts y
 *             again.  In a ring x was preempted by y, or by a workload that x preempted in that
 *             round, or by one that was preempted by one of these, and so on over at most
 *             FL_LOOP_WATCH_RING steps, all by workloads that were there when the round began.
 *
 * So what newcomers cause is not a loop: it is no round when x lost its quota to a newcomer, to a
 * workload that lost its own quota to a newcomer, or to a failure.  What can be mistaken for a
 * loop: x and y stay, and jobs beside them come, go and move so that now the one queue has the
 * larger share and now the other, each time with good reason.  A driver cannot tell that from a
 * loop that needs an outside event to wake it.  What is not found: a round in which no pair meets
 * again (others of the same queues take the turns), unless no event comes from outside; what is
 * beyond the bounds. While no event comes from outside a repeated loop is reported only after
 * FL_LOOP_WATCH_PATIENCE rounds: it will be sure by then, unless a workload is always being
 * evicted.
 *
 * If usage that decides moves with time, no state comes again: such loops are repeated, too.  A
 * workload that is evicted, cancelled and submitted again (a back-off) stays the same, but these
 * events are from outside: with back-offs loops are repeated, never sure.
 *
 * Cost: O(1) an event and decision.  States are looked at, O(workloads) each, only from when a pair
 * met twice since the last event from outside, and only after cycles that admitted a workload;
 * loops cost O(pairs) when they are reported.  Memory: 20 bytes a workload, and up to
 * FL_LOOP_WATCH_PAIRS pairs and FL_LOOP_WATCH_LOOPS loops; warm, no allocation.  When there are
 * more pairs, those are forgotten that did not meet in the last half as many preemptions.
 */
#ifndef FL_SIM_LOOP_WATCH_H
#define FL_SIM_LOOP_WATCH_H

#include "decide/policy.h"

enum {
	FL_LOOP_WATCH_PAIRS = 1 << 16,
	FL_LOOP_WATCH_LOOPS = 1 << 12, /* the newest */
	FL_LOOP_WATCH_TOLD = 2,        /* rounds after which a loop is reported: the third time */
	FL_LOOP_WATCH_PATIENCE = 8,
	FL_LOOP_WATCH_RING = 8,
};

/* A workload preempted another. */
struct fl_watched_pair {
	uint32_t preemptor, victim;
	uint32_t loop;    /* its number; 0: none */
	uint32_t times;   /* in all */
	uint32_t repeats; /* of these times, so many ended a round */
	uint32_t last;    /* cycle */
	uint32_t serial;  /* of the last time, among all preemptions */
	enum fl_reason reason;
	bool told;
	fl_time first;
};

struct fl_watched_loop {
	uint32_t number; /* from 1 on; 0: it became part of an older one */
	uint32_t workloads;
	bool sure;
	bool changed;        /* to be reported */
	fl_time since, last; /* first and last preemption of its pairs */
	uint64_t preemptions;
};

/* Of a workload; cycles, 0: never. */
struct fl_watched_job {
	uint32_t arrived; /* after this cycle; 0: it was there from the beginning */
	uint32_t admitted, lost_at, lost_to;
	uint32_t loop; /* number */
	bool won;      /* some workload lost to it */
};

struct fl_loop_watch {
	const struct fl_mem *mem;
	struct fl_watched_job *jobs;
	uint32_t n_jobs;
	struct fl_watched_pair *pairs; /* by their first time */
	uint32_t n_pairs, cap_pairs;
	struct fl_pairs by_names; /* (preemptor, victim) -> pair */
	struct fl_watched_loop *loops;
	uint32_t cap_loops;
	uint32_t changed; /* loops to be reported */
	uint32_t cycle, serial;
	/* Counters: loops found, and preemptions of their pairs. */
	uint32_t n_loops;
	uint64_t preemptions;

	/* What goes on by itself. */
	uint32_t outside; /* the cycle before the last event from outside */
	bool watched;     /* a pair met twice since: states are compared */
	bool recurred;    /* and one came again */
	bool admitted;    /* a workload was preempted in the last cycle */
	uint64_t anchor[2];
	uint32_t anchor_cycle, lap, laps;
};

int fl_loop_watch_init(struct fl_loop_watch *r, const struct fl_mem *mem, uint32_t n_workloads,
		       fairlead_error *err);
void fl_loop_watch_done(struct fl_loop_watch *r);
/*
 * @r, fresh, goes on from @from, in which the numbers of workloads are others: was[w] is that of w there, FL_NONE:
 * it comes now, from outside.  Loops keep their numbers, without workloads that have left.
 * O(workloads + pairs). ENOMEM: @r is to be done with.
 */
int fl_loop_watch_adopt(struct fl_loop_watch *r, const struct fl_loop_watch *from,
			const struct fl_workload *was, fairlead_error *err);

/* @w is another workload than before, and comes now, from outside.  O(1) if none lost to it. */
void fl_loop_watch_join(struct fl_loop_watch *r, struct fl_workload w);
/* @to, which joins, is the workload that was @from, whose place is empty now.  O(pairs + workloads). */
void fl_loop_watch_move(struct fl_loop_watch *r, struct fl_workload from, struct fl_workload to);

/* What was applied to the policy. */
void fl_loop_watch_event(struct fl_loop_watch *r, const struct fl_event *event);
/* What a cycle decided. ENOMEM: what is left of it is not seen. */
int fl_loop_watch_decided(struct fl_loop_watch *r, fl_time now,
			  const struct fl_decisions *decisions, fairlead_error *err);
/* After it, before anything else is applied: is the policy in a state that was there before? */
int fl_loop_watch_look(struct fl_loop_watch *r, const struct fl_policy_ops *ops,
		       const struct fl_policy *policy, fl_time now, fairlead_error *err);

/* A loop that is new or changed, which counts as reported then; NULL. Valid until the next cycle. */
const struct fl_watched_loop *fl_loop_watch_next(struct fl_loop_watch *r);
/* The loops, oldest first, that are kept: @from 0 and on; NULL: no more. */
const struct fl_watched_loop *fl_loop_watch_loop_at(const struct fl_loop_watch *r, uint32_t *from);
/* The pairs of loop @number in the order of their first times: @from 0 and on; NULL: no more. */
const struct fl_watched_pair *fl_loop_watch_pair_of(const struct fl_loop_watch *r, uint32_t number,
						    uint32_t *from);

#endif
