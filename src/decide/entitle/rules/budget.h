/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget - resource-hours that a queue may use in a period (Policy: budgets)
 *
 * Used is the exact integral of what a queue, and all below it, held since the period began.
 * A leaf is in budget while it and every queue above it that has a budget have used less than
 * that in each resource they have one for; at least one has.  Spent: one has used it up.
 *
 * Guarantees:
 * - While a leaf is in budget no other queue interrupts its jobs, neither by reclaim nor by
 *   consolidation, whatever either deserves.  (Preemption by priority within the leaf stays.)
 *   The one exception is below.
 * - Of equal priority, and behind what is deserved, workloads of leaves in budget go first, by
 *   the part of it that they have used, the smallest first; the next job of each is given a
 *   share as large as it is, from what nobody holds, and from what others without budget hold
 *   beyond what they deserve (claim.h).
 * - So of teams with budgets that together are no more than the period has, each gets its own,
 *   if it asks from the beginning on, up to what one cycle and one switch from job to job take.
 * - Spent, with afterBudget Spare: runs on what nobody in budget wants, by the ordinary rules.
 *   Stop: starts nothing more (BudgetUsed); what runs goes on until it is wanted.
 *
 * Overcommitted: those in budget who run or wait have more left than what all machines have
 * until the period ends, by more than 5 % of what they have in a period.
 * FirstCome: nothing changes, who runs is not interrupted.
 * Proportional: a leaf may reclaim from one whose used part is 5 % of a budget or more ahead,
 * so that all end with about the same part; such a switch is an interruption.
 *
 * The end of the period: what is left lapses, used is 0, and what runs goes on and counts in
 * the new one.  At the very moment of the end it is still the old one, as in decide/share/window.h.
 *
 * Limits: leaves without any budget are served as those that are spent.  Budgets take the
 * place of turns: those have no effect then.  Machines in pieces, minimum run times and pods
 * that cannot be preempted still keep jobs waiting.  Where usage does not move (plan), used is
 * what the samples of the input say; usage that is given as a part of the capacity is no sample.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_BUDGET_H
#define FL_DECIDE_ENTITLE_RULES_BUDGET_H

#include "decide/entitle/state/state.h"

enum fl_budget_state { FL_BUDGET_NONE, FL_BUDGET_LEFT, FL_BUDGET_SPENT };

/* All but the first three is found anew whenever it is looked at. */
struct fl_budgets {
	struct fl_history *history; /* of the period */
	struct fl_usage_window period;
	struct fl_bundle *hours;     /* by node; FL_UNBOUNDED: no budget */
	struct fl_bundle *used;      /* by node, in hours */
	struct fl_bundle *left;      /* by node: of those who run or wait, to find `too_much` */
	enum fl_budget_state *state; /* by node: with all above it */
	double *part;  /* by node: used, of the budget; of inner queues the least below */
	bool too_much; /* overcommitted */
};

int fl_budgets_new(struct fl_policy *p, struct fl_budgets **ret, fairlead_error *err);
void fl_budgets_free(struct fl_budgets *b);

/* Behind a division: who is in budget, and the shares that follow from it. */
void fl_budgets_share(struct fl_policy *p);
/* May @w start anything? When not, who listens hears why. */
bool fl_budgets_let_start(const struct fl_policy *p, struct fl_workload w);
/* May nobody of leaf @asks have workloads of leaf @victim interrupted? */
bool fl_budgets_protect(const struct fl_policy *p, struct fl_node asks, struct fl_node victim);
/* The first time after @now at which somebody's budget is spent, or the period is over. */
fl_time fl_budgets_wake(const struct fl_policy *p, fl_time now);
/* Word by word: what of them decides at @now. */
void fl_budgets_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
