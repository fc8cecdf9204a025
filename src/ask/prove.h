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
 * may come to look at workloads.  Time moves on by a nanosecond a move, so that each admission is
 * later than those before it (the order in which victims are taken goes by that); what hangs on
 * time beyond this is not explored (fl_prove_tick).
 *
 * Promises: two states count as one only if they are equal word by word, never by their digests
 * alone; the answer does not depend on the order of the input; the policy is left as it was found.
 * "No loop" is a proof for this input when the exploration is complete, and says how far it came
 * when it is not.
 *
 * Cost: some 90 bytes a state, and 8 for each move that leads from it; 0.2 microseconds a move
 * beside the policy's own time (2 to 3 in small clusters), each move being made some 1.2 times.
 */
#ifndef FL_ASK_PROVE_H
#define FL_ASK_PROVE_H

#include "decide/policy.h"

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
	const struct fl_mem *mem; /* of fl_prove; a prover has its own */
	fl_time now;
	uint32_t states; /* look at no more states than so many */
	size_t bytes;    /* nor keep more than so many bytes; 0: no limit */
	bool no_cycles;  /* whole cycles are no moves */
	/*
	 * Whoever is preempted lets go at once, and the preemptor is served again before anybody
	 * else moves: what is left are loops for which nobody takes what was freed for another.
	 * Whole cycles are no moves.
	 */
	bool prompt;
	/*
	 * Without whole cycles, of workloads of which it makes no difference who is served (policy.h,
	 * `likeness`) only the first by name that waits is; kinds of loops and the bound are the
	 * same.  With this every one is.
	 */
	bool apart;
	/* Called now and then, may be NULL; what it returns other than 0 stops the exploration. */
	int (*progress)(void *user, const struct fl_prove_progress *progress);
	void *user;
};

struct fl_prove_result {
	uint64_t states, tried; /* explored; moves tried from them */
	uint64_t resting;       /* states from which nothing moves */
	bool complete;          /* every state that can be reached was explored */
	enum fl_loop loop;
	/*
	 * With a possible one: there is none with a state on it in which nobody is being evicted.
	 * It goes round only while some eviction or other is under way, and ends when all of them
	 * complete before anything else moves.
	 */
	bool passing;
	bool always;           /* no order at all comes to rest, from the state at hand */
	uint32_t bound;        /* without a loop: evictions at most, on any way */
	uint32_t prefix;       /* with one: moves that lead to the shortest loop */
	uint32_t n;            /* and moves of one round */
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
/*
 * How much later than the one before it each move is made, the first one after @now: a nanosecond,
 * so that who was admitted later is newer.  0 where a time says what may be decided (protections with
 * a duration, back-offs, usage that decays): time stands still there.
 */
fl_time fl_prove_tick(const struct fl_model *m, fl_time now);

/* --- in parts: many inputs one after the other, and to stop and go on --- */

/* What was explored.  fl_prove is a new one, a run, and free. */
struct fl_prover;

int fl_prover_new(const struct fl_mem *mem, struct fl_prover **ret, fairlead_error *err);
struct fl_prover *fl_prover_free(struct fl_prover *x); /* NULL is fine; returns NULL */
/* All of it is forgotten and the memory kept: the next run begins anew, of any policy and model. */
void fl_prover_reset(struct fl_prover *x);
/*
 * As fl_prove, and what was explored before counts: with a larger limit it goes on where it
 * stopped.  The policy, its state, the model, `now` and what counts as a move are then those of before.
 * *ret's moves are freed with fl_prove_done and the prover's `mem`.
 */
int fl_prover_run(struct fl_prover *x, const struct fl_policy_ops *ops, struct fl_policy *p,
		  const struct fl_model *m, const struct fl_prove_options *options,
		  struct fl_prove_result *ret, fairlead_error *err);
/*
 * What was explored, as tables of an image, beside what else the caller has in it.  The policy
 * and the model, as they were given to the run, tell fl_prover_load whose it is.
 */
int fl_prover_save(const struct fl_prover *x, const struct fl_policy_ops *ops,
		   const struct fl_policy *p, const struct fl_model *m, struct fl_image_writer *w,
		   fairlead_error *err);
/* FAIRLEAD_EINPUT: damaged, or it was explored from another state or model, or with other moves. */
int fl_prover_load(const struct fl_mem *mem, const struct fl_policy_ops *ops,
		   const struct fl_policy *p, const struct fl_model *m,
		   const struct fl_prove_options *options, struct fl_image *image,
		   struct fl_prover **ret, fairlead_error *err);

#endif
