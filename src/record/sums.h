/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums - what queues held, and what was their due, added up over hours, days and months
 *
 * Sums run from the beginning of a book, which is a month of the wall clock in UTC: each row has
 * all since then.  What lies between two of them is their difference, so rows between others may be
 * dropped without changing what the rest say.  Amounts are in the units of amounts (milli-cores,
 * bytes, pieces) times nanoseconds, and exact.
 */
#ifndef FL_RECORD_SUMS_H
#define FL_RECORD_SUMS_H

#include "base/amount.h"
#include "base/ids.h"

/* What is kept behind the exact admissions, the finest first; numbers are stored. */
enum fl_tier {
	FL_TIER_PART,  /* of an hour that is not over: dropped when it is */
	FL_TIER_HOUR,  /* the end of an hour */
	FL_TIER_DAY,   /* of an hour that ends a day */
	FL_TIER_MONTH, /* of an hour that ends a month, and the book */
	FL_TIERS,
	FL_TIER_EXACT = FL_TIERS, /* no sum: the admissions themselves */
};
/* "hour", ...; "exact". */
const char *fl_tier_name(enum fl_tier tier);

/* The moment up to which sums were written. */
struct fl_closing {
	fl_time until; /* the daemon's time; each later than the one before */
	fl_time begin; /* of the hour that it ends, or is a part of */
	fl_time book;  /* of its book; all sums of this row are from then on */
	fl_time wall;  /* what the wall clock showed at `until` */
	enum fl_tier tier;
	uint64_t version; /* of the configuration: row of CONFIGURED; 0: that of the first start */
};

/* Of a resource of a queue. */
enum fl_sum_of {
	FL_SUM_HELD,
	FL_SUM_ENTITLED, /* what quota and weight would have given it (daemon/engine/history/fairness.h) */
	FL_SUM_WAITING,  /* what its pending jobs asked for */
	FL_SUM_BORROWED, /* held beyond its quota */
	FL_SUM_LENT,     /* of its quota, held by others */
	FL_SUM_NOMINAL,  /* its quota; 0 where that is unlimited */
	FL_SUMS_OF,
};
struct fl_amount_sum {
	const char *queue, *resource;
	fl_nanos of[FL_SUMS_OF];
};

/* The largest of its hour, its day and its month up to `until`. */
enum fl_most_of { FL_MOST_HOUR, FL_MOST_DAY, FL_MOST_MONTH, FL_MOSTS_OF };

/* Of a queue. */
struct fl_queue_sum {
	const char *queue;
	fl_nanos share;                  /* millionths times nanoseconds, of the times in `known` */
	fl_time known;                   /* nanoseconds in which its share was looked at */
	int64_t share_most[FL_MOSTS_OF]; /* millionths; INT64_MAX: endless */
	uint64_t started, preempted;
	fl_nanos waited; /* from pending to the start, of those that started; ns */
	fl_time wait_most[FL_MOSTS_OF];
};

#endif
