/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divide - KAI's division: the fair share of every queue of a tree
 *
 * Queues at the top divide the total, children what their parent was given, each resource
 * separately: first what is deserved, then the rest in rounds by priority and weight, then what
 * rounding left over.  README.md has the rules one by one, and the proofs.
 *
 * Guarantee: the answer depends only on the numbers, the parents and the ranks, not on the order
 * of the input: every sum is taken in the order (priority down, rank up).  Without usage, and with
 * k = 0, it is the plain division bit for bit.  No NaN: numbers are finite and so are their sums;
 * weights, requests, usage, totals and k are at least 0; what is deserved and limits are at least
 * 0 or FL_UNBOUNDED.
 *
 * By default it does all that KAI does, including what may surprise: siblings together may have
 * more than their parent (what is deserved is never cut), what rounding left may go to a queue
 * that did not ask for it, and where history has reduced all portions to 0, capacity is not
 * divided.  With FL_DIVIDE_BOUNDED none of this happens: siblings together have exactly the
 * smaller of what their parent has and what they can use, up to rounding, and no queue has more
 * than it can use.
 *
 * With FL_DIVIDE_FREE_WITHIN usage up to the part of its weight costs a queue nothing, and less
 * usage gains it nothing: only what is above counts.
 *
 * Cost: new O(n log n), a division O(n * rounds) and no allocation.  Another round follows only
 * when a queue got all that it wanted and left something of its part; content queues take no part
 * in it.  In practice there are few rounds; README.md has the bound and the worst case.
 */
#ifndef FL_DECIDE_SHARE_DIVIDE_H
#define FL_DECIDE_SHARE_DIVIDE_H

#include "base/bundle.h"
#include "base/ids.h"
#include "base/mem.h"

/* One per queue.  The parents form trees: no loops. */
struct fl_divide_queue {
	uint32_t parent; /* index; FL_NONE at the top */
	uint32_t rank;   /* rank among all by (creation time, name): unique, the last tie-break */
	int32_t priority;
	struct fl_bundle deserved, limit, weight;
};

enum { FL_DIVIDE_BOUNDED = 1, FL_DIVIDE_FREE_WITHIN = 2 };

/* Siblings are grouped and sorted once; any number of divisions can follow. */
struct fl_divider;

int fl_divider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		   struct fl_divider **ret, fairlead_error *err) FL_MUST_CHECK;
struct fl_divider *fl_divider_free(struct fl_divider *d); /* accepts NULL, returns NULL */

/*
 * Sets priority, deserved, limit and weight of @queue to those of @row; its parent and rank must
 * be unchanged.  Cannot fail; O(siblings) when the priority changes.
 */
void fl_divider_set(struct fl_divider *d, uint32_t queue, const struct fl_divide_queue *row);

/*
 * Adds to every queue's @amounts those of all queues below it: requests of leaves become requests
 * of all.
 */
void fl_divide_roll_up(const struct fl_divider *d, struct fl_bundle *amounts);

/* What a division tells a sink, in the order in which it happens. */
enum fl_divide_phase {
	FL_DIVIDE_DESERVED,   /* what is deserved; once per group of siblings and resource */
	FL_DIVIDE_SHORT,      /* bounded: a round by what is deserved, if that is too much */
	FL_DIVIDE_ROUND,      /* a round of a class by weight */
	FL_DIVIDE_REMAINDERS, /* what rounding left to a class, in whole units */
};

enum fl_divide_stop {
	FL_DIVIDE_GOES_ON,    /* another round of the class follows */
	FL_DIVIDE_ALL_GIVEN,  /* nothing is left */
	FL_DIVIDE_CONTENT,    /* no queue of the class that has weight wants more */
	FL_DIVIDE_PENALISED,  /* usage has reduced every portion to 0 */
	FL_DIVIDE_ONLY_PARTS, /* all parts were used up: less than units are left */
};

struct fl_divide_part {
	uint32_t queue;
	double want;    /* before the step: what it may still get */
	double weight;  /* of a round */
	double portion; /* p, of a round */
	double part;    /* f, of a round: its part of the amount, not cut to units */
	double given;
	double remainder; /* recorded for it after the round; 0: none */
};

struct fl_divide_step {
	uint32_t parent; /* parent of the group; FL_NONE at the top */
	int resource;
	enum fl_divide_phase phase;
	enum fl_divide_stop stop;
	int32_t priority;         /* priority of the class; 0 with FL_DIVIDE_DESERVED */
	uint32_t round;           /* number within the class, from 1 */
	bool by_weight;           /* of a round: weights alone decide, without history */
	double amount, left;      /* before and after the step */
	double weights, portions; /* W and P of a round: sums of weights and portions */
	const struct fl_divide_part *parts;
	uint32_t n_parts;
};

struct fl_divide_listener {
	void (*step)(void *user, const struct fl_divide_step *step);
	void *user;
};

/*
 * Divides @total.  @request, @usage (normalised; NULL: none) and @fair_share have one row per
 * queue, with requests rolled up.  @sink may be NULL.
 */
void fl_divide(struct fl_divider *d, const struct fl_bundle *total, double k,
	       const struct fl_bundle *request, const struct fl_bundle *usage, unsigned flags,
	       const struct fl_divide_listener *sink, struct fl_bundle *fair_share);

#endif
