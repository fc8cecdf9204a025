/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divide - KAI's division: what every queue of a tree is fairly entitled to
 *
 * Top queues divide the total, children what their parent was given, each resource for
 * itself: first what is deserved, then the rest in rounds by priority and weight, then
 * what rounding left over.  README.md has the rules one by one, and the proofs.
 *
 * Guarantee: the answer depends on the numbers, the parents and the ranks alone, not on
 * the order of the input: every sum is taken in the order (priority down, rank up).
 * Without usage, and with k = 0, it is the plain division bit for bit.  No NaN: numbers
 * are finite and so are their sums; weights, requests, usage, totals and k are at least
 * 0; what is deserved and limits are at least 0 or FL_UNBOUNDED.
 *
 * By default all that the real program does, surprises too: siblings may have more in
 * sum than their parent (nothing cuts what is deserved), what rounding left may go to
 * somebody who did not ask for it, and where history has taken everybody's portion to
 * nothing, capacity stays undivided.  With FL_DIVIDE_BOUNDED nothing of this happens:
 * siblings have in sum exactly the smaller of what their parent has and what they can
 * use, up to rounding, and nobody more than it can use.
 *
 * Cost: new O(n log n), a division O(n * rounds) and no allocation.  A round is over when
 * nobody got all it wanted with something to spare; each leaves out the content ones.
 * In practice a handful; README.md has the bound and the worst case.
 */
#ifndef FL_DECIDE_SHARE_DIVIDE_H
#define FL_DECIDE_SHARE_DIVIDE_H

#include "base/bundle.h"
#include "base/ids.h"
#include "base/mem.h"

/* One a queue. The parents form trees: no loops. */
struct fl_divide_queue {
	uint32_t parent; /* index; FL_NONE at the top */
	uint32_t rank;   /* place among all by (creation time, name): unique, the last tie-break */
	int32_t priority;
	struct fl_bundle deserved, limit, weight;
};

enum { FL_DIVIDE_BOUNDED = 1 };

/* Siblings grouped and sorted once; any number of divisions after that. */
struct fl_divider;

int fl_divider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		   struct fl_divider **ret, fairlead_error *err) FL_MUST_CHECK;
struct fl_divider *fl_divider_free(struct fl_divider *d); /* accepts NULL, returns NULL */

/*
 * Priority, deserved, limit and weight of @queue are now those of @row; its parent and rank
 * are what they were.  Cannot fail; O(siblings) when the priority changes.
 */
void fl_divider_set(struct fl_divider *d, uint32_t queue, const struct fl_divide_queue *row);

/* Add to every queue's @amounts those of all below it: requests of leaves to requests of all. */
void fl_divide_roll_up(const struct fl_divider *d, struct fl_bundle *amounts);

/* What a division tells a listener, in the order in which it happens. */
enum fl_divide_phase {
	FL_DIVIDE_DESERVED, /* what is deserved; once a group of siblings and resource */
	FL_DIVIDE_SHORT, /* bounded: a round of a class over what is deserved, when it is too much */
	FL_DIVIDE_ROUND,      /* a round of a class by weight */
	FL_DIVIDE_REMAINDERS, /* whole units of what rounding left to a class */
};

enum fl_divide_stop {
	FL_DIVIDE_GOES_ON,    /* another round of the class follows */
	FL_DIVIDE_ALL_GIVEN,  /* nothing is left */
	FL_DIVIDE_CONTENT,    /* nobody in it that has weight wants more */
	FL_DIVIDE_PENALISED,  /* usage has taken every portion to 0 */
	FL_DIVIDE_ONLY_PARTS, /* nobody had a part to spare: what is left are parts of units */
};

struct fl_divide_part {
	uint32_t queue;
	double want;    /* before: what it may still get */
	double weight;  /* of a round */
	double portion; /* p, of a round */
	double part;    /* f, of a round: its part of the amount, before it is cut to whole units */
	double given;
	double remainder; /* recorded for it after that; 0: none */
};

struct fl_divide_step {
	uint32_t parent; /* of the group; FL_NONE at the top */
	int resource;
	enum fl_divide_phase phase;
	enum fl_divide_stop stop;
	int32_t priority;         /* of the class; 0 of FL_DIVIDE_DESERVED */
	uint32_t round;           /* of the class, from 1 */
	bool by_weight;           /* of a round: weights alone decide, not history */
	double amount, left;      /* before and after */
	double weights, portions; /* W and P of a round */
	const struct fl_divide_part *parts;
	uint32_t n_parts;
};

struct fl_divide_sink {
	void (*step)(void *user, const struct fl_divide_step *step);
	void *user;
};

/*
 * Divide @total.  @request, @usage (normalised; NULL: none) and @fair_share have one row a
 * queue, requests rolled up.  @sink may be NULL.
 */
void fl_divide(struct fl_divider *d, const struct fl_bundle *total, double k,
	       const struct fl_bundle *request, const struct fl_bundle *usage, unsigned flags,
	       const struct fl_divide_sink *sink, struct fl_bundle *fair_share);

#endif
