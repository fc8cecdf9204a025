/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup - from a sealed model to the policy's rows; events that change what it was built of;
 * what distinguishes one state from another
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_STATE_SETUP_H
#define FL_DECIDE_ENTITLE_STATE_SETUP_H

#include "decide/entitle/state/state.h"
#include "decide/share/divide.h"

int fl_entitle_setup(struct fl_policy *p, fairlead_error *err);

/* By machine: what it has for us, as the model says it; foreign pods taken off. */
void fl_entitle_allocatable(const struct fl_model *m, struct fl_bundle *ret);

/* usage.c: usage over time */
int fl_usage_setup(struct fl_policy *p, fairlead_error *err);
void fl_usage_done(struct fl_policy *p);
/* What queues have had in @from, whose node n is now @nodes[n]; FL_NONE: no more. */
int fl_usage_adopt(struct fl_policy *p, const struct fl_policy *from, const uint32_t *nodes,
		   fairlead_error *err);
/* A sample from outside; none may be taken back, so no mark may be open. */
int fl_usage_sample(struct fl_policy *p, const struct fl_sample *sample, fairlead_error *err);
/* Where usage moves: what it is at p->now, before a cycle. */
int fl_usage_read(struct fl_policy *p, fairlead_error *err);
/* Where usage moves: from p->now on queues hold what they hold. */
int fl_usage_enter(struct fl_policy *p, fairlead_error *err);

/* change.c: cells */
int fl_entitle_change(struct fl_policy *p, struct fl_workload w, const struct fl_cell *cell,
		      fairlead_error *err);
/* What a division must know of @queue. */
struct fl_divide_queue fl_entitle_divide_row(const struct fl_policy *p, uint32_t queue);

/* digest.c */
void fl_entitle_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2]);
void fl_entitle_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
void fl_entitle_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
/* When the longest protection of a workload that runs is over; FL_TIME_NONE: it has none. */
fl_time fl_entitle_protected_until(const struct fl_policy *p, const struct fl_job *j);

#endif
