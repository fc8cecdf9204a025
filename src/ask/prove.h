/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove - can preemption go round for ever?
 *
 * Explores every state that can be reached from the one at hand when nobody arrives or finishes,
 * with the policy itself to tell what follows.  A state is who holds what and since whom, who is
 * being evicted, and who waits.  A move is
 *
 *   serve w     a cycle of its own for a workload that waits, whatever else waits
 *   let go v    an eviction completes
 *   cycle       a whole cycle, as the scheduler would have it
 *
 * in any order.  Whoever waits is looked at anew after each move (policy.h, `forget`), as if
 * something unrelated had woken all: so what holds here holds for every order in which a scheduler
 * may come to look at workloads.  Time moves on by a nanosecond a
 * move, so that each admission is later than those before it (the order in which victims are
 * taken goes by that): what hangs on time beyond this is not explored.
 *
 * Promises: two states count as one only if they are equal word by word, never by their digests
 * alone; the answer does not depend on the order of the input; the policy is left as it was found.
 * "No loop" is a proof for this input when the exploration is complete, and says how far it came
 * when it is not.
 */
#ifndef FL_ASK_PROVE_H
#define FL_ASK_PROVE_H

#include "decide/policy.h"

enum fl_move_kind { FL_MOVE_SERVE, FL_MOVE_LET_GO, FL_MOVE_CYCLE } FL_BYTE;

struct fl_move {
	enum fl_move_kind kind;
	struct fl_workload workload; /* FL_NONE of a whole cycle */
};

enum fl_loop {
	FL_LOOP_NONE,
	FL_LOOP_POSSIBLE, /* some order goes round for ever; from there another one comes to rest */
	FL_LOOP_FORCED,   /* once there, no order comes to rest */
};

struct fl_prove_progress {
	uint64_t states, moves, waiting; /* waiting: states found, not yet explored */
	size_t bytes;
};

struct fl_prove_options {
	const struct fl_mem *mem;
	fl_time now;
	uint32_t states; /* look at no more states than so many */
	size_t bytes;    /* nor keep more than so many bytes; 0: no limit */
	bool no_cycles;  /* whole cycles are no moves */
	/* Called now and then, may be NULL; what it returns other than 0 stops the exploration. */
	int (*progress)(void *user, const struct fl_prove_progress *progress);
	void *user;
};

struct fl_prove_result {
	uint64_t states, moves;
	uint64_t resting; /* states from which nothing moves */
	bool complete;    /* every state that can be reached was explored */
	enum fl_loop loop;
	bool always;     /* no order at all comes to rest, from the state at hand */
	uint32_t bound;  /* without a loop: evictions at most, on any way */
	uint32_t prefix; /* with one: moves that lead to the shortest loop */
	uint32_t n;      /* and moves of one round */
	struct fl_move *moves; /* prefix + n; freed with fl_prove_done */
};

/* 0, or an error of the policy or FAIRLEAD_ENOMEM. */
int fl_prove(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	     const struct fl_prove_options *options, struct fl_prove_result *ret,
	     fairlead_error *err);
void fl_prove_done(const struct fl_mem *mem, struct fl_prove_result *result);

/*
 * One move, in force, and what was decided (empty for one that lets go).  FAIRLEAD_ESTATE: it
 * cannot be made here.  What was decided is valid until the next call of the policy.
 */
int fl_prove_move(const struct fl_policy_ops *ops, struct fl_policy *p, fl_time now,
		  struct fl_move move, const struct fl_sink *sink, struct fl_decisions *ret,
		  fairlead_error *err);

#endif
