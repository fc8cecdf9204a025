/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sql.h"

#include "record/job.h"
#include "store/columns.h"
#include "store/store.h"

/* These numbers are in the statements, and in databases. */
_Static_assert(FL_JOB_DONE == 6, "states from 6 on are ends of jobs");

const char *const fl_sql_texts[FL_SQLS] = {
#define FL_SQL(id, text) [FL_SQL_##id] = text,
#include "store/sql.def"
#undef FL_SQL
};
