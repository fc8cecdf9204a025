/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row - the stored members of each struct (columns.h), and the parts of a batch
 */
#ifndef FL_STORE_ROW_H
#define FL_STORE_ROW_H

#include "store/columns.h"
#include "store/store.h"
#include "store/tiers.h"

enum fl_store_table {
#define TABLE(name, row, columns) FL_TABLE_##name,
	FL_EACH_TABLE(TABLE)
#undef TABLE
		FL_TABLES
};

/* The member of a row that a column stores, and how. */
struct fl_store_column {
	enum fl_kept { FL_KEY, FL_NAME_KEY, FL_INT, FL_REF, FL_WHEN, FL_TEXT, FL_NOTE } kept;
	enum fl_store_number { FL_NUMBER_UNSIGNED, FL_NUMBER_SIGNED, FL_NUMBER_BOOL } number;
	uint16_t at, size; /* of the member, in bytes */
};
/* In the order of the columns. */
const struct fl_store_column *fl_columns_of(enum fl_store_table table, uint32_t *ret_n);
static inline bool fl_column_is_text(const struct fl_store_column *c)
{
	return c->kept == FL_TEXT || c->kept == FL_NOTE || c->kept == FL_NAME_KEY;
}

/* The parts of a batch, in the order in which they are written. */
enum fl_batch_part {
	FL_BATCH_JOURNAL,
	FL_BATCH_NEW_JOBS,
	FL_BATCH_JOBS,
	FL_BATCH_EVENTS,
	FL_BATCH_ADMISSIONS,
	FL_BATCH_CONDITIONS,
	FL_BATCH_AUDIT,
	FL_BATCH_SPECS,
	FL_BATCH_SETTINGS,
	FL_BATCH_TOKENS,
	FL_BATCH_OBJECTS,
	FL_BATCH_PARTS
};
/* Bytes of a row of the part. */
size_t fl_batch_row_size(enum fl_batch_part part);
/* *ret: the first of its rows; returns how many there are. */
uint32_t fl_batch_rows(const struct fl_batch *batch, enum fl_batch_part part, const void **ret);
/* Sets its rows. */
void fl_batch_set(struct fl_batch *batch, enum fl_batch_part part, const void *rows, uint32_t n);
/*
 * Replaces each text of a row, except the spec of a job, by the one that @fn makes of it, which may
 * be NULL for NULL. An error of @fn ends it.
 */
int fl_batch_texts(enum fl_batch_part part, void *row,
		   int (*fn)(void *user, const char **text, fairlead_error *err), void *user,
		   fairlead_error *err);

/*
 * A member of @size bytes (1, 4 or 8) as a number, and back: a number that does not fit becomes an
 * invalid one, with all bits set.
 */
#define FL_NUMBER_OF(member)                                                                       \
	_Generic((member), bool                                                                    \
		 : FL_NUMBER_BOOL, int32_t                                                         \
		 : FL_NUMBER_SIGNED, default                                                       \
		 : FL_NUMBER_UNSIGNED)
int64_t fl_number_get(const void *member, size_t size, enum fl_store_number number);
void fl_number_set(void *member, size_t size, enum fl_store_number number, int64_t v);

#endif
