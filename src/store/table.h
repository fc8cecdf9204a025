/* SPDX-License-Identifier: Apache-2.0 */
/* table - rows by their description (row.h), into statements and out of them */
#ifndef FL_STORE_TABLE_H
#define FL_STORE_TABLE_H

#include "store/database.h"
#include "store/row.h"

/* Sets all columns of a row as parameters; its texts must stay valid until it has run. */
void fl_put_row(struct fl_query *q, enum fl_store_table table, const void *row);
/* Takes the columns of the row that was read; other members of *ret stay as they are. */
void fl_take_row(struct fl_query *q, enum fl_store_table table, void *ret);
/* The checksum of a row, continued from that of the row before, @before. */
int64_t fl_row_sum(int64_t before, enum fl_store_table table, const void *row);
/* Sets the parameters and runs it. */
int fl_row_write(struct fl_db *db, enum fl_sql sql, enum fl_store_table table, const void *row,
		 fairlead_error *err);
/*
 * The next row of a query that reads a table and whether its checksum matches: 1, or 0: no more.  A
 * damaged row is left out, and noted.
 */
int fl_row_next(struct fl_store *s, struct fl_query *q, enum fl_store_table table, void *ret,
		fairlead_error *err);

#endif
