/* SPDX-License-Identifier: Apache-2.0 */
/*
 * difference - two outcomes side by side
 *
 * The two may be of one model or of two: objects are paired by kind and name.
 * Equal outcomes have no difference, whatever the order of their inputs.
 *
 * Memory: the caller's arena.
 */
#ifndef FL_ASK_COMMON_DIFFERENCE_H
#define FL_ASK_COMMON_DIFFERENCE_H

#include "ask/common/outcome.h"

enum {
	FL_DIFF_ADDED = 1,      /* stands in the second only */
	FL_DIFF_REMOVED = 2,    /* stands in the first only */
	FL_DIFF_ADMITTED = 4,   /* holds quota, and did not */
	FL_DIFF_RELEASED = 8,   /* held quota, and does not */
	FL_DIFF_MOVED = 16,     /* holds other quota: another queue, flavor, count or amount */
	FL_DIFF_PREEMPTED = 32, /* is preempted on the way, and was not */
	FL_DIFF_SPARED = 64,    /* was preempted on the way, and is not */
	FL_DIFF_WAITS = 128,  /* waits, for another reason or where it did neither wait nor hold */
	FL_DIFF_LEFT = 256,   /* waited, and does neither wait nor hold */
	FL_DIFF_SHARE = 512,  /* of a node: its (fair) share, or whether it takes part */
	FL_DIFF_CELLS = 1024, /* of a node: quota, limits, weights or usage */
};

struct fl_pair { /* ids; FL_NONE on one side at most */
	uint32_t before, after;
	unsigned what; /* FL_DIFF_... */
};

struct fl_difference {
	const struct fl_outcome *before, *after;
	struct fl_pair *workloads, *nodes; /* all of them, by name */
	uint32_t n_workloads, n_nodes;
	bool any;
};

/* Two outcomes of one policy. FAIRLEAD_ENOMEM. */
int fl_difference(const struct fl_outcome *before, const struct fl_outcome *after,
		  struct fl_arena *arena, struct fl_difference *ret, fairlead_error *err);

#endif
