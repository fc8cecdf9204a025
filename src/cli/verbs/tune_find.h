/* SPDX-License-Identifier: Apache-2.0 */
/* tune_find - finds what is not given; private to `tune` */
#ifndef FL_CLI_VERBS_TUNE_FIND_H
#define FL_CLI_VERBS_TUNE_FIND_H

#include "cli/verbs/tune_question.h"

/* Fill in what is not given; FAIRLEAD_ENOENT with the reason, and what would be possible. */
int fl_tune_find(struct fl_tune_question *q, fairlead_error *err);

#endif
