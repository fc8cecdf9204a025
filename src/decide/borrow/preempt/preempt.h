/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt - which workloads to evict so that a workload fits (doc/semantics/borrow.md, B8)
 *
 * Two searches with one interface: classical.c (fair sharing off) and fair.c (KEP-1714: S1, S2-a,
 * S2-b).  Both leave the view as it was.  The victims found are inclusion-minimal, except for the
 * last one taken, which fill-back never tries.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_PREEMPT_H
#define FL_DECIDE_BORROW_PREEMPT_PREEMPT_H

#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

/*
 * The workspace of all searches of a policy (search.h): memory of its own, and what the cycle
 * lends it.
 */
struct fl_preempt;
int fl_preempt_new(struct fl_policy *p, struct fl_teller *tell, struct fl_marks *marks,
		   struct fl_preempt **ret, fairlead_error *err);
/* Frees what is not in the arena of the policy. */
void fl_preempt_done(const struct fl_policy *p, struct fl_preempt *s);
/* Room for @n targets; there can be as many as workloads that hold quota. */
int fl_preempt_reserve(const struct fl_policy *p, struct fl_preempt *s, uint32_t n,
		       fairlead_error *err);
/* Lends working memory for as many numbers; not during a search. */
uint32_t *fl_preempt_lend(struct fl_preempt *s);
/*
 * Are the numbers that mark things about to wrap?  Then renew lets them begin again, and the
 * caller must do the same with `marks`.
 */
bool fl_preempt_is_worn(const struct fl_preempt *s);
void fl_preempt_renew(const struct fl_policy *p, struct fl_preempt *s);
/* How many children of cohorts and candidates were looked at so far. */
uint64_t fl_preempt_looked(const struct fl_preempt *s);

/* The result of a search. */
struct fl_victims {
	const struct fl_target *targets; /* valid until the next search */
	uint32_t n;                      /* 0: no set of candidates is enough */
	bool spared;                     /* a Policy protects a possible victim, for a time */
};
struct fl_victims fl_preempt_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
				    const struct fl_ask *ask);

/*
 * The whole order of candidates: evicting ones first, those of other queues before those of @q,
 * then as in holders.h.
 */
bool fl_preempt_before(const struct fl_policy *p, uint32_t a, uint32_t b, struct fl_node q);

/*
 * Which workloads of its own queue may a workload of @q preempt?  With the guarantee it must come
 * before them in queue order, so Any counts as LowerOrNewerEqualPriority.
 */
enum fl_preempt_policy fl_preempt_within_queue(const struct fl_policy *p, struct fl_node q);

/*
 * May the asking workload preempt @victim under @policy, does @victim use a needed resource, and
 * does no Policy protect it from @cause?
 */
bool fl_preempt_allows(struct fl_policy *p, struct fl_preempt *s, const struct fl_ask *ask,
		       uint32_t victim, enum fl_preempt_policy policy, enum fl_cause cause);

/*
 * Does @policy refuse @victim and all candidates of its queue behind it? (Behind evicting ones
 * they are sorted by priority.) False if a sink wants a row for each.
 */
bool fl_preempt_refuses_rest(const struct fl_policy *p, const struct fl_preempt *s,
			     const struct fl_ask *ask, uint32_t victim,
			     enum fl_preempt_policy policy);

/* evidence.c: rows about a search; call these only with a sink. */

/* The request, and which groups of candidates the queue's policies exclude as a whole. */
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
/*
 * @victim was taken, as others before it: does the workload fit?  By the column with the least
 * room.
 */
void fl_preempt_tell_taken(const struct fl_policy *p, const struct fl_teller *t,
			   const struct fl_view *v, const struct fl_ask *ask, uint32_t victim,
			   bool borrow, bool fits);
/* Fill-back put @victim back: is it needed?  By the same column. */
void fl_preempt_tell_needed(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_view *v, const struct fl_ask *ask, uint32_t victim,
			    bool borrow, bool needed);

void fl_preempt_take(const struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		     uint32_t victim, enum fl_reason reason);
/*
 * Fill-back: puts targets back that are not needed after all, from the last but one to the first;
 * those that were evicting before the search are left.
 */
void fl_preempt_fill_back(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			  const struct fl_ask *ask, bool borrow);
/* Restores the usage of the view to what it was before the search took targets. */
void fl_preempt_restore(const struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v);

/* Is usage <= subtree quota at the node in all needed columns ("within nominal")? */
bool fl_preempt_within_nominal(const struct fl_policy *p, const struct fl_view *v,
			       const struct fl_ask *ask, struct fl_node n);

/*
 * Is it certain that a search for @ask, or for a larger request, takes no victim at all?  False:
 * not known.  To be called before a victim is chosen in this cycle, without a sink and without a
 * Policy.
 */
bool fl_preempt_hopeless(struct fl_policy *p, const struct fl_preempt *s, struct fl_view *v,
			 const struct fl_ask *ask);
bool fl_fair_hopeless(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);

/* The two searches: is there a set of victims that is enough?  Then it is in the targets of @s. */
bool fl_classical_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			 const struct fl_ask *ask);
bool fl_fair_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
		    const struct fl_ask *ask);

#endif
