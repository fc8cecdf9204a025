/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup - from a sealed model to the policy's rows; events that change what it was built of;
 * what distinguishes one state from another
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_DOORS_SETUP_H
#define FL_DECIDE_ENTITLE_DOORS_SETUP_H

#include "decide/entitle/state/state.h"

int fl_entitle_setup(struct fl_policy *p, fairlead_error *err);

/* By machine: what it has for us, as the model says it; foreign pods taken off. */
void fl_entitle_allocatable(const struct fl_model *m, struct fl_bundle *ret);

/* change.c: cells */
int fl_entitle_change(struct fl_policy *p, struct fl_workload w, const struct fl_cell *cell,
		      fairlead_error *err);

/* digest.c */
void fl_entitle_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2]);
void fl_entitle_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
void fl_entitle_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
