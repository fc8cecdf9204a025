/* SPDX-License-Identifier: Apache-2.0 */
/* face - what a proof needs to know of a policy beside decide/policy.h; a table a policy */
#ifndef FL_ASK_PROVE_FACE_H
#define FL_ASK_PROVE_FACE_H

#include "ask/prove/remedy.h"

/*
 * A setting that could end a loop.  @lay changes it in @m, a copy whose rows are shared: rows that
 * change are new ones in @arena.  0; 1 when it is so already, or means nothing here; FAIRLEAD_ENOMEM.
 */
struct fl_prove_remedy {
	enum fl_remedy_kind kind;
	int (*lay)(struct fl_model *m, struct fl_arena *arena, fairlead_error *err);
};

struct fl_prove_face {
	/* The longest that anything of @m lasts that depends on time, from @now on; 0: nothing does. */
	fl_time (*longest)(const struct fl_model *m, fl_time now);
	fl_time tick; /* between two moves: 1 where the order of times counts, 0 where none does */
	bool elastic; /* a workload that holds something may ask for more */
	/* What decides by how much was used, so that an exploration is no proof; NONE. */
	enum fl_doubt (*doubt)(const struct fl_model *m);
	const struct fl_prove_remedy *remedies; /* in the order of kinds */
	uint32_t n_remedies;
	/* Where `settles` says so: that there is no loop, and why; NULL without `settles`. */
	const char *theorem[2];
};

const struct fl_prove_face *fl_prove_face_of(const struct fl_policy_ops *ops);

/* The later one of two times, or the longer one of two spans. */
static inline fl_time fl_prove_later(fl_time a, fl_time b) { return a > b ? a : b; }

#endif
