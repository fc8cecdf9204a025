/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome - a state after it has settled, looked at from all
 * sides
 *
 * Everything that is asked of it afterwards is copied, so that the policy may
 * be rolled back, or freed.  Where the run ends in a loop, or at its limit,
 * what stands is the state after its last cycle.
 *
 * Memory: the caller's arena, and lists in the caller's mem until
 * fl_outcome_done.
 */
#ifndef FL_ASK_COMMON_OUTCOME_H
#define FL_ASK_COMMON_OUTCOME_H

#include "ask/common/face.h"
#include "ask/common/pending.h"
#include "ask/common/settle.h"

struct fl_outcome_workload {
	bool holds, waits, evicted; /* evicted: at least once */
	bool loops;                 /* takes turns in the loop */
	struct fl_node queue;       /* where it holds quota, or would; FL_NONE */
	struct fl_span placement;   /* into placements, while it holds quota */
	uint32_t pending;           /* while it waits: the row of the list */
	struct fl_workload preemptor;
	enum fl_reason evicted_for; /* with preemptor: the last time */
	uint32_t decided;           /* the last cycle that admitted it or preempted by it */
	bool let_go;                /* of the quota that it came with */
};

struct fl_outcome_node {
	bool active;
};

struct fl_outcome {
	const struct fl_model *model;
	struct fl_settle_result result;
	struct fl_outcome_workload *workloads; /* by id */
	struct fl_placement *placements;
	struct fl_outcome_node *nodes;  /* by id */
	struct fl_pending_list pending; /* pending.order: all workloads by name */
	const struct fl_ask_face *face; /* of its policy */
	struct fl_why *why;             /* as of the last cycle */
	void *stand;                    /* how nodes stand, as the face's `look` has it */
	uint32_t *node_order;           /* cohorts and queues apart, each by name */
	struct fl_workload *heads;
	uint32_t n_heads, cap_heads;
};

struct fl_outcome_options {
	const struct fl_ask_face *face; /* of the policy */
	const struct fl_mem *mem;
	struct fl_arena *arena;
	fl_time now, interval;
	uint32_t cycles; /* at most */
};

/* Run @p, a policy on @m, to the end. FAIRLEAD_ENOMEM, or an error of the
 * policy. */
int fl_outcome_run(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		   const struct fl_outcome_options *options, struct fl_outcome *ret,
		   fairlead_error *err);
void fl_outcome_done(struct fl_outcome *o);

#endif
