/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - why one workload of the entitle policy waits, with the numbers that decided
 *
 * Runs the coming cycle, and the workload alone, both inside a mark: the policy is as before
 * afterwards, also on failure.  What it says is what the policy compared; what it proposes
 * it has tried.  No rule is repeated here.
 *
 * Memory: all of the result lives in the caller's arena.
 */
#ifndef FL_ASK_ENTITLE_EXPLAIN_H
#define FL_ASK_ENTITLE_EXPLAIN_H

#include "ask/common/explain.h"
#include "ask/entitle/standings.h"

/* A leaf queue that holds some of what is short. */
struct fl_entitle_holder {
	struct fl_node queue;
	uint32_t workloads; /* that hold something in it */
};

/*
 * One cell, before and after; a number in the units of a bundle, of a priority plain.
 * Tried; and a smaller one was tried too and is not enough.
 */
struct fl_entitle_change {
	enum fl_cell_kind kind;
	struct fl_node node;       /* FL_NONE with PRIORITY (of the workload) and ALLOCATABLE */
	struct fl_machine machine; /* of ALLOCATABLE; else FL_NONE */
	int resource;              /* FL_CPU...; FL_BUNDLE with priorities */
	double from, to;
	enum fl_decision_kind alone; /* decided for it alone: ADMIT or RESERVE */
	uint32_t n_victims;          /* RESERVE: how many are evicted */
	enum fl_decision_kind next;  /* what the coming cycle does with it */
	bool exact;                  /* else less may do, too: there were no tries left */
};

/* What stood in the way, at most one inequality a rule, in the order they are asked. */
enum { FL_ENTITLE_OBSTACLES = 5 };

struct fl_entitle_explain {
	struct fl_workload workload;
	struct fl_node queue;
	enum fl_explain_state state;
	enum fl_reason reason;       /* of the coming cycle, or what stands against it at all */
	enum fl_decision_kind alone; /* were there no other workload that waits */
	enum fl_reason alone_reason;
	enum fl_action by; /* NEXT, PREEMPTS: which action finds it a place */

	uint32_t n_tasks;        /* RUNS: that hold a place; else that wait */
	uint32_t n_more;         /* RUNS: of an elastic one, those that wait nevertheless */
	struct fl_bundle amount; /* of those tasks */
	int32_t min_tasks;
	bool preemptible;
	const struct fl_placement *placement; /* held, or to come */
	uint32_t n_placement;

	struct fl_standings standings; /* as the cycle began */
	struct fl_evidence obstacles[FL_ENTITLE_OBSTACLES];
	uint32_t n_obstacles;
	uint32_t failing; /* the obstacle that `reason` is about; FL_NONE */
	int resource;     /* of it: FL_CPU, FL_MEMORY, FL_GPU; FL_BUNDLE: of none */
	struct fl_entitle_holder *holders; /* of that resource, the furthest over first */
	uint32_t n_holders;

	uint32_t ahead[FL_EXPLAIN_AHEAD], n_ahead; /* n_ahead: all of them */

	uint32_t n_considered; /* workloads that might have been evicted */
	struct fl_explain_refusal *refusals;
	uint32_t n_refusals;
	struct fl_explain_rule *rules; /* that of most workloads first */
	uint32_t n_rules;
	struct fl_explain_victim *victims; /* the victims */
	uint32_t n_victims;

	struct fl_entitle_change *changes; /* the best first; one a kind */
	uint32_t n_changes;
	uint32_t n_tries, most_tries; /* that they took, and might: fewer in a larger cluster */
};

/*
 * FAIRLEAD_ENOMEM, or an error of the policy. @w is a workload of @m.  With a @machine queues deserve no
 * more than there is, and it does not become larger.
 */
int fl_entitle_explain(const struct fl_policy_ops *ops, struct fl_policy *p,
		       const struct fl_model *m, fl_time now, struct fl_workload w,
		       const struct fl_explain_machine *machine, struct fl_arena *arena,
		       struct fl_entitle_explain *ret, fairlead_error *err);

#endif
