/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_walk - from which queue a search under fair sharing takes its next victim
 *
 * At each cohort from the root on, the walk goes to the child with the largest share among those
 * that have something to give; of equal ones a cohort before a queue, the last cohort in the
 * tree's order, the queue whose candidate comes first (preempt.h).  A child that borrows nothing
 * has nothing to give, but for the asking queue and the cohorts around it; nor has another queue
 * that was within its nominal quota when the search began, or whose candidates were all taken
 * from the walk.
 *
 * The walk goes over all candidates twice, in two passes.  It may leave out those that cannot
 * pass the rule of its pass: when the share of the asking side is above the largest other one at
 * their common cohort, so it is above all shares there, and above what they would be with
 * somebody gone (s2a.h).  Where shares could rise as usage falls, or when every victim counts
 * (somebody listens; a Policy notes whom it spares), nobody is left out.
 *
 * Cost: O(depth log children) a queue, for those that have something to give; each that turns out
 * to have nothing costs O(log children) once a pass.  Talkative walks, and those under a Policy,
 * look at all children along a path each time; checked builds compare both ways.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_FAIR_WALK_H
#define FL_DECIDE_BORROW_PREEMPT_FAIR_WALK_H

#include "decide/borrow/preempt/search.h"

/* The second is over those that the first one refused. */
enum fl_fair_pass { FL_FAIR_FIRST_PASS, FL_FAIR_SECOND_PASS };

/* Whom the pass at hand takes. */
enum fl_fair_rule {
	FL_FAIR_ALL,     /* everybody: S1 */
	FL_FAIR_FINAL,   /* whose side keeps at least the asking side's share without the victim */
	FL_FAIR_INITIAL, /* whose side has more than that with the victim */
};

struct fl_fair_walk {
	struct fl_policy *p;
	struct fl_preempt *s;
	struct fl_view *v;
	const struct fl_ask *ask;
	bool within_nominal; /* the asking queue is, with what it asks for */

	enum fl_fair_pass pass;
	enum fl_fair_rule rule;
	bool left_out;      /* whom the first pass would have refused, it may not have looked at */
	uint32_t n_refused; /* since the walk went to the queue at hand */
};

void fl_fair_walk_begin(struct fl_fair_walk *w, enum fl_fair_pass pass, enum fl_fair_rule rule);

/* Whose turn it is: the queue with the largest share, root to leaves; FL_NONE when nobody's. */
struct fl_node fl_fair_walk_next(struct fl_fair_walk *w);
/* The first candidate of @q is taken from the walk; FL_NONE when none is left. */
uint32_t fl_fair_walk_pop(struct fl_fair_walk *w, struct fl_node q);
/* @victim, taken from the walk, is one for the second pass. */
void fl_fair_walk_refuse(struct fl_fair_walk *w, uint32_t victim);
/* Need not all be looked at that cannot pass? */
bool fl_fair_walk_may_leave_out(const struct fl_fair_walk *w);
/* All that are left of @q are for the second pass. */
void fl_fair_walk_refuse_rest(struct fl_fair_walk *w, struct fl_node q);
/* No more of @q in this pass. */
void fl_fair_walk_leave(struct fl_fair_walk *w, struct fl_node q);

#endif
