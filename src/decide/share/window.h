/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window - since when usage counts: sliding, tumbling and cron windows
 *
 * Usage over time (decide/share/history.h) is that of (start, now], where start is
 *
 *   sliding   now - length;
 *   tumbling  of the windows that begin at first, first + length, ... the beginning of the last one
 *             that begins strictly before now, so that on a boundary the window that ends there
 *             still counts; first itself up to and including its own boundary; now itself, which is
 *             an empty window, while first is in the future;
 *   cron      the last time of the schedule (base/cron.h) strictly before now, but not farther back
 *             than the third next one is ahead.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_DECIDE_SHARE_WINDOW_H
#define FL_DECIDE_SHARE_WINDOW_H

#include "base/cron.h"
#include "model/entitle.h"

struct fl_usage_window {
	enum fl_window_kind kind;
	fl_time length;      /* sliding, tumbling: above 0 */
	fl_time first;       /* tumbling: beginning of the first window */
	struct fl_cron cron; /* cron */
};

/* At most @now. */
fl_time fl_window_start(const struct fl_usage_window *w, fl_time now);

/* No window at @now or later starts before this time: what is older can be forgotten. */
fl_time fl_window_oldest(const struct fl_usage_window *w, fl_time now);

#endif
