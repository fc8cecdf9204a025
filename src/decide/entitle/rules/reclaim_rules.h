/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim_rules - may a queue reclaim at all, and may it reclaim from these victims?
 *
 *   fl_reclaim_may      asked once: with its request the reclaimer's leaf must be within its fair
 *                       share, and with what cannot be preempted within what it deserves
 *   fl_reclaim_allows   asked for each solution:
 *     A  each victim, in its order, must pass one of
 *          MaintainFairShare       its side holds more than it may (fl_standing_allocatable)
 *                                  in some resource
 *          GuaranteeDeservedQuota  its side holds more than it deserves in some resource, and
 *                                  the reclaimer's side stays within what it deserves in all
 *     B  at every level: saturation (held / fair share) of the reclaimer's queue, where it is
 *        above 1, times the multiplier, must be below that of each sibling that loses something;
 *        and what cannot be preempted must be within what is deserved
 *     C  what a Policy adds (below)
 *
 * A side is a queue of the leveled pair: the first two queues, from the root, in which the paths
 * to the two leaves differ.  What all victims below a side have lost so far is subtracted.
 *
 * Guarantee: no queue changes; the answer depends only on the standings, the request and the list
 * of victims; if a request is refused, every larger one (in the same resources) is refused; a
 * higher multiplier allows nothing that a lower one refuses.  By default a victim's side must be
 * over its bound before its last victim is evicted, NOT after: the last victim may take the side
 * below its bound, and the reclaimer may rise above what it deserves.
 *
 * Victims are taken queue by queue, in the order in which queues first appear in the list, and
 * within a queue in the order of the list. (KAI takes queues in random order.  That matters only
 * where several victim queues are below one side and their amounts differ so that one order takes
 * the side to its bound early; no recorded case has this.)
 *
 * C, off by default, each with a counterexample in the test:
 *   keep_below_quota  if a queue of any level held less than it deserves of a resource that the
 *                     reclaimer requests, it must not hold more than it deserves of it after the
 *                     reclaim.  (A queue that held exactly what it deserves, or deserves nothing,
 *                     was not below its quota: the rules above bound it.)  Cost: a gang that is
 *                     larger than what is left of the quota cannot reclaim at once.
 *   protect_quota     no queue below the common ancestor, from a victim's leaf to its side, may
 *                     hold less of a resource that its victims held than
 *                     min(what it held, what it deserves).  Unlimited quota protects nothing: a
 *                     queue that deserves everything would never lose anything.  Cost: a victim
 *                     that is larger than what its queue holds over its quota cannot be evicted.
 *   multiplied_first  in B the saturation of the reclaimer's queue is above 1 when it is so after it
 *                     was multiplied.  So a multiplier above 1 also binds a queue within its fair
 *                     share: it takes only what leaves its victims that much more saturated.
 * "Holds after" is as in the rules: as if the reclaimer alone got what is freed.
 *
 * Cost: O(victims * depth + siblings on the path that lose something); no allocation.
 *
 * Tested in tests/unit/decide/test_entitle_reclaim.c, by test_entitle_reclaim_random.c beside it,
 * which has all of this a second time, and by the recorded cases `reclaim` and
 * `reclaim_saturation`.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_RECLAIM_RULES_H
#define FL_DECIDE_ENTITLE_RULES_RECLAIM_RULES_H

#include "decide/entitle/rules/witness.h"
#include "decide/entitle/standing.h"

struct fl_reclaim_options {
	double multiplier; /* at least 1 */
	bool keep_below_quota, protect_quota;
	bool multiplied_first; /* B: the multiplier counts before "above 1" is asked, too */
};

struct fl_reclaimer {
	struct fl_node queue; /* a leaf */
	bool preemptible;
	struct fl_bundle request; /* of the tasks that it would start now */
};

/* One task of an elastic job, or the tasks that a gang needs to run at all. */
struct fl_reclaim_victim {
	struct fl_node queue; /* a leaf, not the reclaimer's */
	struct fl_bundle amount;
	struct fl_workload workload; /* for evidence only */
};

bool fl_reclaim_may(const struct fl_standing *queues, const struct fl_reclaimer *reclaimer,
		    const struct fl_witness *witness);

/*
 * The sides of two leaves.  If one is above the other, both sides are the end of the shorter path.
 */
void fl_reclaim_sides(const struct fl_standing *queues, struct fl_node reclaimer,
		      struct fl_node victim, struct fl_node *ret_reclaimer,
		      struct fl_node *ret_victim);

/* The two ways to pass; @remaining: what the victim's side still holds. */
bool fl_reclaim_maintains_fair_share(const struct fl_standing *side,
				     const struct fl_bundle *remaining);
bool fl_reclaim_guarantees_deserved(const struct fl_standing *reclaimer,
				    const struct fl_bundle *request, const struct fl_standing *side,
				    const struct fl_bundle *remaining);

/* Does one victim pass either way?  @own and @side are the sides.  @witness may be NULL. */
bool fl_reclaim_passes(const struct fl_standing *queues, struct fl_node own, struct fl_node side,
		       const struct fl_bundle *request, const struct fl_bundle *remaining,
		       struct fl_workload victim, const struct fl_witness *witness);

/* Working memory of one call, which the next reuses; not part of any state. */
struct fl_reclaim_scratch;

/* For @n_nodes rows and at most @max_victims per call; allocated in @a. */
int fl_reclaim_scratch_new(struct fl_arena *a, uint32_t n_nodes, uint32_t max_victims,
			   struct fl_reclaim_scratch **ret, fairlead_error *err) FL_MUST_CHECK;

/*
 * @queues as they were before any eviction.  @witness may be NULL; of a refusal the last row that
 * it is told is the comparison that failed (among rows about victims, if it takes these).
 */
bool fl_reclaim_allows(const struct fl_standing *queues, const struct fl_reclaim_options *options,
		       const struct fl_reclaimer *reclaimer,
		       const struct fl_reclaim_victim *victims, uint32_t n_victims,
		       struct fl_reclaim_scratch *scratch, const struct fl_witness *witness);

#endif
