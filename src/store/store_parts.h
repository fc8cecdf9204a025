/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_parts - what the files of the store share; nobody else includes it but its tests
 */
#ifndef FL_STORE_STORE_PARTS_H
#define FL_STORE_STORE_PARTS_H

#include <dirent.h>
#include <pthread.h>
#include <sqlite3.h>

#include "store/row.h"

#define FL_STORE_DATABASE "fairlead.db"

enum {
	FL_STORE_APPLICATION = 0x66616972, /* "fair": application_id of our databases */
	FL_STORE_PATH = 4096,
};

enum fl_sql {
#define FL_SQL(id, text) FL_SQL_##id,
#include "store/sql.def"
#undef FL_SQL
	FL_SQLS
};

extern const char *const fl_sql_texts[FL_SQLS];

/* --- database.c: one connection --- */

/* With its statements, each prepared when it is first used. One thread at a time. */
struct fl_db {
	sqlite3 *handle;
	sqlite3_stmt *statements[FL_SQLS];
	char path[FL_STORE_PATH];
};

enum fl_db_how {
	FL_DB_READ,  /* writes nothing to the database, also not when it is closed */
	FL_DB_WRITE, /* durably, by a write-ahead log */
	FL_DB_MAKE,  /* a new one, with no other file beside it; then fl_db_made */
};

/* @vfs NULL: the usual one. On failure there is nothing to close. */
int fl_db_open(struct fl_db *db, const char *path, enum fl_db_how how, const char *vfs,
	       fairlead_error *err);
void fl_db_close(struct fl_db *db);
/* All of it as @from sees it, to an empty file: one that can be read from anywhere. */
int fl_db_copy(struct fl_db *from, const char *to, const char *vfs, fairlead_error *err);
/* From now on with a log, so that who opens it to write has nothing to change. */
int fl_db_made(struct fl_db *db, fairlead_error *err);

/*
 * @rc of SQLite in words: ENOMEM, EINPUT (damaged), ESTATE (a mistake of ours), EIO; the last
 * says whether the disk is full.
 */
int fl_db_fail(const struct fl_db *db, int rc, fairlead_error *err);
/* What is damaged, and what to do about it. FAIRLEAD_EINPUT. */
int fl_db_damaged(fairlead_error *err, const char *path, const char *format, ...) FL_PRINTF(3, 4);

/*
 * One use of a statement: begin, put its parameters in their order, then run; or next row by row,
 * and take their columns in their order.  What went wrong on the way, from the beginning on, is told by
 * the step (FAIRLEAD_ESTATE: from within a callback of the same one).
 */
struct fl_query {
	struct fl_db *db;
	sqlite3_stmt *statement; /* NULL: it cannot be had */
	int put, taken;          /* columns so far */
	int rc;
	bool busy; /* it is used already: this is within a callback of the same one */
};

struct fl_query fl_query(struct fl_db *db, enum fl_sql sql);
void fl_put_int(struct fl_query *q, int64_t v);
void fl_put_null(struct fl_query *q);
void fl_put_id(struct fl_query *q, uint64_t id);        /* 0: NULL */
void fl_put_time(struct fl_query *q, fl_time t);        /* FL_TIME_NONE: NULL */
void fl_put_text(struct fl_query *q, const char *text); /* stays the caller's until it has run */
void fl_put_limit(struct fl_query *q, uint32_t limit);  /* 0: none */
/* Run to its end, and ready for more parameters. */
int fl_query_run(struct fl_query *q, fairlead_error *err);

/* 1: a row; 0: no more. */
int fl_query_next(struct fl_query *q, fairlead_error *err);
int64_t fl_take_int(struct fl_query *q);
uint64_t fl_take_id(struct fl_query *q);
uint32_t fl_take_u32(struct fl_query *q);
fl_time fl_take_time(struct fl_query *q);
const char *fl_take_text(struct fl_query *q); /* until the next row; NULL */
double fl_take_real(struct fl_query *q);
/* After the last column: were all there? */
int fl_query_taken(const struct fl_query *q, fairlead_error *err);
/* Always, after the last row: @r forwarded, 0 if it is positive. */
int fl_query_end(struct fl_query *q, int r);

/* A statement without parameters or rows. */
int fl_db_run(struct fl_db *db, enum fl_sql sql, fairlead_error *err);
/* The first column of its first row; 0 when there is none. */
int fl_db_number(struct fl_db *db, enum fl_sql sql, int64_t *ret, fairlead_error *err);

/* All that @step does, or nothing. */
int fl_db_transact(struct fl_db *db,
		   int (*step)(struct fl_db *db, const void *arg, fairlead_error *),
		   const void *arg, fairlead_error *err);

/* --- table.c: rows by their description (row.h) --- */

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

/* --- sum.c: what stands for the values of a row, in their order --- */

struct fl_sum {
	uint64_t lanes[2];
};
void fl_sum_int(struct fl_sum *s, int64_t v);
void fl_sum_null(struct fl_sum *s);
void fl_sum_text(struct fl_sum *s, const char *text); /* NULL too */
int64_t fl_sum_end(const struct fl_sum *s);
/* The same as fl_sum(value, ...) in statements. SQLite's code. */
int fl_sum_in_statements(sqlite3 *handle);

/* --- journal.c --- */

/* A row as it stands in the table. */
struct fl_journal_cells {
	uint64_t seq;
	fl_time at;
	int64_t kind;
	uint64_t job;
	int64_t attempt, a, b;
	const char *text;
};
void fl_journal_encode(const struct fl_journal_row *row, struct fl_journal_cells *ret);
/* Its text; NULL: such rows have none. */
const char **fl_journal_text(struct fl_journal_row *row);
/* The last row; zeros: none. */
struct fl_journal_end {
	uint64_t seq;
	fl_time at;
	int64_t sum;
};
int fl_journal_end(struct fl_db *db, struct fl_journal_end *ret, fairlead_error *err);
/* All rows; those up to @passed that do not fit are noted. FAIRLEAD_EINPUT: one behind it. */
int fl_journal_check(struct fl_store *s, struct fl_db *db, uint64_t passed, fairlead_error *err);

/* --- read.c --- */

/* One of `settings`. FAIRLEAD_ENOENT. */
int fl_setting_get(struct fl_db *db, const char *name, char *ret, size_t size, fairlead_error *err);
int fl_setting_put(struct fl_db *db, const char *name, const char *value, fairlead_error *err);
/* fl_store_number_above, in whatever transaction there is. */
int fl_db_number_above(struct fl_db *db, uint64_t job, fairlead_error *err);

struct fl_setting {
	const char *name, *value;
};

struct fl_latest {
	uint64_t job; /* the highest number */
	fl_time wall, boot;
	const char *boot_text; /* while it is read; then */
	char boot_id[64];
	uint64_t seq;     /* of the last row of the journal, and */
	int64_t head;     /* its sum; */
	int64_t behind;   /* that of the last one that was forgotten, 0: none was */
	uint64_t commits; /* transactions until now */
};
/* FAIRLEAD_EINPUT when it does not fit its sum. */
int fl_latest_read(struct fl_db *db, struct fl_latest *ret, fairlead_error *err);
int fl_latest_damaged(const struct fl_db *db, fairlead_error *err);

/* --- log.c --- */

/* The write-ahead log as it stands in its file, beside what SQLite takes of it. */
struct fl_log_state {
	uint64_t frames, commits; /* which it takes */
	uint64_t cut;             /* frames behind them that are of the same log */
	uint64_t bad;             /* the first one that does not fit; 0: none */
	/* Of those behind it that go on from the one before: frames, commits, and the highest number
	 * of transactions that a page of `latest` counts. */
	uint64_t behind, behind_commits, counted;
	bool is_damaged; /* not only cut off by a power cut */
	uint64_t salts;  /* which log it is */
};
/* @latest: the page of the table; 0: not known. */
int fl_log_read(const char *database, uint32_t latest, struct fl_log_state *ret,
		fairlead_error *err);
/* Of @db, which reads. FAIRLEAD_EINPUT: damaged. */
int fl_log_check(struct fl_db *db, struct fl_log_state *ret, fairlead_error *err);

/* --- damage.c --- */

/* For fl_store_damaged. Any thread. */
void fl_store_note(struct fl_store *s, uint64_t job, const char *format, ...) FL_PRINTF(3, 4);

/* --- schema.c --- */

/* What brings a database from version i to i + 1. */
struct fl_migrations {
	const char *const *texts;
	int n;
};
extern const struct fl_migrations fl_store_migrations;

/*
 * Is it ours, of this program or before it, and whole?  Only looks.  Then the version.
 * FAIRLEAD_EINPUT.
 */
int fl_schema_check(struct fl_db *db, const struct fl_migrations *m, int *ret_version,
		    fairlead_error *err);
/* From where it is to the last version, in one transaction. */
int fl_schema_migrate(struct fl_db *db, const struct fl_migrations *m, fairlead_error *err);
/* PRAGMA integrity_check. */
int fl_schema_verify(struct fl_db *db, fairlead_error *err);

/* --- folder.c: the files beside each other --- */

enum fl_folder_how {
	FL_FOLDER_THERE,   /* FAIRLEAD_ENOENT when it is not */
	FL_FOLDER_CREATED, /* when it is not there */
	FL_FOLDER_NEW,     /* it must not be there */
};
/* @ret_fd of the folder; @ret_path as the kernel sees it, of FL_STORE_PATH bytes. */
int fl_store_folder_open(const char *path, enum fl_folder_how how, int *ret_fd, char *ret_path,
			 fairlead_error *err);
/* FAIRLEAD_ESTATE: another process has it. The lock goes when @ret_fd is closed. */
int fl_folder_lock(int folder, const char *path, int *ret_fd, fairlead_error *err);
int fl_folder_has(int folder, const char *name); /* 1, 0 */
int fl_folder_sync(int folder, const char *path, fairlead_error *err);
/* A new file for this user only; one that is there is removed first. */
int fl_store_folder_make(int folder, const char *path, const char *name, int *ret_fd,
			 fairlead_error *err);
/* @name is @from from now on, durably. */
int fl_folder_rename(int folder, const char *path, const char *from, const char *name,
		     fairlead_error *err);
/*
 * A folder @part that is made beside @path, which must not be there, and gets its name when it is
 * whole.  It is nobody else's until @ret_fd is closed (FAIRLEAD_ESTATE: it is somebody's); one that
 * was left by a kill is removed.  @ret_path: where it is, in full.
 */
int fl_folder_begin(const char *path, char part[FL_STORE_PATH], int *ret_fd, char *ret_path,
		    fairlead_error *err);
int fl_folder_finish(const char *part, const char *path, fairlead_error *err);
/* To be read and closed; NULL with errno. */
DIR *fl_folder_entries(int at, const char *name);
/* With what a backup has in it; nothing else is touched. */
void fl_store_folder_remove(const char *path);
int fl_folder_join(char ret[FL_STORE_PATH], const char *path, const char *name,
		   fairlead_error *err);
/* From an open file to a new one, durably. */
int fl_folder_copy(int from, int folder, const char *path, const char *name, fairlead_error *err);
/* What errno says about @name in @path. FAIRLEAD_EIO. */
int fl_folder_fail(const char *path, const char *name, const char *doing, fairlead_error *err);
int fl_folder_no_path(const char *path, fairlead_error *err);

/* --- checkpoint.c --- */

/* As the database has it; number 0: there is none. */
struct fl_checkpoint {
	uint64_t seq, number, size;
	int64_t sum;
};
enum { FL_CHECKPOINT_NAME = 64 };
int fl_checkpoint_read(struct fl_db *db, struct fl_checkpoint *ret, fairlead_error *err);
void fl_checkpoint_name(char ret[FL_CHECKPOINT_NAME], const struct fl_checkpoint *c);
/* How long it is and what stands for its bytes; from where @fd stands on. */
int fl_checkpoint_sum(int fd, uint64_t *ret_size, int64_t *ret_sum);
/* The image that @db names, open; -1 and number 0 when there is none; 1: it has just gone. */
int fl_checkpoint_open(const struct fl_store *s, struct fl_db *db, struct fl_checkpoint *ret,
		       int *ret_fd, fairlead_error *err);
enum { FL_CHECKPOINT_TRIES = 10 };
/* It has gone that often. FAIRLEAD_EINPUT. */
int fl_checkpoint_gone(const struct fl_store *s, const struct fl_checkpoint *c,
		       fairlead_error *err);
/* By their names; a value other than 0 of @fn ends it. */
int fl_checkpoint_each(int folder, const char *path,
		       int (*fn)(void *user, const struct fl_checkpoint *c, fairlead_error *err),
		       void *user, fairlead_error *err);
/*
 * Images beside that of the database, left by a kill, are removed; one of a row that the journal
 * does not have says that rows were lost: FAIRLEAD_EINPUT.  @look: only looked at.
 */
int fl_checkpoint_settle(struct fl_store *s, struct fl_db *db, bool look, fairlead_error *err);

/* --- open.c --- */

struct fl_store {
	char folder[FL_STORE_PATH];
	int folder_fd, lock_fd;
	const char *vfs;
	struct fl_db reader;     /* whoever reads, one thread at a time */
	pthread_mutex_t writing; /* guards what follows */
	struct fl_db writer;
	uint64_t last_seq; /* of the journal, and */
	int64_t last_sum;  /* its sum */
	int log_pages;     /* of the write-ahead log, after the last commit */
	int log_limit;     /* more than that are brought into the database */
	pthread_mutex_t noting;
	struct fl_store_damage damage;
};

int fl_store_open_as(const struct fl_store_options *options, const struct fl_migrations *m,
		     struct fl_store **ret, fairlead_error *err);
/* Another connection that reads, for any thread; to be closed. */
int fl_store_aside(const struct fl_store *s, struct fl_db *ret, fairlead_error *err);
/* One transaction of the writer, with what belongs after it. */
int fl_store_write(struct fl_store *s,
		   int (*step)(struct fl_db *db, const void *arg, fairlead_error *err),
		   const void *arg, fairlead_error *err);
/* FAIRLEAD_ESTATE. */
int fl_store_read_only(const struct fl_store *s, fairlead_error *err);

#endif
