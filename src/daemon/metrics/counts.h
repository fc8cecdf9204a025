/* SPDX-License-Identifier: Apache-2.0 */
/* counts - what was counted; private to the files of metrics */
#ifndef FL_DAEMON_METRICS_COUNTS_H
#define FL_DAEMON_METRICS_COUNTS_H

#include "daemon/metrics/metrics.h"

enum { FL_BUCKETS = 16 };

/* Bounds in nanoseconds, rising; values above the last one count in `n` only. */
struct fl_histogram {
	const fl_time *bounds;
	uint32_t n_bounds;
	uint64_t counts[FL_BUCKETS]; /* by bucket, not cumulative */
	uint64_t n;
	double sum; /* seconds */
};

struct fl_queue_counts {
	char *name;
	struct fl_histogram wait;
	uint64_t submitted, lost, ended[FL_JOB_STATES];
	uint64_t preempted[FL_REASONS], preempts[FL_REASONS];
};

struct fl_metrics {
	struct fl_queue_counts **queues, others; /* by name; of all others together */
	uint32_t n, most;
	struct fl_histogram cycle, generation, commit;
	uint64_t loops, rows, store_errors;
};

#endif
