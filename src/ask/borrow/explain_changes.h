/* SPDX-License-Identifier: Apache-2.0 */
/* explain_changes - a step of explain; private to ask */
#ifndef FL_ASK_BORROW_EXPLAIN_CHANGES_H
#define FL_ASK_BORROW_EXPLAIN_CHANGES_H

#include "ask/borrow/explain_run.h"

/* x->proposals, each tried. */
int fl_explain_changes(struct fl_explain_run *r, fairlead_error *err);

#endif
