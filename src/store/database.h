/* SPDX-License-Identifier: Apache-2.0 */
/* database - one connection, its statements, and their use */
#ifndef FL_STORE_DATABASE_H
#define FL_STORE_DATABASE_H

#include <sqlite3.h>

#include "store/folder.h"
#include "store/sql.h"
#include "store/store.h"

/* A connection with its statements, each prepared at its first use. One thread at a time. */
struct fl_db {
	sqlite3 *handle;
	sqlite3_stmt *statements[FL_SQLS];
	char path[FL_STORE_PATH];
};

enum fl_db_how {
	FL_DB_READ,  /* never writes to the database, also not when it is closed */
	FL_DB_WRITE, /* durable, with a write-ahead log */
	FL_DB_MAKE,  /* a new one, without other files beside it; then fl_db_made */
};

/* @vfs NULL: the usual one. On failure there is nothing to close. */
int fl_db_open(struct fl_db *db, const char *path, enum fl_db_how how, const char *vfs,
	       fairlead_error *err);
void fl_db_close(struct fl_db *db);
/*
 * Copies all of it as @from reads it, to an empty file, in a mode that also a reader without write
 * access can open.
 */
int fl_db_copy(struct fl_db *from, const char *to, const char *vfs, fairlead_error *err);
/* From now on with a write-ahead log, so that opening it to write changes nothing. */
int fl_db_made(struct fl_db *db, fairlead_error *err);

/*
 * The error for @rc of SQLite: ENOMEM, EINPUT (damaged), ESTATE (a mistake of ours), EIO; the last
 * says whether the disk is full.
 */
int fl_db_fail(const struct fl_db *db, int rc, fairlead_error *err);
/* An error that says what is damaged, with a hint what to do. FAIRLEAD_EINPUT. */
int fl_db_damaged(fairlead_error *err, const char *path, const char *format, ...) FL_PRINTF(3, 4);

/*
 * One use of a statement: begin, put its parameters in their order, then run; or next row by row,
 * and take their columns in their order.  An error in any of these calls is returned by run or next
 * (FAIRLEAD_ESTATE: used within a callback of the same statement).
 */
struct fl_query {
	struct fl_db *db;
	sqlite3_stmt *statement; /* NULL: it could not be prepared */
	int put, taken;          /* columns taken so far */
	int rc;
	bool busy; /* in use: this is within a callback of the same statement */
};

struct fl_query fl_query(struct fl_db *db, enum fl_sql sql);
void fl_put_int(struct fl_query *q, int64_t v);
void fl_put_null(struct fl_query *q);
void fl_put_id(struct fl_query *q, uint64_t id);        /* 0: NULL */
void fl_put_time(struct fl_query *q, fl_time t);        /* FL_TIME_NONE: NULL */
void fl_put_text(struct fl_query *q, const char *text); /* must stay valid until it has run */
void fl_put_limit(struct fl_query *q, uint32_t limit);  /* 0: none */
/* Runs it to its end; then it is ready for new parameters. */
int fl_query_run(struct fl_query *q, fairlead_error *err);

/* 1: a row; 0: no more. */
int fl_query_next(struct fl_query *q, fairlead_error *err);
int64_t fl_take_int(struct fl_query *q);
uint64_t fl_take_id(struct fl_query *q);
uint32_t fl_take_u32(struct fl_query *q);
fl_time fl_take_time(struct fl_query *q);
const char *fl_take_text(struct fl_query *q); /* until the next row; NULL */
double fl_take_real(struct fl_query *q);
/* After the last column: was there an error? */
int fl_query_taken(const struct fl_query *q, fairlead_error *err);
/* Must be called after the last row: returns @r, 0 if it is positive. */
int fl_query_end(struct fl_query *q, int r);

/* Runs a statement without parameters or rows. */
int fl_db_run(struct fl_db *db, enum fl_sql sql, fairlead_error *err);
/* The first column of its first row; 0 when there is none. */
int fl_db_number(struct fl_db *db, enum fl_sql sql, int64_t *ret, fairlead_error *err);

/* Runs @step in a transaction: all of its changes, or none. */
int fl_db_transact(struct fl_db *db,
		   int (*step)(struct fl_db *db, const void *arg, fairlead_error *),
		   const void *arg, fairlead_error *err);

#endif
