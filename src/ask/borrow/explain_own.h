/* SPDX-License-Identifier: Apache-2.0 */
/* explain_own - a step of explain; private to ask */
#ifndef FL_ASK_BORROW_EXPLAIN_OWN_H
#define FL_ASK_BORROW_EXPLAIN_OWN_H

#include "ask/borrow/explain_run.h"

/* x->own, of the resource that is short, or of one that the workload holds. */
void fl_explain_own(struct fl_explain_run *r);

#endif
