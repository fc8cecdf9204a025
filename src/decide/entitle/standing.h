/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standing - what a queue deserves, its fair share, and what it holds
 *
 * The pure rules of the policy (order.c, capacity.c, reclaim_rules.c, minruntime.c) are functions
 * of an array of these, one per queue, by fl_node; they change nothing.
 */
#ifndef FL_DECIDE_ENTITLE_STANDING_H
#define FL_DECIDE_ENTITLE_STANDING_H

#include <math.h>

#include "base/bundle.h"
#include "base/ids.h"

struct fl_standing {
	/* changed by CELL events only */
	struct fl_node parent; /* FL_NONE at the top */
	uint32_t depth;        /* 0 at the top */
	int32_t priority;
	fl_time created;
	uint32_t rank; /* rank among all queues by (creation, name) */
	struct fl_bundle deserved, limit, weight;
	fl_time preempt_min_run, reclaim_min_run; /* FL_TIME_NONE: not set */

	/* set in each cycle */
	struct fl_bundle fair_share;
	struct fl_bundle request; /* what it and all queues below it hold or request */
	double late; /* turns and budgets: of equal priority the smaller goes first; else 0 */

	/* changes during a cycle */
	struct fl_bundle allocated;       /* by it and all queues below it */
	struct fl_bundle non_preemptible; /* part of it that cannot be preempted */
};

/* min(request, limit) */
static inline double fl_standing_requestable(const struct fl_standing *q, int r)
{
	return q->limit.of[r] == FL_UNBOUNDED || q->request.of[r] < q->limit.of[r] ?
		       q->request.of[r] :
		       q->limit.of[r];
}

/*
 * How much it may hold without being over: min(max(deserved, fair share), limit); FL_UNBOUNDED
 * when both deserved and the limit are.
 */
static inline double fl_standing_allocatable(const struct fl_standing *q, int r)
{
	double most = q->deserved.of[r] > q->fair_share.of[r] ? q->deserved.of[r] :
								q->fair_share.of[r];

	if (q->deserved.of[r] == FL_UNBOUNDED)
		return q->limit.of[r];
	return q->limit.of[r] == FL_UNBOUNDED || most < q->limit.of[r] ? most : q->limit.of[r];
}

/* held / fair share; INFINITY when the fair share is 0. */
static inline double fl_saturation(double held, double fair_share)
{
	if (fair_share == FL_UNBOUNDED)
		return 0;
	if (fair_share == 0)
		return held > 0 ? INFINITY : 0;
	return held / fair_share;
}

#endif
