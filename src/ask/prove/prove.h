/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove - can preemption loop for ever?
 *
 * Explores every state that can be reached from the present one while no workload arrives or
 * finishes; the policy itself says what follows.  A state is which workloads hold what, in the order
 * of their admission, which are being evicted, and which are pending.  A move is
 *
 *   serve w     a cycle of its own for a workload that waits, whatever else waits
 *   let go v    an eviction completes
 *   cycle       a whole cycle, as the scheduler would have it: each queue's first is its head
 *   wait        time passes, until all is over that a rule of the input makes depend on time
 *
 * in any order.  Pending workloads are looked at anew after each move (policy.h, `forget`), as if
 * an unrelated event woke all: so what holds here holds for every order in which workloads
 * are looked at one by one, with such cycles between.  Cycles of several heads that are not
 * their queues' first are no moves, and no scan of flavors continues where the last one ended.
 *
 * Time: each move is a nanosecond after the one before it, so that each admission is later than those
 * before it (the order of victims depends on that), and of what depends on time a state has
 * what policy.h, `gist`, says.  Time does not have to lift all at once: proof.h.
 *
 * Promises: two states count as one only if they are equal word by word, never by their digests
 * alone; the answer does not depend on the order of the input; the policy is left as it was found.
 * "No loop" is a proof for this input and these moves when the exploration is complete, and says
 * how far it came when it is not; where time or usage decides, fl_proof says whether it is one.
 *
 * Cost: a state that was found takes some 90 bytes, and one or two for each workload.  One that is
 * explored has found others that wait for their turn, up to one a move: so a process grew by 0.4 kB
 * for each state explored of 16 workloads, 3 kB of 36, 55 kB of 200, 1.1 MB of 1,000 (breadth first,
 * at the beginning of a large exploration).  0.2 microseconds a move beside the policy's own time (2
 * to 3 in small clusters), each move being made some 1.2 times.
 */
#ifndef FL_ASK_PROVE_PROVE_H
#define FL_ASK_PROVE_PROVE_H

#include "decide/policy.h"

struct fl_move {
	enum fl_move_kind kind;
	/*
	 * FL_NONE of a whole cycle, and of a wait until all that time lifts is lifted; a wait for one
	 * alone is for that `delay` (policy.h).
	 */
	struct fl_workload workload;
};

enum fl_loop {
	FL_LOOP_NONE,
	FL_LOOP_POSSIBLE, /* some order loops for ever; from there another one settles */
	FL_LOOP_FORCED,   /* once there, no order settles */
};

/* Why there is no proof, though all was explored and there is no loop (proof.h). */
enum fl_doubt {
	FL_DOUBT_NONE,
	FL_DOUBT_LIFTED,    /* if time lifted this before that, something would */
	FL_DOUBT_TIME,      /* it lifts one by one, and it was looked at only what follows on all */
	FL_DOUBT_EVICTIONS, /* evictionTimeout may pass for one eviction and not for another */
	FL_DOUBT_LOCAL_USAGE, /* usage that grows and decays orders local queues */
	FL_DOUBT_USAGE,       /* entitle: usage over time, or budgets, say what is fair */
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
	 * Each eviction completes at once, and the preemptor is served again before any other
	 * workload moves: what is left are loops without a race for freed quota.
	 * Whole cycles are no moves.
	 */
	bool prompt;
	/*
	 * Without whole cycles, of workloads of which it makes no difference which is served (policy.h,
	 * `likeness`) only the first by name that waits is; kinds of loops and the bound are the
	 * same.  With this every one is.
	 */
	bool apart;
	/*
	 * What time will lift is lifted one by one, too, in whatever order (policy.h, `lift`, which
	 * the policy must have): more than any clock can do, so a loop found then may not be one in fact,
	 * but where there is none, there can be none.
	 */
	bool lifts;
	/* Called now and then, may be NULL; what it returns other than 0 stops the exploration. */
	int (*progress)(void *user, const struct fl_prove_progress *progress);
	void *user;
};

struct fl_prove_result {
	uint64_t states, tried; /* explored; moves tried from them */
	uint64_t resting;       /* states from which nothing moves */
	bool complete;          /* every state that can be reached was explored */
	/* Somewhere on the way time alone may change what is decided, and in the order it lifts it. */
	bool timed;
	enum fl_doubt doubt; /* fl_proof's */
	/*
	 * fl_proof's: all was explored, and what is not complete is the exploration in which time lifts
	 * one by one, which no prover keeps.
	 */
	bool lifting;
	enum fl_loop loop;
	/*
	 * With a possible one: there is none with a state on it without an eviction under way.
	 * It lasts only while some eviction or other is under way, and ends when all of them
	 * complete before anything else moves.
	 */
	bool passing;
	bool always;           /* no order at all settles, from the present state */
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
 * When moves are made: each a nanosecond after the one before it, so that a workload admitted later
 * is newer (entitle: at the same time); a wait later than all that any rule of the input makes depend
 * on time.
 */
struct fl_prove_clock {
	fl_time now;  /* of the last move */
	fl_time tick; /* between two */
	fl_time span; /* of a wait; 0: nothing depends on time, and there are no waits */
};
struct fl_prove_clock fl_prove_clock(const struct fl_policy_ops *ops, const struct fl_model *m,
				     fl_time now);
/* The next move is of this kind. */
void fl_prove_tick(struct fl_prove_clock *clock, enum fl_move_kind kind);
/* 128 bits of the gist (policy.h) of the present state, as of the move to come. */
void fl_prove_gist(const struct fl_policy_ops *ops, const struct fl_policy *p,
		   const struct fl_prove_clock *clock, uint64_t ret[2]);

/* --- in parts: many inputs one after the other, and to stop and go on --- */

/* What was explored.  fl_prove is a new one, a run, and free. */
struct fl_prover;

int fl_prover_new(const struct fl_mem *mem, struct fl_prover **ret, fairlead_error *err);
struct fl_prover *fl_prover_free(struct fl_prover *x); /* NULL is fine; returns NULL */
/* That it keeps, as `bytes` of the options counts them. */
size_t fl_prover_bytes(const struct fl_prover *x);
/* All of it is forgotten and the memory kept: the next run begins anew, of any policy and model. */
void fl_prover_reset(struct fl_prover *x);
/*
 * As fl_prove, and what was explored before counts: with a larger limit it continues where it
 * stopped.  The policy, its state, the model, `now` and what counts as a move are then those of before.
 * *ret's moves are freed with fl_prove_done and the prover's `mem`.
 */
int fl_prover_run(struct fl_prover *x, const struct fl_policy_ops *ops, struct fl_policy *p,
		  const struct fl_model *m, const struct fl_prove_options *options,
		  struct fl_prove_result *ret, fairlead_error *err);
/*
 * What was explored without `lifts`, as tables of an image, beside what else the caller has in it.
 * The policy and the model, as they were given to the run, identify it to fl_prover_load.
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
