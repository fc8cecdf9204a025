/* SPDX-License-Identifier: Apache-2.0 */
/* closings - the moments up to which sums were written, and the sums of one; private to store */
#ifndef FL_STORE_SUMS_CLOSINGS_H
#define FL_STORE_SUMS_CLOSINGS_H

#include "store/open.h"

/* A connection that reads one moment; the caller closes it. */
int fl_closings_begin(struct fl_store *s, struct fl_db *ret, fairlead_error *err);

/* The last one before @t of at least @tier; tier FL_TIERS: there is none. */
int fl_closing_before(struct fl_store *s, struct fl_db *db, fl_time t, enum fl_tier tier,
		      struct fl_closing *ret, fairlead_error *err);
/* The first one at @t or later; the same. */
int fl_closing_from(struct fl_store *s, struct fl_db *db, fl_time t, struct fl_closing *ret,
		    fairlead_error *err);
struct fl_closings {
	struct fl_closing *rows; /* of the heap */
	uint32_t n, cap;
};
/* The first @most of those from @from to @to of at least @tier. */
int fl_closings_of(struct fl_store *s, struct fl_db *db, fl_time from, fl_time to,
		   enum fl_tier tier, uint32_t most, struct fl_closings *ret, fairlead_error *err);
int fl_closing_ends(struct fl_store *s, struct fl_db *db, struct fl_tier_ends *ret,
		    fairlead_error *err);
/*
 * A time that is meant to be the end of an hour: by the clock of the wall, which since then has been
 * slowed down or set by a little, it lies beside it.
 */
int fl_closing_near(struct fl_store *s, struct fl_db *db, fl_time *t, fairlead_error *err);

/* All sums of a moment, of one queue or (NULL) of all. */
int fl_sums_at_moment(struct fl_store *s, struct fl_db *db, fl_time until, const char *queue,
		      const struct fl_sum_reader *to, fairlead_error *err);

#endif
