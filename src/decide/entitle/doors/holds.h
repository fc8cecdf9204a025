/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holds - tasks that another scheduler bound or evicts (FL_EV_HOLDS, FL_EV_GOES)
 *
 * The tasks that are named are on their machines from then on, whether they fit there or not, as
 * the model's tasks that run; the others of the workload stay pending.  So a gang that is bound
 * task by task is told task by task.
 *
 * Tested in tests/unit/decide/test_holds.c and tests/prop/incremental.  Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_DOORS_HOLDS_H
#define FL_DECIDE_ENTITLE_DOORS_HOLDS_H

#include "decide/entitle/state/state.h"

/*
 * FAIRLEAD_EINPUT: a task or a machine that does not exist.  FAIRLEAD_ESTATE: a task is not pending,
 * or is named twice, or the workload is not there.  Inside a mark of the caller, which undoes
 * what was done before an error.
 */
int fl_entitle_holds(struct fl_policy *p, const struct fl_event *event, fairlead_error *err);
/* All its tasks that run, or those on one machine, leave. */
int fl_entitle_goes(struct fl_policy *p, const struct fl_event *event, fairlead_error *err);

#endif
