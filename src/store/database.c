/* SPDX-License-Identifier: Apache-2.0 */
#include "store/database.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/sum.h"

/* Milliseconds to wait while another program reads or writes it. */
enum { BUSY_MS = 5000 };

static const char *const settings_of_all[] = {
	"PRAGMA foreign_keys = ON",
	"PRAGMA trusted_schema = OFF",
	"PRAGMA cell_size_check = ON",
	"PRAGMA cache_size = -4096", /* KiB */
	NULL,
};
/* A database that is being made is deleted when that fails. */
static const char *const settings_of_makers[] = {
	"PRAGMA synchronous = FULL",
	"PRAGMA journal_mode = MEMORY",
	NULL,
};
static const char *const settings_of_writers[] = {
	"PRAGMA synchronous = FULL",
	"PRAGMA journal_mode = WAL",
	"PRAGMA wal_autocheckpoint = 0",        /* fl_store_write copies the log */
	"PRAGMA journal_size_limit = 16777216", /* a longer log is truncated when it begins anew */
	/* Specs may have secrets: deleted data is overwritten, where that costs no extra writes. */
	"PRAGMA secure_delete = FAST",
	NULL,
};

/* --- errors --- */

static bool is_full(int rc, int system)
{
	if (rc == SQLITE_FULL)
		return true;
	return rc == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT || system == EFBIG);
}

int fl_db_damaged(fairlead_error *err, const char *path, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(what, sizeof what, format, args);
	va_end(args);
	fl_fail(err, FAIRLEAD_EINPUT, "%s is damaged: %s", path, what);
	fl_fail_hint(err, "nothing was changed; keep a copy of the folder, and restore a backup "
			  "into a new one");
	return FAIRLEAD_EINPUT;
}

int fl_db_fail(const struct fl_db *db, int rc, fairlead_error *err)
{
	int error = errno, system = db->handle ? sqlite3_system_errno(db->handle) : 0;
	const char *why = db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(rc);

	/* A commit does not keep the errno of the system. */
	if (system == 0)
		system = error;
	if (rc == SQLITE_IOERR_NOMEM)
		rc = SQLITE_NOMEM;
	rc &= 0xff;
	if (is_full(rc, system)) {
		fl_fail(err, FAIRLEAD_EIO, "the disk is full: %s cannot be written to", db->path);
		fl_fail_hint(err, "make room there, then the daemon goes on");
		return FAIRLEAD_EIO;
	}
	switch (rc) {
	case SQLITE_NOMEM:
		return fl_fail_nomem(err);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return fl_db_damaged(err, db->path, "%s", why);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CANTOPEN:
		fl_fail(err, FAIRLEAD_EIO, "%s cannot be %s: %s%s%s", db->path,
			rc == SQLITE_CANTOPEN ? "opened" : "written to", why, system ? ", " : "",
			system ? strerror(system) : "");
		fl_fail_hint(err, "it and its folder must belong to the user that fairleadd runs "
				  "as, on a file system that can be written to");
		return FAIRLEAD_EIO;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		fl_fail(err, FAIRLEAD_EIO, "%s is locked by another program", db->path);
		fl_fail_hint(err, "fuser %s says by which", db->path);
		return FAIRLEAD_EIO;
	case SQLITE_IOERR:
		return fl_fail(err, FAIRLEAD_EIO, "%s: %s%s%s", db->path, why, system ? ", " : "",
			       system ? strerror(system) : "");
	default:
		return fl_fail(err, FAIRLEAD_ESTATE, "%s: %s", db->path, why);
	}
}

/* --- connection --- */

static int set_all(struct fl_db *db, const char *const *texts, fairlead_error *err)
{
	for (; *texts; texts++) {
		int rc = sqlite3_exec(db->handle, *texts, NULL, NULL, NULL);

		if (rc != SQLITE_OK)
			return fl_db_fail(db, rc, err);
	}
	return 0;
}

static int set_up(struct fl_db *db, enum fl_db_how how, fairlead_error *err)
{
	int r;

	(void)sqlite3_extended_result_codes(db->handle, 1);
	(void)sqlite3_busy_timeout(db->handle, BUSY_MS);
	/*
	 * The contents of the file are data only: they cannot make us run functions or write
	 * elsewhere.
	 */
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	r = fl_sum_in_statements(db->handle);
	if (r != SQLITE_OK)
		return fl_db_fail(db, r, err);
	r = set_all(db, settings_of_all, err);
	if (r == 0 && how == FL_DB_WRITE)
		r = set_all(db, settings_of_writers, err);
	if (r == 0 && how == FL_DB_MAKE)
		r = set_all(db, settings_of_makers, err);
	return r;
}

int fl_db_open(struct fl_db *db, const char *path, enum fl_db_how how, const char *vfs,
	       fairlead_error *err)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE;
	int rc, r;

	*db = (struct fl_db){ 0 };
	if (strlen(path) >= sizeof db->path)
		return fl_folder_no_path(path, err);
	memcpy(db->path, path, strlen(path) + 1);
	flags |= how == FL_DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	rc = sqlite3_open_v2(path, &db->handle, flags, vfs);
	r = rc == SQLITE_OK ? set_up(db, how, err) : fl_db_fail(db, rc, err);
	if (r < 0)
		fl_db_close(db);
	return r;
}

static int copy_pages(struct fl_db *from, struct fl_db *to, fairlead_error *err)
{
	sqlite3_backup *b = sqlite3_backup_init(to->handle, "main", from->handle, "main");
	int rc;

	if (b) {
		(void)sqlite3_backup_step(b, /* pages: */ -1);
		rc = sqlite3_backup_finish(b);
	} else {
		rc = sqlite3_errcode(to->handle);
	}
	return rc == SQLITE_OK ? 0 : fl_db_fail(to, rc, err);
}

int fl_db_copy(struct fl_db *from, const char *to, const char *vfs, fairlead_error *err)
{
	struct fl_db db;
	int r = fl_db_open(&db, to, FL_DB_MAKE, vfs, err);

	if (r < 0)
		return r;
	r = copy_pages(from, &db, err);
	fl_db_close(&db);
	/* Opened again and taken out of the mode that needs a write-ahead log. */
	if (r == 0)
		r = fl_db_open(&db, to, FL_DB_MAKE, vfs, err);
	if (r == 0)
		fl_db_close(&db);
	return r;
}

int fl_db_made(struct fl_db *db, fairlead_error *err)
{
	return set_all(db, (const char *const[]){ "PRAGMA journal_mode = WAL", NULL }, err);
}

void fl_db_close(struct fl_db *db)
{
	for (int i = 0; i < FL_SQLS; i++) {
		(void)sqlite3_finalize(db->statements[i]);
		db->statements[i] = NULL;
	}
	(void)sqlite3_close(db->handle);
	db->handle = NULL;
}

/* --- statements --- */

struct fl_query fl_query(struct fl_db *db, enum fl_sql sql)
{
	sqlite3_stmt **statement = &db->statements[sql];
	struct fl_query q = { .db = db };

	if (!*statement)
		q.rc = sqlite3_prepare_v3(db->handle, fl_sql_texts[sql], -1,
					  SQLITE_PREPARE_PERSISTENT, statement, NULL);
	q.busy = *statement && sqlite3_stmt_busy(*statement);
	q.statement = q.busy ? NULL : *statement;
	return q;
}

static void note(struct fl_query *q, int rc)
{
	if (q->rc == SQLITE_OK)
		q->rc = rc;
}

void fl_put_int(struct fl_query *q, int64_t v)
{
	if (q->statement)
		note(q, sqlite3_bind_int64(q->statement, ++q->put, v));
}

void fl_put_null(struct fl_query *q)
{
	if (q->statement)
		note(q, sqlite3_bind_null(q->statement, ++q->put));
}

void fl_put_id(struct fl_query *q, uint64_t id)
{
	if (id == 0)
		fl_put_null(q);
	else
		fl_put_int(q, (int64_t)id);
}

void fl_put_time(struct fl_query *q, fl_time t)
{
	if (t == FL_TIME_NONE)
		fl_put_null(q);
	else
		fl_put_int(q, t);
}

void fl_put_text(struct fl_query *q, const char *text)
{
	if (q->statement)
		note(q, sqlite3_bind_text(q->statement, ++q->put, text, -1, SQLITE_STATIC));
}

void fl_put_limit(struct fl_query *q, uint32_t limit)
{
	fl_put_int(q, limit ? (int64_t)limit : -1);
}

int fl_query_next(struct fl_query *q, fairlead_error *err)
{
	int rc = q->rc;

	if (q->busy)
		return fl_fail(err, FAIRLEAD_ESTATE, "%s is being read already", q->db->path);
	q->taken = 0;
	if (rc == SQLITE_OK) {
		errno = 0;
		rc = sqlite3_step(q->statement);
	}
	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : fl_db_fail(q->db, rc, err);
}

int fl_query_end(struct fl_query *q, int r)
{
	(void)sqlite3_reset(q->statement);
	q->put = 0;
	return r < 0 ? r : 0;
}

int fl_query_run(struct fl_query *q, fairlead_error *err)
{
	return fl_query_end(q, fl_query_next(q, err));
}

int64_t fl_take_int(struct fl_query *q) { return sqlite3_column_int64(q->statement, q->taken++); }

uint64_t fl_take_id(struct fl_query *q) { return (uint64_t)fl_take_int(q); }

uint32_t fl_take_u32(struct fl_query *q) { return (uint32_t)fl_take_int(q); }

double fl_take_real(struct fl_query *q) { return sqlite3_column_double(q->statement, q->taken++); }

static bool is_null(struct fl_query *q)
{
	return sqlite3_column_type(q->statement, q->taken) == SQLITE_NULL;
}

fl_time fl_take_time(struct fl_query *q)
{
	bool none = is_null(q);
	fl_time t = fl_take_int(q);

	return none ? FL_TIME_NONE : t;
}

const char *fl_take_text(struct fl_query *q)
{
	bool none = is_null(q);
	const char *text = (const char *)sqlite3_column_text(q->statement, q->taken++);

	if (!text && !none)
		note(q, SQLITE_NOMEM);
	return text;
}

int fl_query_taken(const struct fl_query *q, fairlead_error *err)
{
	return q->rc == SQLITE_OK ? 0 : fl_db_fail(q->db, q->rc, err);
}

int fl_db_run(struct fl_db *db, enum fl_sql sql, fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);

	return fl_query_run(&q, err);
}

int fl_db_number(struct fl_db *db, enum fl_sql sql, int64_t *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);
	int r = fl_query_next(&q, err);

	if (r >= 0)
		*ret = r > 0 ? fl_take_int(&q) : 0;
	return fl_query_end(&q, r);
}

int fl_db_transact(struct fl_db *db, int (*step)(struct fl_db *, const void *, fairlead_error *),
		   const void *arg, fairlead_error *err)
{
	int r = fl_db_run(db, FL_SQL_BEGIN, err);

	if (r < 0)
		return r;
	r = step(db, arg, err);
	if (r == 0)
		r = fl_db_run(db, FL_SQL_COMMIT, err);
	/* After some errors SQLite has already rolled it back. */
	if (r < 0 && !sqlite3_get_autocommit(db->handle))
		(void)fl_db_run(db, FL_SQL_ROLLBACK, NULL);
	return r;
}
