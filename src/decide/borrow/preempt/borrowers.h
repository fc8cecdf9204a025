/* SPDX-License-Identifier: Apache-2.0 */
/*
 * borrowers - finds the child with the largest share, for every cohort of a view
 *
 * A child stands while it borrows and, if it is a queue, some workload holds its quota.  Cohorts
 * and queues are separate.  Of cohorts with equal shares the last in the tree's order comes first,
 * of queues with equal shares the one whose candidate comes first (holders.h).  Which candidate
 * that is depends on the asking workload, so a bound is kept: no workload of the queue that may be
 * preempted comes before it.  If a search finds that the bound of the queue at the top is too
 * good, it sets the right candidate and looks again.
 *
 * What a search sets for a child (it left; its candidate is another) holds until the next pass.
 * The most that a queue keeps when one of its workloads is taken out is computed on demand, and
 * stays known until something of the queue changes; until it is computed the queue's whole share
 * is used, which is an upper bound.
 *
 * Invariant of each view, asserted in checked builds: the children of one kind below one cohort
 * play games of two; a game has the better of the two below it, except games above nodes that
 * are listed as moved (fl_usage.moved).
 *
 * Cost: O(log children) for an answer, for a child that left, and for a moved node whenever an
 * answer depends on it; nothing for nodes on which no answer depends.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_BORROWERS_H
#define FL_DECIDE_BORROW_PREEMPT_BORROWERS_H

#include "decide/borrow/view/view.h"

/* The winners of a game. */
struct fl_share_game {
	uint32_t most;  /* the child with the largest share */
	uint32_t keeps; /* of queues: the one with the largest bound of what it keeps */
};

struct fl_borrowers {
	uint32_t *n_cohorts; /* by node: number of children that are cohorts */
	struct fl_share_game
		*games;      /* by place: games of the children of one kind of each parent */
	uint32_t *first;     /* by queue: its candidate; FL_NONE: comes before all others */
	struct fl_drs *kept; /* by queue: bound of the share it keeps, where one is known */
	uint8_t *stands;     /* by node: flags, whether it stands and what is known of it */
	uint32_t *told;      /* nodes for which a search set something in this pass */
	uint32_t n_told;
	uint64_t looked; /* a cost: children and candidates looked at so far */
};

enum fl_borrower_kind { FL_BORROWER_COHORT, FL_BORROWER_QUEUE };

/* Allocates the borrowers of @v, for as long as the policy lives. */
int fl_borrowers_new(struct fl_policy *p, struct fl_view *v, fairlead_error *err);
uint64_t fl_borrowers_looked(const struct fl_view *v);

/* Begins a pass: what a search set for children is forgotten. */
void fl_borrowers_begin(const struct fl_policy *p, struct fl_view *v);

/* The best child of that kind of cohort @n, without child @except (FL_NONE: of all). */
struct fl_node fl_borrowers_top(const struct fl_policy *p, struct fl_view *v, uint32_t n,
				enum fl_borrower_kind kind, uint32_t except);

/* For the rest of the pass: @n takes no part; queue @q takes part with candidate @w, or FL_NONE. */
void fl_borrowers_leave(const struct fl_policy *p, struct fl_view *v, uint32_t n);
void fl_borrowers_with(const struct fl_policy *p, struct fl_view *v, uint32_t q, uint32_t w);

/*
 * The best child queue of @n, without @except, among those that may pass: it is not known of them
 * that they keep too little for rule S2-a without any one of their workloads, where the asking
 * side's share is @least (s2a.h).
 */
struct fl_node fl_borrowers_top_keeping(const struct fl_policy *p, struct fl_view *v, uint32_t n,
					uint32_t except, const struct fl_drs *least);
/* An upper bound of the share that queue @q keeps when any one of its workloads is taken out. */
const struct fl_drs *fl_borrowers_kept(const struct fl_policy *p, struct fl_view *v, uint32_t q);
/* Computes that bound exactly: O(holders of @q).  It is known until @q moves. */
void fl_borrowers_find_kept(const struct fl_policy *p, struct fl_view *v, struct fl_node q);
/* Sets that bound to one that the caller knows. */
void fl_borrowers_keeps_at_most(const struct fl_policy *p, struct fl_view *v, struct fl_node q,
				const struct fl_drs *most);

#endif
