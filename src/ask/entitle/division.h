/* SPDX-License-Identifier: Apache-2.0 */
/*
 * division - the fair shares of all queues once more, and how each came to be
 *
 * The plain division of decide/share/divide.h from where queues stand: without what turns and
 * budgets (doc/guide/policy.md) move between siblings after that.
 *
 * Memory: the caller's arena; with steps, that of each round of each group.
 */
#ifndef FL_ASK_ENTITLE_DIVISION_H
#define FL_ASK_ENTITLE_DIVISION_H

#include "ask/entitle/standings.h"
#include "decide/share/divide.h"

struct fl_division_step {
	const struct fl_division_step *next; /* of the same group of siblings */
	struct fl_divide_step step;          /* queues are node ids */
};

struct fl_division {
	const struct fl_standings *standings;
	double k;
	bool bounded, free_within;    /* of the Policy */
	struct fl_bundle *fair_share; /* by node */
	/* By parent, [n_nodes] of those at the top: in the order in which it happened. */
	const struct fl_division_step **steps; /* NULL: not wanted */
};

int fl_division_init(struct fl_division *d, const struct fl_standings *s, bool with_steps,
		     struct fl_arena *arena, fairlead_error *err);

#endif
