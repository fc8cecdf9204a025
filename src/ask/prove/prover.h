/* SPDX-License-Identifier: Apache-2.0 */
/* prover - the prover, for the files it is made of */
#ifndef FL_ASK_PROVE_PROVER_H
#define FL_ASK_PROVE_PROVER_H

#include "ask/prove/loop.h"
#include "base/sort.h"

/* A state on the way to the one the policy is in. */
struct fl_prove_step {
	uint32_t state;
	fl_mark mark; /* from before the move that led there */
	fl_time then; /* when it was made */
};

struct fl_prover {
	struct fl_states states;
	struct fl_loop_room room;
	bool no_cycles, prompt, apart, lifts; /* of the runs so far */
	fl_time now;
	uint64_t tried; /* moves */
	bool timed;     /* as of the result */

	/* of the running call */
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	bool elastic; /* one that holds something may ask for more (entitle) */
	struct fl_prove_clock clock;
	bool noting; /* moves are noted as they are made */
	struct fl_move *noted;
	uint32_t n_noted, cap_noted;
	struct fl_prove_step *way; /* [0] is the present state */
	uint32_t n_way, cap_way;
	uint32_t *who, *scratch; /* workloads that take part, by name; room to sort, and for ways */
	uint32_t n_who, cap_who, cap_scratch;
	uint32_t *like; /* place in `who` of the one before it that is like it; FL_NONE */
	struct fl_sort_row *rows, *row_scratch;
	uint32_t cap_like, cap_rows, cap_row_scratch;
	uint64_t told; /* what `tried` was when progress was told */
};

#endif
