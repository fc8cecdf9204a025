/* SPDX-License-Identifier: Apache-2.0 */
/* join_from - a workload of one model joins another one */
#ifndef FL_MODEL_JOIN_FROM_H
#define FL_MODEL_JOIN_FROM_H

#include "model/newcomer.h"

/*
 * fl_model_join (newcomer.h) of workload @w of another model, sealed or not, such as one into which its object was
 * read: its rows, its last eviction and its life are copied by their names, and its place, if @m has an input of
 * that name.  After an answer that is
 * not 0 what was copied is removed again.
 */
int fl_model_join_from(struct fl_model *m, const struct fl_model *from, struct fl_workload w,
		       struct fl_workload *ret, const char **ret_why, fairlead_error *err);
/* What was noticed in the text of @from: in the same order, with its places. What was copied before it fails stays. */
int fl_model_take_notices(struct fl_model *m, const struct fl_model *from, fairlead_error *err);

#endif
