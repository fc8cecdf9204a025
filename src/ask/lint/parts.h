/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the parts of lint share; private to it */
#ifndef FL_ASK_LINT_PARTS_H
#define FL_ASK_LINT_PARTS_H

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

/* One object by itself, and quota in its tree. */
int fl_lint_objects(struct fl_lint *l, fairlead_error *err);
int fl_lint_trees(struct fl_lint *l, fairlead_error *err);
/* Workloads that could never be admitted; flavors and namespaces that match none. */
int fl_lint_workloads(struct fl_lint *l, fairlead_error *err);
int fl_lint_matches(struct fl_lint *l, fairlead_error *err);
/* Admission Fair Sharing: local queues by usage. */
int fl_lint_usage(struct fl_lint *l, fairlead_error *err);

const char *fl_lint_node(const struct fl_lint *l, struct fl_node n, char buffer[FL_SUBJECT]);
const char *fl_lint_resource(const struct fl_lint *l, struct fl_resource r);
const char *fl_lint_flavor(const struct fl_lint *l, struct fl_flavor f);
/* "1500m", "3", "an unlimited amount": in the units that people write */
const char *fl_lint_amount(const struct fl_lint *l, struct fl_resource r, fl_amount amount,
			   char buffer[32]);

#endif
