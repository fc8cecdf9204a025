/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint - what of an input does not count under drf, and which workloads could never start
 */
#ifndef FL_ASK_DRF_LINT_H
#define FL_ASK_DRF_LINT_H

#include "model/model.h"

/* As notices of @m, which is sealed. */
int fl_drf_lint(struct fl_model *m, fairlead_error *err);

#endif
