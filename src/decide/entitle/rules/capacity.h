/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity - may a leaf, and every queue above it, hold so much more?
 *
 *   limit      allocated + request <= limit, for all jobs
 *   quota      non-preemptible allocated + request <= deserved, for jobs that cannot be preempted
 *
 * Both must hold at every queue from the leaf to its root, for each resource that is requested and
 * bounded.  All limits are compared before any quota; of the comparisons that fail, the one at the
 * queue nearest to the leaf is reported, and there cpu before memory before gpu.
 *
 * Guarantee: pure; if a request is refused, every larger request is refused; a resource that is
 * not requested (0) never refuses, however far over its bound a queue is.
 *
 * Tested in tests/unit/decide/test_entitle_capacity.c and by the recorded cases `capacity`.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_CAPACITY_H
#define FL_DECIDE_ENTITLE_RULES_CAPACITY_H

#include "decide/entitle/rules/witness.h"
#include "decide/entitle/standing.h"

/* The comparison that refused a request. */
struct fl_refusal {
	enum fl_reason reason; /* OVER_LIMIT, NON_PREEMPTIBLE_OVER_QUOTA */
	struct fl_node queue;
	int resource;                /* FL_CPU, FL_MEMORY, FL_GPU */
	double held, request, bound; /* held + request > bound */
};

/*
 * True: nothing refuses.  Else *@ret (may be NULL) is the first comparison that does.  @witness
 * (may be NULL) is told of every comparison up to that one.
 */
bool fl_capacity_within_limits(const struct fl_standing *queues, struct fl_node leaf,
			       const struct fl_bundle *request, const struct fl_witness *witness,
			       struct fl_refusal *ret);
/* For jobs that cannot be preempted; does not apply to others. */
bool fl_capacity_within_quota(const struct fl_standing *queues, struct fl_node leaf,
			      const struct fl_bundle *request, const struct fl_witness *witness,
			      struct fl_refusal *ret);
/* The limits, and unless @preemptible also the quota. */
bool fl_capacity_fits(const struct fl_standing *queues, struct fl_node leaf, bool preemptible,
		      const struct fl_bundle *request, const struct fl_witness *witness,
		      struct fl_refusal *ret);

#endif
