/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls - one call, made again and again with the n-th allocation failing, for every n
 *
 * A failure is FAIRLEAD_ENOMEM with its text.  A policy is then as it was; what was being
 * built is given back as a whole.  The call that succeeds in the end comes to what it comes
 * to where nothing failed.
 */
#ifndef FL_TESTS_FAULT_CALLS_H
#define FL_TESTS_FAULT_CALLS_H

#include "ask/common/outcome.h"
#include "decide/policy.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

enum { NOW = 1000 }; /* seconds */

/* What must be the same after a failure. */
struct image {
	uint64_t digest[2];
	unsigned char bytes[1 << 13];
	size_t n;
};

struct run;
typedef int call_fn(struct run *r, fairlead_error *err);

struct run {
	struct fail_mem f;
	const struct fl_policy_ops *ops;
	void (*look)(const struct run *r, struct image *i); /* all but the digest */
	const char *text;                                   /* what a reading call reads */
	size_t len;
	bool moving_usage;
	call_fn *unmarked;  /* the one call before which no mark is opened */
	struct fl_model *m; /* of f where it is what is being built; else from the heap */
	struct fl_policy *p;
	uint64_t result; /* of the call that succeeded */
};

struct row {
	const char *name;
	call_fn *before, *call;
	bool allocates; /* false: what an earlier mark reserved is enough, or it is refused */
};

/* To the result. */
void add(struct run *r, uint64_t value);
void add_model(struct run *r, const struct fl_model *m);
void add_decisions(struct run *r, const struct fl_decisions *d);

/* Operations that are the same for every policy. */
int call_step(struct run *r, fairlead_error *err);
int call_forget(struct run *r, fairlead_error *err);
int call_mark(struct run *r, fairlead_error *err);
/* A run to its end, inside a mark, compared with itself. */
int outcome_of(struct run *r, const struct fl_ask_face *face, fairlead_error *err);

/* @call builds something from nothing and, whatever happens, gives all of it back. */
void each_of_building(const char *name, struct run *r, call_fn *call);
/* Of a policy of r->m from r->f, with a mark open, so that what is done must be noted. */
void each_of_operations(const struct row *row, struct run *r);

#endif
