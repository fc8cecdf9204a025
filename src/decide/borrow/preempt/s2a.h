/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s2a - rule S2-a of KEP-1714, and the bounds by which searches skip candidates
 *
 * A preemptor of queue x may take a victim of queue y when the share of its side, with the
 * workload, is at most the share that y's side keeps without the victim
 * (LessThanOrEqualToFinalShare).  The sides are the two nodes below the lowest common ancestor of
 * both queues (almostLCA).  Shares are those of the search's view, from which earlier victims are
 * taken out; they are compared by fl_drs_cmp.  S2-b demands that the preemptor's side has a
 * smaller share than y's side has with the victim (LessThanInitialShare); it is in this file
 * because whole queues are skipped by either rule.
 *
 * To change a rule, change fl_s2a_holds or fl_s2b_holds, and check all that the table below lists.
 *
 * Bounds.  They hold as long as less usage at a node never gives a larger share there
 * (fl_s2a_has_bounds); between two comparisons weights and quotas do not change, and of the view
 * only what is taken out.
 *
 *   K1  With a victim taken out, the share of a side is no larger than with it.
 *   K2  With a victim taken out that holds as much or more of each column, the share of a side is no
 *       larger than with one taken out that holds less.
 *   K3  Of several sides none keeps more than the one that keeps most.
 *   K4  With a larger request the share of the preemptor's side is no smaller.
 *
 * Each rule is monotone: if a share is too small for the preemptor, every smaller one is too
 * (fl_s2a_holds(x, y) and y <= z give fl_s2a_holds(x, z)).  So if a bound of what is kept is
 * refused, all that it bounds is refused.  What uses which:
 *
 *   rule_s2a, fair.c            the rule itself, for one victim
 *   is_hopeless, fair.c         K1, where shares are infinite; by both rules, and a sink is told
 *   refuses_all, fair.c         K2: the least that any holder of a queue holds (state/least.h)
 *   prune and leave out,        K1 and K3: the largest other child of a cohort, when the side that
 *   fair_walk.c                 asks has no candidates left there, so that its share stays
 *                               (is_lost); a queue that comes before that side (is_refused)
 *   top_keeping, borrowers.c    K1, until the most that a queue keeps was computed, without any one
 *                               of its workloads or (fl_view_drs_without_least) by K2; K3 in rounds
 *   fl_fair_hopeless,           K1, K3 and K4: a quick check at the whole path, by both rules: is the
 *   fair_walk.c                 side above the largest other child, with all that it has?
 *
 * With a sink, or with a Policy, which notes which workloads it protects, each candidate is looked
 * at.  Checked builds compare what was skipped with the rule, one by one (check_choice,
 * check_borrowers, least.c).
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_S2A_H
#define FL_DECIDE_BORROW_PREEMPT_S2A_H

#include "decide/borrow/quota/drs.h"

/*
 * @preemptor: share of its side with the workload.  @kept: of the victim's side without the
 * victim, or a bound of that.
 */
static inline bool fl_s2a_holds(const struct fl_drs *preemptor, const struct fl_drs *kept)
{
	return fl_drs_cmp(preemptor, kept) <= 0;
}

/* @before: share of the victim's side with the victim. */
static inline bool fl_s2b_holds(const struct fl_drs *preemptor, const struct fl_drs *before)
{
	return fl_drs_cmp(preemptor, before) < 0;
}

/*
 * An infinite share is above every finite one, with the victim or without: neither rule can hold.
 */
static inline bool fl_s2_is_hopeless(const struct fl_drs *preemptor, const struct fl_drs *before)
{
	return isinf(preemptor->weighted) && !isinf(before->weighted);
}

/* Do the bounds hold?  Not where usage is so large that a share may rise as usage falls. */
static inline bool fl_s2a_has_bounds(const struct fl_usage *u) { return !u->large; }

#endif
