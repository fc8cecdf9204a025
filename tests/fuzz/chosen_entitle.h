/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen_entitle - a small world of queues, machines and gangs that an input's bytes choose
 *
 * Queues q0.. (the first ones at the top, the last ones leaves), machines m0.., pod groups
 * w0.. with their pods in namespace ns, one pod of somebody else; a shard, and sometimes a
 * Policy with budgets and a history of usage.
 */
#ifndef FL_TESTS_FUZZ_CHOSEN_ENTITLE_H
#define FL_TESTS_FUZZ_CHOSEN_ENTITLE_H

#include "fuzz/choices.h"

struct chosen_entitle {
	unsigned tops, middles, leaves, machines;
	unsigned jobs, pods; /* at most so many pods a job */
};

/* The same bytes choose the same world of one size. */
void chosen_entitle(struct text *t, struct choices *c, const struct chosen_entitle *size);

#endif
