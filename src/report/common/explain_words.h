/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_words - words that answers of both policies to "why is it pending?" share
 */
#ifndef FL_REPORT_COMMON_EXPLAIN_WORDS_H
#define FL_REPORT_COMMON_EXPLAIN_WORDS_H

#include "ask/common/explain.h"

enum { FL_SENTENCE = 4096, FL_NUMBERS = 1024 };

/* "Waiting", "Admitted", ... for JSON. */
extern const char *const fl_explain_states[FL_EXPLAIN_EXCLUDED + 1];
/* Why a rule refused victims: "their queue ..."; else the meaning of the check. */
const char *fl_explain_refused(enum fl_check check);
/* "nominalQuota" */
extern const char *const fl_cell_fields[FL_CELL_ALLOCATABLE + 1];
/* "allocate", "stalegangeviction" */
extern const char *const fl_actions[FL_ACTION_STALE_GANG + 1];

#endif
