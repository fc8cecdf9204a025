/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write - sends intents to the API server, in their order, a number of them at a time
 *
 * The first of a Workload that has no condition yet waits for those, half a second at most.  What becomes of a write, by
 * its answer:
 *
 *     200             the answer's object is what was heard
 *     409, 404        it has changed, or was deleted: again on the version that the watch brings, if it is still wanted; or
 *                     after 5 s
 *     other 4xx       refused.  An admission: the job is as the API has it, and is not looked at for 1 s, then twice as
 *                     long, 5 min at most.  An eviction, whose quota stays held: again, after as long
 *     else, or none   not known: again as it was, as one of both can be done at most
 *
 * Where the server refuses one after the other, it is asked slowly: whatever it is that it refuses, a long line is no flood.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_WRITE_H
#define FL_DAEMON_CLUSTER_SCHEDULER_WRITE_H

#include "daemon/cluster/scheduler/state.h"

/* All that are due, as many as may be under way at once. */
void fl_scheduler_write(struct fl_scheduler *s);
enum { FL_SCHEDULER_PATH = 1200 };
/* "/cohort/.../queue", cut where it is longer. */
void fl_scheduler_path(const struct fl_model *m, struct fl_node queue,
		       char path[FL_SCHEDULER_PATH]);
/* Why @d evicts its workload, as Kueue's conditions say it (heap); NULL: no memory. */
char *fl_scheduler_why(const struct fl_scheduler *s, const struct fl_decision *d);
/* It admits in a queue with admission checks: Kueue admits what has a reservation there, once all of them have passed. */
bool fl_scheduler_checked(const struct fl_intent *i);

#endif
