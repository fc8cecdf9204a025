/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over time: each moment is counted once, whatever is kept of them. */
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "store/open.h"
#include "store/tiers.h"
#include "world.h"

static const fl_time HOUR = 3600 * FL_SECOND;
enum { QUEUES = 3, HOURS = 24 * 70, MONTH = 24 * 30 };
static const char *const names[QUEUES] = { "red", "green/a", "blue" };

/* What each hour adds to `held`: beyond 64 bits for the first queue. */
static fl_nanos added(int queue, int hour)
{
	const fl_nanos big = queue == 0 ? (fl_nanos)1 << 70 : 1;

	return big * (((unsigned)hour * 2654435761u + (unsigned)queue * 40503u) % 1000);
}

/* Days end each 24 hours, months each 30 days; the blue queue is there in every third month. */
static bool is_there(int queue, int hour) { return queue != 2 || hour / MONTH % 3 == 1; }

static enum fl_tier tier_of(int hour)
{
	return (hour + 1) % MONTH == 0 ? FL_TIER_MONTH :
	       (hour + 1) % 24 == 0    ? FL_TIER_DAY :
					 FL_TIER_HOUR;
}

struct book {
	fl_nanos held[QUEUES];
	fl_time most[FL_MOSTS_OF];
	uint64_t started;
};

static int close_hour(struct fl_store *s, struct book *b, int hour, fairlead_error *err)
{
	struct fl_amount_sum amounts[QUEUES];
	struct fl_queue_sum queue = { .queue = "red", .known = 1 };
	struct fl_closed c = { .closing = { .until = (hour + 1) * HOUR,
					    .begin = hour * HOUR,
					    .book = hour / MONTH * MONTH * HOUR,
					    .wall = (hour + 1) * HOUR,
					    .tier = tier_of(hour),
					    .version = 7 },
			       .after = hour ? hour * HOUR : FL_TIME_NONE,
			       .queues = &queue,
			       .n_queues = 1,
			       .amounts = amounts };

	if (hour % MONTH == 0)
		*b = (struct book){ 0 };
	if (hour % 24 == 0)
		b->most[FL_MOST_DAY] = 0;
	b->most[FL_MOST_HOUR] = hour % 100;
	for (int k = FL_MOST_DAY; k < FL_MOSTS_OF; k++)
		b->most[k] = b->most[k] > hour % 100 ? b->most[k] : hour % 100;
	b->started += (uint64_t)hour;
	queue.started = b->started;
	memcpy(queue.wait_most, b->most, sizeof b->most);
	for (int q = 0; q < QUEUES; q++) {
		if (!is_there(q, hour))
			continue;
		b->held[q] += added(q, hour);
		amounts[c.n_amounts++] = (struct fl_amount_sum){ names[q], "cpu", { b->held[q] } };
	}
	return fl_store_close_hour(s, &c, err);
}

/* --- what is read --- */

struct read {
	fl_nanos held[QUEUES];
	uint64_t started, rows;
	fl_time most, begin, until;
};

static int see_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct read *r = user;

	(void)err;
	assert_string_equal(row->resource, "cpu");
	for (int q = 0; q < QUEUES; q++)
		if (strcmp(names[q], row->queue) == 0)
			r->held[q] += row->of[FL_SUM_HELD];
	return 0;
}

static int see_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct read *r = user;

	(void)err;
	assert_string_equal(row->queue, "red");
	r->started += row->started;
	r->most = row->wait_most[FL_MOST_HOUR] > r->most ? row->wait_most[FL_MOST_HOUR] : r->most;
	return 0;
}

static int see_closing(void *user, const struct fl_closing *row, fairlead_error *err)
{
	struct read *r = user;

	(void)err;
	assert_int_equal(row->version, 7);
	if (r->rows++ == 0)
		r->begin = row->begin;
	else
		assert_int_equal(row->begin, r->until);
	r->until = row->until;
	return 0;
}

static fl_nanos sum_of(int queue, int from, int to)
{
	fl_nanos sum = 0;

	for (int h = from; h < to; h++)
		sum += is_there(queue, h) ? added(queue, h) : 0;
	return sum;
}

static uint64_t started_of(int from, int to)
{
	uint64_t sum = 0;

	for (int h = from; h < to; h++)
		sum += (uint64_t)h;
	return sum;
}

/* All between two whole hours is what was added then. */
static void check(struct fl_store *s, int from, int to)
{
	struct read is = { 0 };
	const struct fl_sum_reader reader = { NULL, see_amount, see_queue, &is };
	struct fl_tier_told told;
	fairlead_error err = { 0 };
	int r = fl_store_sums(s, from * HOUR, to * HOUR, &reader, &told, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	assert_int_equal(told.error, 0);
	assert_int_equal(told.from, from * HOUR);
	assert_int_equal(told.to, to * HOUR);
	for (int q = 0; q < QUEUES; q++)
		CHECK(is.held[q] == sum_of(q, from, to), names[q]);
	assert_int_equal(is.started, started_of(from, to));
}

static struct fl_store *fill(struct world *w, int hours)
{
	struct book book = { 0 };
	fairlead_error err = { 0 };
	struct fl_store *s;

	world_begin(w);
	s = world_open(w);
	for (int h = 0; h < hours; h++)
		if (close_hour(s, &book, h, &err) < 0)
			fail_msg("hour %d: %s", h, err.text);
	return s;
}

static void drop_all(struct fl_store *s, fl_time hours_before, fl_time days_before)
{
	const struct fl_retention keep = { .hours_before = hours_before,
					   .days_before = days_before };
	int r;

	while ((r = fl_store_expire(s, &keep, NULL)) > 0)
		;
	assert_int_equal(r, 0);
}

static uint32_t closings(struct fl_store *s)
{
	struct fl_query q = fl_query(&s->reader, FL_SQL_CLOSINGS);
	uint32_t n = 0;

	fl_put_int(&q, 0);
	fl_put_int(&q, FL_NEVER);
	fl_put_int(&q, 0);
	while (fl_query_next(&q, NULL) > 0)
		n++;
	(void)fl_query_end(&q, 0);
	return n;
}

/* Hours become days and days months, and no time between two of those that stay has another sum. */
TEST(each_moment_once)
{
	static const int times[] = { 0, 1, 23, 24, 25, 700, 719, 720, 721, 1000, 1439, 1440, 1679 };
	struct world w;
	struct fl_store *s = fill(&w, HOURS);

	for (size_t i = 0; i < COUNT(times); i++)
		for (size_t k = i + 1; k < COUNT(times); k++)
			check(s, times[i], times[k]);
	check(s, 0, HOURS);
	drop_all(s, 900 * HOUR, 0);
	assert_int_equal(closings(s), 900 / 24 + HOURS - 900 + 1);
	for (int from = 0; from < HOURS; from += 24)
		for (int to = from + 24; to <= HOURS; to += 24 * 7)
			check(s, from, to);
	check(s, 901, 950);
	drop_all(s, HOURS * HOUR, 1000 * HOUR);
	check(s, 0, HOURS);
	check(s, 0, MONTH);
	check(s, MONTH, HOURS);
	check(s, 1008, 1008 + 24);
	/* It is the same after a restart, and a backup has it. */
	s = fl_store_close(s);
	assert_int_equal(fl_store_verify(w.folder, NULL), 0);
	s = world_open(&w);
	check(s, MONTH, HOURS);
	(void)fl_store_close(s);
	world_end(&w);
}

/* A time that cuts an hour has the part by length, and says how long what it cut is. */
TEST(cut)
{
	struct read is = { 0 };
	const struct fl_sum_reader reader = { NULL, see_amount, see_queue, &is };
	struct fl_tier_told told;
	struct world w;
	struct fl_store *s = fill(&w, 100);

	assert_int_equal(fl_store_sums(s, 50 * HOUR + HOUR / 4, 53 * HOUR + HOUR / 2, &reader,
				       &told, NULL),
			 0);
	assert_int_equal(told.error, 2 * HOUR);
	assert_int_equal(told.tier, FL_TIER_HOUR);
	assert_true(is.held[0] / ((fl_nanos)1 << 60) ==
		    (added(0, 50) * 3 / 4 + added(0, 51) + added(0, 52) + added(0, 53) / 2) /
			    ((fl_nanos)1 << 60));
	/* Within one hour it is counted once. */
	is = (struct read){ 0 };
	assert_int_equal(fl_store_sums(s, 50 * HOUR + HOUR / 4, 50 * HOUR + HOUR / 2, &reader,
				       &told, NULL),
			 0);
	assert_int_equal(told.error, HOUR);
	assert_true(is.held[1] == added(1, 50) / 4 || is.held[1] == added(1, 50) / 4 + 1);
	/* Days, once hours are gone; and what is beyond the sums is not theirs. */
	drop_all(s, 100 * HOUR, 0);
	assert_int_equal(fl_store_sums(s, 25 * HOUR, 200 * HOUR, &reader, &told, NULL), 0);
	assert_int_equal(told.tier, FL_TIER_DAY);
	assert_int_equal(told.error, 24 * HOUR);
	assert_int_equal(told.to, 100 * HOUR);
	(void)fl_store_close(s);
	world_end(&w);
}

static fl_time most_of(struct fl_store *s, int from, int to)
{
	struct read is = { 0 };
	const struct fl_sum_reader reader = { NULL, NULL, see_queue, &is };
	struct fl_tier_told told;

	assert_int_equal(fl_store_sums(s, from * HOUR, to * HOUR, &reader, &told, NULL), 0);
	return is.most;
}

static fl_time most_of_hours(int from, int to)
{
	fl_time most = 0;

	for (int h = from; h < to; h++)
		most = h % 100 > most ? h % 100 : most;
	return most;
}

/* Of each hour up to two days; of a longer time the first day counts whole. */
TEST(most)
{
	struct world w;
	struct fl_store *s = fill(&w, HOURS);

	for (int from = 680; from < 740; from += 7)
		for (int to = from + 1; to <= HOURS; to += to - from < 60 ? 1 : 97)
			assert_int_equal(most_of(s, from, to),
					 most_of_hours(to - from > 48 ? from / 24 * 24 : from, to));
	assert_int_equal(most_of(s, 24, 97), 96);
	assert_int_equal(most_of(s, 24, 120), 99);
	/* Where only days are left, what is cut counts whole, be the time ever so short. */
	drop_all(s, HOURS * HOUR, 0);
	for (int from = 680; from < 740; from += 7)
		for (int to = from + 1; to < from + 100; to++)
			assert_int_equal(most_of(s, from, to),
					 most_of_hours(from / 24 * 24, (to + 23) / 24 * 24));
	drop_all(s, HOURS * HOUR, HOURS * HOUR);
	assert_int_equal(most_of(s, 300, 310), most_of_hours(0, MONTH));
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- along time --- */

static void check_series(struct fl_store *s, enum fl_tier step, int from, int to, uint64_t rows)
{
	struct fl_series_filter f = {
		.queue = "red", .from = from * HOUR, .to = to * HOUR, .step = step, .limit = 100
	};
	struct read is = { 0 };
	const struct fl_sum_reader reader = { see_closing, see_amount, see_queue, &is };
	fl_time more;

	do {
		assert_int_equal(fl_store_series(s, &f, &reader, &more, NULL), 0);
		f.from = more;
	} while (more != FL_TIME_NONE);
	assert_int_equal(is.rows, rows);
	assert_int_equal(is.begin, from * HOUR);
	assert_int_equal(is.until, to * HOUR);
	assert_true(is.held[0] == sum_of(0, from, to));
	assert_int_equal(is.started, started_of(from, to));
	assert_true(is.held[1] + is.held[2] == 0);
}

TEST(series)
{
	struct world w;
	struct fl_store *s = fill(&w, HOURS);

	check_series(s, FL_TIER_HOUR, 0, HOURS, HOURS);
	check_series(s, FL_TIER_HOUR, 700, 730, 30);
	check_series(s, FL_TIER_DAY, 24, 24 * 50, 49);
	check_series(s, FL_TIER_MONTH, 0, MONTH, 1);
	/* The month that is not over is a row as well. */
	check_series(s, FL_TIER_MONTH, MONTH, HOURS, 2);
	drop_all(s, 100 * HOUR, 0);
	check_series(s, FL_TIER_HOUR, 0, 120, 4 + 21);
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- an hour and its parts --- */

static int put_part(struct fl_store *s, fl_time after, fl_time until, enum fl_tier tier,
		    fl_nanos held, fairlead_error *err)
{
	const struct fl_amount_sum amount = { "red", "cpu", { held } };
	const struct fl_closed c = { .closing = { .until = until, .tier = tier, .version = 7 },
				     .after = after,
				     .amounts = &amount,
				     .n_amounts = 1 };

	return fl_store_close_hour(s, &c, err);
}

TEST(parts)
{
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(put_part(s, FL_TIME_NONE, 10, FL_TIER_PART, 5, &err), 0);
	assert_int_equal(put_part(s, 10, 20, FL_TIER_PART, 7, &err), 0);
	assert_int_equal(closings(s), 2);
	/* What does not follow is not written: another has summed it up, or the time goes back. */
	assert_int_equal(put_part(s, 10, 30, FL_TIER_HOUR, 9, &err), FAIRLEAD_ESTATE);
	assert_int_equal(put_part(s, FL_TIME_NONE, 30, FL_TIER_HOUR, 9, &err), FAIRLEAD_ESTATE);
	assert_int_equal(put_part(s, 20, 20, FL_TIER_HOUR, 9, &err), FAIRLEAD_ESTATE);
	assert_int_equal(closings(s), 2);
	assert_int_equal(put_part(s, 20, HOUR, FL_TIER_HOUR, 9, &err), 0);
	assert_int_equal(closings(s), 1);
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- damage --- */

static const struct {
	const char *sql;
	bool held, started; /* which sum is left out */
} damaged[] = {
	{ "UPDATE amount_sums SET held_low = held_low + 1 WHERE queue = 'red'", true, false },
	{ "UPDATE amount_sums SET nominal_high = 1 WHERE queue = 'red'", true, false },
	{ "UPDATE amount_sums SET queue = 'rod' WHERE queue = 'red'", true, false },
	{ "UPDATE amount_sums SET row_sum = row_sum + 1 WHERE queue = 'red'", true, false },
	{ "UPDATE queue_sums SET started = 1", false, true },
	{ "UPDATE queue_sums SET wait_month = 7", false, true },
};

static int see_any(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct read *r = user;

	(void)err;
	r->held[0] += strcmp(row->queue, "red") == 0 ? row->of[FL_SUM_HELD] : 0;
	assert_string_not_equal(row->queue, "rod");
	return 0;
}

/* A sum that does not match its checksum is left out, and --verify tells of it. */
TEST(damaged_sums)
{
	for (size_t i = 0; i < COUNT(damaged); i++) {
		struct read is = { 0 };
		const struct fl_sum_reader reader = { NULL, see_any, see_queue, &is };
		struct fl_tier_told told;
		struct world w;
		struct fl_store *s = fill(&w, 30);
		sqlite3 *db;

		(void)fl_store_close(s);
		assert_int_equal(sqlite3_open(world_path(&w, FL_STORE_DATABASE), &db), SQLITE_OK);
		CHECK(sqlite3_exec(db, damaged[i].sql, NULL, NULL, NULL) == SQLITE_OK,
		      damaged[i].sql);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		CHECK(fl_store_verify(w.folder, NULL) < 0, damaged[i].sql);
		s = world_open(&w);
		assert_int_equal(fl_store_sums(s, 0, 30 * HOUR, &reader, &told, NULL), 0);
		CHECK(is.held[0] == (damaged[i].held ? 0 : sum_of(0, 0, 30)), damaged[i].sql);
		CHECK(is.started == (damaged[i].started ? 0 : started_of(0, 30)), damaged[i].sql);
		(void)fl_store_close(s);
		world_end(&w);
	}
}

/* --- admissions are dropped where there are sums --- */

TEST(exact)
{
	static const struct fl_admission_row rows[] = {
		{ .job = 1, .attempt = 1, .queue = "red", .from = 1, .to = 50, .placement = "[]" },
		{ .job = 2, .attempt = 1, .queue = "red", .from = 1, .to = 150, .placement = "[]" },
	};
	const struct fl_batch batch = { .admissions = rows, .n_admissions = 2 };
	const struct fl_retention keep = { .usage_before = FL_NEVER };
	struct fl_tier_ends ends;
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
	assert_int_equal(fl_store_expire(s, &keep, NULL), 0);
	assert_int_equal(fl_store_tier_ends(s, &ends, NULL), 0);
	assert_int_equal(ends.last.tier, FL_TIERS);
	assert_int_equal(ends.exact, 0);
	assert_int_equal(ends.first, 0);
	assert_int_equal(put_part(s, FL_TIME_NONE, 100, FL_TIER_HOUR, 5, NULL), 0);
	assert_int_equal(fl_store_expire(s, &keep, NULL), 0);
	assert_int_equal(fl_store_tier_ends(s, &ends, NULL), 0);
	assert_int_equal(ends.exact, 100);
	assert_int_equal(ends.last.until, 100);
	(void)fl_store_close(s);
	world_end(&w);
}

UNIT_GROUP("tiers")
