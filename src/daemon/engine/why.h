/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why - why a job does not run, in words that stay the same while nothing that matters changes
 *
 * Not the rule that refused the job last, which is another one in every cycle, but two facts: the
 * limit that leaves least room for what the job asks for, and how many jobs of its queue are before
 * it.  What can never run is said to, with the reason of the policy.
 *
 * Cost: the first pending job that is asked about, what the order costs (order.h); then O(log pending) each.
 */
#ifndef FL_DAEMON_ENGINE_WHY_H
#define FL_DAEMON_ENGINE_WHY_H

#include "daemon/engine/face.h"
#include "daemon/engine/order.h"
#include "daemon/engine/reason.h"

/* Valid as long as the view is. */
struct fl_live_why {
	const struct fl_live_view *view;
	const struct fl_daemon_face *face;
	struct fl_arena arena;
	void *stand; /* of the face; NULL: not looked at yet */
	struct fl_live_order *order;
	uint64_t version; /* of the state, for the order */
};

void fl_why_begin(struct fl_live_why *w, const struct fl_live_view *view,
		  struct fl_live_order *order, uint64_t version);
void fl_why_end(struct fl_live_why *w);
/* "" of one that runs; of one that is over how it ended, as fl_live_reason. FAIRLEAD_ENOMEM. */
int fl_why_of(struct fl_live_why *w, const struct fl_live *job, char ret[FL_LIVE_REASON],
	      fairlead_error *err);

#endif
