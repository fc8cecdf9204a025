/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt - whom to evict so that a workload fits (doc/semantics/borrow.md, B8)
 *
 * Two searches with one interface: classical.c (fair sharing off) and fair.c
 * (KEP-1714: S1, S2-a, S2-b).  Both leave the view as they found it.  The victims
 * found are inclusion-minimal but for the last one taken (fill-back never tries it).
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_PREEMPT_H
#define FL_DECIDE_BORROW_PREEMPT_PREEMPT_H

#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

/* The workspace of all searches of a policy (search.h): its own rows, and what the cycle lends it. */
struct fl_preempt;
int fl_preempt_new(struct fl_policy *p, struct fl_teller *tell, struct fl_marks *marks,
		   struct fl_preempt **ret, fairlead_error *err);
/* Frees what is not in the policy's arena. */
void fl_preempt_done(const struct fl_policy *p, struct fl_preempt *s);
/* Room for @n targets: as many as may hold quota. */
int fl_preempt_reserve(const struct fl_policy *p, struct fl_preempt *s, uint32_t n,
		       fairlead_error *err);
/* Room for so many numbers, while nobody searches. */
uint32_t *fl_preempt_lend(struct fl_preempt *s);
/* Are its marks, which are numbers, about to wrap?  Then they begin anew, and so must `marks`. */
bool fl_preempt_is_worn(const struct fl_preempt *s);
void fl_preempt_renew(const struct fl_policy *p, struct fl_preempt *s);
/* Children of cohorts and candidates that were looked at so far. */
uint64_t fl_preempt_looked(const struct fl_preempt *s);

/* What a search found. */
struct fl_victims {
	const struct fl_target *targets; /* until the next search */
	uint32_t n;                      /* 0: no set of them is enough */
	bool spared; /* a Policy spared somebody, for now, whom it might have taken */
};
struct fl_victims fl_preempt_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
				    const struct fl_ask *ask);

/*
 * The whole order of candidates: evicting first, those of other queues before @q's own, then as in
 * holders.h.
 */
bool fl_preempt_before(const struct fl_policy *p, uint32_t a, uint32_t b, struct fl_node q);

/*
 * Whom may a workload of @q preempt in its own queue?  To settle it must come before them there, so
 * Any is LowerOrNewerEqualPriority then.
 */
enum fl_preempt_policy fl_preempt_within_queue(const struct fl_policy *p, struct fl_node q);

/*
 * May the asking workload preempt @victim under @policy, does the victim use what is
 * needed, and does no Policy spare it from @cause?
 */
bool fl_preempt_allows(struct fl_policy *p, struct fl_preempt *s, const struct fl_ask *ask,
		       uint32_t victim, enum fl_preempt_policy policy, enum fl_cause cause);

/*
 * Is everybody from @victim on, in candidate order of its queue, refused by @policy?  (They are
 * sorted by priority behind those that are evicted already.)  False when a listener wants each.
 */
bool fl_preempt_refuses_rest(const struct fl_policy *p, const struct fl_preempt *s,
			     const struct fl_ask *ask, uint32_t victim,
			     enum fl_preempt_policy policy);

/* evidence.c: rows about a search, to be called when somebody listens. */

/* What is needed, and whom the queue's policies leave alone as a whole. */
void fl_preempt_tell_start(const struct fl_policy *p, const struct fl_teller *t,
			   const struct fl_view *v, const struct fl_ask *ask);
void fl_preempt_tell_uses(const struct fl_policy *p, const struct fl_teller *t,
			  const struct fl_ask *ask, uint32_t victim);
void fl_preempt_tell_policy(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_ask *ask, uint32_t victim,
			    enum fl_preempt_policy policy, bool holds);
/* @check fails for @victim (FL_NONE: for all below @n) because @n uses no more than its quota. */
void fl_preempt_tell_within(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_view *v, const struct fl_ask *ask, enum fl_check check,
			    uint32_t victim, struct fl_node n);
/* @victim was taken, like others before: does it fit?  By the column with the least room. */
void fl_preempt_tell_taken(const struct fl_policy *p, const struct fl_teller *t,
			   const struct fl_view *v, const struct fl_ask *ask, uint32_t victim,
			   bool borrow, bool fits);
/* Fill-back put @victim back: is it needed?  By the same. */
void fl_preempt_tell_needed(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_view *v, const struct fl_ask *ask, uint32_t victim,
			    bool borrow, bool needed);

void fl_preempt_take(const struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		     uint32_t victim, enum fl_reason reason);
/*
 * Targets that are not needed after all go back, from the last but one to the first, but for those
 * that were going before the search.
 */
void fl_preempt_fill_back(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			  const struct fl_ask *ask, bool borrow);
/* Put the view's usage back as it was before the search took targets. */
void fl_preempt_restore(const struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v);

/* All needed columns: usage <= quota of the node's own subtree ("within nominal"). */
bool fl_preempt_within_nominal(const struct fl_policy *p, const struct fl_view *v,
			       const struct fl_ask *ask, struct fl_node n);

/*
 * Would a search for @ask, or for one that asks for it and more, take nobody at all?  False says
 * nothing.  Before anybody was chosen in this cycle, when nobody listens and there is no Policy.
 */
bool fl_preempt_hopeless(struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v,
			 const struct fl_ask *ask);
bool fl_fair_hopeless(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);

/* The two searches: is there a set of targets that is enough?  Then they are the search's. */
bool fl_classical_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			 const struct fl_ask *ask);
bool fl_fair_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		    const struct fl_ask *ask);

#endif
