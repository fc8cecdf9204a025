/* SPDX-License-Identifier: Apache-2.0 */
/* sql - every statement, by name */
#ifndef FL_STORE_SQL_H
#define FL_STORE_SQL_H

enum fl_sql {
#define FL_SQL(id, text) FL_SQL_##id,
#include "store/sql.def"
#undef FL_SQL
	FL_SQLS
};

extern const char *const fl_sql_texts[FL_SQLS];

#endif
