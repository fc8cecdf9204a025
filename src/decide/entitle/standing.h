/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standing - where a queue stands: what it deserves, what it is given, what it holds
 *
 * The pure rules of the policy (order.c, capacity.c, reclaim_rules.c, minruntime.c) are
 * functions of rows of these, one a queue, by fl_node; they change nothing.
 */
#ifndef FL_DECIDE_ENTITLE_STANDING_H
#define FL_DECIDE_ENTITLE_STANDING_H

#include <math.h>

#include "base/bundle.h"
#include "base/ids.h"

struct fl_standing {
	/* fixed but for CELL events */
	struct fl_node parent; /* FL_NONE at the top */
	uint32_t depth;        /* 0 at the top */
	int32_t priority;
	fl_time created;
	uint32_t rank; /* place among all queues by (creation, name) */
	struct fl_bundle deserved, limit, weight;
	fl_time preempt_min_run, reclaim_min_run; /* FL_TIME_NONE: not set */

	/* of this cycle */
	struct fl_bundle fair_share;
	struct fl_bundle request; /* what it and all below it hold or want */
	double late; /* turns and budgets: of equal priority the smaller goes first; else 0 */

	/* moves during a cycle */
	struct fl_bundle allocated;       /* of all below it, too */
	struct fl_bundle non_preemptible; /* part of it that cannot be preempted */
};

/* request, or the limit where that is less. */
static inline double fl_standing_requestable(const struct fl_standing *q, int r)
{
	return q->limit.of[r] == FL_UNBOUNDED || q->request.of[r] < q->limit.of[r] ?
		       q->request.of[r] :
		       q->limit.of[r];
}

/*
 * How much it may hold without being over: the larger of deserved and fair share, within
 * its limit; FL_UNBOUNDED when both what it deserves and its limit are.
 */
static inline double fl_standing_allocatable(const struct fl_standing *q, int r)
{
	double most = q->deserved.of[r] > q->fair_share.of[r] ? q->deserved.of[r] :
								q->fair_share.of[r];

	if (q->deserved.of[r] == FL_UNBOUNDED)
		return q->limit.of[r];
	return q->limit.of[r] == FL_UNBOUNDED || most < q->limit.of[r] ? most : q->limit.of[r];
}

/* What is held for each unit of fair share; INFINITY where that is nothing. */
static inline double fl_saturation(double held, double fair_share)
{
	if (fair_share == FL_UNBOUNDED)
		return 0;
	if (fair_share == 0)
		return held > 0 ? INFINITY : 0;
	return held / fair_share;
}

#endif
