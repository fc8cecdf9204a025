/* SPDX-License-Identifier: Apache-2.0 */
/* journal - its rows as they are in the table, and the check of all of them */
#ifndef FL_STORE_JOURNAL_H
#define FL_STORE_JOURNAL_H

#include "store/database.h"

/* A row as it is in the table. */
struct fl_journal_cells {
	uint64_t seq;
	fl_time at;
	int64_t kind;
	uint64_t job;
	int64_t attempt, a, b;
	const char *text;
};
void fl_journal_encode(const struct fl_journal_row *row, struct fl_journal_cells *ret);
/* The member with its text; NULL: rows of this kind have none. */
const char **fl_journal_text(struct fl_journal_row *row);
/* The last row; zeros: none. */
struct fl_journal_end {
	uint64_t seq;
	fl_time at;
	int64_t sum;
};
int fl_journal_end(struct fl_db *db, struct fl_journal_end *ret, fairlead_error *err);
/*
 * Checks all rows; damaged ones up to @passed are noted.  FAIRLEAD_EINPUT: one after it is damaged.
 */
int fl_journal_check(struct fl_store *s, struct fl_db *db, uint64_t passed, fairlead_error *err);

#endif
