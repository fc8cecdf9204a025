/* SPDX-License-Identifier: Apache-2.0 */
/* explain_holders - a step of explain; private to ask */
#ifndef FL_ASK_BORROW_EXPLAIN_HOLDERS_H
#define FL_ASK_BORROW_EXPLAIN_HOLDERS_H

#include "ask/borrow/explain_run.h"

/* x->holders, when quota is there but in use. */
int fl_explain_holders(struct fl_explain_run *r, fairlead_error *err);

#endif
