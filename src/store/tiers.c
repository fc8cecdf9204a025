/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tiers.h"

#include "store/commit.h"
#include "store/open.h"
#include "store/table.h"

/* --- 128 bits as two columns --- */

static int64_t upper(fl_nanos v) { return (int64_t)(v >> 64); }

static int64_t lower(fl_nanos v) { return (int64_t)(uint64_t)v; }

static fl_nanos wide(int64_t high, int64_t low)
{
	return (fl_nanos)high * ((fl_nanos)1 << 64) + (uint64_t)low;
}

#define SPLIT(name, v) .name##_high = upper(v), .name##_low = lower(v)
#define JOIN(cells, name) wide((cells)->name##_high, (cells)->name##_low)

void fl_amount_cells_of(fl_time until, const struct fl_amount_sum *sum, struct fl_amount_cells *ret)
{
	*ret = (struct fl_amount_cells){
		.until = until,
		.queue = sum->queue,
		.resource = sum->resource,
		SPLIT(held, sum->of[FL_SUM_HELD]),
		SPLIT(entitled, sum->of[FL_SUM_ENTITLED]),
		SPLIT(waiting, sum->of[FL_SUM_WAITING]),
		SPLIT(borrowed, sum->of[FL_SUM_BORROWED]),
		SPLIT(lent, sum->of[FL_SUM_LENT]),
		SPLIT(nominal, sum->of[FL_SUM_NOMINAL]),
	};
}

void fl_amount_of_cells(const struct fl_amount_cells *cells, struct fl_amount_sum *ret)
{
	*ret = (struct fl_amount_sum){ .queue = cells->queue,
				       .resource = cells->resource,
				       .of = { [FL_SUM_HELD] = JOIN(cells, held),
					       [FL_SUM_ENTITLED] = JOIN(cells, entitled),
					       [FL_SUM_WAITING] = JOIN(cells, waiting),
					       [FL_SUM_BORROWED] = JOIN(cells, borrowed),
					       [FL_SUM_LENT] = JOIN(cells, lent),
					       [FL_SUM_NOMINAL] = JOIN(cells, nominal) } };
}

void fl_queue_cells_of(fl_time until, const struct fl_queue_sum *sum, struct fl_queue_cells *ret)
{
	*ret = (struct fl_queue_cells){
		.until = until,
		.queue = sum->queue,
		SPLIT(share, sum->share),
		.known = sum->known,
		.share_hour = sum->share_most[FL_MOST_HOUR],
		.share_day = sum->share_most[FL_MOST_DAY],
		.share_month = sum->share_most[FL_MOST_MONTH],
		.started = sum->started,
		.preempted = sum->preempted,
		SPLIT(waited, sum->waited),
		.wait_hour = sum->wait_most[FL_MOST_HOUR],
		.wait_day = sum->wait_most[FL_MOST_DAY],
		.wait_month = sum->wait_most[FL_MOST_MONTH],
	};
}

void fl_queue_of_cells(const struct fl_queue_cells *cells, struct fl_queue_sum *ret)
{
	*ret = (struct fl_queue_sum){
		.queue = cells->queue,
		.share = JOIN(cells, share),
		.known = cells->known,
		.share_most = { cells->share_hour, cells->share_day, cells->share_month },
		.started = cells->started,
		.preempted = cells->preempted,
		.waited = JOIN(cells, waited),
		.wait_most = { cells->wait_hour, cells->wait_day, cells->wait_month },
	};
}

/* --- where sums end, and admissions begin --- */

int fl_tiers_end(struct fl_db *db, fl_time *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_CLOSING_LAST);
	int r = fl_query_next(&q, err);

	if (r >= 0)
		*ret = r > 0 ? fl_take_int(&q) : FL_TIME_NONE;
	return fl_query_end(&q, r);
}

/* A row that is damaged says nothing: all admissions that are there may be whole. */
int fl_tiers_exact(struct fl_store *s, struct fl_db *db, fl_time *ret, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_EXACT);
	struct fl_exact row = { 0 };
	int r = fl_row_next(s, &q, FL_TABLE_EXACT, &row, err);

	if (r >= 0)
		*ret = r > 0 ? row.since : 0;
	return fl_query_end(&q, r);
}

static int put_exact(struct fl_db *db, const void *since, fairlead_error *err)
{
	struct fl_query q = fl_query(db, FL_SQL_PUT_EXACT);

	fl_put_int(&q, *(const fl_time *)since);
	return fl_query_run(&q, err);
}

int fl_store_whole_since(struct fl_store *s, fl_time since, fairlead_error *err)
{
	return fl_store_write(s, put_exact, &since, err);
}

int fl_tiers_give_up(struct fl_store *s, struct fl_db *db, fl_time *before, fairlead_error *err)
{
	fl_time end, exact;
	int r = fl_tiers_end(db, &end, err);

	if (r == 0)
		r = fl_tiers_exact(s, db, &exact, err);
	if (r < 0)
		return r;
	*before = end == FL_TIME_NONE ? FL_TIME_NONE : fl_amount_min(*before, end);
	return *before <= exact ? 0 : put_exact(db, before, err);
}

/* --- dropping --- */

static int drop_at(struct fl_db *db, fl_time until, fairlead_error *err)
{
	static const enum fl_sql parts[] = { FL_SQL_DROP_AMOUNT_SUMS, FL_SQL_DROP_QUEUE_SUMS,
					     FL_SQL_DROP_CLOSING };
	int r = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts && r == 0; i++) {
		struct fl_query q = fl_query(db, parts[i]);

		fl_put_int(&q, until);
		r = fl_query_run(&q, err);
	}
	return r;
}

int fl_tiers_drop(struct fl_db *db, enum fl_tier tier, fl_time before, uint32_t most,
		  fairlead_error *err)
{
	enum { MOST = 64 };
	fl_time found[MOST];
	uint32_t n = 0;
	struct fl_query q = fl_query(db, FL_SQL_CLOSING_EXPIRED);
	int r;

	fl_put_int(&q, tier);
	fl_put_int(&q, before);
	fl_put_int(&q, most < MOST ? most : MOST);
	while ((r = fl_query_next(&q, err)) > 0)
		found[n++] = fl_take_int(&q);
	r = fl_query_end(&q, r);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = drop_at(db, found[i], err);
	return r < 0 ? r : (int)n;
}

/* --- an hour is over --- */

static int put_sums(struct fl_db *db, const struct fl_closed *c, fairlead_error *err)
{
	const fl_time until = c->closing.until;
	int r = fl_row_write(db, FL_SQL_PUT_CLOSING, FL_TABLE_CLOSING, &c->closing, err);

	for (uint32_t i = 0; i < c->n_queues && r == 0; i++) {
		struct fl_queue_cells cells;

		fl_queue_cells_of(until, &c->queues[i], &cells);
		r = fl_row_write(db, FL_SQL_PUT_QUEUE_SUM, FL_TABLE_QUEUE_SUM, &cells, err);
	}
	for (uint32_t i = 0; i < c->n_amounts && r == 0; i++) {
		struct fl_amount_cells cells;

		fl_amount_cells_of(until, &c->amounts[i], &cells);
		r = fl_row_write(db, FL_SQL_PUT_AMOUNT_SUM, FL_TABLE_AMOUNT_SUM, &cells, err);
	}
	return r;
}

static int close_hour(struct fl_db *db, const void *arg, fairlead_error *err)
{
	const struct fl_closed *c = *(const struct fl_closed *const *)arg;
	fl_time end;
	int r = fl_tiers_end(db, &end, err);

	if (r < 0)
		return r;
	if (end != c->after || c->closing.until <= end)
		return fl_fail(err, FAIRLEAD_ESTATE, "sums end at another moment");
	r = put_sums(db, c, err);
	/* There are few: the configuration changes seldom, and they are an hour's. */
	while (r == 0 && c->closing.tier > FL_TIER_PART &&
	       (r = fl_tiers_drop(db, FL_TIER_PART, c->closing.until, 64, err)) > 0)
		r = 0;
	return r;
}

int fl_store_close_hour(struct fl_store *s, const struct fl_closed *closed, fairlead_error *err)
{
	return fl_store_write(s, close_hour, &closed, err);
}
