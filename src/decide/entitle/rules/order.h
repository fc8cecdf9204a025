/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - which of two sibling queues is next, and which of two jobs of a leaf
 *
 * Two queues are compared by these steps, of which the first difference decides: a queue that is
 * not over its fair share in every resource; one that stays within what it deserves; the higher
 * priority; one that holds nothing of a share of zero; the smaller dominant share, with what comes
 * and goes, then as it is now; the one that may hold less; the older one.  Each step is a function
 * in order.c.  What the steps need to know of a queue is its key, which jobs_order.c keeps.
 *
 * Guarantee: pure, and fl_queue_order never says "equal".  For queues with different creation
 * times the answer does not depend on the order of the arguments.  NOT guaranteed, and not by KAI
 * either: of two queues that do not differ at all, not even in creation time, the second argument
 * comes first; so what a heap makes of these depends on the order of its comparisons (jobs_order.c
 * compares as KAI does).  Nor is the order transitive: step 7 decides only some pairs, age the
 * others.  It must not be used to sort.
 *
 * fl_job_order is total and transitive: ranks are unique.
 *
 * With turns or budgets (turns.h, budget.h) there is one more step after priority: the smaller
 * lateness comes first.  Without them all latenesses are 0.
 *
 * For victims both are called as they are, and the caller negates the answer.
 *
 * Tested in tests/unit/decide/test_entitle_order.c and by the recorded cases `order`.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_ORDER_H
#define FL_DECIDE_ENTITLE_RULES_ORDER_H

#include "decide/entitle/state/state.h"

/* A queue with what it would gain and lose; both are 0 where nothing would change. */
struct fl_turn {
	struct fl_node queue;
	struct fl_bundle comes; /* what its next job would start now; 0 among victims */
	struct fl_bundle goes;  /* what its victims so far and the next one hold; 0 if pending */
};

/* -1: @l is next; 1: @r is next.  @total is what all machines have. */
int fl_queue_order(const struct fl_standing *queues, const struct fl_bundle *total,
		   const struct fl_turn *l, const struct fl_turn *r);

/* What the order compares of one queue and its turn; valid until either changes. */
struct fl_queue_key {
	bool over;        /* over its fair share in all three resources */
	bool full;        /* with what comes, above what it deserves */
	bool breaks_zero; /* with what comes, holds something of which it may hold nothing */
	int32_t priority;
	double late;
	double after, before;  /* dominant shares: with what comes, without what goes; and now */
	struct fl_bundle size; /* what it may hold */
	fl_time created;
};

struct fl_queue_key fl_queue_key(const struct fl_standing *queues, const struct fl_bundle *total,
				 const struct fl_turn *turn);
/* fl_queue_order of the queues whose keys these are. */
int fl_queue_key_order(const struct fl_queue_key *l, const struct fl_queue_key *r);

/* What the order of jobs in a leaf compares. */
struct fl_job_place {
	int32_t priority;
	uint32_t holds;    /* tasks that are allocated */
	int32_t min_tasks; /* minimum of its gang */
	uint32_t rank;     /* by (creation, name), unique */
};

/* The place of a workload, as of now. */
static inline struct fl_job_place fl_job_place_of(const struct fl_job *j)
{
	return (struct fl_job_place){ .priority = j->priority,
				      .holds = fl_job_active(j),
				      .min_tasks = (int32_t)j->min_tasks,
				      .rank = j->rank };
}

/*
 * By priority; then below the minimum of its gang before exactly at it before above it; then the
 * older one. -1, 0 (equal ranks), 1.
 */
int fl_job_order(const struct fl_job_place *l, const struct fl_job_place *r);

#endif
