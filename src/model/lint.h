/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint - settings that are legal, but surely not what was meant
 *
 * Looks at a sealed model and adds notices; changes nothing else.  `check` runs
 * it, decisions never depend on it.
 */
#ifndef FL_MODEL_LINT_H
#define FL_MODEL_LINT_H

#include "model/model.h"

/* 0 or FAIRLEAD_ENOMEM; the findings are notices of @m. */
int fl_model_lint(struct fl_model *m, fairlead_error *err);

#endif
