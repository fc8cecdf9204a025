/* SPDX-License-Identifier: Apache-2.0 */
/* usage - Admission Fair Sharing: local queues by usage; private to lint */
#ifndef FL_ASK_LINT_USAGE_H
#define FL_ASK_LINT_USAGE_H

#include "ask/lint/lint_run.h"

int fl_lint_usage(struct fl_lint *l, fairlead_error *err);

#endif
