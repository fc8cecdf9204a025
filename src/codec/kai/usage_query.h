/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage_query - what KAI's scheduler asks a Prometheus for, as a question for an integral
 *
 * With M the metric, W the length of the window, S the step, H the half-life in seconds, and NOW the
 * time of the question in whole seconds, these texts are understood and no others:
 *
 *   query        sum_over_time((E)[W:S])       the window that ends at `time`
 *   query_range  sum_over_time(E)              from `start` to `end`, with `step`
 *   E            M, or ((M) * (0.5^((NOW - time()) / H)))
 *
 * W and S are "168h0m0s" or "1w": KAI writes W as Go does, and since it takes a Prometheus's durations as it
 * is in its configuration.
 *
 * M is one of six, which fl_usage_metrics lists.  A Prometheus adds up samples, one each S; what the
 * sum goes to when they are taken ever more often is the integral of M w over the window, divided by S,
 * with w(t) = 2^-((NOW - t) / H), or 1.  (For a range a real one refuses the text; KAI's client
 * asks all the same, and wants the sum.)
 *
 * Cannot: any other expression, names of metrics that were changed in extraParams.
 * Tested by tests/unit/codec/test_usage_query.c, with requests seen on the wire.
 */
#ifndef FL_CODEC_KAI_USAGE_QUERY_H
#define FL_CODEC_KAI_USAGE_QUERY_H

#include "base/error.h"
#include "base/ids.h"

enum { FL_USAGE_QUERY = 1024 }; /* bytes of a query, at most */

struct fl_usage_metric {
	const char *text;     /* "kai_queue_allocated_gpus" */
	const char *resource; /* "nvidia.com/gpu" */
	double unit;          /* amounts of a resource in one of the metric's: 1000 of cpu */
	bool capacity;        /* of the cluster; else held by each queue */
};
/* The last one has no text. */
extern const struct fl_usage_metric fl_usage_metrics[];

/* The parameters as they came; NULL: not given. Those of the other form are not looked at. */
struct fl_usage_asked {
	bool range;
	const char *query, *time, *start, *end, *step;
};

/* Times are those of the wall clock. */
struct fl_usage_query {
	const struct fl_usage_metric *metric;
	fl_time from, to;  /* from <= to */
	fl_time step;      /* above 0 */
	fl_time half_life; /* 0: none */
	fl_time now;       /* what half-lives are counted from */
};

/* @now: `time` where it is not given. FAIRLEAD_EINPUT: err says what is wrong, and what is understood. */
int fl_usage_query_read(const struct fl_usage_asked *asked, fl_time now, struct fl_usage_query *ret,
			fairlead_error *err);

#endif
