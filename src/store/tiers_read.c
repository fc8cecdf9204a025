/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiers_read - what is added from one moment to another, from the sums of few of them
 *
 * Sums since the beginning of a book are a function of time that is known at the moments that are
 * kept, and between two of them goes on evenly: that is how a time that cuts an hour is answered,
 * and the length of what is cut is the bound of the error that is told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "store/sums/closings.h"

static const fl_time HOUR = 3600 * FL_SECOND;

int fl_store_tier_ends(struct fl_store *s, struct fl_tier_ends *ret, fairlead_error *err)
{
	struct fl_db db;
	int r = fl_closings_begin(s, &db, err);

	if (r < 0)
		return r;
	r = fl_closing_ends(s, &db, ret, err);
	fl_db_close(&db);
	return r;
}

int fl_store_sums_at(struct fl_store *s, fl_time until, const struct fl_sum_reader *to,
		     fairlead_error *err)
{
	struct fl_db db;
	int r = fl_closings_begin(s, &db, err);

	if (r < 0)
		return r;
	r = fl_sums_at_moment(s, &db, until, /* queue= */ NULL, to, err);
	fl_db_close(&db);
	return r;
}

/* --- adding up --- */

enum { QUEUE_SUMS = 5 }; /* share, known, started, preempted, waited */

/* Whole sums are exact; of those that are cut a part is added. */
struct total {
	fl_nanos whole[FL_SUMS_OF];
	long double part[FL_SUMS_OF];
	int64_t share_most;
	fl_time wait_most;
};
_Static_assert((int)QUEUE_SUMS <= (int)FL_SUMS_OF, "a total holds either");

struct totals {
	struct fl_names names; /* "queue", or "queue\tresource" */
	struct total *rows;    /* by symbol */
	uint32_t cap, last;    /* last: the one that was asked for */
};

struct adding {
	struct fl_store *s;
	struct fl_db *db;
	struct totals queues, amounts;
	/* what is added now: all of a row, and a part of it, by time */
	int whole;
	long double part;
	enum fl_most_of most;
	bool whole_month; /* its rows have the largest of it, too */
};

/* Is the one at @at of this name? */
static bool is_total(const struct totals *t, uint32_t at, const char *queue, const char *resource)
{
	const size_t n = strlen(queue);
	const char *name;

	if (at >= t->names.n || at >= t->cap)
		return false;
	name = fl_names_text(&t->names, (struct fl_sym){ at });
	if (strncmp(name, queue, n) != 0 || !resource)
		return !resource && strcmp(name, queue) == 0;
	return name[n] == '\t' && strcmp(name + n + 1, resource) == 0;
}

/* Rows of all moments come in the same order: most often it is the one behind the last. */
static int total_of(struct totals *t, const char *queue, const char *resource, struct total **ret,
		    fairlead_error *err)
{
	char key[1024];
	uint32_t was = t->cap;
	struct fl_sym sym = { t->last + 1 };
	int n, r;

	if (is_total(t, sym.v, queue, resource)) {
		*ret = &t->rows[t->last = sym.v];
		return 0;
	}
	n = resource ? snprintf(key, sizeof key, "%s\t%s", queue, resource) :
		       snprintf(key, sizeof key, "%s", queue);
	if (n < 0 || (size_t)n >= sizeof key)
		return fl_fail(err, FAIRLEAD_ELIMIT, "the name of a queue is too long");
	r = fl_names_add(&t->names, key, (size_t)n, &sym, err);
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &t->rows, &t->cap, sym.v + 1, sizeof *t->rows, err);
	if (r < 0)
		return r;
	if (t->cap > was)
		memset(t->rows + was, 0, (t->cap - was) * sizeof *t->rows);
	*ret = &t->rows[t->last = sym.v];
	return 0;
}

static void add_to(const struct adding *a, struct total *t, const fl_nanos *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		t->whole[i] += a->whole * v[i];
		if (a->part != 0)
			t->part[i] += a->part * (long double)v[i];
	}
}

static int add_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct adding *a = user;
	struct total *t;
	int r = total_of(&a->amounts, row->queue, row->resource, &t, err);

	if (r == 0)
		add_to(a, t, row->of, FL_SUMS_OF);
	return r;
}

static void take_most(const struct adding *a, const struct fl_queue_sum *row, struct total *t)
{
	t->share_most = fl_amount_max(t->share_most, row->share_most[a->most]);
	t->wait_most = fl_amount_max(t->wait_most, row->wait_most[a->most]);
}

static int add_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct adding *a = user;
	const fl_nanos v[QUEUE_SUMS] = { row->share, row->known, row->started, row->preempted,
					 row->waited };
	struct total *t;
	int r = total_of(&a->queues, row->queue, NULL, &t, err);

	if (r < 0)
		return r;
	add_to(a, t, v, QUEUE_SUMS);
	if (a->whole_month)
		take_most(a, row, t);
	return 0;
}

static int add_most(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct adding *a = user;
	struct total *t;
	int r = total_of(&a->queues, row->queue, NULL, &t, err);

	if (r < 0)
		return r;
	take_most(a, row, t);
	return 0;
}

/* Adds all sums of a moment @whole times, and @part of them; either may be less than 0. */
static int add_at(struct adding *a, fl_time until, int whole, long double part, fairlead_error *err)
{
	const struct fl_sum_reader to = { NULL, add_amount, add_queue, a };

	a->whole = whole;
	a->part = part;
	return whole != 0 || part != 0 ? fl_sums_at_moment(a->s, a->db, until, NULL, &to, err) : 0;
}

/* A time between two moments, or at the later one. */
struct cut {
	struct fl_closing before, at; /* before: tier FL_TIERS where the sums begin with `at` */
	fl_time low;                  /* where what `at` adds begins */
	long double part;             /* of what `at` adds, by time */
};

static int cut_at(struct fl_store *s, struct fl_db *db, fl_time t, struct cut *ret,
		  fairlead_error *err)
{
	int r = fl_closing_from(s, db, t, &ret->at, err);

	if (r == 0)
		r = fl_closing_before(s, db, ret->at.until, FL_TIER_PART, &ret->before, err);
	if (r < 0)
		return r;
	ret->low = ret->at.book;
	if (ret->before.tier != FL_TIERS && ret->before.until > ret->low)
		ret->low = ret->before.until;
	ret->part = t >= ret->at.until || ret->at.until <= ret->low ?
			    1 :
			    (long double)(t - ret->low) / (long double)(ret->at.until - ret->low);
	return 0;
}

/* All from the beginning of the book of @c up to it. */
static int add_cut(struct adding *a, const struct cut *c, int sign, fairlead_error *err)
{
	int r;

	if (c->part >= 1)
		return add_at(a, c->at.until, sign, 0, err);
	r = add_at(a, c->at.until, 0, sign * c->part, err);
	/* What there was at the moment before counts whole, the step from there in part. */
	if (r == 0 && c->low > c->at.book)
		r = add_at(a, c->before.until, sign, -sign * c->part, err);
	return r;
}

static enum fl_tier tier_of(fl_time length)
{
	return length <= 2 * HOUR  ? FL_TIER_HOUR :
	       length <= 26 * HOUR ? FL_TIER_DAY :
				     FL_TIER_MONTH;
}

static void tell_cut(const struct cut *c, struct fl_tier_told *ret)
{
	const fl_time length = c->at.until - c->low;

	if (tier_of(length) > ret->tier)
		ret->tier = tier_of(length);
	if (c->part > 0 && c->part < 1)
		ret->error += length;
}

/* --- the largest --- */

/* Of which time the largest of a row counts that ends a step of @length. */
static enum fl_most_of most_of(enum fl_tier step, fl_time length)
{
	static const enum fl_most_of of[FL_TIERS] = { FL_MOST_HOUR, FL_MOST_HOUR, FL_MOST_DAY,
						      FL_MOST_MONTH };
	const enum fl_tier tier = tier_of(length);

	return of[tier > step ? tier : step];
}

/* Those within the time; @days: the ends of days alone; and the last one in any case. */
static int closings_within(struct adding *a, fl_time from, const struct cut *end, bool days,
			   struct fl_closings *ret, fairlead_error *err)
{
	int r = fl_closings_of(a->s, a->db, from + 1, end->at.until,
			       days ? FL_TIER_DAY : FL_TIER_PART, UINT32_MAX, ret, err);

	if (r < 0 || (ret->n && ret->rows[ret->n - 1].until == end->at.until))
		return r;
	r = fl_mem_grow(&fl_mem_heap, &ret->rows, &ret->cap, ret->n + 1, sizeof *ret->rows, err);
	if (r == 0)
		ret->rows[ret->n++] = end->at;
	return r;
}

/*
 * A row has the largest of its hour, day and month up to it.  So of a month that began within the
 * time the last row is enough, and where that month is over it was read with its sums; of a day the
 * last one, too; only what was before goes by smaller steps.
 */
static int add_mosts(struct adding *a, fl_time from, fl_time to, const struct cut *end,
		     fairlead_error *err)
{
	const struct fl_sum_reader reader = { NULL, NULL, add_most, a };
	const bool days = to - from > 48 * HOUR;
	struct fl_closings c = { 0 };
	struct fl_closing before;
	bool whole_day;
	fl_time low;
	int r = closings_within(a, from, end, days, &c, err);

	if (r == 0)
		r = fl_closing_before(a->s, a->db, c.rows[0].until,
				      days ? FL_TIER_DAY : FL_TIER_PART, &before, err);
	low = r == 0 && before.tier != FL_TIERS ? before.until : FL_TIME_NONE;
	whole_day = low == from && before.tier >= FL_TIER_DAY;
	for (uint32_t i = 0; i < c.n && r == 0; i++) {
		const struct fl_closing *row = &c.rows[i];
		const bool last = i + 1 == c.n, whole_month = row->book >= from,
			   needed = whole_month ? (last || c.rows[i + 1].book != row->book) &&
							  row->until > end->at.book :
				    whole_day ? last || row->tier >= FL_TIER_DAY :
						true;

		a->most = whole_month ?
				  FL_MOST_MONTH :
			  whole_day ?
				  FL_MOST_DAY :
				  most_of(FL_TIER_PART, row->until - fl_amount_max(low, row->book));
		if (needed)
			r = fl_sums_at_moment(a->s, a->db, row->until, NULL, &reader, err);
		whole_day |= row->tier >= FL_TIER_DAY;
		low = row->until;
	}
	fl_mem_free(&fl_mem_heap, c.rows);
	return r;
}

/* --- all queues over a time --- */

static int add_all(struct adding *a, fl_time from, fl_time to, struct fl_tier_told *ret,
		   fairlead_error *err)
{
	struct fl_closings months = { 0 };
	struct cut low, high;
	int r = cut_at(a->s, a->db, from, &low, err);

	if (r == 0)
		r = cut_at(a->s, a->db, to, &high, err);
	if (r < 0)
		return r;
	ret->tier = FL_TIER_HOUR;
	tell_cut(&low, ret);
	tell_cut(&high, ret);
	if (ret->error > 0 && low.at.until == high.at.until)
		ret->error = low.at.until - low.low;
	r = fl_closings_of(a->s, a->db, from, high.at.book, FL_TIER_MONTH, UINT32_MAX, &months,
			   err);
	a->most = FL_MOST_MONTH;
	for (uint32_t i = 0; i < months.n && r == 0; i++) {
		a->whole_month = months.rows[i].book >= from;
		r = add_at(a, months.rows[i].until, 1, 0, err);
	}
	a->whole_month = false;
	fl_mem_free(&fl_mem_heap, months.rows);
	if (r == 0)
		r = add_cut(a, &high, 1, err);
	/* Where the sums begin there is nothing to take away. */
	if (r == 0 && from > low.low)
		r = add_cut(a, &low, -1, err);
	return r < 0 ? r : add_mosts(a, from, to, &high, err);
}

static fl_nanos sum_of(const struct total *t, uint32_t i)
{
	const fl_nanos v = t->whole[i] + (fl_nanos)t->part[i];

	return v > 0 ? v : 0;
}

static int tell_all(const struct adding *a, const struct fl_sum_reader *to, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < a->amounts.names.n && r == 0 && to->amount; i++) {
		const struct total *t = &a->amounts.rows[i];
		char key[1024];
		struct fl_amount_sum row = { .queue = key };

		(void)snprintf(key, sizeof key, "%s",
			       fl_names_text(&a->amounts.names, (struct fl_sym){ i }));
		if (!strchr(key, '\t')) /* the symbol of no text */
			continue;
		row.resource = strchr(key, '\t') + 1;
		*strchr(key, '\t') = '\0';
		for (uint32_t k = 0; k < FL_SUMS_OF; k++)
			row.of[k] = sum_of(t, k);
		r = to->amount(to->user, &row, err);
	}
	for (uint32_t i = 0; i < a->queues.names.n && r == 0 && to->queue; i++) {
		const char *name = fl_names_text(&a->queues.names, (struct fl_sym){ i });
		const struct total *t = &a->queues.rows[i];

		if (!*name)
			continue;
		r = to->queue(to->user,
			      &(struct fl_queue_sum){ .queue = name,
						      .share = sum_of(t, 0),
						      .known = (fl_time)sum_of(t, 1),
						      .started = (uint64_t)sum_of(t, 2),
						      .preempted = (uint64_t)sum_of(t, 3),
						      .waited = sum_of(t, 4),
						      .share_most = { t->share_most },
						      .wait_most = { t->wait_most } },
			      err);
	}
	return r;
}

static int sums_of(struct fl_store *s, struct fl_db *db, fl_time from, fl_time to,
		   const struct fl_sum_reader *reader, struct fl_tier_told *ret,
		   fairlead_error *err)
{
	struct adding a = { .s = s, .db = db };
	struct fl_tier_ends e;
	int r = fl_closing_ends(s, db, &e, err);

	*ret = (struct fl_tier_told){ .from = from, .to = from, .tier = FL_TIER_EXACT };
	if (r < 0 || e.last.tier == FL_TIERS)
		return r;
	r = fl_closing_near(s, db, &from, err);
	if (r == 0)
		r = fl_closing_near(s, db, &to, err);
	if (from <= fl_sat_add(e.first, FL_SECOND))
		from = e.first;
	to = fl_amount_min(to, e.last.until);
	if (r < 0 || from >= to)
		return r;
	r = fl_names_init(&a.queues.names, &fl_mem_heap, err);
	if (r == 0)
		r = fl_names_init(&a.amounts.names, &fl_mem_heap, err);
	if (r == 0)
		r = add_all(&a, from, to, ret, err);
	ret->from = from;
	ret->to = to;
	if (r == 0)
		r = tell_all(&a, reader, err);
	fl_names_done(&a.queues.names);
	fl_names_done(&a.amounts.names);
	fl_mem_free(&fl_mem_heap, a.queues.rows);
	fl_mem_free(&fl_mem_heap, a.amounts.rows);
	return r;
}

int fl_store_sums(struct fl_store *s, fl_time from, fl_time to, const struct fl_sum_reader *to_whom,
		  struct fl_tier_told *ret, fairlead_error *err)
{
	struct fl_db db;
	int r = fl_closings_begin(s, &db, err);

	if (r < 0)
		return r;
	r = sums_of(s, &db, from, to, to_whom, ret, err);
	fl_db_close(&db);
	return r;
}

/* --- one queue along time --- */

enum { RESOURCES = 64 };

struct along {
	const struct fl_series_filter *filter;
	const struct fl_sum_reader *to;
	struct fl_closing row;
	enum fl_most_of most;
	bool told; /* the row itself */
	struct fl_queue_sum queue;
	struct {
		char resource[256];
		fl_nanos of[FL_SUMS_OF];
	} amounts[RESOURCES];
	uint32_t n;
};

static int along_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct along *a = user;
	struct fl_amount_sum added = *row;
	uint32_t i = 0;

	if (a->filter->resource && strcmp(a->filter->resource, row->resource) != 0)
		return 0;
	while (i < a->n && strcmp(a->amounts[i].resource, row->resource) != 0)
		i++;
	if (i == RESOURCES || strlen(row->resource) >= sizeof a->amounts[i].resource)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d resources", RESOURCES);
	if (i == a->n) {
		memset(&a->amounts[a->n++], 0, sizeof a->amounts[i]);
		memcpy(a->amounts[i].resource, row->resource, strlen(row->resource) + 1);
	}
	for (uint32_t k = 0; k < FL_SUMS_OF; k++)
		added.of[k] -= a->amounts[i].of[k];
	memcpy(a->amounts[i].of, row->of, sizeof row->of);
	return a->to->amount && a->told ? a->to->amount(a->to->user, &added, err) : 0;
}

static int along_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct along *a = user;
	struct fl_queue_sum added = *row;

	added.share -= a->queue.share;
	added.known -= a->queue.known;
	added.started -= a->queue.started;
	added.preempted -= a->queue.preempted;
	added.waited -= a->queue.waited;
	added.share_most[0] = row->share_most[a->most];
	added.wait_most[0] = row->wait_most[a->most];
	a->queue = *row;
	return a->to->queue && a->told ? a->to->queue(a->to->user, &added, err) : 0;
}

/* Takes in the row at @c, and tells it, or only remembers it for the next one. */
static int step_to(struct fl_store *s, struct fl_db *db, struct along *a,
		   const struct fl_closing *c, fl_time low, bool told, fairlead_error *err)
{
	const struct fl_sum_reader reader = { NULL, along_amount, along_queue, a };
	int r = 0;

	if (low <= c->book) { /* the sums of this book begin at nothing */
		a->n = 0;
		a->queue = (struct fl_queue_sum){ 0 };
	}
	a->row = *c;
	a->row.begin = low;
	a->told = told;
	a->most = most_of(a->filter->step, fl_sat_sub(c->until, low));
	if (told && a->to->closing)
		r = a->to->closing(a->to->user, &a->row, err);
	return r < 0 ? r : fl_sums_at_moment(s, db, c->until, a->filter->queue, &reader, err);
}

static int series_of(struct fl_store *s, struct fl_db *db, const struct fl_series_filter *f,
		     struct along *a, fl_time *ret_more, fairlead_error *err)
{
	struct fl_closings c = { 0 };
	struct fl_closing before, last;
	uint32_t n = 0;
	fl_time low = FL_TIME_NONE, from = f->from, to = f->to;
	int r = fl_closing_near(s, db, &from, err);

	*ret_more = FL_TIME_NONE;
	if (r == 0)
		r = fl_closing_near(s, db, &to, err);
	if (r == 0)
		r = fl_closings_of(s, db, fl_sat_add(from, 1), FL_NEVER, f->step,
				   /* one that tells that there are more */ f->limit + 1, &c, err);
	if (r == 0)
		r = fl_closing_before(s, db, FL_NEVER, FL_TIER_PART, &last, err);
	/* What is not a whole step yet. */
	if (r == 0 && last.tier != FL_TIERS && last.until > from && c.n <= f->limit &&
	    (c.n == 0 || c.rows[c.n - 1].until < last.until)) {
		r = fl_mem_grow(&fl_mem_heap, &c.rows, &c.cap, c.n + 1, sizeof last, err);
		if (r == 0)
			c.rows[c.n++] = last;
	}
	if (r == 0 && c.n)
		r = fl_closing_before(s, db, c.rows[0].until, f->step, &before, err);
	if (r == 0 && c.n && before.tier != FL_TIERS) {
		low = before.until;
		r = step_to(s, db, a, &before, FL_TIME_NONE, /* told= */ false, err);
	}
	for (uint32_t i = 0; i < c.n && r == 0; i++) {
		low = low == FL_TIME_NONE ? c.rows[i].book : low;
		if (low >= to)
			break;
		if (n == f->limit) {
			*ret_more = low;
			break;
		}
		r = step_to(s, db, a, &c.rows[i], low, /* told= */ true, err);
		low = c.rows[i].until;
		n++;
	}
	fl_mem_free(&fl_mem_heap, c.rows);
	return r;
}

int fl_store_series(struct fl_store *s, const struct fl_series_filter *filter,
		    const struct fl_sum_reader *to, fl_time *ret_more, fairlead_error *err)
{
	struct along *a = calloc(1, sizeof *a);
	struct fl_db db;
	int r = a ? fl_closings_begin(s, &db, err) : fl_fail_nomem(err);

	if (r == 0) {
		a->filter = filter;
		a->to = to;
		r = series_of(s, &db, filter, a, ret_more, err);
		fl_db_close(&db);
	}
	free(a);
	return r;
}
