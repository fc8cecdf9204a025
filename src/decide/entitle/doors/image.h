/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - the state of a policy as tables of an image, and back
 *
 * Saved is what events and cycles changed since the model: where each task is, what queues were
 * given and machines have, usage.  All else is made by setup, as in a new policy; counts, sets and
 * the divider are derived from these rows.
 *
 * Guarantees: those of ../policy.h.  Each number is checked before it is used: states, machines,
 * links of the history; no amount is unbounded, and none is "not a number".
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_DOORS_IMAGE_H
#define FL_DECIDE_ENTITLE_DOORS_IMAGE_H

#include "base/image.h"
#include "decide/entitle/state/state.h"

#define STATE "decide/entitle/state/state.def"
#include "decide/table_rows.h"
#undef STATE

/* FAIRLEAD_ESTATE while a mark is open. */
int fl_entitle_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
/* The time and whether usage moves, read before anything is set up. */
int fl_entitle_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			     fairlead_error *err);
/*
 * Gives workloads and tasks the states of their rows, whatever they were: one row per workload,
 * and one per task of the model, of which those of no workload do not count.  What queues hold and
 * machines have is not updated.  FAIRLEAD_EINPUT: a row is not valid.
 */
int fl_entitle_enter_jobs(struct fl_policy *p, const struct fl_saved_job *jobs,
			  const struct fl_saved_task *tasks, fairlead_error *err);
/* @p is set up, in the state of its model. */
int fl_entitle_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);

#endif
