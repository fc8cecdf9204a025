/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "store/store_parts.h"

/*
 * Times are nanoseconds, NULL for none; an id that is none is NULL; states and kinds are the
 * numbers of their enums, which stay.
 *
 * Specs stand apart from their jobs: they are long, and written once, while a job's row changes
 * at each start and end.  Lists read rows only.
 */
static const char version_1[] =
	"CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"

	/* One row each. `job`: the highest number that was ever given; `refused`: how often the
	 * disk did not take what was to be committed. */
	"CREATE TABLE latest (id INTEGER PRIMARY KEY CHECK (id = 1), job INTEGER NOT NULL,"
	" wall INTEGER NOT NULL, boot INTEGER NOT NULL, boot_id TEXT NOT NULL,"
	" refused INTEGER NOT NULL) STRICT;"
	"INSERT INTO latest VALUES (1, 0, 0, 0, '', 0);"
	"CREATE TABLE checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL,"
	" number INTEGER NOT NULL, size INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT;"

	"CREATE TABLE journal (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL,"
	" kind INTEGER NOT NULL, job INTEGER, attempt INTEGER NOT NULL, a INTEGER NOT NULL,"
	" b INTEGER NOT NULL, text TEXT) STRICT;"

	"CREATE TABLE jobs (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, uid INTEGER NOT NULL,"
	" user TEXT NOT NULL, name TEXT NOT NULL, queue TEXT NOT NULL, array INTEGER,"
	" priority INTEGER NOT NULL, submitted INTEGER NOT NULL, started INTEGER, ended INTEGER,"
	" attempt INTEGER NOT NULL, evictions INTEGER NOT NULL, losses INTEGER NOT NULL,"
	" ran INTEGER NOT NULL, held INTEGER NOT NULL, outcome INTEGER NOT NULL,"
	" status INTEGER NOT NULL, placement TEXT, reason TEXT) STRICT;"
	"CREATE INDEX jobs_live ON jobs (id) WHERE state < 6;"
	"CREATE INDEX jobs_by_queue ON jobs (queue);"
	"CREATE INDEX jobs_by_user ON jobs (user);"
	"CREATE INDEX jobs_by_array ON jobs (array) WHERE array IS NOT NULL;"
	"CREATE INDEX jobs_by_ended ON jobs (ended) WHERE ended IS NOT NULL;"
	"CREATE TABLE specs (job INTEGER PRIMARY KEY, spec TEXT NOT NULL) STRICT;"

	"CREATE TABLE events (seq INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL,"
	" kind TEXT NOT NULL, job INTEGER, attempt INTEGER NOT NULL, queue TEXT, \"by\" INTEGER,"
	" reason TEXT, text TEXT, PRIMARY KEY (seq, n)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX events_by_job ON events (job, seq, n) WHERE job IS NOT NULL;"
	"CREATE INDEX events_by_queue ON events (queue, seq, n) WHERE queue IS NOT NULL;"
	"CREATE INDEX events_by_kind ON events (kind, seq, n);"

	"CREATE TABLE admissions (job INTEGER NOT NULL, attempt INTEGER NOT NULL,"
	" queue TEXT NOT NULL, waits INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER,"
	" placement TEXT, ended TEXT, preemptor INTEGER, PRIMARY KEY (job, attempt))"
	" STRICT, WITHOUT ROWID;"
	"CREATE INDEX admissions_open ON admissions (job, attempt) WHERE until IS NULL;"
	/* With the rest of what says whether one lies within a time: rows behind it are not read. */
	"CREATE INDEX admissions_by_until ON admissions (until, since, waits)"
	" WHERE until IS NOT NULL;"

	"CREATE TABLE conditions (kind TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,"
	" reason TEXT, text TEXT, holds INTEGER NOT NULL, since INTEGER NOT NULL,"
	" PRIMARY KEY (kind, name, type)) STRICT, WITHOUT ROWID;"

	"CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, uid INTEGER NOT NULL,"
	" pid INTEGER NOT NULL, user TEXT, action TEXT NOT NULL, subject TEXT,"
	" status INTEGER NOT NULL) STRICT;";

static const char *const texts[] = { version_1 };

const struct fl_migrations fl_store_migrations = { texts, sizeof texts / sizeof *texts };

/*
 * Every page of a database up to this size (512 MiB) is looked at when it is opened, at some
 * 600 MB a second.  Of a larger one only what is read, and all of it by fl_store_verify.
 */
enum { CHECKED_PAGES = 1 << 17 };

static int migrate(struct fl_db *db, const void *arg, fairlead_error *err)
{
	const struct fl_migrations *m = arg;
	int64_t version;
	char end[96];
	int r = fl_db_number(db, FL_SQL_VERSION, &version, err);

	for (int64_t i = version; i < m->n && r == 0; i++) {
		int rc = sqlite3_exec(db->handle, m->texts[i], NULL, NULL, NULL);

		if (rc != SQLITE_OK)
			r = fl_db_fail(db, rc, err);
	}
	if (r < 0)
		return r;
	(void)sqlite3_snprintf(sizeof end, end,
			       "PRAGMA application_id = %d; PRAGMA user_version = %d",
			       FL_STORE_APPLICATION, m->n);
	r = sqlite3_exec(db->handle, end, NULL, NULL, NULL);
	return r == SQLITE_OK ? 0 : fl_db_fail(db, r, err);
}

int fl_schema_migrate(struct fl_db *db, const struct fl_migrations *m, fairlead_error *err)
{
	return fl_db_transact(db, migrate, m, err);
}

/* "ok", or what is wrong first. */
static int check_pages(struct fl_db *db, enum fl_sql sql, fairlead_error *err)
{
	struct fl_query q;
	int r = fl_query_begin(&q, db, sql, err);

	if (r < 0)
		return r;
	r = fl_query_next(&q, err);
	if (r > 0) {
		const char *text = fl_take_text(&q);

		r = fl_query_taken(&q, err);
		if (r == 0 && strcmp(text, "ok") != 0) {
			char line[256];

			(void)sqlite3_snprintf(sizeof line, line, "%s", text);
			line[strcspn(line, "\n")] = '\0';
			r = fl_db_damaged(db->path, line, err);
		}
	}
	return fl_query_end(&q, r);
}

int fl_schema_check(struct fl_db *db, const struct fl_migrations *m, int *ret_version,
		    fairlead_error *err)
{
	int64_t application, version, pages;
	int r = fl_db_number(db, FL_SQL_APPLICATION, &application, err);

	if (r == 0)
		r = fl_db_number(db, FL_SQL_VERSION, &version, err);
	if (r < 0)
		return r;
	if (application != FL_STORE_APPLICATION || version < 1) {
		fl_fail(err, FAIRLEAD_EINPUT, "%s is a database of another program", db->path);
		fl_fail_hint(err, "nothing was changed; choose another state folder");
		return FAIRLEAD_EINPUT;
	}
	if (version > m->n) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"%s is of a newer fairleadd: its version is %lld, and this one knows %d",
			db->path, (long long)version, m->n);
		fl_fail_hint(err, "nothing was changed; start the newer fairleadd, or restore a "
				  "backup of before into a new folder");
		return FAIRLEAD_EINPUT;
	}
	r = fl_db_number(db, FL_SQL_PAGES, &pages, err);
	if (r == 0 && pages <= CHECKED_PAGES)
		r = check_pages(db, FL_SQL_QUICK_CHECK, err);
	if (r == 0)
		*ret_version = (int)version;
	return r;
}

int fl_schema_verify(struct fl_db *db, fairlead_error *err)
{
	return check_pages(db, FL_SQL_FULL_CHECK, err);
}
