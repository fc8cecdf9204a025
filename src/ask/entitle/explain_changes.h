/* SPDX-License-Identifier: Apache-2.0 */
/* explain_changes - a step of explain; private to ask */
#ifndef FL_ASK_ENTITLE_EXPLAIN_CHANGES_H
#define FL_ASK_ENTITLE_EXPLAIN_CHANGES_H

#include "ask/entitle/explain_run.h"

/* x->changes, each tried. */
int fl_entitle_changes(struct fl_entitle_run *r, fairlead_error *err);

#endif
