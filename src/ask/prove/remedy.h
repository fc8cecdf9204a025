/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remedy - which settings would end a loop, each of them tried
 *
 * Each candidate is laid over a copy of the model, and a policy of its own is made of that: how
 * does it settle, in the scheduler's own order (settle.h), and is there an order in which
 * it loops (prove.h)?  Nothing is said that was not found so.  The present policy is not
 * needed and not touched: a trial begins where the input does.
 *
 * Memory: the caller's arena for what is kept, its mem while a trial runs.
 */
#ifndef FL_ASK_PROVE_REMEDY_H
#define FL_ASK_PROVE_REMEDY_H

#include "ask/common/settle.h"
#include "ask/prove/whole.h"

enum fl_remedy_kind {
	FL_REMEDY_SETTLES,       /* borrow, Policy: preemptionGuarantee: settles */
	FL_REMEDY_FINAL_SHARE,   /* preemptionStrategies: [LessThanOrEqualToFinalShare] */
	FL_REMEDY_INITIAL_SHARE, /* preemptionStrategies: [LessThanInitialShare] */
	FL_REMEDY_HOLD,          /* Policy: holdFreedQuota: true, for all queues */
	FL_REMEDY_BEST_EFFORT,   /* queueingStrategy: BestEffortFIFO, of all queues */
	FL_REMEDY_PROTECT_QUOTA, /* entitle, Policy: protectQuota */
	FL_REMEDY_KEEP_BELOW,    /* Policy: keepBelowQuota */
	FL_REMEDY_MULTIPLIER,    /* SchedulingShard: that multiplier of saturation */
	FL_REMEDIES
};

#define FL_REMEDY_MULTIPLIER_TRIED 1.5

/* What became of one. */
struct fl_remedy {
	enum fl_remedy_kind kind;
	struct fl_settle_result own;  /* in the scheduler's order */
	uint32_t evictions;           /* on that way; of a loop up to when it was seen */
	struct fl_span waiting;       /* pending then, by name; of a run that settled */
	bool race;                    /* a loop is left, but only by a race (whole.h) */
	struct fl_prove_result proof; /* in any order, up to the limits; without moves */
};

struct fl_remedies {
	struct fl_remedy rows[FL_REMEDIES]; /* those that are another setting here */
	uint32_t n;
	struct fl_workload *waiting;
	uint32_t n_waiting;
};

struct fl_remedy_options {
	const struct fl_mem *mem;
	struct fl_arena *arena;
	fl_time now, interval;
	uint32_t cycles; /* of the scheduler's own order, at most */
	uint32_t states; /* of all orders, at most */
	size_t bytes;
	int (*progress)(void *user, const struct fl_prove_progress *progress); /* as of fl_prove */
	void *user;
};

/*
 * How many states of @m can be looked at in a tenth of a second: all of a small one, none of a
 * cluster of thousands.
 */
uint32_t fl_remedy_states(const struct fl_model *m);

/* What any order does with the settings as they are; without moves. */
int fl_remedy_none(const struct fl_policy_ops *ops, const struct fl_model *m,
		   const struct fl_remedy_options *options, struct fl_prove_result *ret,
		   enum fl_whole *ret_whole, fairlead_error *err);

/* FAIRLEAD_ENOMEM, or an error of the policy. */
int fl_remedies_try(const struct fl_policy_ops *ops, const struct fl_model *m,
		    const struct fl_remedy_options *options, struct fl_remedies *ret,
		    fairlead_error *err);

/* Does it end the loop, as far as was looked?  fl_proof_is_one says whether all was. */
static inline bool fl_remedy_helps(const struct fl_remedy *r)
{
	return r->own.settled && r->proof.loop == FL_LOOP_NONE;
}

#endif
