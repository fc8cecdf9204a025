/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - why one workload waits, or what it holds, with the numbers that decided
 *
 * Runs the coming cycle, and the workload alone as its queue's only head, both
 * inside a mark: the policy is as before afterwards, also on failure.
 *
 * Every number is exact and stands for the state as it was given.  Memory: all
 * of the result lives in the caller's arena.
 */
#ifndef FL_ASK_EXPLAIN_H
#define FL_ASK_EXPLAIN_H

#include "ask/path.h"
#include "decide/policy.h"

enum { FL_EXPLAIN_AHEAD = 10 /* of those ahead, so many are listed */ };

enum fl_explain_state {
	FL_EXPLAIN_RUNS,     /* holds quota */
	FL_EXPLAIN_EVICTING, /* holds quota and must go */
	FL_EXPLAIN_NEXT,     /* waits, and the coming cycle admits it */
	FL_EXPLAIN_PREEMPTS, /* waits, and the coming cycle preempts others for it */
	FL_EXPLAIN_WAITS,
	FL_EXPLAIN_EXCLUDED, /* takes no part: finished, no queue, stopped, ... */
};

enum fl_explain_verdict {
	FL_NEED_FITS,
	FL_NEED_WAITS,       /* requested > available */
	FL_NEED_NEVER,       /* requested > what the queue could ever have */
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
};

/* A queue below the node that binds, for the resource and flavor that fail. */
struct fl_explain_holder {
	struct fl_node queue;
	fl_amount usage, own, borrowed; /* own: within nominal; borrowed: beyond */
	fl_amount kept;                 /* unused and not lent: others cannot have it */
	uint32_t workloads;             /* that hold some of it */
};

/* Whom preemption looked at and could not take. */
struct fl_explain_refusal {
	enum fl_check check;
	uint32_t n;
	struct fl_workload example; /* the first by id */
};

struct fl_explain_victim {
	struct fl_workload workload;
	enum fl_reason reason;
};

/* One cell of a change that would admit it. */
struct fl_explain_change {
	enum fl_cell_kind kind; /* NOMINAL or BORROWING_LIMIT */
	struct fl_node node;
	struct fl_flavor flavor;
	struct fl_resource resource;
	fl_amount from, to;
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

	uint32_t n_considered; /* workloads looked at as victims */
	struct fl_explain_refusal *refusals;
	uint32_t n_refusals;
	struct fl_explain_victim *victims; /* PREEMPTS: who goes */
	uint32_t n_victims;

	struct fl_explain_change *changes; /* together they would admit it, alone in its queue */
	uint32_t n_changes;
};

/* FAIRLEAD_ENOMEM, or an error of the policy. @w is a workload of @m. */
int fl_explain(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
	       fl_time now, struct fl_workload w, struct fl_arena *arena, struct fl_explain *ret,
	       fairlead_error *err);

#endif
