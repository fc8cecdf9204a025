/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim - shifts shares of siblings so that a job fits that is larger than its queue's share
 *
 * Used by turns (turns.h) and budgets (budget.h).  A claim is a leaf with an amount: of the job
 * that it would start next, on top of what it holds, or of what it runs and keeps.  Serving the
 * claim raises the fair share of the leaf until the amount is within it, and lowers those of its
 * siblings by as much; what siblings do not lend, the parent collects from its own siblings in the
 * same way, and so on up.  After that the ordinary rules apply to the shifted shares: a queue that
 * now holds more than its share can be reclaimed from, and so on.
 *
 * Guarantee: a claim is served whole, or no share changes.  After each claim the sum of siblings'
 * shares is what it was, plus what was left of their parent's share, plus what the parent collects
 * from its own siblings; at the top it is at most the cluster, or what the division gave.  No
 * share falls below what its queue deserves, as far as the queue asks for that much, nor below
 * what earlier claims have kept of it, unless the mode says so.  The order of lending does not
 * depend on the order of the input.  Shares below a queue that lends are NOT lowered: they can be
 * used as far as that queue's share allows.
 *
 * When it is off, nothing here is allocated or called.  Memory lives as long as the policy; a
 * claim allocates nothing.  Cost of a claim: O(siblings) for each level and each resource that is
 * short, so a cycle in which many claims fail is quadratic in the number of leaves; O(n log n)
 * before the first.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_CLAIM_H
#define FL_DECIDE_ENTITLE_RULES_CLAIM_H

#include "decide/entitle/state/state.h"

struct fl_claim {
	struct fl_node leaf;
	bool keeps;              /* for a job that runs already */
	struct fl_bundle amount; /* keeps: how much of shares is kept; else of the next job */
};

/* To what a sibling's share may be lowered at most. */
enum fl_reach {
	FL_REACH_NOTHING,
	FL_REACH_UNHELD, /* what it holds */
	FL_REACH_UNKEPT, /* what earlier claims kept */
	FL_REACH_ALL,    /* what it deserves */
};

/* How far @mine, on a claim's path, may lower the share of its sibling @other. */
typedef enum fl_reach fl_claim_reach(const struct fl_policy *p, const struct fl_claim *claim,
				     struct fl_node mine, struct fl_node other, int r);

struct fl_claims {
	struct fl_span *children; /* by node, a span of `child`; [n_nodes]: queues at the top */
	uint32_t *child;
	double *had;            /* by node: usage so far (turns.h); the largest lends first */
	double *margin;         /* by node: turns.c */
	bool *ready;            /* by node: turns.c */
	struct fl_bundle *kept; /* by node: how much of its share is kept for running jobs */
	struct fl_bundle *runs; /* by leaf: what a claim for its running job would keep */
	uint32_t *next;         /* by leaf: the workload that starts next; FL_NONE */
	uint32_t *leaves;       /* leaves with a claim */
	uint32_t n_leaves;
	uint32_t *lenders;          /* the same as `child`, in the order of lending */
	uint32_t *siblings, *spare; /* working memory for sorting */
};

int fl_claims_new(struct fl_policy *p, struct fl_claims **ret, fairlead_error *err);

/* Begins a cycle's claims: nothing is kept yet, and no queue comes before its turn. */
void fl_claims_begin(struct fl_policy *p);
/*
 * Sorts siblings by `had`, which must be known: the order of lending.  To be called before a claim
 * is served.
 */
void fl_claims_rank(struct fl_policy *p);

static inline struct fl_span fl_claim_siblings(const struct fl_policy *p, struct fl_node n)
{
	return p->claims->children[fl_state_above(p, n.v)];
}

/* How much more than its fair share of resource @r the leaf needs; 0: it needs no more. */
double fl_claim_short(const struct fl_policy *p, const struct fl_claim *claim, int r);
/* Is it short of any resource? */
bool fl_claim_is_short(const struct fl_policy *p, const struct fl_claim *claim);

/*
 * Serves a claim.  True: shares are raised, and kept against later claims; false: no share
 * changed.
 */
bool fl_claim_serve(struct fl_policy *p, const struct fl_claim *claim, fl_claim_reach *reach);

/*
 * Finds `next` of every leaf: the first workload in the order of jobs that is within all limits
 * and could run if the machines were empty; all of it if the workload may be looked at in this
 * cycle.
 */
void fl_claims_find_next(struct fl_policy *p);

#endif
