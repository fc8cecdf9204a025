/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_words - words that answers of both policies to "why is it pending?" share
 */
#ifndef FL_REPORT_COMMON_EXPLAIN_WORDS_H
#define FL_REPORT_COMMON_EXPLAIN_WORDS_H

#include "ask/common/explain.h"

enum { FL_SENTENCE = 4096, FL_NUMBERS = 1024 };

/* "Waiting", "Admitted", ... for JSON. */
const char *fl_explain_state_name(enum fl_explain_state state);
/* What ruled victims out, of all of them: "their queue ..."; else what the check means. */
const char *fl_explain_refused(enum fl_check check);
/* "nominalQuota" */
const char *fl_explain_field(enum fl_cell_kind kind);
/* "allocate", "stalegangeviction" */
const char *fl_action_name(enum fl_action action);

#endif
