/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_walk - from which queue a search under fair sharing takes its next victim
 *
 * At each cohort from the root on, the walk descends to the child with the largest share among
 * those that have candidates; of equal shares a cohort comes before a queue, the last cohort in
 * the tree's order first, and the queue whose candidate comes first (preempt.h).  No candidates
 * has a child that does not borrow, except the asking queue and the cohorts around it; nor has
 * another queue that was within its nominal quota when the search began, or whose candidates the
 * walk has all taken.
 *
 * The walk goes over all candidates twice, in two passes.  It may skip candidates that cannot pass
 * the rule of its pass: if the share of the asking side is above the largest other share at their
 * common cohort, it is above all shares there, and above what they would be without a victim
 * (s2a.h).  Where a share could rise as usage falls, or when every candidate must be looked at (a
 * sink listens; a Policy notes which it protects), none is skipped.
 *
 * Cost: O(depth log children) per queue that has candidates; each that turns out to have none
 * costs O(log children) once per pass.  Walks with a sink, and those under a Policy, look at all
 * children along a path each time; checked builds compare both ways.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_FAIR_WALK_H
#define FL_DECIDE_BORROW_PREEMPT_FAIR_WALK_H

#include "decide/borrow/preempt/search.h"

/* The second pass is over candidates that the first one refused. */
enum fl_fair_pass { FL_FAIR_FIRST_PASS, FL_FAIR_SECOND_PASS };

/* The candidates that a pass takes. */
enum fl_fair_rule {
	FL_FAIR_ALL,     /* all candidates: S1 */
	FL_FAIR_FINAL,   /* asking side's share <= victim's side without the victim: S2-a */
	FL_FAIR_INITIAL, /* asking side's share < victim's side with the victim: S2-b */
};

struct fl_fair_walk {
	struct fl_policy *p;
	struct fl_preempt *s;
	struct fl_view *v;
	const struct fl_ask *ask;
	bool within_nominal; /* the asking queue is within nominal, with the request */

	enum fl_fair_pass pass;
	enum fl_fair_rule rule;
	bool left_out;      /* the first pass skipped candidates that it would have refused */
	uint32_t n_refused; /* refused since the walk came to the queue at hand */
};

void fl_fair_walk_begin(struct fl_fair_walk *w, enum fl_fair_pass pass, enum fl_fair_rule rule);

/*
 * The queue with the largest share, root to leaves, from which the next victim is taken; FL_NONE:
 * none is left.
 */
struct fl_node fl_fair_walk_next(struct fl_fair_walk *w);
/* Takes the first candidate of @q from the walk; FL_NONE: none is left. */
uint32_t fl_fair_walk_pop(struct fl_fair_walk *w, struct fl_node q);
/* Leaves @victim, which was taken from the walk, for the second pass. */
void fl_fair_walk_refuse(struct fl_fair_walk *w, uint32_t victim);
/* May candidates be skipped that cannot pass the rule? */
bool fl_fair_walk_may_leave_out(const struct fl_fair_walk *w);
/* Leaves all candidates that are left in @q for the second pass. */
void fl_fair_walk_refuse_rest(struct fl_fair_walk *w, struct fl_node q);
/* @q takes no part in the rest of this pass. */
void fl_fair_walk_leave(struct fl_fair_walk *w, struct fl_node q);

#endif
