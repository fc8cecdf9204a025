/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiers - sums of history over hours, days and months, behind the exact admissions
 *
 * Guarantee: every moment is counted once, whatever happens when.  A transaction that writes the
 * sums up to a moment writes that moment too (`closings`), checks that it goes on where the one
 * before it ended, and drops what it replaces: the parts of an hour, when the hour is over.
 * Admissions are dropped only where sums exist, in a transaction that says up to where (`exact`).
 *
 * A row of sums has all since the beginning of its book, a month (record/sums.h).  So the hours of
 * a day are dropped and its end remains; what was held in any time is the difference of two
 * moments, plus the books between them, however fine or coarse is what remains.  That bounds what
 * a question reads: the rows of four moments, and of one for each month.
 *
 * A queue has rows from its first moment in a book to the end of that book, also when it is not
 * there any more by then: a queue without a row at a moment has nothing in that book.
 */
#ifndef FL_STORE_TIERS_H
#define FL_STORE_TIERS_H

#include "store/store.h"

struct fl_amount_cells {
	fl_time until;
	const char *queue, *resource;
	int64_t held_high, held_low, entitled_high, entitled_low, waiting_high, waiting_low,
		borrowed_high, borrowed_low, lent_high, lent_low, nominal_high, nominal_low;
};
void fl_amount_cells_of(fl_time until, const struct fl_amount_sum *sum,
			struct fl_amount_cells *ret);
void fl_amount_of_cells(const struct fl_amount_cells *cells, struct fl_amount_sum *ret);

struct fl_queue_cells {
	fl_time until;
	const char *queue;
	int64_t share_high, share_low, known, share_hour, share_day, share_month;
	uint64_t started, preempted;
	int64_t waited_high, waited_low, wait_hour, wait_day, wait_month;
};
void fl_queue_cells_of(fl_time until, const struct fl_queue_sum *sum, struct fl_queue_cells *ret);
void fl_queue_of_cells(const struct fl_queue_cells *cells, struct fl_queue_sum *ret);

struct fl_exact {
	fl_time since;
};

/* --- within a transaction --- */

struct fl_db;
/* The last moment that has sums; FL_TIME_NONE: none. */
int fl_tiers_end(struct fl_db *db, fl_time *ret, fairlead_error *err);
/* Since when the admissions are whole. */
int fl_tiers_exact(struct fl_store *s, struct fl_db *db, fl_time *ret, fairlead_error *err);
/* Admissions that ended before *before are dropped: not those that no sum has. Notes it. */
int fl_tiers_give_up(struct fl_store *s, struct fl_db *db, fl_time *before, fairlead_error *err);
/* Drops up to @most moments of @tier before @before; returns how many, or an error. */
int fl_tiers_drop(struct fl_db *db, enum fl_tier tier, fl_time before, uint32_t most,
		  fairlead_error *err);

#endif
