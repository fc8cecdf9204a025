/* SPDX-License-Identifier: Apache-2.0 */
/* entitle_rows - standings for tests of rules, a listener, and numbers at random */
#ifndef FL_TESTS_UNIT_DECIDE_ENTITLE_ROWS_H
#define FL_TESTS_UNIT_DECIDE_ENTITLE_ROWS_H

#include "decide/entitle/rules/witness.h"
#include "decide/entitle/standing.h"
#include "lib/unit.h"

/* clang-format off */
#define ALL(x) { { (x), (x), (x) } }
#define GPU(x) { { 0, 0, (x) } }
#define OF(cpu, memory, gpu) { { (cpu), (memory), (gpu) } }
/* clang-format on */
#define NODE(i) ((struct fl_node){ (i) })

/* What is not bounded but in GPUs: deserves @deserved, and its share is @fair. */
static inline struct fl_standing gpu_queue(uint32_t parent, double deserved, double fair,
					   double allocated)
{
	return (struct fl_standing){
		.parent = { parent },
		.priority = 100,
		.deserved = OF(-1, -1, deserved),
		.limit = ALL(-1),
		.fair_share = GPU(fair),
		.allocated = GPU(allocated),
		.preempt_min_run = FL_TIME_NONE,
		.reclaim_min_run = FL_TIME_NONE,
	};
}

/* Depths; parents come first. */
static inline void set_depths(struct fl_standing *queues, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = queues[i].parent.v;

		queues[i].depth = parent == FL_NONE ? 0 : queues[parent].depth + 1;
	}
}

struct heard {
	uint32_t n, n_refusals;
	struct fl_evidence last;
	uint32_t of_check[FL_CHECKS];
};

static inline void hear(void *user, const struct fl_evidence *row)
{
	struct heard *h = user;

	h->n++;
	h->n_refusals += !row->holds;
	h->last = *row;
	h->of_check[row->check]++;
}

static const struct fl_resource test_axis[FL_BUNDLE] = { { 10 }, { 11 }, { 12 } };

/* A small number that is the same in every run: 0 .. n - 1. */
static inline uint32_t chance(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

#endif
