/* SPDX-License-Identifier: Apache-2.0 */
/* route - which queue a job of a trace comes to; private to codec/trace */
#ifndef FL_CODEC_TRACE_ROUTE_H
#define FL_CODEC_TRACE_ROUTE_H

#include "codec/trace/trace.h"

/* Where it goes: namespace and queue_name of its workload. */
struct fl_trace_route {
	bool left_out; /* a rule says that it does not count: all else is not filled in */
	struct fl_sym namespace, queue_name;
	bool has_priority;
	int32_t priority;
};

/*
 * By the first of the trace's rules that matches, which is marked as used.  The queue is
 * made by a template when the trees have none.  FAIRLEAD_EINPUT at @at when the job is
 * nobody's, at the rule when its queue is not there.  Cost: O(names in the rules).
 */
int fl_trace_route(struct fl_model *m, uint32_t trace, const struct fl_trace_owner *owner,
		   struct fl_place at, struct fl_trace_route *ret, fairlead_error *err);

#endif
