/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_count - in how many of some configurations can it go round, and what would end that
 *
 * A kind of loop is how it comes about (in some order of moves, in every one, even though nobody
 * takes what was freed for another, in the scheduler's own) and which actions evict on it; of each
 * the smallest is kept.
 */
#ifndef FL_TESTS_PROVE_ENTITLE_COUNT_H
#define FL_TESTS_PROVE_ENTITLE_COUNT_H

#include "prove/entitle_explore.h"

enum entitle_way {
	ENTITLE_POSSIBLE,
	ENTITLE_FORCED,
	ENTITLE_HELD,
	ENTITLE_SCHEDULER,
	ENTITLE_WAYS
};
extern const char *const entitle_way_names[ENTITLE_WAYS];

enum { ENTITLE_KINDS = 1 << FL_ACTIONS, ENTITLE_REMEDIES = ENTITLE_SETTINGS + 1 };

struct entitle_kind {
	uint64_t n;
	struct entitle_config smallest;
};

struct entitle_counts {
	uint64_t n, unfinished, states;
	uint64_t evicts; /* somebody may be evicted at all */
	uint64_t ways[ENTITLE_WAYS];
	uint32_t bound; /* the largest of those without a loop */
	struct entitle_kind kinds[ENTITLE_WAYS][ENTITLE_KINDS];
	/* So many go round no more with this setting, or, the last, with all modes. */
	uint64_t ended[ENTITLE_WAYS][ENTITLE_REMEDIES];
};

void entitle_count(struct entitle_counts *counts, struct entitle_explorer *x,
		   const struct entitle_config *c);
/* Make the smallest of each kind smaller, one thing after the other, as long as it is of its kind. */
void entitle_shrink(struct entitle_counts *counts, struct entitle_explorer *x);
/* One line. */
void entitle_counts_print(const struct entitle_counts *counts, FILE *to);
/* A line for each kind, and for what ends them. */
void entitle_kinds_print(const struct entitle_counts *counts, FILE *to);

#endif
