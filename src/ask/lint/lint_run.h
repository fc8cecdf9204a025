/* SPDX-License-Identifier: Apache-2.0 */
/* lint_run - the cluster that lint looks at, and names of what is in it; private to it */
#ifndef FL_ASK_LINT_LINT_RUN_H
#define FL_ASK_LINT_LINT_RUN_H

#include "decide/borrow/quota/tree.h"
#include "decide/policy.h"
#include "model/table.h"

struct fl_lint {
	struct fl_model *m;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy; /* no workload holds quota in it */
	const struct fl_tree *tree;
	fl_time now;
};

#endif
