/* SPDX-License-Identifier: Apache-2.0 */
/* workload - what could never be admitted; private to lint */
#ifndef FL_ASK_LINT_WORKLOAD_H
#define FL_ASK_LINT_WORKLOAD_H

#include "ask/lint/lint_run.h"

/* Workloads that nothing would admit, and flavors and namespaces that no workload gets into. */
int fl_lint_workloads(struct fl_lint *l, fairlead_error *err);
int fl_lint_matches(struct fl_lint *l, fairlead_error *err);

#endif
