/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marked - which scheduler decides for a ClusterQueue: its annotation fairlead.dev/scheduler, its stopPolicy and its admission
 * checks, and what they become
 *
 * Kueue is kept from a queue by stopPolicy Hold, and from one with admission checks by that of fairlead: under Hold it
 * would take back each reservation whose checks are still to come.
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
	enum fl_checks checks;
};

enum fl_stop fl_stop_of(const char *word); /* NULL, or unknown: None */

static inline bool fl_marked_same(struct fl_marked a, struct fl_marked b)
{
	return a.mark == b.mark && a.stop == b.stop && a.checks == b.checks;
}

/* The check of fairlead is there. */
static inline bool fl_marked_checked(struct fl_marked m) { return m.checks >= FL_CHECKS_CHANGED; }

/* Kueue decides nothing there. */
static inline bool fl_marked_held(struct fl_marked m)
{
	return m.stop != FL_STOP_NONE || fl_marked_checked(m);
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
