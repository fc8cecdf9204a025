/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity - may a leaf, and every queue above it, hold so much more?
 *
 *   limit      allocated + request <= limit, of whoever asks
 *   quota      what cannot be preempted, + request <= deserved, of jobs that cannot be
 *
 * Both hold at every queue from the leaf to its root, in each resource that is asked for
 * and bounded.  Limits are looked at everywhere before any quota is; within each the queue
 * nearest to the leaf is named, and of its resources cpu, then memory, then gpu.
 *
 * Guarantee: pure; who is refused a request is refused every larger one; what is not asked
 * for (a request of 0) never refuses, however far over a queue is.
 *
 * Tested in tests/unit/decide/test_entitle_capacity.c and by the recorded cases `capacity`.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_CAPACITY_H
#define FL_DECIDE_ENTITLE_RULES_CAPACITY_H

#include "decide/entitle/rules/witness.h"
#include "decide/entitle/standing.h"

/* Where a request stopped. */
struct fl_refusal {
	enum fl_reason reason; /* OVER_LIMIT, NON_PREEMPTIBLE_OVER_QUOTA */
	struct fl_node queue;
	int resource;                /* FL_CPU, FL_MEMORY, FL_GPU */
	double held, request, bound; /* held + request > bound */
};

/*
 * true: nothing refuses.  Else *@ret (may be NULL) is the first that does.  @witness may be
 * NULL; it hears of every comparison up to the one that refuses.
 */
bool fl_capacity_within_limits(const struct fl_standing *queues, struct fl_node leaf,
			       const struct fl_bundle *request, const struct fl_witness *witness,
			       struct fl_refusal *ret);
/* Of a job that cannot be preempted; nobody else is asked this. */
bool fl_capacity_within_quota(const struct fl_standing *queues, struct fl_node leaf,
			      const struct fl_bundle *request, const struct fl_witness *witness,
			      struct fl_refusal *ret);
/* Limits, and then quota unless @preemptible. */
bool fl_capacity_fits(const struct fl_standing *queues, struct fl_node leaf, bool preemptible,
		      const struct fl_bundle *request, const struct fl_witness *witness,
		      struct fl_refusal *ret);

#endif
