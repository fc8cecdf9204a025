/* SPDX-License-Identifier: Apache-2.0 */
/* unsuited - what keeps a workload's pods out of a flavor, in words; private to lint */
#ifndef FL_ASK_LINT_UNSUITED_H
#define FL_ASK_LINT_UNSUITED_H

#include "model/model.h"

/*
 * Of the first pods that no flavor of a resource group of the queue takes, and the first of its
 * flavors: ": the label zone of flavor 'a' is 'east', its pods ask for 'west'" in @buffer; "" when
 * there are no such pods.
 */
const char *fl_lint_unsuited(const struct fl_model *m, const struct fl_workload_row *w,
			     char *buffer, size_t size);

#endif
