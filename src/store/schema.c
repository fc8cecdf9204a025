/* SPDX-License-Identifier: Apache-2.0 */
#include "store/schema.h"

#include <string.h>

#include "store/columns.h"
#include "store/read.h"
#include "store/sum.h"

/* The statements that bring a database from one version to the next, in their order. */
static const char *const texts[] = {
#include "store/schema.def"
};

const struct fl_migrations fl_store_migrations = { texts, sizeof texts / sizeof *texts };

/*
 * Checks when a database is opened: up to 64 MiB every page, and whether each index matches its
 * table, at some 150 MB a second; up to 512 MiB every page, at some 600 MB a second; of a larger
 * one only pages that are read. fl_store_verify checks everything.
 */
enum { INDEXED_PAGES = 1 << 14, CHECKED_PAGES = 1 << 17 };

/* --- tables and indexes as they were made --- */

enum { SUMMED_FROM = 2, SUM_TEXT = 24 };
static const char schema_setting[] = "schema";

static int sum_schema(struct fl_db *db, char ret[SUM_TEXT], fairlead_error *err)
{
	struct fl_sum sum = { { 0, 0 } };
	struct fl_query q = fl_query(db, FL_SQL_SCHEMA);
	int r;

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
		r = fl_db_damaged(err, db->path,
				  "its tables differ from those that fairleadd makes");
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

/* "ok", or the first problem. */
static int check_pages(struct fl_db *db, enum fl_sql sql, fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);
	int r = fl_query_next(&q, err);

	if (r > 0) {
		const char *text = fl_take_text(&q);

		r = fl_query_taken(&q, err);
		if (r == 0 && strcmp(text, "ok") != 0)
			r = fl_db_damaged(err, db->path, "%.*s", (int)strcspn(text, "\n"), text);
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
		fl_fail_hint(err,
			     "nothing was changed; start the newer fairleadd, or restore an older "
			     "backup into a new folder");
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
