/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hours - what queues held, wanted and were entitled to within an hour, from what its jobs held
 *
 * Guarantee: `held` and `waiting` are exact, to the nanosecond, and so are counts and waits; what
 * depends on several queues at once (entitled, borrowed, lent) is computed of FL_HOUR_SLOTS equal
 * parts of the time, in each of which what is held and wanted counts with its mean.
 *
 * Limits: memory is that of nodes x resources x slots, with fewer slots where these would be more than
 * FL_HOUR_CELLS, and one at least; any number of jobs.
 */
#ifndef FL_DAEMON_ENGINE_HOURS_H
#define FL_DAEMON_ENGINE_HOURS_H

#include "base/error.h"
#include "record/history.h"
#include "record/sums.h"

enum { FL_HOUR_SLOTS = 360, FL_HOUR_CELLS = 1 << 22 };

/* The tree of queues as it was then. Texts and rows are the caller's. */
struct fl_hour_node {
	const char *name;
	uint32_t parent; /* FL_NONE */
	double weight;
	bool leaf; /* a queue that jobs are in */
};
struct fl_hour_tree {
	const struct fl_hour_node *nodes;
	const char *const *resources;
	const double *nominal;  /* node * n_resources + resource; INFINITY: unlimited */
	const double *capacity; /* by resource; 0: the sum of all quotas */
	uint32_t n, n_resources;
};

/* Sums that go on from hour to hour. */
struct fl_hours;
int fl_hours_new(struct fl_hours **ret, fairlead_error *err);
struct fl_hours *fl_hours_free(struct fl_hours *h); /* NULL is fine; returns NULL */
/* What was summed up before: once for each, before any hour. */
int fl_hours_queue_before(void *hours, const struct fl_queue_sum *row, fairlead_error *err);
int fl_hours_amount_before(void *hours, const struct fl_amount_sum *row, fairlead_error *err);
/* Those of @tier end: their largest begin anew, and at the end of a month all. */
void fl_hours_ended(struct fl_hours *h, enum fl_tier tier);

/* From @from to @to, which is an hour or less, with @tree; then rows of it; then end. */
int fl_hours_begin(struct fl_hours *h, const struct fl_hour_tree *tree, fl_time from, fl_time to,
		   fairlead_error *err);
/* An attempt that was pending or held quota then: fl_admission_fn. */
int fl_hours_admission(void *hours, const struct fl_admission_row *row, fairlead_error *err);
/* A queue wanted @amount from @since on, and is still without it at the end of the time. */
int fl_hours_pending(struct fl_hours *h, const char *queue, const char *resource, fl_time since,
		     fl_amount amount, fairlead_error *err);
/* The share of a queue was looked at: its mean is share / known, in millionths. */
int fl_hours_share(struct fl_hours *h, const char *queue, fl_nanos share, fl_time known,
		   int64_t most, fairlead_error *err);
int fl_hours_end(struct fl_hours *h, fairlead_error *err);

/* All sums up to now, without those of nothing; valid until the next call. */
int fl_hours_rows(struct fl_hours *h, const struct fl_queue_sum **ret_queues,
		  uint32_t *ret_n_queues, const struct fl_amount_sum **ret_amounts,
		  uint32_t *ret_n_amounts, fairlead_error *err);

#endif
