/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/history.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "decide/share/integral.h"

/*
 * A series is one resource of one queue, or of the cluster.  Its points are the times at which it
 * changes, in a pool that all series share: while a mark is open nothing in the pool is
 * overwritten, so undoing means to restore the heads of the series and the length of the pool.
 *
 * `before` leads to the point before, `jump` much farther back, by the rule of skew-binary numbers
 * (E. W. Myers, "An applicative random-access stack", 1983): O(log n) steps to any point, O(1) to
 * append.
 */
struct point {
	fl_time at;
	double held; /* from this point on */
	double sum;  /* integral up to this point, see `advance` */
	uint32_t before, jump, depth;
	uint32_t series : 31, kept : 1; /* kept: while the pool is compacted */
};
_Static_assert(sizeof(struct point) == 40, "what the header promises");

struct fl_history {
	const struct fl_mem *mem;
	struct fl_history_settings settings;
	struct point *pool;
	uint32_t n, cap, n_queues;
	fl_time latest; /* the latest time seen */
	struct owner {
		fl_time ended;            /* end of its last sample */
		uint32_t last[FL_BUNDLE]; /* the newest point */
	} owners[];                       /* queues, and behind them the cluster */
};

/* Series r of owner o is number o * FL_BUNDLE + r. */
static uint32_t *newest(struct fl_history *h, uint32_t series)
{
	return &h->owners[series / FL_BUNDLE].last[series % FL_BUNDLE];
}

int fl_history_new(const struct fl_mem *mem, const struct fl_history_settings *settings,
		   uint32_t n_queues, struct fl_history **ret, fairlead_error *err)
{
	const struct fl_usage_window *w = &settings->window;
	struct fl_history *h;

	if (w->kind != FL_WINDOW_CRON && w->length <= 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "the usage window has length 0");
	if (n_queues > FL_MAX_NODES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d queues", FL_MAX_NODES);
	h = mem->resize(mem->user, NULL, sizeof *h + ((size_t)n_queues + 1) * sizeof *h->owners);
	if (!h)
		return fl_fail_nomem(err);
	*h = (struct fl_history){
		.mem = mem, .settings = *settings, .n_queues = n_queues, .latest = FL_TIME_NONE
	};
	for (uint32_t o = 0; o <= n_queues; o++)
		h->owners[o] = (struct owner){ FL_TIME_NONE, { FL_NONE, FL_NONE, FL_NONE } };
	*ret = h;
	return 0;
}

struct fl_history *fl_history_free(struct fl_history *h)
{
	if (h) {
		fl_mem_free(h->mem, h->pool);
		fl_mem_free(h->mem, h);
	}
	return NULL;
}

/* Clears the members that it does not set. */
static void link_point(struct fl_history *h, struct point *p)
{
	uint32_t self = (uint32_t)(p - h->pool), before = *newest(h, p->series);
	const struct point *b, *j;

	p->before = before;
	p->kept = 0;
	p->depth = 0;
	p->jump = self;
	if (before == FL_NONE)
		return;
	b = &h->pool[before];
	j = &h->pool[b->jump];
	p->depth = b->depth + 1;
	p->jump = b->depth - j->depth == j->depth - h->pool[j->jump].depth ? j->jump : before;
}

/*
 * Forgets what is older than any window at `latest` or later can reach: of each series all points
 * up to there except the last.  The sums stay as they are, since only differences count.
 */
static void compact(struct fl_history *h)
{
	fl_time oldest = fl_window_oldest(&h->settings.window, h->latest);
	uint32_t n = 0;

	for (uint32_t s = 0; s < (h->n_queues + 1) * FL_BUNDLE; s++) {
		uint32_t p = *newest(h, s);

		*newest(h, s) = FL_NONE;
		for (bool more = p != FL_NONE; more; p = h->pool[p].before) {
			h->pool[p].kept = 1;
			more = h->pool[p].before != FL_NONE && h->pool[p].at > oldest;
		}
	}
	for (uint32_t i = 0; i < h->n; i++) {
		struct point *p = &h->pool[n];

		if (!h->pool[i].kept)
			continue;
		*p = h->pool[i];
		link_point(h, p);
		*newest(h, p->series) = n++;
	}
	h->n = n;
}

int fl_history_reserve(struct fl_history *h, const struct fl_undo *undo, uint32_t changes,
		       fairlead_error *err)
{
	uint64_t need = h->n + (uint64_t)changes * FL_BUNDLE;

	if (need <= h->cap)
		return 0;
	if (!undo || !undo->marks) {
		compact(h);
		need = h->n + (uint64_t)changes * FL_BUNDLE;
		/* If less than half of the pool became free, it would soon be full again. */
		if (need <= h->cap / 2)
			return 0;
	}
	if (need >= FL_NONE / 2)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %u changes of usage to remember",
			       FL_NONE / 2);
	return fl_mem_grow(h->mem, &h->pool, &h->cap, (uint32_t)need, sizeof *h->pool, err);
}

/*
 * The integral at the end of a time span; only ratios count, so its unit is chosen by this
 * function.
 */
static double advance(const struct fl_history *h, double sum, double held, fl_time elapsed)
{
	if (h->settings.half_life > 0)
		return fl_integral_of(fl_integral_over(elapsed, h->settings.half_life), sum, held);
	return sum + held * ((double)elapsed / 1e9);
}

static void see(struct fl_history *h, struct fl_undo *undo, fl_time now)
{
	if (now <= h->latest)
		return;
	fl_undo_note(undo, &h->latest, sizeof h->latest);
	h->latest = now;
}

static void change(struct fl_history *h, struct fl_undo *undo, fl_time now, uint32_t series,
		   double held)
{
	uint32_t *head = newest(h, series), last = *head;
	struct point next = { .at = now, .held = held, .series = series & INT32_MAX };

	if (last == FL_NONE ? held == 0 : h->pool[last].held == held)
		return;
	fl_undo_note(undo, head, sizeof *head);
	if (last != FL_NONE && now <= h->pool[last].at) {
		/* What was held for no time does not count; two points in a row differ. */
		next.at = h->pool[last].at;
		next.sum = h->pool[last].sum;
		last = *head = h->pool[last].before;
		if (last == FL_NONE ? held == 0 : h->pool[last].held == held)
			return;
	} else if (last != FL_NONE) {
		const struct point *p = &h->pool[last];

		next.sum = advance(h, p->sum, p->held, fl_time_minus(now, p->at));
	}
	assert(h->n < h->cap);
	h->pool[h->n] = next;
	link_point(h, &h->pool[h->n]);
	*head = h->n++;
}

static void change_all(struct fl_history *h, struct fl_undo *undo, fl_time now, uint32_t queue,
		       const struct fl_bundle *held)
{
	see(h, undo, now);
	fl_undo_note(undo, &h->n, sizeof h->n);
	for (uint32_t r = 0; r < FL_BUNDLE; r++)
		change(h, undo, now, queue * FL_BUNDLE + r, held->of[r]);
}

void fl_history_hold(struct fl_history *h, struct fl_undo *undo, fl_time now, uint32_t queue,
		     const struct fl_bundle *held)
{
	assert(queue < h->n_queues);
	change_all(h, undo, now, queue, held);
}

void fl_history_capacity(struct fl_history *h, struct fl_undo *undo, fl_time now,
			 const struct fl_bundle *capacity)
{
	change_all(h, undo, now, h->n_queues, capacity);
}

int fl_history_add(struct fl_history *h, fl_time now, fl_time from, fl_time to, uint32_t queue,
		   const struct fl_bundle *amounts, fairlead_error *err)
{
	static const struct fl_bundle nothing = { { 0 } };
	uint32_t o = queue == FL_NONE ? h->n_queues : queue;
	struct owner *owner = &h->owners[o];
	int r;

	assert(o <= h->n_queues);
	if (to <= from)
		return fl_fail(err, FAIRLEAD_EINPUT, "a sample of usage ends before it begins");
	if (to > now)
		return fl_fail(err, FAIRLEAD_EINPUT, "a sample of usage is from the future");
	for (uint32_t i = 0; i < FL_BUNDLE; i++) {
		uint32_t last = owner->last[i];

		if (from < owner->ended || (last != FL_NONE && from < h->pool[last].at))
			return fl_fail(err, FAIRLEAD_EINPUT, "samples of usage are out of order");
		if (!(amounts->of[i] >= 0) || isinf(amounts->of[i]))
			return fl_fail(err, FAIRLEAD_EINPUT,
				       "a sample of usage is negative or not a number");
	}
	if ((r = fl_history_reserve(h, NULL, 2, err)) < 0)
		return r;
	change_all(h, NULL, from, o, amounts);
	change_all(h, NULL, to, o, &nothing);
	owner->ended = to;
	return 0;
}

/* --- save and load --- */

/* A point without its links, which are made again. */
struct saved_point {
	fl_time at;
	double held, sum;
	uint32_t before, series;
};
struct saved_owner {
	fl_time ended, latest;
	uint32_t last[FL_BUNDLE], zero;
};

static struct fl_image_kind point_kind(const char *name)
{
	return (struct fl_image_kind){ name, sizeof(struct saved_point), /* fields= */ 1 };
}
static struct fl_image_kind owner_kind(const char *name)
{
	return (struct fl_image_kind){ name, sizeof(struct saved_owner), /* fields= */ 2 };
}

int fl_history_save(const struct fl_history *h, const char *name, struct fl_image_writer *w,
		    fairlead_error *err)
{
	const struct fl_image_kind points = point_kind(name), owners = owner_kind(name);
	struct saved_owner *owner_rows;
	struct saved_point *rows;
	struct fl_arena arena;
	int r = FAIRLEAD_ENOMEM;

	fl_arena_init(&arena, h->mem);
	rows = fl_arena_alloc(&arena, h->n, sizeof *rows, err);
	owner_rows = rows ? fl_arena_alloc(&arena, h->n_queues + 1, sizeof *owner_rows, err) : NULL;
	for (uint32_t p = 0; owner_rows && p < h->n; p++)
		rows[p] = (struct saved_point){ h->pool[p].at, h->pool[p].held, h->pool[p].sum,
						h->pool[p].before, h->pool[p].series };
	for (uint32_t o = 0; owner_rows && o <= h->n_queues; o++) {
		owner_rows[o].ended = h->owners[o].ended;
		owner_rows[o].latest = h->latest;
		memcpy(owner_rows[o].last, h->owners[o].last, sizeof owner_rows[o].last);
	}
	if (owner_rows && (r = fl_image_put(w, &points, rows, h->n, err)) == 0)
		r = fl_image_put(w, &owners, owner_rows, h->n_queues + 1, err);
	fl_arena_done(&arena);
	return r;
}

/* Does the point lead to an older one of its series, or end the series? */
static bool is_point(const struct fl_history *h, const struct saved_point *rows, uint32_t p)
{
	const struct saved_point *row = &rows[p];

	return row->series < (h->n_queues + 1) * FL_BUNDLE && isfinite(row->held) &&
	       isfinite(row->sum) &&
	       (row->before == FL_NONE ||
		(row->before < p && rows[row->before].series == row->series &&
		 rows[row->before].at < row->at));
}

/* Enters points in the order in which they were appended, so that each finds the one before. */
static bool enter_points(struct fl_history *h, const struct saved_point *rows, uint32_t n)
{
	for (h->n = 0; h->n < n; h->n++) {
		const struct saved_point *row = &rows[h->n];

		if (!is_point(h, rows, h->n))
			return false;
		h->pool[h->n] = (struct point){ .at = row->at,
						.held = row->held,
						.sum = row->sum,
						.series = row->series & INT32_MAX };
		*newest(h, row->series) = row->before;
		link_point(h, &h->pool[h->n]);
	}
	return true;
}

static bool enter_owners(struct fl_history *h, const struct saved_owner *rows)
{
	for (uint32_t o = 0; o <= h->n_queues; o++) {
		for (uint32_t r = 0; r < FL_BUNDLE; r++) {
			uint32_t last = rows[o].last[r];

			if (last != FL_NONE &&
			    (last >= h->n || h->pool[last].series != o * FL_BUNDLE + r))
				return false;
			h->owners[o].last[r] = last;
		}
		h->owners[o].ended = rows[o].ended;
	}
	h->latest = rows[0].latest;
	return true;
}

int fl_history_load(struct fl_history *h, const char *name, const struct fl_image *i,
		    fairlead_error *err)
{
	const struct fl_image_kind points = point_kind(name), owners = owner_kind(name);
	const void *rows, *owner_rows;
	uint32_t n, n_owners;
	int r = fl_image_rows(i, &points, &rows, &n, err);

	if (r == 0)
		r = fl_image_rows(i, &owners, &owner_rows, &n_owners, err);
	if (r < 0)
		return r;
	if (n_owners != h->n_queues + 1 || n >= FL_NONE / 2)
		return fl_image_damaged(name, err);
	if ((r = fl_mem_grow(h->mem, &h->pool, &h->cap, n, sizeof *h->pool, err)) < 0)
		return r;
	return enter_points(h, rows, n) && enter_owners(h, owner_rows) ?
		       0 :
		       fl_image_damaged(name, err);
}

/* --- into another history --- */

/* Finds the points that a window from @oldest on reaches: those that compact would keep. */
static void find_kept(const struct fl_history *h, fl_time oldest, bool *kept)
{
	for (uint32_t s = 0; s < (h->n_queues + 1) * FL_BUNDLE; s++) {
		uint32_t p = h->owners[s / FL_BUNDLE].last[s % FL_BUNDLE];

		for (bool more = p != FL_NONE; more; p = h->pool[p].before) {
			kept[p] = true;
			more = h->pool[p].before != FL_NONE && h->pool[p].at > oldest;
		}
	}
}

/* Appends it behind the last point of its series. */
static void adopt_point(struct fl_history *h, const struct fl_history *from,
			const struct point *old, uint32_t owner)
{
	struct point *p = &h->pool[h->n];
	uint32_t was = old->series, series = owner * FL_BUNDLE + was % FL_BUNDLE;
	uint32_t before = *newest(h, series);

	*p = (struct point){ .at = old->at, .held = old->held, .series = series & INT32_MAX };
	if (h->settings.half_life == from->settings.half_life)
		p->sum = old->sum;
	else if (before != FL_NONE)
		p->sum = advance(h, h->pool[before].sum, h->pool[before].held,
				 fl_time_minus(p->at, h->pool[before].at));
	link_point(h, p);
	*newest(h, series) = h->n++;
}

static uint32_t adopted_owner(const struct fl_history *h, const struct fl_history *from,
			      const uint32_t *queues, uint32_t owner)
{
	return owner == from->n_queues ? h->n_queues : queues[owner];
}

int fl_history_adopt(struct fl_history *h, const struct fl_history *from, const uint32_t *queues,
		     fairlead_error *err)
{
	bool *kept = h->mem->resize(h->mem->user, NULL, from->n + 1);
	int r;

	if (!kept)
		return fl_fail_nomem(err);
	memset(kept, 0, from->n + 1);
	find_kept(from, fl_window_oldest(&h->settings.window, from->latest), kept);
	r = fl_mem_grow(h->mem, &h->pool, &h->cap, from->n, sizeof *h->pool, err);
	h->n = 0;
	h->latest = from->latest;
	for (uint32_t o = 0; o <= h->n_queues; o++)
		h->owners[o] = (struct owner){ FL_TIME_NONE, { FL_NONE, FL_NONE, FL_NONE } };
	for (uint32_t o = 0; o <= from->n_queues; o++) {
		uint32_t owner = adopted_owner(h, from, queues, o);

		if (owner != FL_NONE)
			h->owners[owner].ended = from->owners[o].ended;
	}
	for (uint32_t p = 0; r == 0 && p < from->n; p++) {
		uint32_t series = from->pool[p].series;
		uint32_t owner = adopted_owner(h, from, queues, series / FL_BUNDLE);

		if (kept[p] && owner != FL_NONE)
			adopt_point(h, from, &from->pool[p], owner);
	}
	fl_mem_free(h->mem, kept);
	return r;
}

/* --- usage --- */

/* The newest point at @t or before; FL_NONE: the series begins later. */
static uint32_t point_at(const struct fl_history *h, uint32_t last, fl_time t)
{
	uint32_t p = last;

	while (p != FL_NONE && h->pool[p].at > t) {
		const struct point *row = &h->pool[p];

		p = h->pool[row->jump].at > t && row->jump != p ? row->jump : row->before;
	}
	return p;
}

/*
 * The integral of a series over (start, now], where @now is not before its last point.  It is a
 * difference of two integrals over all the past, which is exactly 0, without a rest of rounding,
 * where nothing was held: if there is no point inside, what is held is constant, and no difference
 * is taken.
 */
static double integral(const struct fl_history *h, uint32_t series, fl_time start, fl_time now)
{
	uint32_t last = h->owners[series / FL_BUNDLE].last[series % FL_BUNDLE], first;
	const struct point *to, *from;
	double sum, before;

	if (last == FL_NONE)
		return 0;
	to = &h->pool[last];
	first = point_at(h, last, start);
	if (first == last)
		return advance(h, 0, to->held, fl_time_minus(now, start));
	sum = advance(h, to->sum, to->held, fl_time_minus(now, to->at));
	if (first == FL_NONE)
		return sum;
	from = &h->pool[first];
	before = advance(h, from->sum, from->held, fl_time_minus(start, from->at));
	return fmax(sum - advance(h, before, 0, fl_time_minus(now, start)), 0);
}

void fl_history_used(const struct fl_history *h, fl_time now, struct fl_bundle *used)
{
	fl_time start;

	assert(h->settings.half_life <= 0);
	if (now < h->latest)
		now = h->latest;
	start = fl_window_start(&h->settings.window, now);
	for (uint32_t q = 0; q < h->n_queues; q++)
		for (uint32_t r = 0; r < FL_BUNDLE; r++)
			used[q].of[r] = integral(h, q * FL_BUNDLE + r, start, now);
}

void fl_history_usage(const struct fl_history *h, fl_time now, struct fl_bundle *usage)
{
	fl_time start;

	if (now < h->latest)
		now = h->latest;
	start = fl_window_start(&h->settings.window, now);
	for (uint32_t r = 0; r < FL_BUNDLE; r++) {
		double whole = integral(h, h->n_queues * FL_BUNDLE + r, start, now);

		for (uint32_t q = 0; q < h->n_queues; q++)
			usage[q].of[r] =
				whole > 0 ? integral(h, q * FL_BUNDLE + r, start, now) / whole : 0;
	}
}
