/* SPDX-License-Identifier: Apache-2.0 */
/* tree - one object by itself, and quota in its tree; private to lint */
#ifndef FL_ASK_LINT_TREE_H
#define FL_ASK_LINT_TREE_H

#include "ask/lint/lint_run.h"

int fl_lint_objects(struct fl_lint *l, fairlead_error *err);
int fl_lint_trees(struct fl_lint *l, fairlead_error *err);

#endif
