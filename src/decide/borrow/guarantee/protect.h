/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protect - what a Policy adds to Kueue's rules: protection from preemption, and delays
 *
 *   minimumRunTime      a workload is not preempted before it has held its quota for this time
 *   preemptionDelay     a workload does not preempt before it has been pending for this time
 *   reclaimBackOff      a queue whose borrowing was reclaimed may not borrow that flavor and
 *                       resource for a time: base, then twice as long each time, up to max; when
 *                       max has passed after the last back-off without a reclaim, the next one is
 *                       base again
 *   overrulingPriority  a priority above it overrules fair sharing: such a workload is served
 *                       first, preempts by the rules of borrowWithinCohort (KEP-1337), and is not
 *                       preempted by fair sharing
 *   evictionTimeout     with the guarantee of rung.h: an eviction that takes longer is stuck, its
 *                       workload counts as staying, and promises that relied on it are withdrawn
 *   holdFreedQuota      the preemptor is the head of its queue and is served first, with the
 *                       flavors and the number of pods that it was promised, until it is admitted
 *                       or can no longer be; so no other workload takes what was freed for it
 *
 * The first two are per reason of preemption; all are per queue.
 *
 * Promises: without a Policy all this has no effect, and decisions are Kueue's.  A refusal that
 * will end is noted with the time at which it ends; at that time what is parked in its tree is
 * tried again (fl_protect_wake), so that no workload is pending longer than the Policy demands.  A
 * workload that is being evicted already is not protected by any of this.  A workload is never
 * delayed by its own protection.
 *
 * Not promised: that a cluster with protection is fair at every moment; protection trades that
 * away.
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

/* --- asked by the rules; without a Policy nothing is refused --- */

/*
 * May the asking workload preempt @victim for @cause at present?  Passes what it compares to the
 * sink.  This and the next two functions note each refusal that ends by itself, with the time at
 * which it ends.
 */
enum fl_protect_answer { FL_PROTECT_ALLOWS, FL_PROTECT_REFUSES, FL_PROTECT_FOR_NOW };
enum fl_protect_answer fl_protect_allows(struct fl_policy *p, const struct fl_teller *t,
					 const struct fl_ask *ask, uint32_t victim,
					 enum fl_cause cause);
/* May queue @q borrow in @column at present? */
bool fl_protect_may_borrow(struct fl_policy *p, struct fl_node q, struct fl_column column);
/* The same for @w, and passes the evidence to the sink. */
bool fl_protect_may_borrow_for(struct fl_policy *p, const struct fl_teller *t, struct fl_workload w,
			       uint32_t podset, struct fl_column column);
/*
 * Is each amount of @ask available at its queue in @v, without borrowing that is not allowed at
 * present?  With !borrow, without any borrowing.
 */
bool fl_protect_fits(struct fl_policy *p, const struct fl_view *v, const struct fl_ask *ask,
		     bool borrow);
/* Does the priority of @w overrule fair sharing? */
bool fl_protect_overrules(const struct fl_policy *p, struct fl_workload w);
/* Is quota that is freed for a preemptor of queue @q held for it? */
bool fl_protect_holds(const struct fl_policy *p, struct fl_node q);

/*
 * Has the eviction of @w taken longer than evictionTimeout of the Policy?  Then @w counts as
 * staying.
 */
bool fl_protect_is_stuck(const struct fl_policy *p, uint32_t w);
/*
 * For a new policy whose holders are entered: notes when the first eviction in progress is stuck.
 */
void fl_protect_watch(struct fl_policy *p);
/* @w is being evicted from now on: a decision of a cycle. */
void fl_protect_goes(struct fl_policy *p, struct fl_workload w);
/* The same outside a cycle; it is being evicted since @since.  Needs the room of both below. */
void fl_protect_goes_since(struct fl_policy *p, struct fl_workload w, fl_time since);

/*
 * What @w was promised: a flavor per podset and resource group (fl_nomination.flavor), and pods
 * per podset.
 */
const int16_t *fl_protect_flavors(const struct fl_policy *p, struct fl_workload w);
const int32_t *fl_protect_counts(const struct fl_policy *p, struct fl_workload w);
/* From now on the workload of @e is promised its assignment, or (kept false) nothing. */
void fl_protect_promise(struct fl_policy *p, const struct fl_entry *e, bool kept);
/* Room in the undo log for fl_protect_promise. */
size_t fl_protect_promise_undo(const struct fl_policy *p, struct fl_workload w);

/* --- as time passes --- */

/* A cycle begins: no refusal is noted in it yet. */
void fl_protect_begin(struct fl_policy *p);
/* Has a refusal ended by now?  Then wake_due flushes the trees in which one has. */
bool fl_protect_is_due(const struct fl_policy *p);
int fl_protect_wake_due(struct fl_policy *p, fairlead_error *err);
/* A cycle takes effect: its refusals are remembered. */
void fl_protect_end(struct fl_policy *p);
/* @victim is evicted for @e. */
void fl_protect_evicted(struct fl_policy *p, const struct fl_entry *e,
			const struct fl_target *victim);
/* The next time at which a refusal ends, never before @now; FL_NEVER. */
fl_time fl_protect_wake(const struct fl_policy *p, fl_time now);

/* Room in the undo log for fl_protect_end; and for the eviction of @w. */
size_t fl_protect_end_undo(const struct fl_policy *p);
size_t fl_protect_eviction_undo(const struct fl_policy *p, struct fl_workload w);

/*
 * What is left of each time at @now, for the digest: calls @word with each number.  For the gist:
 * whether anything is left.
 */
void fl_protect_spell(const struct fl_policy *p, fl_time now, bool gist, fl_word *word, void *user);

/* --- for exploring: delays end one by one (policy.h, `lift`) --- */

/* Ends the next minimum run time or delay of workload @w. 1: it has none. */
int fl_protect_lift(struct fl_policy *p, uint32_t w, fairlead_error *err);
/*
 * The number of cells that may have a back-off, 0 without back-offs; and ends the back-off of cell
 * @at. 1: it has none.
 */
size_t fl_protect_back_offs(const struct fl_policy *p);
int fl_protect_lift_back_off(struct fl_policy *p, size_t at, fairlead_error *err);

/* --- in an image, and carried into another policy --- */

/*
 * Of a newcomer, which joins (doors/join.c): whether there are counts for its podsets, what is known
 * of it, and the promised flavors, which follow p->scans.
 */
bool fl_protect_counts_podsets(const struct fl_policy *p, struct fl_span podsets);
void fl_protect_join(struct fl_policy *p, struct fl_workload w);
int16_t *fl_protect_scans(const struct fl_policy *p);

/* Without a Policy these do nothing. */
int fl_protect_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_protect_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
/* Call it after all workloads that hold quota are entered. */
void fl_protect_adopt(struct fl_policy *p, const struct fl_adopting *a);

#endif
