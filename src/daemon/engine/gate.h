/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate - what keeps a job out of the policy: other jobs, an earlier job of its name, its array
 *
 * A job that a gate keeps is in the state DEPENDS.  Of an array with a limit as many jobs as may run
 * at once are let in (pending or running), those with the lowest numbers first; a singleton is let
 * in once all earlier jobs of its user and name have ended.  All follows from the table of jobs, so
 * a replay comes to the same.
 *
 * Cost: of an array O(its jobs); of a singleton O(1) when it is submitted, else O(jobs) for all of
 * its name together, as what is before the first of them is not looked at again.
 */
#ifndef FL_DAEMON_ENGINE_GATE_H
#define FL_DAEMON_ENGINE_GATE_H

#include "daemon/engine/jobs.h"

/* No job that it waits for, no earlier one of its name, and not enough of its array keep it. */
bool fl_gate_is_open(struct fl_jobs *j, const struct fl_live *job);

/*
 * @gone has ended, or is held: a job of its array, or of its name, that no gate keeps any more and
 * that is still in the state DEPENDS; NULL: none.
 */
struct fl_live *fl_gate_next(struct fl_jobs *j, const struct fl_live *gone);

#endif
