/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps - history for one that keeps what it has summed up: sums step by step, and which attempts are
 * others than before
 *
 * Any thread.  Tested by tests/unit/daemon/test_weighed.c.
 */
#ifndef FL_STORE_SUMS_STEPS_H
#define FL_STORE_SUMS_STEPS_H

#include "store/store.h"

/*
 * The first moment from which on attempts (fl_store_holdings) may say something else than at the last call, as
 * those that were committed since then begin or end there; FL_NEVER: there is none.
 */
fl_time fl_store_holdings_changed(struct fl_store *s);

/* What a queue held in a time, amounts times nanoseconds: from one moment that is kept to the next one. */
struct fl_step_sum {
	const char *queue, *resource;
	fl_time from, to;
	fl_nanos held; /* above 0 */
};
typedef int fl_step_sum_fn(void *user, const struct fl_step_sum *row, fairlead_error *err);
/*
 * Those that lie at least in part within (from, to), by time: hours, where these are kept; a last one
 * may be a part.
 */
int fl_store_steps(struct fl_store *s, fl_time from, fl_time to, fl_step_sum_fn *fn, void *user,
		   fairlead_error *err);

#endif
