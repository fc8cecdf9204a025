/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore - one configuration, from the state in which nobody holds anything
 *
 * Everything that may be held is reached from there, in every order of admissions.  A configuration
 * that is `full` is explored from where the scheduler's first cycles lead instead: they are as many
 * as admit somebody.
 */
#ifndef FL_TESTS_PROVE_EXPLORE_H
#define FL_TESTS_PROVE_EXPLORE_H

#include "ask/prove/prove.h"
#include "config.h"

/* Which rules took somebody's quota on the round; bits. */
enum {
	RULE_WITHIN = 1,     /* the queue's own order */
	RULE_S1 = 2,         /* within nominal quota */
	RULE_S2A = 4,        /* LessThanOrEqualToFinalShare */
	RULE_S2B = 8,        /* LessThanInitialShare */
	RULE_BORROWING = 16, /* reclaimed while borrowing (without fair sharing) */
	RULE_SETS = 32,
};
enum { RULES = 5 };
extern const char *const rule_names[RULES];

struct outcome {
	bool complete, always, passing;
	enum fl_loop loop;
	uint32_t round, prefix, bound;
	uint64_t states, moves;
	unsigned rules;
	bool scheduler; /* its own order goes round, from the state in which nobody holds anything */
	bool strict;    /* and so where queues are StrictFIFO; known of loops only */
};

struct explorer;
/* @states: look at no more in one configuration.  @prompt: nobody takes what was freed for another. */
struct explorer *explorer_new(uint32_t states, bool prompt);
void explorer_run(struct explorer *e, const struct config *c, struct outcome *ret);
/* The same of a model and policy at hand; says nothing of the scheduler. */
void explorer_run_policy(struct explorer *e, const struct fl_model *m, struct fl_policy *p,
			 fl_time now, struct outcome *ret);
struct explorer *explorer_free(struct explorer *e);

#endif
