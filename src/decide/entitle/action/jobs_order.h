/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs_order - the order in which workloads are looked at: a heap of heaps (doc/semantics/entitle.md,
 * E6)
 *
 * Each leaf queue has a heap of workloads, each inner queue one of its child queues, and there is
 * one of the queues at the top.  They are heaps of Go's container/heap, move by move: the
 * comparison of queues is not a total order and its answers change while the heaps exist, so the
 * result depends on the moves.  A queue is compared by the first workload of the first leaf below
 * it.  When a workload is popped or pushed, only the queues on its path are marked, and a marked
 * queue that comes to the top is sifted down once.  So every queue is marked when the orders are
 * ready, and put in order when it is first looked at: what other workloads were given until then
 * may have changed it.
 *
 * For victims every comparison is inverted, so that the worst workload of the worst queue comes
 * first; and a leaf counts without all that was popped from it so far.
 *
 * Guarantee: the same for every order of the input; equal queues are ordered by (creation, name).
 * Memory: allocated once, with the policy.  Each begin fills a set of lines again.  Changes of the
 * policy between two calls for the same lines take effect, except a rollback to before the first
 * of them: then call begin again, or fl_jobs_order_again.
 */
#ifndef FL_DECIDE_ENTITLE_ACTION_JOBS_ORDER_H
#define FL_DECIDE_ENTITLE_ACTION_JOBS_ORDER_H

#include "decide/entitle/rules/order.h"

enum fl_jobs_order_kind { FL_JOBS_ORDER_WAITING, FL_JOBS_ORDER_VICTIMS };

/*
 * Part of a workload, treated as if it were the whole workload (doc/semantics/entitle.md, E9.16).
 */
struct fl_part {
	struct fl_workload workload;
	const uint32_t *tasks;
	uint32_t n; /* this is also its minimum; none of them is active */
	struct fl_bundle amount;
};

/* A workload in a line; a victim as it was when it was pushed. */
struct fl_ordered_job {
	struct fl_workload workload;
	uint32_t active;         /* victims: how many of its tasks are bound or reserved */
	struct fl_bundle amount; /* victims: what its active tasks hold */
};

/*
 * The key of a queue, and what it was made of: the key is valid as long as all that is unchanged.
 * Most queues keep theirs from one set of lines to the next.
 */
struct fl_ordered_key {
	struct fl_queue_key key;
	uint64_t standing, job; /* epochs: of the queue, and of the first workload below it */
	uint64_t turn;          /* `turn` of the leaf */
	uint32_t first, as_of;  /* the first workload below it; fl_job_as_of */
};

struct fl_jobs_order {
	struct fl_policy *policy;
	enum fl_jobs_order_kind kind;
	const struct fl_part *part; /* replaces its workload; may be NULL */
	struct fl_workload part_of; /* that workload; FL_NONE */
	uint32_t depth;             /* most workloads per leaf; 0: no bound */

	struct fl_ordered_job *ordered; /* heaps of leaves, at the spans ordered_at */
	struct fl_span *ordered_at;     /* by leaf: begin, and room */
	struct fl_node *queues;         /* heaps of inner queues; last, that of the top */
	struct fl_span *queues_at;      /* by node: begin, and room; [n_nodes]: the top */
	uint32_t *n;                    /* by node, and the top: size of its heap */
	bool *linked;                   /* by node: is in the heap above it */
	bool *dirty;                    /* by node: marked */
	struct fl_bundle *popped;       /* victims, by leaf: sum of amounts that were popped */

	struct fl_ordered_job *kept; /* copies of `lined`, and `n`, at fl_jobs_order_keep */
	uint32_t *kept_n;            /* by leaf */
	bool *touched;               /* by leaf: changed since, and listed once in: */
	struct fl_node *differ;      /* n_differ leaves */
	uint32_t n_differ;

	struct fl_ordered_key *keys; /* by node */
	uint64_t *sure, age;         /* by node: == age while its key is known to be valid */
	uint64_t as_of;              /* the policy's epochs when `age` began */
	uint64_t *turn;              /* by leaf: changes that its workloads' epochs do not show */
	uint64_t turns;              /* the last `turn` that was given out */
};

/* Allocates from the policy's arena; each workload has room once. */
int fl_jobs_order_new(struct fl_policy *p, struct fl_jobs_order *ret, fairlead_error *err);

/*
 * Empties the lines.  @part may be NULL, and must stay valid; at most @depth workloads per leaf
 * are kept (0: all).
 */
void fl_jobs_order_begin(struct fl_jobs_order *l, enum fl_jobs_order_kind kind,
			 const struct fl_part *part, uint32_t depth);
/* Adds workloads before ready, each once, in any order; the order of ranks is the fastest. */
void fl_jobs_order_add(struct fl_jobs_order *l, const struct fl_ordered_job *ordered);
/*
 * keep remembers what was added so far; again restores the lines to that, so that more can be
 * added, at the cost of what changed since: for callers that fill the same lines many times.
 */
void fl_jobs_order_keep(struct fl_jobs_order *l);
void fl_jobs_order_again(struct fl_jobs_order *l);
/* After all were added: links the queues, and marks them. */
void fl_jobs_order_ready(struct fl_jobs_order *l);

/* The next workload; false: none is left. */
bool fl_jobs_order_pop(struct fl_jobs_order *l, struct fl_ordered_job *ret);
/* Returns a workload that was popped. */
void fl_jobs_order_push(struct fl_jobs_order *l, const struct fl_ordered_job *ordered);

/* @w as a victim: its active tasks, without those for which out[task] is set (NULL: none is). */
struct fl_ordered_job fl_ordered_victim(const struct fl_policy *p, struct fl_workload w,
					const bool *out);

#endif
