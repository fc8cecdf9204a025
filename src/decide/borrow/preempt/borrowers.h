/* SPDX-License-Identifier: Apache-2.0 */
/*
 * borrowers - the children of every cohort of a view by their share: who has most?
 *
 * A child stands while it borrows and, if a queue, somebody holds its quota.  Cohorts and queues
 * stand apart.  Of equal cohorts the last in the tree's order comes first, of equal queues the one
 * whose candidate comes first (holders.h).  Which candidate that is hangs on who asks, so it is a
 * bound: none of the queue's that may be preempted comes before it.  A search that finds the one at
 * the top too good says so, and then looks again.
 *
 * What a search says of a child (it left; its candidate is another) lasts until the next pass.
 * What a queue keeps at most when one of its workloads goes is found when somebody asks, and is
 * known for as long as nothing of the queue changes; before, its whole share stands for it.
 *
 * What always holds of each view, checked in checked builds: the children of one kind below one
 * cohort play rounds of two; a round has the better of the two below it, but for rounds above
 * nodes that are listed as moved (fl_usage.moved).
 *
 * Cost: O(log children) for an answer, a child that left, and a node that moved, each time that
 * somebody asks after it; nothing for those that nobody asks after.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_BORROWERS_H
#define FL_DECIDE_BORROW_PREEMPT_BORROWERS_H

#include "decide/borrow/view/view.h"

/* Who comes out of a round. */
struct fl_share_round {
	uint32_t most;  /* the one with the largest share */
	uint32_t keeps; /* of queues, the one that may keep most when one of its workloads goes */
};

struct fl_borrowers {
	uint32_t *n_cohorts; /* by node: children that are cohorts */
	struct fl_share_round
		*rounds; /* by place: the rounds among each parent's children of one kind */
	uint32_t *first; /* by queue: the candidate it stands with; FL_NONE: before all others */
	struct fl_drs *kept; /* by queue: a bound of what it keeps, where one is known */
	uint8_t *stands;     /* by node: it does, and what is known of it */
	uint32_t *told;      /* nodes of which something was said in this pass */
	uint32_t n_told;
	uint64_t looked; /* children and candidates, so far: what it cost */
};

enum fl_borrower_kind { FL_BORROWER_COHORT, FL_BORROWER_QUEUE };

/* Room for @v's, for as long as the policy. */
int fl_borrowers_new(struct fl_policy *p, struct fl_view *v, fairlead_error *err);
uint64_t fl_borrowers_looked(const struct fl_view *v);

/* What was said of children is forgotten. */
void fl_borrowers_begin(const struct fl_policy *p, struct fl_view *v);

/* The first of cohort @n's children of that kind, but for child @except (FL_NONE: for none). */
struct fl_node fl_borrowers_top(const struct fl_policy *p, struct fl_view *v, uint32_t n,
				enum fl_borrower_kind kind, uint32_t except);

/* For the rest of the pass: @n is out; queue @q stands with candidate @w, or FL_NONE. */
void fl_borrowers_leave(const struct fl_policy *p, struct fl_view *v, uint32_t n);
void fl_borrowers_with(const struct fl_policy *p, struct fl_view *v, uint32_t q, uint32_t w);

/*
 * The first of @n's child queues but @except of which it is not known that each, without any one of
 * its workloads, keeps too little for rule S2-a, by which a side with share @least asks (s2a.h).
 */
struct fl_node fl_borrowers_top_keeping(const struct fl_policy *p, struct fl_view *v, uint32_t n,
					uint32_t except, const struct fl_drs *least);
/* The most that queue @q keeps when any one of its workloads goes, or more. */
const struct fl_drs *fl_borrowers_kept(const struct fl_policy *p, struct fl_view *v, uint32_t q);
/* Find the most that queue @q keeps: O(its holders).  It is known until @q moves. */
void fl_borrowers_find_kept(const struct fl_policy *p, struct fl_view *v, struct fl_node q);
/* The same from a bound that is known already. */
void fl_borrowers_keeps_at_most(const struct fl_policy *p, struct fl_view *v, struct fl_node q,
				const struct fl_drs *most);

#endif
