/* SPDX-License-Identifier: Apache-2.0 */
/* explain_set - what explain proposes, as `what-if --set` takes it */
#ifndef FL_REPORT_BORROW_EXPLAIN_SET_H
#define FL_REPORT_BORROW_EXPLAIN_SET_H

#include "ask/borrow/explain.h"
#include "report/common/trial.h"

/* Cells that are changed together, and of which workload. */
struct fl_explain_sets {
	const struct fl_explain_change *changes;
	struct fl_workload workload;
};
/* @user is a struct fl_explain_sets. */
const char *fl_explain_set(const struct fl_report *r, const void *user, uint32_t i,
			   char buffer[FL_TRIAL_SET]);

#endif
