/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake - when the next cycle may decide something, and whether this one may
 *
 * Invariant: while idle.is, nothing has happened since a cycle at idle.since that admitted and
 * evicted nobody; so a cycle before idle.wake would decide what that one did: who waits and who
 * has a reservation does as before.  Where shares follow usage that holds at that moment only.
 * (tests/prop/incremental.c compares such cycles with full ones.)
 */
#ifndef FL_DECIDE_ENTITLE_CYCLE_WAKE_H
#define FL_DECIDE_ENTITLE_CYCLE_WAKE_H

#include "decide/entitle/state/state.h"

/* The next time after @now at which a step may differ without an event; FL_NEVER. */
fl_time fl_wake(const struct fl_policy *p, fl_time now);

/* When the longest protection of a workload that runs is over; FL_TIME_NONE: it has none. */
fl_time fl_wake_protected_until(const struct fl_policy *p, const struct fl_job *j);

bool fl_wake_is_idle(const struct fl_policy *p, fl_time now);
/* A cycle is over that has decided @d. */
int fl_wake_rest(struct fl_policy *p, const struct fl_decisions *d, fairlead_error *err);
/* Something happens. */
int fl_wake_up(struct fl_policy *p, fairlead_error *err);

#endif
