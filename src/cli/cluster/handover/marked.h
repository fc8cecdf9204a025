/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marked - which scheduler decides for a ClusterQueue: its annotation fairlead.dev/scheduler and its stopPolicy, and what they
 * become
 *
 * A stop that was there before outlives both ways: Hold and HoldAndDrain become the values `hold` and `drain`, and
 * are stopPolicy again at the way back.
 */
#ifndef FL_CLI_CLUSTER_HANDOVER_MARKED_H
#define FL_CLI_CLUSTER_HANDOVER_MARKED_H

#include <stdbool.h>

#include "model/model.h"

struct fl_marked {
	enum fl_handed mark;
	enum fl_stop stop;
};

enum fl_stop fl_stop_of(const char *word); /* NULL, or unknown: None */

static inline bool fl_marked_same(struct fl_marked a, struct fl_marked b)
{
	return a.mark == b.mark && a.stop == b.stop;
}

enum fl_way { FL_WAY_OVER, FL_WAY_BACK };

/* At the end of the way. */
struct fl_marked fl_marked_final(struct fl_marked now, enum fl_way way);
/*
 * At its middle, where neither scheduler decides in any queue of the tree; @quiet: it is known that Kueue has stopped, and
 * fairlead may decide where it does already.
 */
struct fl_marked fl_marked_between(struct fl_marked now, enum fl_way way, bool quiet);

#endif
