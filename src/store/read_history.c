/* SPDX-License-Identifier: Apache-2.0 */
#include "store/open.h"
#include "store/table.h"

/* --- events --- */

static enum fl_sql events_by(const struct fl_event_filter *f)
{
	enum fl_sql by = f->job   ? FL_SQL_EVENTS_OF_JOB :
			 f->queue ? FL_SQL_EVENTS_OF_QUEUE :
			 f->kind  ? FL_SQL_EVENTS_OF_KIND :
				    FL_SQL_EVENTS;

	return by + f->newest_first;
}

/* The first event whose row of the journal is @seq or later: 1 and its row and time, or 0. */
static int event_from(struct fl_db *db, uint64_t seq, uint64_t *ret_seq, fl_time *ret_at,
		      fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_EVENT_FROM);
	int r, found;

	fl_put_int(&q, (int64_t)seq);
	found = fl_query_next(&q, err);
	if (found > 0) {
		*ret_seq = fl_take_id(&q);
		*ret_at = fl_take_int(&q);
	}
	r = fl_query_end(&q, found);
	return r < 0 ? r : found;
}

/*
 * Times never fall along the journal, so the first row since @since is found by binary search: that
 * saves writing an index with each event.
 */
static int row_of_time(struct fl_db *db, fl_time since, uint64_t *ret, fairlead_error *err)
{
	uint64_t low = 0, high;
	int64_t last;
	int r = fl_db_number(db, FL_SQL_EVENT_LAST, &last, err);

	if (r < 0)
		return r;
	/* All rows before `low` are too early, none from `high` on is. */
	for (high = (uint64_t)last + 1; low < high;) {
		uint64_t middle = low + (high - low) / 2, seq = 0;
		fl_time at = 0;

		r = event_from(db, middle, &seq, &at, err);
		if (r < 0)
			return r;
		if (r == 0 || at >= since)
			high = middle;
		else
			low = seq + 1;
	}
	*ret = low;
	return 0;
}

int fl_store_events(struct fl_store *s, const struct fl_event_filter *filter, fl_event_fn *fn,
		    void *user, fairlead_error *err)
{
	uint64_t after_seq = filter->after_seq, begin = 0;
	uint32_t after_n = filter->after_n;
	struct fl_event_row row;
	struct fl_query q;
	int r = 0;

	if (filter->since > 0)
		r = row_of_time(&s->reader, filter->since, &begin, err);
	if (begin > after_seq) {
		after_seq = begin - 1;
		after_n = UINT32_MAX;
	}
	if (r < 0)
		return r;
	q = fl_query(&s->reader, events_by(filter));
	fl_put_int(&q, (int64_t)after_seq);
	fl_put_int(&q, after_n);
	fl_put_id(&q, filter->job);
	fl_put_text(&q, filter->queue);
	fl_put_text(&q, filter->kind);
	fl_put_limit(&q, filter->limit);
	while ((r = fl_row_next(s, &q, FL_TABLE_EVENT, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(&q, r);
}

/* --- admissions --- */

/* Calls @fn for all rows of a query whose parameters are set. */
static int each_admission(struct fl_store *s, struct fl_query *q, fl_admission_fn *fn, void *user,
			  fairlead_error *err)
{
	struct fl_admission_row row;
	int r;

	while ((r = fl_row_next(s, q, FL_TABLE_ADMISSION, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(q, r);
}

int fl_store_admissions(struct fl_store *s, uint64_t job, fl_admission_fn *fn, void *user,
			fairlead_error *err)
{
	struct fl_query q = fl_query(&s->reader, job ? FL_SQL_ADMISSIONS : FL_SQL_ADMISSIONS_OPEN);

	if (job)
		fl_put_int(&q, (int64_t)job);
	return each_admission(s, &q, fn, user, err);
}

int fl_store_holdings(struct fl_store *s, fl_time from, fl_time to, fl_admission_fn *fn, void *user,
		      fairlead_error *err)
{
	struct fl_query q;
	struct fl_db db;
	int r = fl_store_aside(s, &db, err);

	if (r < 0)
		return r;
	q = fl_query(&db, FL_SQL_HOLDINGS);
	fl_put_int(&q, from);
	fl_put_int(&q, to);
	r = each_admission(s, &q, fn, user, err);
	fl_db_close(&db);
	return r;
}

static int sum(struct fl_db *db, enum fl_sql sql, fl_time from, fl_time to, fl_usage_fn *fn,
	       void *user, fairlead_error *err)
{
	struct fl_query q = fl_query(db, sql);
	int r;

	fl_put_int(&q, from);
	fl_put_int(&q, to);
	while ((r = fl_query_next(&q, err)) > 0) {
		struct fl_usage_sum_row row;

		row.user = fl_take_text(&q);
		row.queue = fl_take_text(&q);
		row.resource = fl_take_text(&q);
		row.flavor = fl_take_text(&q);
		row.from = fl_take_int(&q);
		row.to = fl_take_int(&q);
		row.amount = fl_take_real(&q);
		row.jobs = fl_take_id(&q);
		row.admissions = fl_take_id(&q);
		row.evictions = fl_take_id(&q);
		r = fl_query_taken(&q, err);
		if (r == 0)
			r = fn(user, &row, err);
		if (r < 0)
			break;
	}
	return fl_query_end(&q, r);
}

static int note_left_out(struct fl_store *s, struct fl_db *db, fl_time from, fl_time to,
			 fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_HOLDINGS_DAMAGED);

	fl_put_int(&q, from);
	fl_put_int(&q, to);
	return each_admission(s, &q, /* without fn no row matches */ NULL, NULL, err);
}

/* The sums of @whole, then those of @parts. */
static int sums(struct fl_store *s, enum fl_sql whole, enum fl_sql parts, fl_time from, fl_time to,
		fl_usage_fn *fn, void *user, fairlead_error *err)
{
	struct fl_db db;
	int r = fl_store_aside(s, &db, err);

	if (r < 0)
		return r;
	/* All queries read the same moment. */
	r = fl_db_run(&db, FL_SQL_BEGIN_READING, err);
	if (r == 0)
		r = note_left_out(s, &db, from, to, err);
	if (r == 0)
		r = sum(&db, whole, from, to, fn, user, err);
	if (r == 0)
		r = sum(&db, parts, from, to, fn, user, err);
	fl_db_close(&db);
	return r;
}

int fl_store_usage(struct fl_store *s, fl_time from, fl_time to, fl_usage_fn *fn, void *user,
		   fairlead_error *err)
{
	return sums(s, FL_SQL_USAGE_WHOLE, FL_SQL_USAGE, from, to, fn, user, err);
}

int fl_store_user_usage(struct fl_store *s, fl_time from, fl_time to, fl_usage_fn *fn, void *user,
			fairlead_error *err)
{
	return sums(s, FL_SQL_USER_USAGE_WHOLE, FL_SQL_USER_USAGE, from, to, fn, user, err);
}

/* --- conditions, tokens, audit --- */

int fl_store_conditions(struct fl_store *s, fl_condition_fn *fn, void *user, fairlead_error *err)
{
	struct fl_condition_row row;
	struct fl_query q = fl_query(&s->reader, FL_SQL_CONDITIONS);
	int r;

	while ((r = fl_row_next(s, &q, FL_TABLE_CONDITION, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(&q, r);
}

int fl_store_tokens(struct fl_store *s, fl_token_fn *fn, void *user, fairlead_error *err)
{
	struct fl_token_row row;
	struct fl_query q = fl_query(&s->reader, FL_SQL_TOKENS);
	int r;

	while ((r = fl_row_next(s, &q, FL_TABLE_TOKEN, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(&q, r);
}

int fl_store_audit(struct fl_store *s, uint32_t limit, fl_audit_fn *fn, void *user,
		   fairlead_error *err)
{
	struct fl_audit_row row;
	struct fl_query q = fl_query(&s->reader, FL_SQL_AUDIT);
	int r;

	fl_put_limit(&q, limit);
	while ((r = fl_row_next(s, &q, FL_TABLE_AUDIT, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(&q, r);
}

/* --- objects of a cluster --- */

int fl_store_objects(struct fl_store *s, fl_object_fn *fn, void *user, fairlead_error *err)
{
	struct fl_object_row row;
	struct fl_query q = fl_query(&s->reader, FL_SQL_OBJECTS);
	int r;

	while ((r = fl_row_next(s, &q, FL_TABLE_OBJECT, &row, err)) > 0)
		if ((r = fn(user, &row, err)) < 0)
			break;
	return fl_query_end(&q, r);
}

int fl_store_number_of(struct fl_store *s, const char *uid, uint64_t *ret, fairlead_error *err)
{
	struct fl_object_row row;
	struct fl_query q = fl_query(&s->reader, FL_SQL_OBJECT);
	int r;

	fl_put_text(&q, uid);
	r = fl_row_next(s, &q, FL_TABLE_OBJECT, &row, err);
	*ret = r > 0 ? row.number : 0;
	return fl_query_end(&q, r);
}
