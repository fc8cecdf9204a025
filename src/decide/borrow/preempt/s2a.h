/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s2a - rule S2-a of KEP-1714, and on what searches rest that need not ask it of everybody
 *
 * A preemptor of queue x may take a victim of queue y when its side, with the workload, has no
 * larger a share than y's side keeps without the victim (LessThanOrEqualToFinalShare).  The sides
 * are the two nodes below the lowest cohort that is around both queues (almostLCA).  Shares are
 * those of the search's view, in which who was taken before is gone; they compare as fl_drs_cmp has
 * it.  S2-b asks that the preemptor's side have a smaller share than y's has with the victim
 * (LessThanInitialShare); it stands here because what passes over whole queues does so by either.
 *
 * Who changes a rule changes fl_s2a_holds or fl_s2b_holds, and looks at what rests on it.
 *
 * Bounds.  They hold while less usage at a node is no larger a share there (fl_s2a_has_bounds);
 * weights, quotas and whom the view has do not change between two questions but by what is taken.
 *
 *   K1  Without somebody a side keeps no more than it has.
 *   K2  Without somebody who holds as much or more of each column it keeps no more than without
 *       somebody who holds less.
 *   K3  Of several sides none keeps more than the one that keeps most.
 *   K4  With more of what is asked for the preemptor's side has no smaller a share.
 *
 * Each rule is monotone: a preemptor that a share is too small for is refused for every smaller one
 * (fl_s2a_holds(x, y) and y <= z give fl_s2a_holds(x, z)).  So a bound of what is kept refuses all
 * that it bounds.  Who rests on what:
 *
 *   rule_s2a, fair.c            the rule itself, of one victim
 *   is_hopeless, fair.c         K1, where shares are infinite; by both rules, and whoever listens is told
 *   refuses_all, fair.c         K2: whoever holds the least of a queue that anybody does (state/least.h)
 *   prune and leave out,        K1 and K3: the largest other child of a cohort, when the asking side
 *   fair_walk.c                 there has nothing left to give, so that its share stays (is_lost);
 *                               a queue that has its turn before that side (is_refused)
 *   top_keeping, borrowers.c    K1, until what a queue keeps at most was found, with any one of its
 *                               workloads gone or (fl_view_drs_without_least) K2; K3 in rounds
 *   fl_fair_hopeless,           K1, K3 and K4: a glance at all of the path, by both rules; it asks
 *   fair_walk.c                 whether the side is above the largest other child as that stands
 *
 * Where somebody listens, or a Policy notes whom it spares, everybody is asked.  Checked builds
 * compare what was passed over with the rule, one by one (check_choice, check_borrowers, least.c).
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_S2A_H
#define FL_DECIDE_BORROW_PREEMPT_S2A_H

#include "decide/borrow/quota/drs.h"

/* @preemptor: its side with the workload.  @kept: the victim's without the victim, or a bound of that. */
static inline bool fl_s2a_holds(const struct fl_drs *preemptor, const struct fl_drs *kept)
{
	return fl_drs_cmp(preemptor, kept) <= 0;
}

/* @before: the victim's side as it stands, with the victim. */
static inline bool fl_s2b_holds(const struct fl_drs *preemptor, const struct fl_drs *before)
{
	return fl_drs_cmp(preemptor, before) < 0;
}

/* An infinite share is above every finite one, without anybody gone or not: neither rule holds. */
static inline bool fl_s2_is_hopeless(const struct fl_drs *preemptor, const struct fl_drs *before)
{
	return isinf(preemptor->weighted) && !isinf(before->weighted);
}

/* Do the bounds hold?  Not where sums so large are used that a share may rise as usage falls. */
static inline bool fl_s2a_has_bounds(const struct fl_usage *u) { return !u->large; }

#endif
