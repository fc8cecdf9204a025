/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lockstep - one model, two policies: one looks at everything in each step, one at what changed
 *
 * Whatever is done is done to both.  After it both must be the same: every workload's state,
 * reason and placement, shares, books, wake, digest; and of a step all that it decides.  Only of
 * who waits the second need not speak, nor again of who waits for those who go already.
 *
 * What is done is drawn from a few bytes each, so that a run is a list of such draws, which can
 * be cut down to those that matter.
 */
#ifndef FL_TESTS_PROP_LOCKSTEP_H
#define FL_TESTS_PROP_LOCKSTEP_H

#include "decide/policy.h"
#include "fuzz/choices.h"

enum { FULL, PART, BOTH };
enum { LOCKSTEP_DRAW = 16, LOCKSTEP_DEPTH = 4, LOCKSTEP_JOBS = 64, LOCKSTEP_TOLD = 8 };

/* Bytes that choose one operation; all zero is one, too. */
struct draw {
	uint8_t bytes[LOCKSTEP_DRAW];
};

struct lockstep_counts {
	unsigned long events, refused, steps, tries, marks;
	unsigned long admitted, reserved, evicted, waiting; /* rows of the full steps */
	unsigned long left_out;                             /* so many of them the others had not */
};

/* By workload, hashes of what the full steps said of it last, in a ring. */
struct lockstep_told {
	uint64_t of[LOCKSTEP_JOBS][LOCKSTEP_TOLD];
	uint8_t next[LOCKSTEP_JOBS];
};

struct lockstep {
	const struct fl_policy_ops *ops[BOTH];
	const struct fl_model *m;
	struct fl_policy *p[BOTH];
	bool aloud; /* says the rows of full steps on stderr */
	bool apart; /* the second is inside something else: neither books nor digests are compared */
	bool repeats; /* the first one's steps are repeated until they admit nobody */
	bool others;  /* another scheduler decides, too: FL_EV_HOLDS and FL_EV_GOES */
	fl_time now;
	struct lockstep_told *told;                   /* NULL: what is left out is taken on trust */
	struct lockstep_told told_at[LOCKSTEP_DEPTH]; /* at each mark */
	fl_mark marks[LOCKSTEP_DEPTH][BOTH];
	uint32_t depth;
	struct lockstep_counts counts;
	uint64_t decided;     /* a hash of all that the full steps decided, in their order */
	char done[160];       /* the last operation, in words */
	char difference[800]; /* the first; empty: none */
};

/*
 * A policy of each model, which are of the same objects, or one and the same, and must outlive
 * them.  Where the second has many heads a cycle and the first has not, the first makes as many
 * steps, and both look at everything.
 */
void lockstep_open(struct lockstep *l, const struct fl_policy_ops *const ops[BOTH],
		   const struct fl_model *const m[BOTH], const struct fl_policy_options *options);
void lockstep_close(struct lockstep *l);

/* One operation, and all comparisons after it: false when the two differ, see `difference`. */
bool lockstep_do(struct lockstep *l, const struct draw *draw);

/* lockstep_compare.c: false, and the difference in words, when there is one. */
bool lockstep_same_step(struct lockstep *l, const struct fl_decisions d[BOTH]);
bool lockstep_same_try(struct lockstep *l, const struct fl_decisions d[BOTH]);
bool lockstep_same_state(struct lockstep *l);
void lockstep_say_rows(const struct lockstep *l, const struct fl_decisions *d);
__attribute__((format(printf, 2, 3))) bool lockstep_differ(struct lockstep *l, const char *format,
							   ...);

#endif
