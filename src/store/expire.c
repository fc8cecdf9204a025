/* SPDX-License-Identifier: Apache-2.0 */
#include "store/commit.h"
#include "store/open.h"
#include "store/tiers.h"

/* Rows of each kind that one call deletes at most: a few milliseconds. */
enum { STEP = 1000, JOBS = 100, MOMENTS = 2 };

struct expiring {
	struct fl_store *store;
	const struct fl_retention *keep;
	uint64_t jobs[JOBS];
	uint32_t n_jobs;
	bool more;
};

static int drop(struct fl_db *db, enum fl_sql sql, fl_time before, struct expiring *e,
		fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);
	int r;

	fl_put_int(&q, before);
	fl_put_int(&q, STEP);
	r = fl_query_run(&q, err);
	if (r == 0 && sqlite3_changes(db->handle) == STEP)
		e->more = true;
	return r;
}

static int find_jobs(struct fl_db *db, struct expiring *e, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_EXPIRED_JOBS);
	int r;

	fl_put_int(&q, e->keep->jobs_before);
	fl_put_int(&q, JOBS);
	while ((r = fl_query_next(&q, err)) > 0)
		e->jobs[e->n_jobs++] = fl_take_id(&q);
	if (e->n_jobs == JOBS)
		e->more = true;
	return fl_query_end(&q, r);
}

static int drop_jobs(struct fl_db *db, const struct expiring *e, fairlead_error *err)
{
	static const enum fl_sql parts[] = { FL_SQL_DROP_SPEC, FL_SQL_DROP_OBJECT,
					     FL_SQL_DROP_JOB };
	int r = 0;

	for (size_t p = 0; p < sizeof parts / sizeof *parts && r == 0; p++) {
		struct fl_query q = fl_query(db, parts[p]);

		for (uint32_t i = 0; i < e->n_jobs && r == 0; i++) {
			fl_put_int(&q, (int64_t)e->jobs[i]);
			r = fl_query_run(&q, err);
		}
	}
	return r;
}

/* Keeps the checksum of the last deleted row, which is part of that of the first remaining one. */
static int drop_journal(struct fl_db *db, struct expiring *e, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_EXPIRED_LAST);
	int64_t sum = 0;
	int found, r;

	fl_put_int(&q, e->keep->events_before);
	fl_put_int(&q, STEP);
	found = fl_query_next(&q, err);
	if (found > 0)
		sum = fl_take_int(&q);
	r = fl_query_end(&q, found);
	if (r < 0 || found == 0)
		return r;
	q = fl_query(db, FL_SQL_PUT_BEHIND);
	fl_put_int(&q, sum);
	r = fl_query_run(&q, err);
	return r < 0 ? r : drop(db, FL_SQL_EXPIRE_JOURNAL, e->keep->events_before, e, err);
}

/* Admissions whose time is in sums; then the moments between those that stay. */
static int drop_history(struct fl_db *db, struct expiring *e, fairlead_error *err)
{
	static const enum fl_tier tiers[] = { FL_TIER_HOUR, FL_TIER_DAY };
	const fl_time times[] = { e->keep->hours_before, e->keep->days_before };
	fl_time exact = e->keep->usage_before;
	int r = fl_tiers_give_up(e->store, db, &exact, err);

	if (r == 0)
		r = drop(db, FL_SQL_EXPIRE_ADMISSIONS, exact, e, err);
	for (size_t i = 0; i < sizeof tiers / sizeof *tiers && r >= 0; i++) {
		r = fl_tiers_drop(db, tiers[i], times[i], MOMENTS, err);
		e->more |= r == MOMENTS;
	}
	return r < 0 ? r : 0;
}

static int drop_versions(struct fl_db *db, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_EXPIRE_VERSIONS);

	static const char *const others[][2] = {
		{ FL_STORE_GAP, FL_STORE_GAP "~" },
		{ FL_STORE_CAPACITY, FL_STORE_CAPACITY "~" },
	};
	int r;

	fl_put_int(&q, FL_STORE_VERSIONS);
	fl_put_int(&q, FL_VERSION_DIGITS);
	r = fl_query_run(&q, err);
	for (size_t i = 0; i < sizeof others / sizeof *others && r == 0; i++) {
		q = fl_query(db, FL_SQL_EXPIRE_SETTINGS);
		fl_put_int(&q, FL_STORE_VERSIONS);
		fl_put_text(&q, others[i][0]);
		fl_put_text(&q, others[i][1]);
		r = fl_query_run(&q, err);
	}
	return r;
}

static int expire(struct fl_db *db, const void *arg, fairlead_error *err)
{
	struct expiring *e = *(struct expiring *const *)arg;
	int r;

	if ((r = drop_journal(db, e, err)) == 0 &&
	    (r = drop(db, FL_SQL_EXPIRE_EVENTS, e->keep->events_before, e, err)) == 0 &&
	    (r = drop(db, FL_SQL_EXPIRE_AUDIT, e->keep->events_before, e, err)) == 0 &&
	    (r = drop_history(db, e, err)) == 0 &&
	    (r = drop(db, FL_SQL_EXPIRE_TOKENS, e->keep->jobs_before, e, err)) == 0 &&
	    (r = drop_versions(db, err)) == 0)
		r = find_jobs(db, e, err);
	/*
	 * The files of a job are removed before its row: after a kill in between `gone` is called
	 * again, and no file is left.
	 */
	for (uint32_t i = 0; r == 0 && e->keep->gone && i < e->n_jobs; i++)
		e->keep->gone(e->keep->user, e->jobs[i]);
	return r < 0 ? r : drop_jobs(db, e, err);
}

int fl_store_expire(struct fl_store *s, const struct fl_retention *keep, fairlead_error *err)
{
	struct expiring e = { .store = s, .keep = keep }, *at = &e;
	int r = fl_store_write(s, expire, &at, err);

	return r < 0 ? r : e.more;
}
