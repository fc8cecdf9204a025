/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - in which order workloads are looked at: a heap of heaps (doc/semantics/entitle.md, E6)
 *
 * Each leaf queue has a heap of workloads, each inner queue one of the queues below it,
 * and there is one of the queues at the top.  Heaps are those of Go's container/heap,
 * move by move, since the comparison of queues is no total order and its answers change
 * while the heaps stand: what comes out depends on how.  A queue is compared by the first
 * workload of the first leaf below it.  When one is popped or pushed, only the queues on its
 * path are marked, and a marked one that has come to the top is sifted down once.  So every
 * queue is marked when the lines are ready, and put in order when it is first looked at: what
 * others were given meanwhile may have made it another.
 *
 * For victims every comparison is turned round, so that the worst queue's worst workload
 * comes first; and a leaf counts as if all that was popped from it so far were gone.
 *
 * Guarantee: the same for every order of the input; equal queues go by (creation, name).
 * Memory: all of it once, with the policy. A set of lines is filled anew with each begin.
 * What is done to the policy between two calls for the same lines is seen, but for a rollback to
 * before the first of them: begin again then, or fl_lines_again.
 */
#ifndef FL_DECIDE_ENTITLE_ACTION_LINES_H
#define FL_DECIDE_ENTITLE_ACTION_LINES_H

#include "decide/entitle/rules/order.h"

enum fl_lines_kind { FL_LINES_WAITING, FL_LINES_VICTIMS };

/* Part of a workload, looked at as if it were the whole of it (doc/semantics/entitle.md, E9.16). */
struct fl_part {
	struct fl_workload workload;
	const uint32_t *tasks;
	uint32_t n; /* as many as its minimum; none of them active */
	struct fl_bundle amount;
};

/* A workload in a line; of victims as it was when it was pushed. */
struct fl_lined {
	struct fl_workload workload;
	uint32_t active;         /* victims: how many of its tasks run or will */
	struct fl_bundle amount; /* victims: what its running tasks hold */
};

/*
 * What a queue is compared by, and what it was made of: while all that is the same, so is
 * the key.  Most queues keep theirs from one set of lines to the next.
 */
struct fl_lined_key {
	struct fl_queue_key key;
	uint64_t standing, job; /* epochs, of the queue and of who is first below it */
	uint64_t turn;          /* of the leaf */
	uint32_t first, as_of;  /* who is first below it; fl_job_as_of */
};

struct fl_lines {
	struct fl_policy *policy;
	enum fl_lines_kind kind;
	const struct fl_part *part; /* stands for its workload; NULL */
	struct fl_workload part_of; /* that workload; FL_NONE */
	uint32_t depth;             /* workloads in a leaf at most; 0: any number */

	struct fl_lined *lined;    /* heaps of the leaves, by fl_span lined_at */
	struct fl_span *lined_at;  /* by leaf: first, and room */
	struct fl_node *queues;    /* heaps of inner queues; those at the top behind all */
	struct fl_span *queues_at; /* by node: first, and room; [n_nodes]: the top */
	uint32_t *n;               /* by node, and the top: how many in its heap */
	bool *linked;              /* by node: it is in the heap above it */
	bool *dirty;               /* by node */
	struct fl_bundle *popped;  /* victims, by leaf: amounts of all that were popped */

	struct fl_lined *kept;  /* what was in lined, and n, at fl_lines_keep */
	uint32_t *kept_n;       /* by leaf */
	bool *touched;          /* by leaf: it has changed since; listed once in: */
	struct fl_node *differ; /* n_differ of them */
	uint32_t n_differ;

	struct fl_lined_key *keys; /* by node */
	uint64_t *sure, age;       /* by node: == age while nothing can have changed its key */
	uint64_t as_of;            /* the policy's epochs when age began */
	uint64_t *turn;            /* by leaf: of what its workloads' own epochs do not tell */
	uint64_t turns;            /* so many there were */
};

/* From the policy's arena: room for every workload once. */
int fl_lines_new(struct fl_policy *p, struct fl_lines *ret, fairlead_error *err);

/* Empty. @part may be NULL and must stay; so many workloads a leaf are kept (0: all). */
void fl_lines_begin(struct fl_lines *l, enum fl_lines_kind kind, const struct fl_part *part,
		    uint32_t depth);
/* Before ready, in any order (ranks are the best): each workload once. */
void fl_lines_add(struct fl_lines *l, const struct fl_lined *lined);
/*
 * What was added so far is kept; again makes the lines what they were then, to be gone on with,
 * at the cost of what has changed since: for those who fill the same lines many times over.
 */
void fl_lines_keep(struct fl_lines *l);
void fl_lines_again(struct fl_lines *l);
/* All were added: link the queues, and mark them. */
void fl_lines_ready(struct fl_lines *l);

/* The next workload; false: none is left. */
bool fl_lines_pop(struct fl_lines *l, struct fl_lined *ret);
/* Back, after a pop. */
void fl_lines_push(struct fl_lines *l, const struct fl_lined *lined);

/* @w as a victim: its active tasks, those for which out[task] is set left out (NULL: none). */
struct fl_lined fl_lined_victim(const struct fl_policy *p, struct fl_workload w, const bool *out);

#endif
