/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rung - preemption that settles (Policy preemptionGuarantee: settles)
 *
 * Whoever holds quota has a rung at its queue and at each cohort above it but the root.  It is
 * WITHIN where it was admitted within what is guaranteed on its side; else it is the share of that
 * node as it was when it was admitted, and as it becomes when others use what is theirs, but not
 * when others borrow more.  A preemption takes a victim only if
 *
 *   - where their sides part, below the lowest cohort that is around both, the rung on which the
 *     preemptor would stand is strictly below the victim's; within one queue its own order decides,
 *     as it does anyway;
 *   - that is so at the end, too, after those not needed were put back (kueue#14543);
 *   - what is freed is held for the preemptor until it starts.
 *
 * Where both have a node in common and the victim stood on a lower rung there, it yields: from
 * then on it asks at no lower rung than that of the one it yielded to, and is within neither there
 * nor below, until that one is gone for good (finished, cancelled).  Once in its life that does not
 * count, when it is within the quota of its queue and the other one merely waits.
 *
 * All of this is judged by what stays: who is going (no longer than evictionTimeout) counts as
 * gone, who is promised something as if it held that.  A reservation (doc/semantics/borrow.md,
 * B7.5) keeps nothing from who is within the quota of its queue; and to ask for nothing of a
 * resource counts for nothing.
 *
 * Promises: while nothing finishes, nobody's quota, weight or priority is changed and no queue is
 * stopped, there are finitely many preemptions, whatever the order in which workloads come to be
 * looked at, arrive, or let go of what they hold.  Nobody goes for another queue who was admitted
 * within the quota of its own.  A head that is within it gets in, after finitely many others,
 * with reclaimWithinCohort: Any, unless what it yielded counts, or somebody beyond its quota is
 * promised what it needs and waits for an eviction.  The proofs, with all conditions, are in
 * README.md ("Why it settles", corollaries 1 and 2); checked builds assert their lemmas, and
 * tests/prove explores small clusters whole.
 *
 * It cannot promise that shares end as near to each other as they come for a moment where
 * preemption goes on for ever, nor a small number of preemptions: doc/guide/fairness-cost.md has what was
 * measured.
 *
 * Cost: O(depth * (uses + columns)) an admission and a victim, and the size of its subtree where a
 * cohort below the root has quota of its own; 8 bytes a workload, level and column.  A change of
 * quota, weight or priority finds all rungs of a tree anew, O(holders * (log holders + depth *
 * columns)).  Searches look at all candidates, as under any Policy; and who is going is taken out of
 * a view and put back for everybody who is served (README.md, "What a cycle costs").
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

/* Room for rungs, with the guarantee; after fl_cycle_new. */
int fl_rung_setup(struct fl_policy *p, fairlead_error *err);
/*
 * Where those stand who hold quota in a tree, found anew: as if admitted in the order they were.
 * @room: a view that nobody uses.
 */
void fl_rung_renew(struct fl_policy *p, struct fl_view *room, uint32_t root);
/* Room to undo that, and so much more. */
int fl_rung_reserve_renewal(struct fl_policy *p, uint32_t root, size_t room, fairlead_error *err);

/* With the guarantee, to ask for nothing takes nothing away: no advantage, no place, no fit. */
static inline bool fl_rung_is_nothing(const struct fl_policy *p, fl_amount amount)
{
	return p->rungs && amount == 0;
}

/* --- asked by the rules; always true without the guarantee --- */

/* Can @victim go for @ask, on whatever rung that will stand?  Tells what it compares. */
bool fl_rung_may_go(struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		    uint32_t victim, enum fl_cause cause);
/* Where their sides part, does @ask, which stands in @v, stand below @victim as things are in @v? */
bool fl_rung_passes(struct fl_policy *p, const struct fl_teller *t, const struct fl_view *v,
		    const struct fl_ask *ask, uint32_t victim);
/* May all of @n targets (FL_NONE: nobody) go for @ask?  They are gone from @v, it is not in it. */
bool fl_rung_all_may_go(struct fl_policy *p, const struct fl_teller *t, struct fl_view *v,
			const struct fl_ask *ask, const struct fl_target *targets, uint32_t n);
/*
 * Is @e's workload, when those who are going and its victims have gone from @v, within the quota of
 * its queue with all it asks for?  Never without the guarantee.
 */
bool fl_rung_is_within_quota(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			     const struct fl_entry *e);
/* The same of @ask, who has no victims yet. */
bool fl_rung_claims(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		    const struct fl_ask *ask);
/* What the rules ask of a cycle that serves somebody. */
struct fl_serving {
	const struct fl_teller *tell;
	const struct fl_marks *marks; /* who was chosen in it */
	struct fl_view *freed;        /* its view without them */
};
/*
 * @e is about to be served: its standing, with its victims gone from the cycle's second view.
 * 1, or 0 when one of the victims may not go for it after all; FAIRLEAD_ENOMEM.
 */
int fl_rung_serve(struct fl_policy *p, const struct fl_serving *in, struct fl_entry *e,
		  fairlead_error *err);
/* It was served: who is served later in this cycle finds it there, or (joins false) does not. */
void fl_rung_join(struct fl_policy *p, const struct fl_entry *e, bool joins);

/* --- what is entered --- */

/* @e's workload is promised quota; or it holds it from now on. */
void fl_rung_promise(struct fl_policy *p, const struct fl_entry *e);
void fl_rung_enter(struct fl_policy *p, const struct fl_entry *e);
/* @victim, which does not go yet, goes for @e; before anything of the cycle is entered.  Does it yield? */
bool fl_rung_yield(struct fl_policy *p, const struct fl_entry *e, uint32_t victim);
/* @w lets go of what it holds. */
void fl_rung_leave(struct fl_policy *p, struct fl_workload w);
/* @w is gone for good: nobody has to ask on its rung any more. */
void fl_rung_gone(struct fl_policy *p, struct fl_workload w);
/* Room to undo one of these for a workload of so many uses; 0 without the guarantee. */
size_t fl_rung_undo(const struct fl_policy *p, uint32_t uses);

#ifdef FL_CHECKED /* rung_check.c */
int fl_rung_check_setup(struct fl_policy *p, fairlead_error *err);
/* What is guaranteed and used is what is held by those within. */
void fl_rung_check(const struct fl_policy *p);
/* The lemmas, of a cycle that is about to be entered but for its yields. */
struct fl_rung_step {
	const struct fl_marks *marks; /* who was chosen in the cycle */
	const struct fl_entry *entries;
	uint32_t n_entries;
	bool floors_rose; /* did one? */
};
void fl_rung_check_step(struct fl_policy *p, const struct fl_rung_step *step);
/* A quota, weight or priority changed. */
void fl_rung_check_changed(struct fl_policy *p);
#endif

void fl_rung_spell(const struct fl_policy *p, fl_word *word, void *user);
int fl_rung_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_rung_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
/* After all who hold something are entered.  @room: a view that nobody uses. */
void fl_rung_adopt(struct fl_policy *p, struct fl_view *room, const struct fl_adopting *a);

#endif
