/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/history/weighed_past.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/engine/placement.h"

static const fl_time HOUR = 3600 * FL_SECOND;
static const int64_t DAY_HOURS = 24;

/* Hours with one half-life, one after the other. */
struct line {
	fl_time half_life;
	uint64_t asked; /* when: a number that grows */
	struct fl_names queues;
	int64_t first;            /* number of hours[0]: it begins at first * HOUR */
	struct fl_weighed *hours; /* of the heap; n, room for cap */
	uint32_t n, cap;
};

struct fl_weighed_past {
	struct fl_weighed_source source;
	uint64_t asked;
	struct line lines[FL_WEIGHED_LIVES];
};

/* --- lines --- */

static void drop_hours(struct line *l, uint32_t keep)
{
	while (l->n > keep)
		fl_weighed_done(&l->hours[--l->n]);
}

static void drop_first(struct line *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fl_weighed_done(&l->hours[i]);
	memmove(l->hours, l->hours + n, (l->n - n) * sizeof *l->hours);
	l->n -= n;
	l->first += n;
}

static void line_done(struct line *l)
{
	drop_hours(l, 0);
	fl_mem_free(&fl_mem_heap, l->hours);
	fl_names_done(&l->queues);
	*l = (struct line){ 0 };
}

/* The one with this half-life, or the one that was not asked for longest, emptied. */
static int line_of(struct fl_weighed_past *p, fl_time half_life, struct line **ret,
		   fairlead_error *err)
{
	struct line *l = &p->lines[0];

	for (uint32_t i = 0; i < FL_WEIGHED_LIVES; i++) {
		if (p->lines[i].asked && p->lines[i].half_life == half_life) {
			*ret = &p->lines[i];
			(*ret)->asked = ++p->asked;
			return 0;
		}
		if (p->lines[i].asked < l->asked)
			l = &p->lines[i];
	}
	line_done(l);
	l->half_life = half_life;
	*ret = l;
	if (fl_names_init(&l->queues, &fl_mem_heap, err) < 0)
		return FAIRLEAD_ENOMEM;
	l->asked = ++p->asked;
	return 0;
}

int fl_weighed_past_new(const struct fl_weighed_source *source, struct fl_weighed_past **ret,
			fairlead_error *err)
{
	*ret = calloc(1, sizeof **ret);
	if (!*ret)
		return fl_fail_nomem(err);
	(*ret)->source = *source;
	return 0;
}

struct fl_weighed_past *fl_weighed_past_free(struct fl_weighed_past *p)
{
	for (uint32_t i = 0; p && i < FL_WEIGHED_LIVES; i++)
		line_done(&p->lines[i]);
	free(p);
	return NULL;
}

/* --- attempts, to the pieces of time that they lie in --- */

struct pieces {
	struct fl_weighed
		*of; /* one after the other, without gaps; each but for the first an hour */
	uint32_t n;
};

static int attempt(void *to, const struct fl_admission_row *row, fairlead_error *err)
{
	const struct pieces *p = to;
	const fl_time from = fl_amount_max(row->from, p->of[0].from);
	const fl_time until = row->to == FL_TIME_NONE ? FL_NEVER : row->to;
	struct fl_run_grant grants[FL_GRANTS];
	uint32_t n = 0, i = 0;
	int r;

	if (!row->placement || from >= fl_amount_min(until, p->of[p->n - 1].to))
		return 0;
	r = fl_placement_read(row->placement, grants, FL_GRANTS, &n, err);
	if (from >= p->of[0].to)
		i = 1 + (uint32_t)((from - p->of[0].to) / HOUR);
	for (; i < p->n && p->of[i].from < until && r == 0; i++)
		r = fl_weighed_grants(&p->of[i], row->queue, grants, n, from, until, err);
	return r;
}

static int read_attempts(const struct fl_weighed_past *p, struct pieces *to, fairlead_error *err)
{
	const struct fl_weighed_source *s = &p->source;

	return s->attempts(s->user, to->of[0].from, to->of[to->n - 1].to, attempt, to, err);
}

/* --- hours that are kept --- */

static uint32_t most_hours(const struct line *l)
{
	return (uint32_t)(FL_WEIGHED_BYTES /
			  (sizeof *l->hours + (l->queues.n + 16) * sizeof(struct fl_weighed_sums)));
}

/* What is known of hours from @end on holds no more. */
static void forget(struct line *l, fl_time changed)
{
	while (l->n && (l->first + l->n) * HOUR > changed)
		drop_hours(l, l->n - 1);
}

static void begin_hours(struct line *l, uint32_t at, uint32_t n)
{
	for (uint32_t i = at; i < at + n; i++)
		l->hours[i] = (struct fl_weighed){ .from = (l->first + i) * HOUR,
						   .to = (l->first + i + 1) * HOUR,
						   .half_life = l->half_life,
						   .queues = &l->queues };
}

/* Adds @n hours before the first one, or behind the last one; all of them, or none. */
static int add_hours(const struct fl_weighed_past *p, struct line *l, bool before, uint32_t n,
		     fairlead_error *err)
{
	const uint32_t at = before ? 0 : l->n;
	struct pieces to;
	int r = fl_mem_grow(&fl_mem_heap, &l->hours, &l->cap, l->n + n, sizeof *l->hours, err);

	if (r < 0 || n == 0)
		return r;
	if (before) {
		memmove(l->hours + n, l->hours, l->n * sizeof *l->hours);
		l->first -= n;
	}
	l->n += n;
	begin_hours(l, at, n);
	to = (struct pieces){ l->hours + at, n };
	r = read_attempts(p, &to, err);
	if (r < 0 && before)
		drop_first(l, n);
	else if (r < 0)
		drop_hours(l, at);
	return r;
}

/*
 * Has the hours to before number @end, from @first on or as many of them as there is room for.  They come a
 * day at a time from the last one backwards: how much room one takes is known once its queues are.
 */
static int have_hours(const struct fl_weighed_past *p, struct line *l, int64_t first, int64_t end,
		      fairlead_error *err)
{
	int r = 0;

	if (l->n == 0 || end < l->first || end > l->first + l->n + DAY_HOURS) {
		drop_hours(l, 0);
		l->first = end;
	}
	if (end > l->first + l->n)
		r = add_hours(p, l, /* before= */ false, (uint32_t)(end - l->first - l->n), err);
	while (r == 0 && first < l->first && l->n < most_hours(l))
		r = add_hours(p, l, /* before= */ true,
			      (uint32_t)fl_amount_min(l->first - first, DAY_HOURS), err);
	return r;
}

/* --- adding up --- */

struct sum {
	const struct fl_weighed_question *q;
	fl_nanos *exact; /* by symbol: without a half-life */
	double *held;
	uint32_t cap_exact, cap_held, n;
};

static int add_piece(struct sum *s, const struct fl_weighed *piece, fairlead_error *err)
{
	const double left = fl_weighed_left(piece->to, s->q->now, s->q->half_life);

	if (fl_mem_grow(&fl_mem_heap, &s->exact, &s->cap_exact, piece->n, sizeof *s->exact, err) <
		    0 ||
	    fl_mem_grow(&fl_mem_heap, &s->held, &s->cap_held, piece->n, sizeof *s->held, err) < 0)
		return FAIRLEAD_ENOMEM;
	for (; s->n < piece->n; s->n++) {
		s->exact[s->n] = 0;
		s->held[s->n] = 0;
	}
	for (uint32_t i = 0; i < piece->n; i++) {
		const fl_nanos v = piece->rows[i].of[s->q->resource];

		if (s->q->half_life > 0)
			s->held[i] += (double)v * left;
		else
			s->exact[i] += v;
	}
	return 0;
}

/* A part of an hour, or all of a time, that is not kept. */
static int add_part(const struct fl_weighed_past *p, struct line *l, struct sum *s, fl_time from,
		    fl_time to, fairlead_error *err)
{
	struct fl_weighed piece = {
		.from = from, .to = to, .half_life = l->half_life, .queues = &l->queues
	};
	struct pieces pieces = { &piece, 1 };
	int r;

	if (from >= to)
		return 0;
	r = read_attempts(p, &pieces, err);
	if (r == 0)
		r = add_piece(s, &piece, err);
	fl_weighed_done(&piece);
	return r;
}

static int sum_of_time(void *to, const char *queue, const char *resource, fl_time from,
		       fl_time until, fl_nanos held, fairlead_error *err)
{
	return fl_weighed_evenly(to, queue, resource, from, until, held, err);
}

/* From sums. */
static int add_sums(const struct fl_weighed_past *p, struct line *l, struct sum *s, fl_time from,
		    fl_time to, fairlead_error *err)
{
	struct fl_weighed piece = {
		.from = from, .to = to, .half_life = l->half_life, .queues = &l->queues
	};
	int r;

	if (from >= to)
		return 0;
	r = p->source.sums(p->source.user, from, to, sum_of_time, &piece, err);
	if (r == 0)
		r = add_piece(s, &piece, err);
	fl_weighed_done(&piece);
	return r;
}

static int64_t hour_up(fl_time t) { return t / HOUR + (t % HOUR > 0); }

/* From attempts: a part of an hour, whole hours, and the last part. */
static int add_attempts(const struct fl_weighed_past *p, struct line *l, struct sum *s,
			fl_time from, fl_time to, fairlead_error *err)
{
	const int64_t end = to / HOUR;
	int64_t first = fl_amount_max(hour_up(from), end - most_hours(l));
	int r;

	if (from >= to)
		return 0;
	if (first >= end)
		return add_part(p, l, s, from, to, err);
	r = have_hours(p, l, first, end, err);
	first = fl_amount_max(first, l->first);
	if (r == 0)
		r = add_part(p, l, s, from, first * HOUR, err);
	for (int64_t i = first; i < end && r == 0; i++)
		r = add_piece(s, &l->hours[i - l->first], err);
	if (r == 0)
		r = add_part(p, l, s, end * HOUR, to, err);
	if (l->n > most_hours(l))
		drop_first(l, l->n - most_hours(l));
	return r;
}

static int tell_all(const struct line *l, const struct sum *s, fl_weighed_tell *tell, void *to,
		    fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < s->n && r == 0; i++) {
		const double v = (s->q->half_life > 0 ? s->held[i] : (double)s->exact[i]) /
				 FL_WEIGHED_UNIT;

		if (v > 0)
			r = tell(to, fl_names_text(&l->queues, (struct fl_sym){ i }), v, err);
	}
	return r;
}

int fl_weighed_past_ask(struct fl_weighed_past *p, const struct fl_weighed_question *q,
			fl_weighed_tell *tell, void *to, fairlead_error *err)
{
	const fl_time changed = p->source.changed(p->source.user);
	struct sum s = { .q = q };
	fl_time first = 0, exact = 0, from;
	struct line *l = NULL;
	int r;

	for (uint32_t i = 0; i < FL_WEIGHED_LIVES; i++)
		forget(&p->lines[i], changed);
	r = p->source.since(p->source.user, &first, &exact, err);
	if (r == 0)
		r = line_of(p, q->half_life, &l, err);
	if (r < 0)
		return r;
	/* What is not kept one by one any more is not remembered either: sums count for all. */
	if (l->n && l->first * HOUR < exact)
		drop_first(l, (uint32_t)fl_amount_min(l->n, hour_up(exact) - l->first));
	from = fl_amount_max(q->from, first);
	exact = fl_amount_max(exact, from);
	r = add_sums(p, l, &s, from, fl_amount_min(exact, q->to), err);
	if (r == 0)
		r = add_attempts(p, l, &s, exact, q->to, err);
	if (r == 0)
		r = tell_all(l, &s, tell, to, err);
	fl_mem_free(&fl_mem_heap, s.exact);
	fl_mem_free(&fl_mem_heap, s.held);
	return r;
}
