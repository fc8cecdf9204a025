/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim - shares of siblings are shifted so that a job fits which is larger than its share
 *
 * What turns (turns.h) and budgets (budget.h) have in common.  A claim is a leaf with an amount:
 * of the job that it would start next, on top of what it holds, or of what it runs and keeps.
 * Serving it raises the fair share of the leaf to where the amount is within it, and lowers
 * those of its siblings by as much; what they do not lend its parent gets from its own
 * siblings in the same way, and so on up.  All that comes after is the ordinary rules on the
 * shifted shares: whoever now holds more than its share can be reclaimed from, and so on.
 *
 * Guarantee: all of a claim is served, or no share changes.  With each claim siblings have in sum
 * what they had, what was left of their parent's, and what it gets from its own siblings; those at
 * the top no more than the cluster, or than the division gave them.  No share falls below what its
 * queue deserves, as far as it asks for that much, nor below what earlier claims have kept of it,
 * unless the mode says so.  Who lends first does not depend on the order of the input.
 * NOT lowered are the shares below a queue that lends: they can be used within it.
 *
 * Off, nothing here is allocated or called.  Memory: with the policy; a claim allocates nothing.
 * Cost of a claim: O(siblings) for each level and resource that is short, so a cycle in which
 * many claims fail is quadratic in the leaves; O(n log n) before that.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_CLAIM_H
#define FL_DECIDE_ENTITLE_RULES_CLAIM_H

#include "decide/entitle/state/state.h"

struct fl_claim {
	struct fl_node leaf;
	bool keeps;              /* it runs already */
	struct fl_bundle amount; /* keeps: of shares to be kept; else what comes */
};

/* How far a sibling's share may be lowered. */
enum fl_reach {
	FL_REACH_NOTHING,
	FL_REACH_UNHELD, /* to what it holds */
	FL_REACH_UNKEPT, /* to what earlier claims kept */
	FL_REACH_ALL,    /* to what it deserves */
};

/* What @mine, of a claim's path, may have of the share of its sibling @other. */
typedef enum fl_reach fl_claim_reach(const struct fl_policy *p, const struct fl_claim *claim,
				     struct fl_node mine, struct fl_node other, int r);

struct fl_claims {
	struct fl_span *children; /* by node, of `child`; [n_nodes]: those at the top */
	uint32_t *child;
	double *had;            /* by node: how much it has had already; who had most lends first */
	double *margin;         /* by node: turns.c */
	bool *ready;            /* by node: turns.c */
	struct fl_bundle *kept; /* by node: of its share, for those who run */
	struct fl_bundle *runs; /* by leaf: what a claim of those who run would keep */
	uint32_t *next;         /* by leaf: the workload that it would start next; FL_NONE */
	uint32_t *leaves;       /* those that claim */
	uint32_t n_leaves;
	uint32_t *lenders;          /* as `child`, in the order in which they lend */
	uint32_t *siblings, *spare; /* being sorted */
};

int fl_claims_new(struct fl_policy *p, struct fl_claims **ret, fairlead_error *err);

/* Nothing is kept yet, and no queue is before its turn. */
void fl_claims_begin(struct fl_policy *p);
/* `had` is known: who lends first. Before anything is served. */
void fl_claims_rank(struct fl_policy *p);

static inline struct fl_span fl_claim_siblings(const struct fl_policy *p, struct fl_node n)
{
	return p->claims->children[fl_state_above(p, n.v)];
}

/* How much more than its fair share the leaf needs of resource @r; 0: nothing. */
double fl_claim_short(const struct fl_policy *p, const struct fl_claim *claim, int r);
/* It is short of something. */
bool fl_claim_is_short(const struct fl_policy *p, const struct fl_claim *claim);

/* true: its shares are raised, and kept against later claims. */
bool fl_claim_serve(struct fl_policy *p, const struct fl_claim *claim, fl_claim_reach *reach);

/*
 * `next` of every leaf: the first workload by the order of jobs that is within all limits and
 * could run if the machines were empty; all of it whose workload may be looked at in the cycle.
 */
void fl_claims_find_next(struct fl_policy *p);

#endif
