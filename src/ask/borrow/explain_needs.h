/* SPDX-License-Identifier: Apache-2.0 */
/* explain_needs - a step of explain; private to ask */
#ifndef FL_ASK_BORROW_EXPLAIN_NEEDS_H
#define FL_ASK_BORROW_EXPLAIN_NEEDS_H

#include "ask/borrow/explain_run.h"

/* x->needs with verdicts, and x->failing. */
int fl_explain_needs(struct fl_explain_run *r, const struct fl_evidence_log *log,
		     fairlead_error *err);

#endif
