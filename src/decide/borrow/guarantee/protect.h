/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protect - what a Policy adds to Kueue's rules: who is spared, and who has to wait
 *
 *   minimumRunTime      nobody is preempted before it has held its quota so long
 *   preemptionDelay     nobody preempts before it has waited so long
 *   reclaimBackOff      a queue whose borrowing was reclaimed may not borrow that flavor and
 *                       resource again for a while: base, then twice as long each time, up
 *                       to max; a quiet time of max behind the last one starts it anew
 *   overrulingPriority  above it a priority overrules fair sharing: such a workload is served
 *                       first, preempts by the rules of borrowWithinCohort (KEP-1337), and
 *                       loses nothing to fair sharing
 *   evictionTimeout     with rung.h's guarantee: who has been going for longer counts as staying, and
 *                       what was promised because of it is given back
 *   holdFreedQuota      the preemptor is its queue's head and served first, in the flavors and
 *                       with the pods that it was promised, until it starts or finds no way
 *                       any more, so nobody else takes what was freed for it
 *
 * The first two are per reason of preemption; all are per queue.
 *
 * Promises: without a Policy nothing of this exists, and decisions are Kueue's.  A refusal
 * that will end is noted with the time it ends: at that time what is parked in its tree is
 * looked at again (fl_protect_wake), so that nobody waits longer than the Policy says.
 * Whoever is being evicted already is spared by nothing.  A workload never waits for its own
 * protection.
 *
 * It cannot promise that a protected cluster is fair at every moment: that is what it is for.
 *
 * Tested in tests/unit/decide/test_protect.c.  Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_PROTECT_H
#define FL_DECIDE_BORROW_GUARANTEE_PROTECT_H

#include "base/image.h"
#include "decide/borrow/state/adopting.h"
#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/tell.h"

int fl_protect_setup(struct fl_policy *p, fairlead_error *err);

/* --- asked by the rules; without a Policy it is as if none were there --- */

/*
 * May the asking workload preempt @victim for @cause by now?  Tells what it compares.  Refusals that
 * end by themselves, in this and the next two, are noted with the time when they do.
 */
enum fl_protect_answer { FL_PROTECT_ALLOWS, FL_PROTECT_REFUSES, FL_PROTECT_FOR_NOW };
enum fl_protect_answer fl_protect_allows(struct fl_policy *p, const struct fl_teller *t,
					 const struct fl_ask *ask, uint32_t victim,
					 enum fl_cause cause);
/* May queue @q borrow in @column by now? */
bool fl_protect_may_borrow(struct fl_policy *p, struct fl_node q, struct fl_column column);
/* The same for @w, with the evidence. */
bool fl_protect_may_borrow_for(struct fl_policy *p, const struct fl_teller *t, struct fl_workload w,
			       uint32_t podset, struct fl_column column);
/*
 * Is every amount of @ask available at its queue in @v, and none borrowed that may not be by now?
 * With !borrow none of them at all.
 */
bool fl_protect_fits(struct fl_policy *p, const struct fl_view *v, const struct fl_ask *ask,
		     bool borrow);
/* Does @w's priority overrule fair sharing? */
bool fl_protect_overrules(const struct fl_policy *p, struct fl_workload w);
/* Is what is freed for a preemptor of queue @q held for it? */
bool fl_protect_holds(const struct fl_policy *p, struct fl_node q);

/* Has @w been going for longer than the Policy's evictionTimeout?  Then it counts as staying. */
bool fl_protect_is_stuck(const struct fl_policy *p, uint32_t w);
/* Of a new policy, whose holders are known: when the first of them that is going is stuck. */
void fl_protect_watch(struct fl_policy *p);
/* @w goes from now on. */
void fl_protect_goes(struct fl_policy *p, struct fl_workload w);

/* What @w was promised: a flavor each podset and group (fl_nomination.flavor), pods each podset. */
const int16_t *fl_protect_flavors(const struct fl_policy *p, struct fl_workload w);
const int32_t *fl_protect_counts(const struct fl_policy *p, struct fl_workload w);
/* @e's workload is promised its assignment from now on, or (kept false) nothing any more. */
void fl_protect_promise(struct fl_policy *p, const struct fl_entry *e, bool kept);
/* Room to undo that. */
size_t fl_protect_promise_undo(const struct fl_policy *p, struct fl_workload w);

/* --- the course of time --- */

/* A cycle begins: nothing was refused in it yet. */
void fl_protect_begin(struct fl_policy *p);
/* Has a refusal ended by now?  Wake the trees in which one has. */
bool fl_protect_is_due(const struct fl_policy *p);
int fl_protect_wake_due(struct fl_policy *p, fairlead_error *err);
/* The cycle is entered: its refusals are remembered. */
void fl_protect_end(struct fl_policy *p);
/* @victim was told to go for @e. */
void fl_protect_evicted(struct fl_policy *p, const struct fl_entry *e,
			const struct fl_target *victim);
/* Next time a refusal ends, never before @now; FL_NEVER. */
fl_time fl_protect_wake(const struct fl_policy *p, fl_time now);

/* Room to undo fl_protect_end; and that @w is told to go. */
size_t fl_protect_end_undo(const struct fl_policy *p);
size_t fl_protect_eviction_undo(const struct fl_policy *p, struct fl_workload w);

/*
 * What is left of everything at @now, for the digest: calls @word with each number.  The gist: whether
 * anything is.
 */
void fl_protect_spell(const struct fl_policy *p, fl_time now, bool gist, fl_word *word, void *user);

/* --- for exploring: what time will lift is lifted one by one (policy.h, `lift`) --- */

/* The next minimum run time or delay of workload @w ends.  1: it has none. */
int fl_protect_lift(struct fl_policy *p, uint32_t w, fairlead_error *err);
/* Back-offs: cells of the tree, 0 without any; that of cell @at ends.  1: none is left. */
size_t fl_protect_back_offs(const struct fl_policy *p);
int fl_protect_lift_back_off(struct fl_policy *p, size_t at, fairlead_error *err);

/* --- in an image, and carried into another policy --- */

/* Without a Policy nothing. */
int fl_protect_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_protect_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
/* After all who hold something are entered. */
void fl_protect_adopt(struct fl_policy *p, const struct fl_adopting *a);

#endif
