/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighed - what queues held, and what there was, weighed by how long ago it was
 *
 * With held(t) piecewise constant, the sum of a time (from, to] is
 *
 *   integral of held(t) w(t) dt,   w(t) = 2^-((end - t) / half-life), or 1 without a half-life,
 *
 * in which each time span with the same amount has a closed form: no step is chosen, and nothing is
 * sampled.  Spans are added up as integers of 1/FL_WEIGHED_UNIT nanoseconds times amounts, so that the
 * order in which they come does not matter; a span is rounded to half of that, and to 2^-52 of itself.
 *
 * A sum as of an earlier end is taken to a later one by one factor (fl_weighed_left).
 *
 * Cannot: tell users apart; amounts other than of the resources that it was begun with.
 * Tested by tests/unit/daemon/test_weighed.c, against sums of samples.
 */
#ifndef FL_DAEMON_ENGINE_WEIGHED_H
#define FL_DAEMON_ENGINE_WEIGHED_H

#include "base/amount.h"
#include "base/names.h"
#include "record/capacity.h"

enum {
	FL_WEIGHED_RESOURCES = 3,
	FL_WEIGHED_UNIT = 256, /* of a nanosecond */
};
/* "nvidia.com/gpu", "cpu", "memory": which of them; FL_WEIGHED_RESOURCES: none. */
uint32_t fl_weighed_resource(const char *name);
const char *fl_weighed_name(uint32_t resource);

/* The integral of w over (from, to], in nanoseconds; from <= to <= end. */
double fl_weighed_weight(fl_time from, fl_time to, fl_time end, fl_time half_life);
/* w of @end, as seen at @now, which may be earlier. */
double fl_weighed_left(fl_time end, fl_time now, fl_time half_life);
/* @amount all through (from, to]. */
fl_nanos fl_weighed_span(fl_amount amount, fl_time from, fl_time to, fl_time end,
			 fl_time half_life);

/* The sums of a time, by symbol of the queue. */
struct fl_weighed {
	fl_time from, to; /* `to` is the end, too */
	fl_time half_life;
	struct fl_names *queues; /* the caller's */
	struct fl_weighed_sums {
		fl_nanos of[FL_WEIGHED_RESOURCES];
	} * rows;
	uint32_t n, cap; /* rows that there are: symbols from n on held nothing */
};
void fl_weighed_done(struct fl_weighed *u);
/* The queue held all of @grants; the part of (from, to] that lies within the time counts. */
int fl_weighed_grants(struct fl_weighed *u, const char *queue, const struct fl_run_grant *grants,
		      uint32_t n, fl_time from, fl_time to, fairlead_error *err);
/* The same of what is known as a sum alone: @held amounts times nanoseconds, evenly over (from, to]. */
int fl_weighed_evenly(struct fl_weighed *u, const char *queue, const char *resource, fl_time from,
		      fl_time to, fl_nanos held, fairlead_error *err);

/* --- what there was --- */

/* From then on there was so much, until the next row. */
struct fl_weighed_capacity {
	fl_time since;
	fl_amount of[FL_WEIGHED_RESOURCES];
};
/*
 * In amounts times nanoseconds, as of @now; @rows by time.  false: nothing is known of that time: it
 * ends before the first row.
 */
bool fl_weighed_capacity(const struct fl_weighed_capacity *rows, uint32_t n, uint32_t resource,
			 fl_time from, fl_time to, fl_time now, fl_time half_life, double *ret);

#endif
