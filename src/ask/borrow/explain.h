/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - why one workload waits, or what it holds, with the numbers that decided
 *
 * Runs the coming cycle, and the workload alone as its queue's only head, both
 * inside a mark: the policy is as before afterwards, also on failure.  What it says
 * of victims is what the search for them compared; what it proposes it has tried.
 * No rule is repeated here.
 *
 * Every number is exact and stands for the state as it was given.  Memory: all
 * of the result lives in the caller's arena.
 */
#ifndef FL_ASK_BORROW_EXPLAIN_H
#define FL_ASK_BORROW_EXPLAIN_H

#include "ask/borrow/path.h"
#include "ask/common/explain.h"

enum fl_explain_verdict {
	FL_NEED_FITS,
	FL_NEED_WAITS,       /* requested > available */
	FL_NEED_NEVER,       /* requested > what the queue could ever have */
	FL_NEED_REFUSED,     /* by `check`, whatever that is */
	FL_NEED_NOT_COVERED, /* no resource group of the queue has this resource */
	FL_NEED_NO_MATCH,    /* labels or taints of the flavor */
};

/* One resource of one podset, in one flavor that was tried. */
struct fl_explain_need {
	uint32_t podset;
	struct fl_flavor flavor;     /* FL_NONE when not covered */
	struct fl_resource resource; /* FL_NONE when the flavor does not match */
	enum fl_explain_verdict verdict;
	fl_amount requested;            /* with what earlier podsets of it take there */
	fl_amount available, potential; /* never below 0 */
	fl_amount nominal;              /* of the queue */
	struct fl_bind bind;            /* of `potential` when NEVER, else of `available` */
	uint32_t search;                /* the last one for victims that was about it; 0: none */
	enum fl_check check;            /* REFUSED, with both its numbers */
	struct fl_number lhs, rhs;
};

/* A queue below the node that binds, for the resource and flavor that fail. */
struct fl_explain_holder {
	struct fl_node queue;
	fl_amount usage, own, borrowed; /* own: within nominal; borrowed: beyond */
	fl_amount kept;                 /* unused and not lent: others cannot have it */
	uint32_t workloads;             /* that hold some of it */
};

/* One cell, before and after. */
struct fl_explain_change {
	enum fl_cell_kind kind;
	struct fl_node node;     /* FL_NONE with PRIORITY, which is of the workload */
	struct fl_flavor flavor; /* FL_NONE with PRIORITY and WEIGHT */
	struct fl_resource resource;
	fl_amount from, to;
	double weight_from, weight_to;
};

/*
 * Cells that together are enough: changes[first] .. [first + n - 1].  Tried; and with
 * one unit less of any of them (of a weight: the next of two digits) it was tried too
 * and does not work.
 */
struct fl_explain_proposal {
	uint32_t first, n;
	enum fl_decision_kind alone; /* were it its queue's only head: ADMIT, or RESERVE */
	uint32_t n_victims;          /* RESERVE: how many are evicted */
	enum fl_decision_kind next; /* what the coming cycle does with it: ADMIT, RESERVE or WAIT */
};

/* What its user, or where that is not known its LocalQueue, holds of what its queue holds. */
struct fl_explain_own {
	struct fl_flavor flavor;
	struct fl_resource resource;
	fl_amount holds, queue_holds;
	uint32_t n, n_queue; /* workloads */
};

struct fl_explain {
	struct fl_workload workload;
	struct fl_node cluster_queue; /* FL_NONE */
	enum fl_explain_state state;
	enum fl_reason reason; /* of the coming cycle, or what stands against it at all */
	bool head;             /* the coming cycle looks at it */
	bool parked;
	enum fl_decision_kind alone; /* were it its queue's only head */
	enum fl_reason alone_reason;

	const struct fl_placement *placement; /* RUNS, EVICTING: held; NEXT: assigned */
	uint32_t n_placement;

	struct fl_explain_need *needs; /* in the order they were tried */
	uint32_t n_needs;
	uint32_t failing;                  /* the need that decides; FL_NONE */
	struct fl_explain_holder *holders; /* of that one, most borrowed first */
	uint32_t n_holders;

	uint32_t ahead[FL_EXPLAIN_AHEAD], n_ahead; /* n_ahead: all of them */

	uint32_t *served,
		n_served; /* it fits, but the coming cycle serves these of its tree first */

	bool searched;         /* for victims */
	uint32_t n_considered; /* workloads that hold what is needed, victims included */
	uint32_t n_unrelated;  /* looked at, too, but hold nothing of it */
	struct fl_explain_refusal *refusals;
	uint32_t n_refusals;
	struct fl_explain_rule *rules; /* that of most workloads first */
	uint32_t n_rules;
	struct fl_explain_victim *victims; /* the victims */
	uint32_t n_victims;

	struct fl_explain_own own;

	struct fl_explain_change *changes;
	uint32_t n_changes;
	struct fl_explain_proposal *proposals; /* smallest first, one a kind */
	uint32_t n_proposals;
	uint32_t n_tries; /* that they took */
};

/*
 * FAIRLEAD_ENOMEM, or an error of the policy. @w is a workload of @m.  @machine NULL: quota is
 * what people say.
 */
int fl_explain(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	       fl_time now, struct fl_workload w, const struct fl_explain_machine *machine,
	       struct fl_arena *arena, struct fl_explain *ret, fairlead_error *err);

#endif
