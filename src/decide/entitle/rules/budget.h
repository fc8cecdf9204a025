/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget - resource-hours that a queue may use in a period (Policy: budgets)
 *
 * Used is the exact integral of what a queue, and all queues below it, held since the period
 * began.  A leaf is in budget if it or a queue above it has a budget, and in none of these budgets
 * any resource is used up.  Otherwise, if one is used up, it is spent.
 *
 * Guarantees:
 * - While a leaf is in budget, no other queue interrupts its jobs, neither by reclaim nor by
 *   consolidation, whatever the two queues deserve.  (Preemption by priority within the leaf
 *   remains.) The one exception is below.
 * - Of equal priority, and after what is deserved, workloads of leaves in budget go first, in the
 *   order of the part of the budget that is used, the smallest first; the next job of each is given
 *   a share as large as it is, from what is not held, and from what leaves that are not in budget
 *   hold beyond what they deserve (claim.h).
 * - So teams whose budgets together are no more than the capacity of the period each get all of
 *   their budget, if they have pending jobs from the beginning on, up to what one cycle and one
 *   switch from job to job take.
 * - Spent, with afterBudget Spare: runs on what no leaf in budget asks for, by the ordinary rules.
 *   Stop: starts nothing more (BudgetUsed); what runs goes on until it is evicted for others.
 *
 * Overcommitted: leaves in budget that run or have pending jobs have more left than all machines
 * have until the period ends, by more than 5 % of what the machines have in a period.  FirstCome:
 * nothing changes, and running jobs are not interrupted.  Proportional: a leaf may reclaim from a
 * leaf whose used part is ahead by 5 % of a budget or more, so that all end with about the same
 * part; such a switch is an interruption.
 *
 * At the end of the period what is left lapses, used becomes 0, and what runs goes on and counts
 * in the new period.  The exact time of the end still belongs to the old period, as in
 * decide/share/window.h.
 *
 * Limits: leaves without any budget are served like spent ones.  With budgets, turns have no
 * effect.  Fragmented machines, minimum run times and pods that cannot be preempted can still keep
 * jobs pending.  Where usage does not move (plan), used is what the samples of the input say;
 * usage that the input states as a part of the capacity is not a sample.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_BUDGET_H
#define FL_DECIDE_ENTITLE_RULES_BUDGET_H

#include "decide/entitle/state/state.h"

enum fl_budget_state { FL_BUDGET_NONE, FL_BUDGET_LEFT, FL_BUDGET_SPENT };

/* All but the first three are computed again at each look. */
struct fl_budgets {
	struct fl_history *history; /* of what was held in the period */
	struct fl_usage_window period;
	struct fl_bundle *hours;     /* by node, resource-hours; FL_UNBOUNDED: no budget */
	struct fl_bundle *used;      /* by node, resource-hours */
	struct fl_bundle *left;      /* by node: of leaves with any job, to find `too_much` */
	enum fl_budget_state *state; /* by node: its own budget and all above it */
	double *part;                /* by node: used / budget; of inner queues the least below */
	bool too_much;               /* overcommitted */
};

int fl_budgets_new(struct fl_policy *p, struct fl_budgets **ret, fairlead_error *err);
void fl_budgets_free(struct fl_budgets *b);

/* Call it after a division: finds which queues are in budget, and shifts shares accordingly. */
void fl_budgets_share(struct fl_policy *p);
/* May @w start anything?  If not, the sink is told why. */
bool fl_budgets_let_start(const struct fl_policy *p, struct fl_workload w);
/* Is it forbidden that jobs of leaf @asks interrupt workloads of leaf @victim? */
bool fl_budgets_protect(const struct fl_policy *p, struct fl_node asks, struct fl_node victim);
/* The first time after @now at which a budget is spent, or the period ends. */
fl_time fl_budgets_wake(const struct fl_policy *p, fl_time now);
/* Calls @word with all of their state that decides at @now. */
void fl_budgets_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
