/* SPDX-License-Identifier: Apache-2.0 */
/* route - which queue a job of a trace comes to; private to codec/trace */
#ifndef FL_CODEC_TRACE_ROUTE_H
#define FL_CODEC_TRACE_ROUTE_H

#include "codec/trace/trace.h"

/* Its queue: namespace and queue_name of its workload. */
struct fl_trace_route {
	bool left_out; /* a rule leaves it out: the other members are not filled in */
	struct fl_sym namespace, queue_name;
	bool has_priority;
	int32_t priority;
};

/*
 * By the first of the trace's rules that matches, which is marked as used.  The queue is made by a
 * template if the trees lack it.  FAIRLEAD_EINPUT at @at when no rule matches, at the rule when its
 * queue does not exist.  Cost: O(names in the rules).
 */
int fl_trace_route(struct fl_model *m, uint32_t trace, const struct fl_trace_owner *owner,
		   struct fl_place at, struct fl_trace_route *ret, fairlead_error *err);

#endif
