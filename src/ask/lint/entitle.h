/* SPDX-License-Identifier: Apache-2.0 */
/* entitle - looks at KAI's queues */
#ifndef FL_ASK_LINT_ENTITLE_H
#define FL_ASK_LINT_ENTITLE_H

#include "model/model.h"

/* Needs no policy. FAIRLEAD_ENOMEM. */
int fl_lint_entitle(struct fl_model *m, fairlead_error *err);

#endif
