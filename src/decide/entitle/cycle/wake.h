/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake - when the next cycle may decide something, and whether this one can
 *
 * Invariant: while idle.is, nothing has changed since a cycle at idle.since that admitted and
 * evicted no workload; so a cycle before idle.wake would repeat its decisions, the same workloads
 * pending or reserved.  Where shares follow usage that is true at idle.since only.
 * (tests/prop/incremental.c compares such cycles with full ones.)
 */
#ifndef FL_DECIDE_ENTITLE_CYCLE_WAKE_H
#define FL_DECIDE_ENTITLE_CYCLE_WAKE_H

#include "decide/entitle/state/state.h"

/* The next time after @now at which a step may decide otherwise without an event; FL_NEVER. */
fl_time fl_wake(const struct fl_policy *p, fl_time now);

/* The end of the longest protection of a running workload; FL_TIME_NONE: it has none. */
fl_time fl_wake_protected_until(const struct fl_policy *p, const struct fl_job *j);

bool fl_wake_is_idle(const struct fl_policy *p, fl_time now);
/* Call it after a cycle that decided @d. */
int fl_wake_rest(struct fl_policy *p, const struct fl_decisions *d, fairlead_error *err);
/* Call it when something changes. */
int fl_wake_up(struct fl_policy *p, fairlead_error *err);

#endif
