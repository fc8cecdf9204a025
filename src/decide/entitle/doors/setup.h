/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup - from a sealed model to the policy's rows; also events that change what it was built
 * from, and the words and digest of a state
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_ENTITLE_DOORS_SETUP_H
#define FL_DECIDE_ENTITLE_DOORS_SETUP_H

#include "decide/entitle/state/state.h"

int fl_entitle_setup(struct fl_policy *p, fairlead_error *err);

/* By machine: what it has for this scheduler, by the model: without pods of other schedulers. */
void fl_entitle_allocatable(const struct fl_model *m, struct fl_bundle *ret);

/* change.c: cells */
int fl_entitle_change(struct fl_policy *p, struct fl_workload w, const struct fl_cell *cell,
		      fairlead_error *err);

/* digest.c */
void fl_entitle_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2]);
void fl_entitle_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user);
void fl_entitle_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user);

#endif
