/* SPDX-License-Identifier: Apache-2.0 */
/* explain_victims - a step of explain; private to ask */
#ifndef FL_ASK_BORROW_EXPLAIN_VICTIMS_H
#define FL_ASK_BORROW_EXPLAIN_VICTIMS_H

#include "ask/borrow/explain_run.h"

/* x->refusals by rule, of the search that the failing need was in; tries once more. */
int fl_explain_refusals(struct fl_explain_run *r, fairlead_error *err);

#endif
