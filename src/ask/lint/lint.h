/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint - settings that are legal, but surely not what was meant
 *
 * Looks at a sealed model and adds notices; changes nothing else.  `check` runs
 * it, decisions never depend on it.  Nothing is derived a second time: quota
 * comes from the quota tree of a policy made for this, and whether a workload
 * could ever be admitted is tried there, after all others have ended.
 *
 * Rather silent than wrong: what only may be a mistake, such as quota of 0 for a
 * resource that a flavor has to list, is not reported.
 */
#ifndef FL_ASK_LINT_LINT_H
#define FL_ASK_LINT_LINT_H

#include "model/table.h"

/*
 * The findings are notices of @m.  0, FAIRLEAD_ENOMEM, or FAIRLEAD_ELIMIT for trees
 * that no policy can be made of.
 */
int fl_lint_borrow(struct fl_model *m, fairlead_error *err);

/* --- within lint --- */

struct fl_lint;

const char *fl_lint_node(const struct fl_lint *l, struct fl_node n, char buffer[FL_SUBJECT]);
const char *fl_lint_resource(const struct fl_lint *l, struct fl_resource r);
const char *fl_lint_flavor(const struct fl_lint *l, struct fl_flavor f);
/* "1500m", "3", "an unlimited amount": in the units that people write */
const char *fl_lint_amount(const struct fl_lint *l, struct fl_resource r, fl_amount amount,
			   char buffer[32]);

#endif
