/* SPDX-License-Identifier: Apache-2.0 */
/* hours_look - the tree of queues and the pending jobs of a moment, for the thread that sums up */
#ifndef FL_DAEMON_ENGINE_HOURS_LOOK_H
#define FL_DAEMON_ENGINE_HOURS_LOOK_H

#include "daemon/engine/history/hours.h"
#include "daemon/engine/view.h"

/* Jobs of a queue that are pending since the same time, together. */
struct fl_hours_waiting {
	const char *queue, *resource;
	fl_time since;
	fl_amount amount;
};

struct fl_hours_look {
	struct fl_arena arena; /* of all that follows */
	struct fl_hour_tree tree;
	struct fl_hours_waiting *pending; /* from the heap */
	uint32_t n_pending, cap;
	fl_time now, wall;
	fl_time applied; /* of the last row that the view follows from */
	uint64_t version;
};
/*
 * O(nodes x resources + jobs).  @wall: what the clock on the wall shows at the time of the view.  `applied` is
 * for the caller to set.
 * FAIRLEAD_ENOMEM: there is nothing to be freed.
 */
int fl_hours_look(const struct fl_live_view *view, fl_time wall, uint64_t version,
		  struct fl_hours_look *ret, fairlead_error *err);
void fl_hours_look_done(struct fl_hours_look *l);

/* Calls @fn for each queue of jobs that has a share: millionths; INT64_MAX: endless. */
int fl_hours_shares(const struct fl_live_view *view,
		    int (*fn)(void *user, const char *queue, int64_t share, fairlead_error *err),
		    void *user, fairlead_error *err);

#endif
