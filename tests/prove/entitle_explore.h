/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_explore - one configuration of KAI's queues, from the state in which nobody holds anything
 *
 * What is asked: can it go round in some order of moves (ask/prove/prove.h), must it; can it if nobody
 * takes what was freed for another; and does it in the scheduler's own order, where everybody who
 * has to go is gone by the next cycle?
 */
#ifndef FL_TESTS_PROVE_ENTITLE_EXPLORE_H
#define FL_TESTS_PROVE_ENTITLE_EXPLORE_H

#include "ask/prove/prove.h"
#include "prove/entitle_config.h"

struct entitle_outcome {
	bool complete; /* else too many states: nothing else counts */
	enum fl_loop loop;
	bool always;
	uint32_t round, prefix, bound;
	uint64_t states;
	unsigned actions; /* that evict on the shortest round: 1 << enum fl_action */

	enum fl_loop held; /* nobody takes what was freed for another (`prompt`) */
	unsigned held_actions;

	bool scheduler;  /* its own order goes round */
	uint32_t period; /* so many cycles */
	unsigned its_actions;
};

struct entitle_explorer;
/* @states: look at no more in one configuration. */
struct entitle_explorer *entitle_explorer_new(uint32_t states);
struct entitle_explorer *entitle_explorer_free(struct entitle_explorer *x);
void entitle_explore(struct entitle_explorer *x, const struct entitle_config *c,
		     struct entitle_outcome *ret);
/* The same of a sealed model. */
void entitle_explore_model(struct entitle_explorer *x, const struct fl_model *m,
			   struct entitle_outcome *ret);
/* Only whether the scheduler's own order goes round: much faster. */
void entitle_explore_scheduler(const struct entitle_config *c, struct entitle_outcome *ret);

/* "reclaim+preempt", or "-". */
const char *entitle_actions_text(unsigned actions, char *buffer, size_t size);

#endif
