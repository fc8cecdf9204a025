/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sums/steps.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "store/sums/closings.h"

enum { KEY = 1024 };

fl_time fl_store_holdings_changed(struct fl_store *s)
{
	fl_time ret;

	(void)pthread_mutex_lock(&s->noting);
	ret = s->holdings_changed;
	s->holdings_changed = FL_NEVER;
	(void)pthread_mutex_unlock(&s->noting);
	return ret;
}

/*
 * Sums have all since the beginning of their book, so a step is the difference of two moments, or the
 * first one of a book itself.
 */
struct stepping {
	fl_step_sum_fn *fn;
	void *user;
	struct fl_names names; /* "queue\tresource" */
	struct before {
		fl_nanos held;
		uint32_t book; /* in which it was */
	} * rows;              /* by symbol */
	uint32_t cap, book;
	fl_time low, until;
	bool told; /* else it is only what the next one begins with */
};

static int step(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct stepping *s = user;
	const uint32_t was = s->cap;
	const fl_nanos all = row->of[FL_SUM_HELD];
	struct before *before;
	struct fl_sym sym;
	char key[KEY];
	int n = snprintf(key, sizeof key, "%s\t%s", row->queue, row->resource), r;
	fl_nanos held;

	if (n < 0 || (size_t)n >= sizeof key)
		return fl_fail(err, FAIRLEAD_ELIMIT, "the name of a queue is too long");
	r = fl_names_add(&s->names, key, (size_t)n, &sym, err);
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &s->rows, &s->cap, sym.v + 1, sizeof *s->rows, err);
	if (r < 0)
		return r;
	if (s->cap > was)
		memset(s->rows + was, 0, (s->cap - was) * sizeof *s->rows);
	before = &s->rows[sym.v];
	held = before->book == s->book ? all - before->held : all;
	*before = (struct before){ all, s->book };
	if (!s->told || held <= 0)
		return 0;
	return s->fn(s->user,
		     &(struct fl_step_sum){ row->queue, row->resource, s->low, s->until, held },
		     err);
}

/* @low: where the one before it ended; FL_TIME_NONE: nothing is before it. */
static int step_to(struct fl_store *store, struct fl_db *db, struct stepping *s,
		   const struct fl_closing *to, fl_time low, bool told, fairlead_error *err)
{
	const struct fl_sum_reader reader = { .amount = step, .user = s };

	if (low == FL_TIME_NONE || low <= to->book)
		s->book++; /* nothing of the one before it counts */
	s->low = fl_amount_max(low, to->book);
	s->until = to->until;
	s->told = told;
	return fl_sums_at_moment(store, db, to->until, /* queue= */ NULL, &reader, err);
}

static int steps_of(struct fl_store *store, struct fl_db *db, fl_time from, fl_time to,
		    struct stepping *s, fairlead_error *err)
{
	struct fl_closings all = { 0 };
	struct fl_closing before;
	fl_time low = FL_TIME_NONE;
	int r = fl_closings_of(store, db, fl_sat_add(from, 1), FL_NEVER, FL_TIER_PART, UINT32_MAX,
			       &all, err);

	if (r == 0 && all.n)
		r = fl_closing_before(store, db, all.rows[0].until, FL_TIER_PART, &before, err);
	if (r == 0 && all.n && before.tier != FL_TIERS) {
		r = step_to(store, db, s, &before, FL_TIME_NONE, /* told= */ false, err);
		low = before.until;
	}
	for (uint32_t i = 0; i < all.n && r == 0 && low < to; i++) {
		r = step_to(store, db, s, &all.rows[i], low, /* told= */ true, err);
		low = all.rows[i].until;
	}
	fl_mem_free(&fl_mem_heap, all.rows);
	return r;
}

int fl_store_steps(struct fl_store *store, fl_time from, fl_time to, fl_step_sum_fn *fn, void *user,
		   fairlead_error *err)
{
	struct stepping s = { .fn = fn, .user = user };
	struct fl_db db;
	int r = fl_closings_begin(store, &db, err);

	if (r < 0)
		return r;
	r = fl_names_init(&s.names, &fl_mem_heap, err);
	if (r == 0)
		r = steps_of(store, &db, from, to, &s, err);
	fl_names_done(&s.names);
	fl_mem_free(&fl_mem_heap, s.rows);
	fl_db_close(&db);
	return r;
}
