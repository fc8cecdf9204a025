/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sums/closings.h"

#include "base/mem.h"
#include "store/table.h"

static int read_closing(struct fl_store *s, struct fl_query *q, struct fl_closing *ret,
			fairlead_error *err)
{
	int r = fl_row_next(s, q, FL_TABLE_CLOSING, ret, err);
	int end = fl_query_end(q, r);

	if (r <= 0)
		ret->tier = FL_TIERS;
	return end;
}

int fl_closing_before(struct fl_store *s, struct fl_db *db, fl_time t, enum fl_tier tier,
		      struct fl_closing *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_CLOSING_BEFORE);

	fl_put_int(&q, t);
	fl_put_int(&q, tier);
	return read_closing(s, &q, ret, err);
}

int fl_closing_from(struct fl_store *s, struct fl_db *db, fl_time t, struct fl_closing *ret,
		    fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_CLOSING_FROM);

	fl_put_int(&q, t);
	return read_closing(s, &q, ret, err);
}

int fl_closings_of(struct fl_store *s, struct fl_db *db, fl_time from, fl_time to,
		   enum fl_tier tier, uint32_t most, struct fl_closings *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_CLOSINGS);
	struct fl_closing row;
	int r = 0;

	fl_put_int(&q, from);
	fl_put_int(&q, to);
	fl_put_int(&q, tier);
	while (ret->n < most && (r = fl_row_next(s, &q, FL_TABLE_CLOSING, &row, err)) > 0) {
		r = fl_mem_grow(&fl_mem_heap, &ret->rows, &ret->cap, ret->n + 1, sizeof row, err);
		if (r < 0)
			break;
		ret->rows[ret->n++] = row;
	}
	return fl_query_end(&q, r);
}

int fl_closing_ends(struct fl_store *s, struct fl_db *db, struct fl_tier_ends *ret,
		    fairlead_error *err)
{
	struct fl_closing first;
	int r = fl_closing_before(s, db, FL_NEVER, FL_TIER_PART, &ret->last, err);

	if (r == 0)
		r = fl_closing_before(s, db, FL_NEVER, FL_TIER_HOUR, &ret->hour, err);
	if (r == 0)
		r = fl_closing_from(s, db, FL_TIME_NONE, &first, err);
	if (r == 0)
		r = fl_tiers_exact(s, db, &ret->exact, err);
	if (r < 0)
		return r;
	ret->first = first.book;
	if (first.tier == FL_TIERS) {
		struct fl_query q = fl_query(db, FL_SQL_FIRST_WAITED);

		r = fl_query_next(&q, err);
		ret->first = r > 0 ? fl_take_time(&q) : FL_TIME_NONE;
		if (ret->first != FL_TIME_NONE)
			ret->first = fl_amount_max(ret->first, ret->exact);
		r = fl_query_end(&q, r);
	}
	return r;
}

int fl_closing_near(struct fl_store *s, struct fl_db *db, fl_time *t, fairlead_error *err)
{
	struct fl_closing near;
	int r = fl_closing_from(s, db, fl_sat_sub(*t, FL_SECOND), &near, err);

	if (r == 0 && near.tier != FL_TIERS && near.until <= fl_sat_add(*t, FL_SECOND))
		*t = near.until;
	return r;
}

int fl_closings_begin(struct fl_store *s, struct fl_db *ret, fairlead_error *err)
{
	int r = fl_store_aside(s, ret, err);

	if (r < 0)
		return r;
	r = fl_db_run(ret, FL_SQL_BEGIN_READING, err);
	if (r < 0)
		fl_db_close(ret);
	return r;
}

/* --- the sums of a moment --- */

int fl_sums_at_moment(struct fl_store *s, struct fl_db *db, fl_time until, const char *queue,
		      const struct fl_sum_reader *to, fairlead_error *err)
{
	struct fl_query q = fl_query(db, queue ? FL_SQL_AMOUNT_SUMS_OF : FL_SQL_AMOUNT_SUMS);
	struct fl_amount_cells cells;
	struct fl_queue_cells row;
	int r = 0;

	if (to->amount) {
		fl_put_int(&q, until);
		if (queue)
			fl_put_text(&q, queue);
		while ((r = fl_row_next(s, &q, FL_TABLE_AMOUNT_SUM, &cells, err)) > 0) {
			struct fl_amount_sum sum;

			fl_amount_of_cells(&cells, &sum);
			if ((r = to->amount(to->user, &sum, err)) < 0)
				break;
		}
		r = fl_query_end(&q, r);
	}
	if (r < 0 || !to->queue)
		return r;
	q = fl_query(db, queue ? FL_SQL_QUEUE_SUMS_OF : FL_SQL_QUEUE_SUMS);
	fl_put_int(&q, until);
	if (queue)
		fl_put_text(&q, queue);
	while ((r = fl_row_next(s, &q, FL_TABLE_QUEUE_SUM, &row, err)) > 0) {
		struct fl_queue_sum sum;

		fl_queue_of_cells(&row, &sum);
		if ((r = to->queue(to->user, &sum, err)) < 0)
			break;
	}
	return fl_query_end(&q, r);
}
