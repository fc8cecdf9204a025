/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - which of two sibling queues is next, and which of two jobs of a leaf
 *
 * Queues, and the first difference decides: a queue that is not over its fair share in
 * every resource; one that stays within what it deserves; the higher priority; one that
 * breaks no share of zero; the smaller dominant share, with what comes and goes, then as
 * it stands; less that it may hold; the older one.  Each step is a function in order.c.
 * What a step needs to know of a queue is in its key, which lines.c keeps.
 *
 * Guarantee: pure, and fl_queue_order never says "equal".  For queues whose creation times
 * differ it is a strict order between any two: whoever is asked first, the answer is the
 * same.  NOT guaranteed, as the real program does not either: for two queues that differ
 * in nothing, creation time included, the second argument comes first, whichever it is; so
 * what a heap makes of them depends on how it asks (lines.c does as the real one does).
 * Nor is it transitive: step 7 knows only some pairs, age the others.  A sort must not be
 * built on it.
 *
 * fl_job_order is total and transitive: ranks are unique.
 *
 * With turns or budgets (turns.h, budget.h) a step stands behind priority: whoever is less
 * late.  Without them nobody is.
 *
 * For victims both are asked as they are and the answer is negated by the caller.
 *
 * Tested in tests/unit/decide/test_entitle_order.c and by the recorded cases `order`.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_ORDER_H
#define FL_DECIDE_ENTITLE_RULES_ORDER_H

#include "decide/entitle/state/state.h"

/* A queue with what would come to it and go from it; all 0 where nothing does. */
struct fl_turn {
	struct fl_node queue;
	struct fl_bundle comes; /* what its next job would start now; 0 among victims */
	struct fl_bundle goes;  /* what its victims so far hold, the next one too; 0 if pending */
};

/* -1: @l is next; 1: @r is.  @total is what all machines have. */
int fl_queue_order(const struct fl_standing *queues, const struct fl_bundle *total,
		   const struct fl_turn *l, const struct fl_turn *r);

/* What the order looks at of one queue and its turn; it stays true while they do. */
struct fl_queue_key {
	bool over;        /* over its fair share in all three */
	bool full;        /* above what it deserves, with what comes */
	bool breaks_zero; /* holds something of which it may have nothing, with what comes */
	int32_t priority;
	double late;
	double after, before;  /* dominant shares: with what comes and without what goes; now */
	struct fl_bundle size; /* what it may hold */
	fl_time created;
};

struct fl_queue_key fl_queue_key(const struct fl_standing *queues, const struct fl_bundle *total,
				 const struct fl_turn *turn);
/* fl_queue_order of whom the keys are of. */
int fl_queue_key_order(const struct fl_queue_key *l, const struct fl_queue_key *r);

/* What the order of jobs in a leaf looks at. */
struct fl_job_place {
	int32_t priority;
	uint32_t holds;    /* tasks that are allocated */
	int32_t min_tasks; /* of its gang */
	uint32_t rank;     /* by (creation, name), unique */
};

/* Of a workload, as it stands. */
static inline struct fl_job_place fl_job_place_of(const struct fl_job *j)
{
	return (struct fl_job_place){ .priority = j->priority,
				      .holds = fl_job_active(j),
				      .min_tasks = (int32_t)j->min_tasks,
				      .rank = j->rank };
}

/*
 * By priority; below the minimum of its gang before exactly there before above; the older
 * one.  -1, 0 (the same rank), 1.
 */
int fl_job_order(const struct fl_job_place *l, const struct fl_job_place *r);

#endif
