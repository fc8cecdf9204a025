/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_moves - moves that lead back to where they began, told one by one
 *
 * Follows the moves of a loop (prove.h) on the policy itself, with a listener, and keeps what
 * each of them did, by which rule, and which held what in between.
 *
 * Promises: the policy is left as it was found, and nothing that is kept depends on it.
 *
 * Memory: the caller's arena.
 */
#ifndef FL_ASK_PROVE_LOOP_MOVES_H
#define FL_ASK_PROVE_LOOP_MOVES_H

#include "ask/prove/prove.h"

enum { FL_LOOP_RESOURCES = 3 };

/* One of the two nodes that a preemption weighs, just below where both meet. */
struct fl_loop_side {
	struct fl_node node; /* FL_NONE: within one queue no node is compared */
	struct fl_share before,
		after; /* after: without the victims of the move, with the preemptor */
};

/* Something that a move did. */
struct fl_loop_act {
	enum fl_decision_kind kind; /* ADMIT, EVICT; entitle: RESERVE, a place that is kept */
	enum fl_reason reason;
	struct fl_workload workload, preemptor; /* preemptor: of EVICT, else FL_NONE */
	struct fl_node queue, preemptor_queue;
	struct fl_loop_side sides[2]; /* of EVICT: the preemptor's, the victim's */
	bool has_proof;
	struct fl_evidence proof; /* the inequality that allowed it */
};

/* What one of the cast holds. */
struct fl_loop_holding {
	struct fl_workload workload;
	struct fl_node queue;
	bool going; /* is being evicted */
	double amount[FL_LOOP_RESOURCES];
};

struct fl_loop_step {
	struct fl_move move;
	struct fl_node queue; /* of its workload */
	struct fl_span acts;
	struct fl_span holdings; /* after it */
};

struct fl_loop_queue {
	struct fl_node node;
	double quota[FL_LOOP_RESOURCES];  /* nominal, or deserved */
	double others[FL_LOOP_RESOURCES]; /* held by workloads that are not of the cast */
};

struct fl_loop_moves {
	uint32_t prefix, n;         /* moves that lead there, and of one round */
	struct fl_loop_step *steps; /* prefix + n */
	struct fl_span start;       /* holdings before the first of them */
	struct fl_loop_act *acts;
	struct fl_loop_holding *holdings; /* of a state: by workload */
	uint32_t n_acts, n_holdings;
	struct fl_workload *cast; /* those that start, are evicted or preempt on the way, by name */
	uint32_t n_cast;
	struct fl_loop_queue *queues; /* of the cast, by name */
	uint32_t n_queues;
	struct fl_resource resources[FL_LOOP_RESOURCES]; /* that the cast holds, in name order */
	uint32_t n_resources, more_resources;            /* more: that found no place */
	bool closes; /* the state after the last move is the one before the round */
	/*
	 * On it others start between an eviction and its preemptor.  Another loop, that is
	 * not reported, may have no such race (whole.h).
	 */
	bool race;
};

/*
 * FAIRLEAD_ESTATE: a move cannot be made; *ret_failed is its index then (NULL allowed).
 * Else 0, an error of the policy, or FAIRLEAD_ENOMEM.
 */
int fl_loop_moves_tell(const struct fl_policy_ops *ops, struct fl_policy *p,
		       const struct fl_model *m, fl_time now, const struct fl_move *moves,
		       uint32_t prefix, uint32_t n, struct fl_arena *arena,
		       struct fl_loop_moves *ret, uint32_t *ret_failed, fairlead_error *err);

#endif
