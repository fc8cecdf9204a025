/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen_borrow - a small world of cohorts, queues and workloads that an input's bytes choose
 *
 * Nodes c0.. and q0.., each queue with its local queue lq0.., flavors f0.., workloads w0..
 * in namespace ns; resources a and b.  A rich world has of each kind of setting some:
 * several resource groups, two local queues a queue, stops, selectors, gates, Policies by
 * queue, workloads whose eviction or back-off is under way.
 */
#ifndef FL_TESTS_FUZZ_CHOSEN_BORROW_H
#define FL_TESTS_FUZZ_CHOSEN_BORROW_H

#include "fuzz/choices.h"

struct chosen_borrow {
	unsigned queues, cohorts, flavors, jobs;
	bool rich;
};

/* The same bytes choose the same world of one size. */
void chosen_borrow(struct text *t, struct choices *c, const struct chosen_borrow *size);

#endif
