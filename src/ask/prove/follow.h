/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow - moves in a given order, each as a cycle of its own (settle.h for all else)
 *
 * The moves at the end that repeat are made again until a state is there again that was there
 * when they began before, or the asked number of cycles is done.
 *
 * Memory: one digest a round, freed on return.
 */
#ifndef FL_ASK_PROVE_FOLLOW_H
#define FL_ASK_PROVE_FOLLOW_H

#include "ask/common/settle.h"
#include "ask/prove/prove.h"

struct fl_follow_options {
	const struct fl_mem *mem;
	const struct fl_sink *sink; /* as in fl_settle_options */
	fl_time now;
	uint32_t cycles; /* at most so many */
	const struct fl_move *moves;
	uint32_t n, repeat; /* so many at the end repeat; 0: none */
};

/*
 * @each as in fl_settle; ret->settled is never true.  FAIRLEAD_ESTATE: a move cannot be made;
 * *ret_failed is its index then.  Else 0, an error of the policy, of @each, or FAIRLEAD_ENOMEM.
 */
int fl_follow(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	      const struct fl_follow_options *options, fl_settle_each *each, void *user,
	      struct fl_settle_result *ret, uint32_t *ret_failed, fairlead_error *err);

#endif
