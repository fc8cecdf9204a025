/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moves - which changes of the objects that configure may not be missing from a view by which is decided
 *
 * Tested in tests/unit/daemon/test_moves.c.
 */
#ifndef FL_DAEMON_CLUSTER_SCHEDULER_MOVES_H
#define FL_DAEMON_CLUSTER_SCHEDULER_MOVES_H

#include "mirror/mirror.h"

/*
 * May the change be about which scheduler decides in a queue, in which tree it is, or by which rules?  Not: amounts of quota, labels, and objects
 * that only say which workload may come into which queue.
 */
bool fl_scheduler_moves(const struct fl_mirror_change *change);

#endif
