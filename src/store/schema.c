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

/*
 * Each row has a sum of what stands in it (sum.c), a job two (sql.def says why), and a row of the
 * journal that of the row before in its own.  `latest` says where the journal ends, which sum the
 * first row that is still there goes on from, and how many transactions there were.
 */
static const char version_2[] =
	"ALTER TABLE settings ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE settings SET row_sum = fl_sum(name, value);"
	"ALTER TABLE checkpoint ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE checkpoint SET row_sum = fl_sum(seq, number, size, sum);"
	"ALTER TABLE specs ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE specs SET row_sum = fl_sum(job, spec);"
	"ALTER TABLE events ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE events SET row_sum = fl_sum(seq, n, at, kind, job, attempt, queue, \"by\", reason,"
	" text);"
	"ALTER TABLE admissions ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE admissions SET row_sum = fl_sum(job, attempt, queue, waits, since, until, placement,"
	" ended, preemptor);"
	"ALTER TABLE conditions ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE conditions SET row_sum = fl_sum(kind, name, type, reason, text, holds, since);"
	"ALTER TABLE audit ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE audit SET row_sum = fl_sum(at, uid, pid, user, action, subject, status);"

	"ALTER TABLE jobs ADD COLUMN spec_bytes INTEGER NOT NULL DEFAULT 0;"
	"UPDATE jobs SET spec_bytes = ifnull((SELECT length(CAST(spec AS BLOB)) FROM specs"
	" WHERE specs.job = jobs.id), 0);"
	"ALTER TABLE jobs ADD COLUMN fixed_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE jobs SET fixed_sum ="
	" fl_sum(id, uid, user, name, queue, array, submitted, spec_bytes);"
	"ALTER TABLE jobs ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE jobs SET row_sum = fl_sum(id, state, priority, started, ended, attempt, evictions,"
	" losses, ran, held, outcome, status, placement, reason);"

	"ALTER TABLE journal ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"WITH RECURSIVE chain (last, sum) AS ("
	" SELECT * FROM (SELECT seq, fl_sum(0, seq, at, kind, job, attempt, a, b, text)"
	" FROM journal ORDER BY seq LIMIT 1)"
	" UNION ALL SELECT seq, fl_sum(sum, seq, at, kind, job, attempt, a, b, text)"
	" FROM chain JOIN journal ON seq = last + 1)"
	" UPDATE journal SET row_sum = chain.sum FROM chain WHERE seq = last;"

	"ALTER TABLE latest ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE latest ADD COLUMN head INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE latest ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE latest ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;"
	"UPDATE latest SET seq = journal.seq, head = journal.row_sum FROM journal"
	" WHERE journal.seq = (SELECT max(seq) FROM journal);"
	"ALTER TABLE latest ADD COLUMN row_sum INTEGER NOT NULL DEFAULT 0;"
	"UPDATE latest SET row_sum = fl_sum(job, wall, boot, boot_id, seq, head, behind, commits);";

static const char *const texts[] = { version_1, version_2 };

const struct fl_migrations fl_store_migrations = { texts, sizeof texts / sizeof *texts };

/*
 * What is looked at when a database is opened: of one up to 64 MiB, every page and whether each index
 * has what its table has, at some 150 MB a second; of one up to 512 MiB every page, at some 600; of a
 * larger one what is read.  fl_store_verify looks at everything.
 */
enum { INDEXED_PAGES = 1 << 14, CHECKED_PAGES = 1 << 17 };

/* --- what tables and indexes there are, as they were made --- */

enum { SUMMED_FROM = 2, SUM_TEXT = 24 };
static const char schema_setting[] = "schema";

static int sum_schema(struct fl_db *db, char ret[SUM_TEXT], fairlead_error *err)
{
	struct fl_sum sum = { { 0, 0 } };
	struct fl_query q;
	int r = fl_query_begin(&q, db, FL_SQL_SCHEMA, err);

	if (r < 0)
		return r;
	while ((r = fl_query_next(&q, err)) > 0)
		for (int i = 0; i < 4; i++)
			fl_sum_text(&sum, fl_take_text(&q));
	(void)sqlite3_snprintf(SUM_TEXT, ret, "%lld", (long long)fl_sum_end(&sum));
	return fl_query_end(&q, r);
}

static int seal(struct fl_db *db, fairlead_error *err)
{
	char text[SUM_TEXT];
	int r = sum_schema(db, text, err);

	return r < 0 ? r : fl_setting_put(db, schema_setting, text, err);
}

static int check_schema(struct fl_db *db, fairlead_error *err)
{
	char is[SUM_TEXT], was[SUM_TEXT];
	int r = sum_schema(db, is, err);

	if (r == 0)
		r = fl_setting_get(db, schema_setting, was, sizeof was, err);
	if (r == FAIRLEAD_ENOENT || (r == 0 && strcmp(is, was) != 0))
		r = fl_db_damaged(db->path, "its tables are not what was made", err);
	return r;
}

/* --- from version to version --- */

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
	if (r == 0)
		r = seal(db, err);
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
		r = check_pages(db, pages <= INDEXED_PAGES ? FL_SQL_FULL_CHECK : FL_SQL_QUICK_CHECK,
				err);
	if (r == 0 && version >= SUMMED_FROM)
		r = check_schema(db, err);
	if (r == 0)
		*ret_version = (int)version;
	return r;
}

int fl_schema_verify(struct fl_db *db, fairlead_error *err)
{
	return check_pages(db, FL_SQL_FULL_CHECK, err);
}
