/* SPDX-License-Identifier: Apache-2.0 */
/* table - rows by their description (row.h), into statements and out of them */
#ifndef FL_STORE_TABLE_H
#define FL_STORE_TABLE_H

#include "store/database.h"
#include "store/row.h"

/* All columns of a row, as parameters; its texts stay the caller's until it has run. */
void fl_put_row(struct fl_query *q, enum fl_store_table table, const void *row);
/* Those of the row that was read; other members of *ret stay as they are. */
void fl_take_row(struct fl_query *q, enum fl_store_table table, void *ret);
/* What stands for it behind a row with the sum @before. */
int64_t fl_row_sum(int64_t before, enum fl_store_table table, const void *row);
/* Put, run. */
int fl_row_write(struct fl_db *db, enum fl_sql sql, enum fl_store_table table, const void *row,
		 fairlead_error *err);
/*
 * The next row of a query that reads a table and whether its sum fits: 1, or 0: no more.  A row
 * that is not what was written is left out, and noted.
 */
int fl_row_next(struct fl_store *s, struct fl_query *q, enum fl_store_table table, void *ret,
		fairlead_error *err);

#endif
