/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "store/store_parts.h"

/* --- small things --- */

int fl_store_get(struct fl_store *s, const char *name, char *ret, size_t size, fairlead_error *err)
{
	struct fl_query q;
	int r = fl_query_begin(&q, &s->reader, FL_SQL_GET, err);

	if (r < 0)
		return r;
	fl_put_text(&q, name);
	r = fl_query_next(&q, err);
	if (r == 0) {
		r = fl_fail(err, FAIRLEAD_ENOENT, "%s has no setting %s", s->folder, name);
	} else if (r > 0) {
		const char *value = fl_take_text(&q);

		r = fl_query_taken(&q, err);
		if (r == 0 && strlen(value) >= size)
			r = fl_fail(err, FAIRLEAD_ELIMIT, "the setting %s is longer than %zu bytes",
				    name, size - 1);
		if (r == 0)
			memcpy(ret, value, strlen(value) + 1);
	}
	return fl_query_end(&q, r);
}

struct setting {
	const char *name, *value;
};

static int set(struct fl_db *db, const void *arg, fairlead_error *err)
{
	const struct setting *setting = arg;
	struct fl_query q;
	int r = fl_query_begin(&q, db, FL_SQL_SET, err);

	if (r < 0)
		return r;
	fl_put_text(&q, setting->name);
	fl_put_text(&q, setting->value);
	return fl_query_run(&q, err);
}

int fl_store_set(struct fl_store *s, const char *name, const char *value, fairlead_error *err)
{
	return fl_store_write(s, set, &(struct setting){ name, value }, err);
}

int fl_store_end(struct fl_store *s, struct fl_store_end *ret, fairlead_error *err)
{
	struct fl_store_end end = { 0 };
	struct fl_query q;
	int r = fl_query_begin(&q, &s->reader, FL_SQL_LAST, err);

	if (r < 0)
		return r;
	r = fl_query_next(&q, err);
	if (r > 0) {
		end.seq = fl_take_id(&q);
		end.at = fl_take_int(&q);
	}
	r = fl_query_end(&q, r);
	if (r == 0)
		r = fl_query_begin(&q, &s->reader, FL_SQL_LATEST, err);
	if (r < 0)
		return r;
	r = fl_query_next(&q, err);
	if (r > 0) {
		const char *boot_id;

		end.job = fl_take_id(&q);
		end.wall = fl_take_int(&q);
		end.boot = fl_take_int(&q);
		boot_id = fl_take_text(&q);
		r = fl_query_taken(&q, err);
		if (r == 0)
			strncat(end.boot_id, boot_id, sizeof end.boot_id - 1);
	}
	r = fl_query_end(&q, r);
	if (r == 0)
		*ret = end;
	return r;
}

/* --- journal --- */

/* What stands in a column is one of so many; anything else was never written by us. */
static int check_kind(const struct fl_store *s, const char *what, int64_t kind, int64_t n,
		      fairlead_error *err)
{
	if (kind >= 0 && kind < n)
		return 0;
	return fl_db_damaged(s->reader.path, what, err);
}

int fl_store_journal(struct fl_store *s, uint64_t after,
		     int (*fn)(void *user, const struct fl_journal_row *row, fairlead_error *err),
		     void *user, fairlead_error *err)
{
	struct fl_query q;
	uint64_t before = 0;
	int r = fl_query_begin(&q, &s->reader, FL_SQL_JOURNAL, err);

	if (r < 0)
		return r;
	fl_put_int(&q, (int64_t)after);
	while ((r = fl_query_next(&q, err)) > 0) {
		struct fl_journal_row row = { .seq = fl_take_id(&q), .at = fl_take_int(&q) };
		int64_t kind = fl_take_int(&q);

		row.kind = (enum fl_journal_kind)kind;
		row.job = fl_take_id(&q);
		row.attempt = fl_take_u32(&q);
		row.a = fl_take_int(&q);
		row.b = fl_take_int(&q);
		row.text = fl_take_text(&q);
		r = fl_query_taken(&q, err);
		if (r == 0)
			r = check_kind(s, "a row of the journal of no kind", kind, FL_JOURNAL_KINDS,
				       err);
		if (r == 0 && before && row.seq != before + 1)
			r = fl_db_damaged(s->reader.path, "rows of the journal are missing", err);
		if (r == 0)
			r = fn(user, &row, err);
		if (r < 0)
			break;
		before = row.seq;
	}
	return fl_query_end(&q, r);
}

/* --- jobs --- */

static int take_job(const struct fl_store *s, struct fl_query *q, struct fl_job_row *ret,
		    fairlead_error *err)
{
	int64_t state;
	int r;

	ret->id = fl_take_id(q);
	state = fl_take_int(q);
	ret->state = (enum fl_job_state)state;
	ret->uid = fl_take_u32(q);
	ret->user = fl_take_text(q);
	ret->name = fl_take_text(q);
	ret->queue = fl_take_text(q);
	ret->array = fl_take_id(q);
	ret->priority = (int32_t)fl_take_int(q);
	ret->submitted = fl_take_time(q);
	ret->started = fl_take_time(q);
	ret->ended = fl_take_time(q);
	ret->attempt = fl_take_u32(q);
	ret->evictions = fl_take_u32(q);
	ret->losses = fl_take_u32(q);
	ret->ran = fl_take_int(q);
	int64_t held = fl_take_int(q);

	ret->held = held > 0 && held < FL_HOLDS ? (enum fl_hold)held : FL_HOLD_NONE;
	ret->outcome = (int)fl_take_int(q);
	ret->status = (int)fl_take_int(q);
	ret->placement = fl_take_text(q);
	ret->reason = fl_take_text(q);
	ret->spec = fl_take_text(q);
	r = fl_query_taken(q, err);
	if (r == 0)
		r = check_kind(s, "a job in no state", state, FL_JOB_STATES, err);
	return r;
}

/* By what is likely to leave the fewest. */
static enum fl_sql jobs_by(const struct fl_job_filter *f)
{
	if (f->array)
		return f->newest_first ? FL_SQL_JOBS_OF_ARRAY_DOWN : FL_SQL_JOBS_OF_ARRAY;
	if (f->states && f->states < 1u << FL_JOB_DONE)
		return f->newest_first ? FL_SQL_JOBS_LIVE_DOWN : FL_SQL_JOBS_LIVE;
	if (f->user)
		return f->newest_first ? FL_SQL_JOBS_OF_USER_DOWN : FL_SQL_JOBS_OF_USER;
	if (f->queue)
		return f->newest_first ? FL_SQL_JOBS_OF_QUEUE_DOWN : FL_SQL_JOBS_OF_QUEUE;
	return f->newest_first ? FL_SQL_JOBS_DOWN : FL_SQL_JOBS;
}

int fl_store_jobs(struct fl_store *s, const struct fl_job_filter *filter,
		  int (*fn)(void *user, const struct fl_job_row *row, fairlead_error *err),
		  void *user, fairlead_error *err)
{
	struct fl_query q;
	int r = fl_query_begin(&q, &s->reader, jobs_by(filter), err);

	if (r < 0)
		return r;
	fl_put_int(&q, filter->without_spec);
	fl_put_int(&q, (int64_t)filter->after);
	fl_put_text(&q, filter->queue);
	fl_put_text(&q, filter->user);
	fl_put_int(&q, filter->states);
	fl_put_id(&q, filter->array);
	fl_put_time(&q, filter->ended_after > 0 ? filter->ended_after : FL_TIME_NONE);
	fl_put_limit(&q, filter->limit);
	while ((r = fl_query_next(&q, err)) > 0) {
		struct fl_job_row row;

		r = take_job(s, &q, &row, err);
		if (r == 0)
			r = fn(user, &row, err);
		if (r < 0)
			break;
	}
	return fl_query_end(&q, r);
}

int fl_store_job(struct fl_store *s, uint64_t id,
		 int (*fn)(void *user, const struct fl_job_row *row, fairlead_error *err),
		 void *user, fairlead_error *err)
{
	struct fl_query q;
	int r = fl_query_begin(&q, &s->reader, FL_SQL_JOB, err);

	if (r < 0)
		return r;
	fl_put_int(&q, (int64_t)id);
	r = fl_query_next(&q, err);
	if (r == 0) {
		r = fl_fail(err, FAIRLEAD_ENOENT, "there is no job %llu", (unsigned long long)id);
	} else if (r > 0) {
		struct fl_job_row row;

		r = take_job(s, &q, &row, err);
		if (r == 0)
			r = fn(user, &row, err);
	}
	return fl_query_end(&q, r);
}
