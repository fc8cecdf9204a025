/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read.h"

#include <inttypes.h>
#include <string.h>

#include "store/commit.h"
#include "store/damage.h"
#include "store/journal.h"
#include "store/open.h"
#include "store/table.h"

/* --- settings --- */

int fl_setting_get(struct fl_db *db, const char *name, char *ret, size_t size, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_GET);
	int r;

	fl_put_text(&q, name);
	r = fl_query_next(&q, err);
	if (r == 0) {
		r = fl_fail(err, FAIRLEAD_ENOENT, "%s has no setting %s", db->path, name);
	} else if (r > 0) {
		struct fl_setting setting;

		fl_take_row(&q, FL_TABLE_SETTING, &setting);
		r = fl_query_taken(&q, err);
		if (r == 0 && !fl_take_int(&q))
			r = fl_db_damaged(err, db->path, "a setting does not match its checksum");
		if (r == 0 && strlen(setting.value) >= size)
			r = fl_fail(err, FAIRLEAD_ELIMIT, "the setting %s is longer than %zu bytes",
				    name, size - 1);
		if (r == 0)
			memcpy(ret, setting.value, strlen(setting.value) + 1);
	}
	return fl_query_end(&q, r);
}

int fl_setting_put(struct fl_db *db, const char *name, const char *value, fairlead_error *err)
{
	return fl_row_write(db, FL_SQL_SET, FL_TABLE_SETTING, &(struct fl_setting){ name, value },
			    err);
}

int fl_store_get(struct fl_store *s, const char *name, char *ret, size_t size, fairlead_error *err)
{
	return fl_setting_get(&s->reader, name, ret, size, err);
}

static int set(struct fl_db *db, const void *setting, fairlead_error *err)
{
	return fl_row_write(db, FL_SQL_SET, FL_TABLE_SETTING, setting, err);
}

int fl_store_set(struct fl_store *s, const char *name, const char *value, fairlead_error *err)
{
	return fl_store_write(s, set, &(struct fl_setting){ name, value }, err);
}

int fl_store_settings(struct fl_store *s, const char *first, const char *last, uint32_t limit,
		      fl_setting_fn *fn, void *user, fairlead_error *err)
{
	struct fl_query q = fl_query(&s->reader, FL_SQL_SETTINGS);
	struct fl_setting row;
	int r;

	fl_put_text(&q, first);
	fl_put_text(&q, last);
	fl_put_int(&q, limit ? (int64_t)limit : -1);
	while ((r = fl_row_next(s, &q, FL_TABLE_SETTING, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(&q, r);
}

int fl_db_number_above(struct fl_db *db, uint64_t job, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_NUMBER_ABOVE);

	fl_put_int(&q, (int64_t)job);
	return fl_query_run(&q, err);
}

static int number_above(struct fl_db *db, const void *arg, fairlead_error *err)
{
	return fl_db_number_above(db, *(const uint64_t *)arg, err);
}

int fl_store_number_above(struct fl_store *s, uint64_t job, fairlead_error *err)
{
	return fl_store_write(s, number_above, &job, err);
}

/* --- the end of the database --- */

int fl_latest_damaged(const struct fl_db *db, fairlead_error *err)
{
	return fl_db_damaged(err, db->path,
			     "the row that says where it ends does not match its checksum");
}

int fl_latest_read(struct fl_db *db, struct fl_latest *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_LATEST);
	int r = fl_query_next(&q, err);

	*ret = (struct fl_latest){ 0 };
	if (r > 0) {
		fl_take_row(&q, FL_TABLE_LATEST, ret);
		r = fl_query_taken(&q, err);
		if (r == 0)
			strncat(ret->boot_id, ret->boot_text, sizeof ret->boot_id - 1);
		ret->boot_text = NULL;
		if (r == 0 && !fl_take_int(&q))
			r = fl_latest_damaged(db, err);
	} else if (r == 0) {
		r = fl_latest_damaged(db, err);
	}
	return fl_query_end(&q, r);
}

int fl_store_end(struct fl_store *s, struct fl_store_end *ret, fairlead_error *err)
{
	struct fl_journal_end end;
	struct fl_latest latest;
	int r = fl_journal_end(&s->reader, &end, err);

	if (r == 0)
		r = fl_latest_read(&s->reader, &latest, err);
	if (r < 0)
		return r;
	*ret = (struct fl_store_end){ .seq = end.seq,
				      .at = end.at,
				      .job = latest.job,
				      .wall = latest.wall,
				      .boot = latest.boot };
	memcpy(ret->boot_id, latest.boot_id, sizeof ret->boot_id);
	return 0;
}

/* --- jobs --- */

/* Which of them is damaged: JOB_DAMAGE of sql.def. */
static const char *const damages[] = { NULL, "its row", "its spec", "all of it" };

/* @ret->damaged: its other members must not be used. */
static int take_job(struct fl_store *s, struct fl_query *q, struct fl_job_row *ret,
		    fairlead_error *err)
{
	int r;

	fl_take_row(q, FL_TABLE_JOB, ret);
	if (ret->held >= FL_HOLDS)
		ret->held = FL_HOLD_NONE;
	ret->spec = fl_take_text(q);
	ret->damaged = damages[fl_take_int(q) & 3];
	if (!ret->damaged && ret->state >= FL_JOB_STATES)
		ret->damaged = damages[1];
	r = fl_query_taken(q, err);
	if (r == 0 && ret->damaged)
		fl_store_note(s, ret->id, "%s does not match its checksum", ret->damaged);
	return r;
}

/* The index that is likely to leave the fewest rows. */
static enum fl_sql jobs_by(const struct fl_job_filter *f)
{
	enum fl_sql by = FL_SQL_JOBS;

	if (f->array)
		by = FL_SQL_JOBS_OF_ARRAY;
	else if (f->states && f->states < 1u << FL_JOB_DONE)
		by = FL_SQL_JOBS_LIVE;
	else if (f->user)
		by = FL_SQL_JOBS_OF_USER;
	else if (f->queue)
		by = FL_SQL_JOBS_OF_QUEUE;
	return by + f->newest_first;
}

int fl_store_jobs(struct fl_store *s, const struct fl_job_filter *filter, fl_job_fn *fn, void *user,
		  fairlead_error *err)
{
	struct fl_query q;
	struct fl_db own;
	int r = filter->aside ? fl_store_aside(s, &own, err) : 0;

	if (r < 0)
		return r;
	q = fl_query(filter->aside ? &own : &s->reader, jobs_by(filter));
	fl_put_int(&q, filter->without_spec);
	fl_put_int(&q, (int64_t)filter->after);
	fl_put_text(&q, filter->queue);
	fl_put_text(&q, filter->user);
	fl_put_int(&q, filter->states);
	fl_put_id(&q, filter->array);
	fl_put_time(&q, filter->ended_after > 0 ? filter->ended_after : FL_TIME_NONE);
	fl_put_limit(&q, filter->limit);
	fl_put_id(&q, filter->before);
	while ((r = fl_query_next(&q, err)) > 0) {
		struct fl_job_row row;

		r = take_job(s, &q, &row, err);
		if (r == 0 && (!row.damaged || filter->damaged))
			r = fn(user, &row, err);
		if (r < 0)
			break;
	}
	r = fl_query_end(&q, r);
	if (filter->aside)
		fl_db_close(&own);
	return r;
}

struct one {
	uint64_t id;
	fl_job_fn *fn;
	void *user;
	bool there;
};

static int see_one(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct one *one = user;

	if (row->id != one->id)
		return 0;
	one->there = true;
	if (row->damaged)
		return fl_fail(err, FAIRLEAD_EINPUT, "job %" PRIu64 " is damaged", row->id);
	return one->fn(one->user, row, err);
}

int fl_store_job_row(struct fl_store *s, uint64_t id, fl_job_fn *fn, void *user,
		     fairlead_error *err)
{
	const struct fl_job_filter filter = {
		.after = id - 1, .limit = 1, .without_spec = true, .damaged = true
	};
	struct one one = { id, fn, user, false };
	int r = fl_store_jobs(s, &filter, see_one, &one, err);

	return r < 0 || one.there ? r :
				    fl_fail(err, FAIRLEAD_ENOENT, "there is no job %" PRIu64, id);
}

static int job_damaged(const struct fl_store *s, const struct fl_job_row *row, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "job %llu is damaged: %s in %s does not match its checksum",
		(unsigned long long)row->id, row->damaged, s->reader.path);
	fl_fail_hint(err,
		     "it is neither started nor changed; a backup may have it, and the job can be "
		     "submitted again");
	return FAIRLEAD_EINPUT;
}

int fl_store_job(struct fl_store *s, uint64_t id, fl_job_fn *fn, void *user, fairlead_error *err)
{
	struct fl_query q = fl_query(&s->reader, FL_SQL_JOB);
	int r;

	fl_put_int(&q, /* without spec= */ 0);
	fl_put_int(&q, (int64_t)id);
	r = fl_query_next(&q, err);
	if (r == 0) {
		r = fl_fail(err, FAIRLEAD_ENOENT, "there is no job %llu", (unsigned long long)id);
	} else if (r > 0) {
		struct fl_job_row row;

		r = take_job(s, &q, &row, err);
		if (r == 0 && row.damaged)
			r = job_damaged(s, &row, err);
		if (r == 0)
			r = fn(user, &row, err);
	}
	return fl_query_end(&q, r);
}
