/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiers - history is summed up when an hour is over, on a thread
 *
 * Guarantee: each moment of the daemon's time is summed up once, with the configuration that was in
 * force: the time goes on where the last sums in the store end, whatever happened since, and a
 * change of the configuration ends a part.  Hours, days and months end where the wall clock in UTC
 * says so at that time; a clock that is set makes one of them longer or shorter, and no moment of
 * the daemon's own time is left out or counted twice.
 *
 * What was held, and when jobs started, is read from the admissions, so a kill loses nothing of it;
 * an end that is known only FL_TIERS_GRACE after its hour is counted up to the end of that hour.
 * What pending jobs asked for is known of those that have started, and of those that are pending
 * when a part ends; of one that is cancelled before it is known up to the last part.  Shares are
 * looked at every FL_TIERS_TICK; a kill loses those since the last part.
 *
 * Cost on the loop: O(queues x resources + jobs) for each part, O(queues) for each look at shares.
 */
#ifndef FL_DAEMON_HISTORY_TIERS_H
#define FL_DAEMON_HISTORY_TIERS_H

#include "daemon/engine/history/hours_look.h"
#include "daemon/history/upkeep.h"
#include "store/store.h"

enum {
	FL_TIERS_TICK = 10,  /* seconds between looks at shares */
	FL_TIERS_GRACE = 30, /* seconds until an hour is summed up: ends may be told late */
	FL_TIERS_PART = 600, /* seconds of a part of an hour, at most */
	FL_TIERS_LEAST = 60, /* seconds of an hour, at least, however the clock is set */
	FL_TIERS_HOURS = 24, /* hours that are summed up at once */
};

struct fl_tiers;

int fl_tiers_new(const struct fl_upkeep_options *options, struct fl_tiers **ret,
		 fairlead_error *err);
/* Before the daemon is closed: waits for the thread, then calls @closed; freed by then. */
void fl_tiers_close(struct fl_tiers *t, void (*closed)(void *user), void *user);

/*
 * The configuration changes at @at: what was until then is summed up with the present one.  NULL
 * is fine.
 */
void fl_tiers_cut(struct fl_tiers *t, fl_time at);

/* --- one step, on any thread --- */

struct fl_tiers_share {
	char queue[256];
	fl_nanos share;
	fl_time known;
	int64_t most;
};
struct fl_tiers_work {
	struct fl_hours_look look;
	fl_time cut; /* up to it, and no further; FL_TIME_NONE: up to the last hour or part */
	struct fl_tiers_share *shares; /* since the last step */
	uint32_t n_shares;
};
/* Writes the sums of all hours that are over. 1: there are more. */
int fl_tiers_step(struct fl_store *s, const struct fl_tiers_work *w, fairlead_error *err);

#endif
