/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rung - preemption that settles (Policy preemptionGuarantee: settles)
 *
 * A workload that holds quota has a rung at its queue and at each cohort above it except the root.
 * It is WITHIN where the workload was admitted within what is guaranteed on its side; elsewhere it
 * is the share of that node at the workload's admission, which rises when other workloads use what
 * is guaranteed to them, but not when others borrow more.  A preemption takes a victim only if
 *
 *   - at the two nodes below their lowest common ancestor the rung on which the preemptor would
 *     stand is strictly below the victim's; within one queue the order of the queue decides, as it
 *     does without the guarantee;
 *   - that still holds after fill-back, when victims that are not needed were put back
 *     (kueue#14543);
 *   - what is freed is held for the preemptor until it is admitted.
 *
 * If at a node that is above both the victim stood on a lower rung than the preemptor, the victim
 * yields: from then on it asks there on no rung lower than that of the preemptor, and is within
 * neither at that node nor below it, until the preemptor has ended (finished or was cancelled).
 * Once in the victim's life this does not count: when it is within the quota of its queue while
 * the workload to which it yielded is pending.
 *
 * All this is judged by the workloads that stay: one that is evicting (for at most
 * evictionTimeout) counts as ended, one that is promised quota counts as if it held that.  A
 * reservation (doc/semantics/borrow.md, B7.5) does not keep quota from a workload that is within
 * the quota of its queue; and a request of 0 of a resource counts for nothing.
 *
 * Promises: as long as no workload finishes, no quota, weight or priority changes and no queue is
 * stopped, the number of preemptions is finite, in whatever order workloads are looked at, arrive
 * or release what they hold.  A workload that was admitted within the quota of its queue is never
 * evicted for another queue.  A head that is within the quota of its queue is admitted, after
 * finitely many other workloads, with reclaimWithinCohort: Any, unless it has yielded and that
 * counts, or a workload beyond its quota is promised what it needs and waits for an eviction.  The
 * proofs, with all conditions, are in README.md ("Why it settles", corollaries 1 and 2); checked
 * builds assert their lemmas, and tests/prove explores small clusters completely.
 *
 * A policy that another process makes of the objects alone knows no bases and no promises: it finds standings anew
 * (fl_rung_renew), which for the first promise is a change from outside.  Floors, and which workloads were
 * forgiven, it can be told (yield.h); with them, what is said above of workloads that yielded holds on.
 *
 * Not promised: that shares become as equal at the end as they are for moments where preemption
 * never ends; nor a small number of preemptions. doc/guide/fairness-cost.md has measurements.
 *
 * Cost: O(depth * (uses + columns)) per admission and per victim, and the size of its subtree
 * where a cohort below the root has quota of its own; 8 bytes per workload, level and column.  A
 * change of quota, weight or priority finds all rungs of a tree again, O(holders * (log holders +
 * depth * columns)).  Searches look at all candidates, as under any Policy; and evicting workloads
 * are taken out of a view and put back for each workload that is served (README.md, "What a cycle
 * costs").
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_RUNG_H
#define FL_DECIDE_BORROW_GUARANTEE_RUNG_H

#include "base/image.h"
#include "decide/borrow/state/adopting.h"
#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

/* Allocates room for rungs, if the guarantee is on; call it after fl_cycle_new. */
int fl_rung_setup(struct fl_policy *p, fairlead_error *err);
/*
 * Finds the standings of all holders in a tree again, as if they were admitted in the order in
 * which they were.  @room: a view that is not in use.
 */
void fl_rung_renew(struct fl_policy *p, struct fl_view *room, uint32_t root);
/* Room in the undo log for that, and for @room more. */
int fl_rung_reserve_renewal(struct fl_policy *p, uint32_t root, size_t room, fairlead_error *err);

/*
 * With the guarantee a request of 0 counts for nothing: it gives no advantage, needs no room, and
 * does not keep a workload from fitting.
 */
static inline bool fl_rung_is_nothing(const struct fl_policy *p, fl_amount amount)
{
	return p->rungs && amount == 0;
}

/* --- asked by the rules; always true without the guarantee --- */

/*
 * May @victim be preempted for @ask at all, on the lowest rung on which that could stand?  Passes
 * what it compares to the sink.
 */
bool fl_rung_may_go(struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		    uint32_t victim, enum fl_cause cause);
/*
 * Is @ask, which is in @v, on a lower rung than @victim, at the nodes below their lowest common
 * ancestor and with usage as in @v?
 */
bool fl_rung_passes(struct fl_policy *p, const struct fl_teller *t, const struct fl_view *v,
		    const struct fl_ask *ask, uint32_t victim);
/*
 * May all of @n targets (FL_NONE: skipped) be preempted for @ask?  They are taken out of @v, and
 * @ask is not in it.
 */
bool fl_rung_all_may_go(struct fl_policy *p, const struct fl_teller *t, struct fl_view *v,
			const struct fl_ask *ask, const struct fl_target *targets, uint32_t n);
/*
 * Is the workload of @e, with its whole request, within the quota of its queue when evicting
 * workloads and its victims are taken out of @v?  False without the guarantee.
 */
bool fl_rung_is_within_quota(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			     const struct fl_entry *e);
/* The same for @ask, which has no victims yet. */
bool fl_rung_claims(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		    const struct fl_ask *ask);
/* What the rules need of a cycle that serves a workload. */
struct fl_serving {
	const struct fl_teller *tell;
	const struct fl_marks *marks; /* marks its victims */
	struct fl_view *freed;        /* its second view, without its victims */
};
/*
 * Before @e is served: finds its standing, with its victims taken out of the cycle's second view.
 * 1; 0: one of the victims may not be preempted for it after all; FAIRLEAD_ENOMEM.
 */
int fl_rung_serve(struct fl_policy *p, const struct fl_serving *in, struct fl_entry *e,
		  fairlead_error *err);
/*
 * @e was served: for what is served later in this cycle it counts as present, or (joins false)
 * not.
 */
void fl_rung_join(struct fl_policy *p, const struct fl_entry *e, bool joins);

/* --- what takes effect --- */

/* From now on the workload of @e is promised quota; or it holds it. */
void fl_rung_promise(struct fl_policy *p, const struct fl_entry *e);
void fl_rung_enter(struct fl_policy *p, const struct fl_entry *e);
/*
 * Does @victim, which is not evicting yet, yield to @e?  If so, records that; call it before
 * anything of the cycle takes effect.
 */
bool fl_rung_yield(struct fl_policy *p, const struct fl_entry *e, uint32_t victim);
/* @w holds quota by another scheduler's decision: it has no standing until fl_rung_renew. */
void fl_rung_arrive(struct fl_policy *p, struct fl_workload w);
/* @w releases what it holds. */
void fl_rung_leave(struct fl_policy *p, struct fl_workload w);
/* @w has ended: workloads that yielded to it may ask on lower rungs than its own again. */
void fl_rung_gone(struct fl_policy *p, struct fl_workload w);
/*
 * Room in the undo log for one of these, for a workload with so many uses; 0 without the
 * guarantee.
 */
size_t fl_rung_undo(const struct fl_policy *p, uint32_t uses);

#ifdef FL_CHECKED /* rung_check.c */
int fl_rung_check_setup(struct fl_policy *p, fairlead_error *err);
/* Asserts that what is counted as guaranteed and used is what workloads that are within hold. */
void fl_rung_check(const struct fl_policy *p);
/* Asserts the lemmas for a cycle that is about to take effect; its yields are recorded already. */
struct fl_rung_step {
	const struct fl_marks *marks; /* marks its victims */
	const struct fl_entry *entries;
	uint32_t n_entries;
	bool floors_rose; /* did a floor rise? */
};
void fl_rung_check_step(struct fl_policy *p, const struct fl_rung_step *step);
/* A quota, weight or priority changed. */
void fl_rung_check_changed(struct fl_policy *p);
#endif

void fl_rung_spell(const struct fl_policy *p, fl_word *word, void *user);
int fl_rung_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_rung_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
/* Call it after all workloads that hold quota are entered.  @room: a view that is not in use. */
void fl_rung_adopt(struct fl_policy *p, struct fl_view *room, const struct fl_adopting *a);

#endif
