/* SPDX-License-Identifier: Apache-2.0 */
/* tune_notes - what to be aware of; private to `tune` */
#ifndef FL_CLI_VERBS_TUNE_NOTES_H
#define FL_CLI_VERBS_TUNE_NOTES_H

#include "cli/verbs/tune_question.h"

/* What the parameters do not do, or not in the real program. */
void fl_tune_notes(struct fl_tune_question *q);

#endif
