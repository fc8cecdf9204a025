/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/history/tiers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/time.h"

static const fl_time HOUR = 3600 * FL_SECOND, DAY = 86400 * FL_SECOND;

/* --- on the thread: which hours, and of which book --- */

static int64_t floor_of(fl_time t, fl_time unit) { return t / unit - (t % unit < 0); }

static bool same_month(fl_time a, fl_time b)
{
	int64_t y[2], m[2], d;

	fl_time_date(floor_of(a, DAY), &y[0], &m[0], &d);
	fl_time_date(floor_of(b, DAY), &y[1], &m[1], &d);
	return y[0] == y[1] && m[0] == m[1];
}

/* What an hour ends that began when the wall clock showed @from, and ends at @to. */
static enum fl_tier tier_of(fl_time from, fl_time to)
{
	return !same_month(from, to)                    ? FL_TIER_MONTH :
	       floor_of(from, DAY) != floor_of(to, DAY) ? FL_TIER_DAY :
							  FL_TIER_HOUR;
}

struct summing {
	struct fl_store *store;
	const struct fl_tiers_work *w;
	struct fl_hours *hours;
	fl_time after;                 /* as fl_closed has it */
	fl_time at;                    /* the sums end here */
	fl_time hour, hour_wall, book; /* where this hour and its book began */
};

static fl_time wall_of(const struct summing *s, fl_time t)
{
	return fl_sat_add(s->w->look.wall, t - s->w->look.now);
}

/* Goes on from what is in the store. */
static int go_on(struct summing *s, fairlead_error *err)
{
	const struct fl_sum_reader before = { NULL, fl_hours_amount_before, fl_hours_queue_before,
					      s->hours };
	struct fl_tier_ends e;
	int r = fl_store_tier_ends(s->store, &e, err);

	if (r < 0)
		return r;
	s->after = FL_TIME_NONE;
	if (e.last.tier == FL_TIERS) {
		s->at = e.first == FL_TIME_NONE ? s->w->look.now : e.first;
		s->hour = s->book = s->at;
		s->hour_wall = wall_of(s, s->at);
		return 0;
	}
	s->after = s->at = e.last.until;
	s->hour = e.hour.tier == FL_TIERS ? e.first : e.hour.until;
	s->hour_wall = e.hour.tier == FL_TIERS ? wall_of(s, e.first) : e.hour.wall;
	s->book = e.last.tier == FL_TIER_MONTH ? s->at : e.last.book;
	if (e.last.tier == FL_TIER_MONTH)
		return 0;
	r = fl_store_sums_at(s->store, s->at, &before, err);
	fl_hours_ended(s->hours, e.last.tier);
	return r;
}

/* What began behind the look was pending in it, and counts as such. */
static int admission(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	const struct summing *s = user;

	return row->from > s->w->look.applied ? 0 : fl_hours_admission(s->hours, row, err);
}

static int sum_up(struct summing *s, fl_time until, bool last, fairlead_error *err)
{
	const struct fl_tiers_work *w = s->w;
	int r = fl_hours_begin(s->hours, &w->look.tree, s->at, until, err);

	if (r == 0)
		r = fl_store_holdings(s->store, s->at, until, admission, s, err);
	for (uint32_t i = 0; i < w->look.n_pending && r == 0; i++) {
		const struct fl_hours_waiting *p = &w->look.pending[i];

		r = fl_hours_pending(s->hours, p->queue, p->resource, p->since, p->amount, err);
	}
	for (uint32_t i = 0; i < w->n_shares && r == 0 && last; i++) {
		const struct fl_tiers_share *p = &w->shares[i];

		r = fl_hours_share(s->hours, p->queue, p->share, p->known, p->most, err);
	}
	return r < 0 ? r : fl_hours_end(s->hours, err);
}

/* @part: no hour ends there. */
static int close_at(struct summing *s, fl_time until, bool part, bool last, fairlead_error *err)
{
	struct fl_closed c = { .closing = { .until = until,
					    .begin = s->hour,
					    .book = s->book,
					    .wall = wall_of(s, until),
					    .version = s->w->look.version },
			       .after = s->after };
	int r = sum_up(s, until, last, err);

	c.closing.tier = part ? FL_TIER_PART : tier_of(s->hour_wall, c.closing.wall);
	if (r == 0)
		r = fl_hours_rows(s->hours, &c.queues, &c.n_queues, &c.amounts, &c.n_amounts, err);
	if (r == 0)
		r = fl_store_close_hour(s->store, &c, err);
	if (r < 0)
		return r;
	s->at = s->after = until;
	if (!part) {
		s->hour = until;
		s->hour_wall = c.closing.wall;
	}
	if (c.closing.tier == FL_TIER_MONTH)
		s->book = until;
	fl_hours_ended(s->hours, c.closing.tier);
	return 0;
}

static int sum_all(struct summing *s, fairlead_error *err)
{
	const struct fl_tiers_work *w = s->w;
	const fl_time limit = w->cut != FL_TIME_NONE ? w->cut :
						       w->look.now - FL_TIERS_GRACE * FL_SECOND;
	const fl_time wall = wall_of(s, limit);
	/* The last hour of the wall clock that is over, in the daemon's time. */
	const fl_time last = limit - (wall - floor_of(wall, HOUR) * HOUR);
	fl_time next;
	int r = 0;

	if (limit <= s->at)
		return 0;
	next = last - floor_of(last - s->at, HOUR) * HOUR;
	/* Not the end of the same hour again, by a clock that has been slowed down since. */
	while (next <= s->at || next - s->hour < FL_TIERS_LEAST * FL_SECOND)
		next += HOUR;
	for (int n = 0; next <= last && r == 0; next += HOUR) {
		if (n++ == FL_TIERS_HOURS)
			return 1;
		r = close_at(s, next, /* part= */ false,
			     /* last= */ next + HOUR > last, err);
	}
	if (r == 0 && limit > s->at &&
	    (w->cut != FL_TIME_NONE || limit - s->at >= FL_TIERS_PART * FL_SECOND))
		r = close_at(s, limit, /* part= */ true, /* last= */ true, err);
	return r;
}

int fl_tiers_step(struct fl_store *store, const struct fl_tiers_work *w, fairlead_error *err)
{
	struct summing s = { .store = store, .w = w };
	int r = fl_hours_new(&s.hours, err);

	if (r == 0)
		r = go_on(&s, err);
	if (r == 0)
		r = sum_all(&s, err);
	fl_hours_free(s.hours);
	return r;
}

/* --- on the loop --- */

enum { MORE_MS = 100 };

struct fl_tiers {
	struct fl_upkeep_options o;
	uv_timer_t timer;
	uv_work_t request;
	bool working, more;
	struct fl_tiers_work work;
	int result;
	fairlead_error error;
	bool failed; /* it was told */

	bool is_cut; /* `cut` has what was before a change of the configuration */
	fl_time cut_at;
	struct fl_hours_look cut;

	struct fl_names names; /* of queues whose shares were looked at */
	struct fl_tiers_share *shares;
	int64_t *present; /* by queue: its share now; -1: none */
	uint32_t cap_shares, cap_present;
	fl_time looked; /* when; FL_TIME_NONE: not yet */
	uint64_t looked_version;
	fl_time tried; /* the last step */

	void (*closed)(void *user);
	void *closed_user;
};

static int note_share(void *user, const char *queue, int64_t share, fairlead_error *err)
{
	struct fl_tiers *t = user;
	const uint32_t was = t->cap_shares, was_present = t->cap_present;
	struct fl_sym sym;
	int r = fl_names_add(&t->names, queue, strlen(queue), &sym, err);

	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &t->shares, &t->cap_shares, sym.v + 1,
				sizeof *t->shares, err);
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &t->present, &t->cap_present, sym.v + 1,
				sizeof *t->present, err);
	if (r < 0)
		return r;
	if (t->cap_shares > was)
		memset(t->shares + was, 0, (t->cap_shares - was) * sizeof *t->shares);
	for (uint32_t i = was_present; i < t->cap_present; i++)
		t->present[i] = -1;
	(void)snprintf(t->shares[sym.v].queue, sizeof t->shares->queue, "%s", queue);
	t->present[sym.v] = share;
	return 0;
}

/* The present shares count from the last look to this one. Where nothing happened they are kept. */
static int look_at_shares(struct fl_tiers *t, fl_time now, fairlead_error *err)
{
	const fl_time gone = t->looked == FL_TIME_NONE ? 0 : now - t->looked;
	struct fl_live_view view;
	int r = 0;

	if (t->looked == FL_TIME_NONE || t->looked_version != fl_daemon_version(t->o.daemon)) {
		for (uint32_t i = 0; i < t->cap_present; i++)
			t->present[i] = -1;
		fl_daemon_view(t->o.daemon, &view);
		r = fl_hours_shares(&view, note_share, t, err);
	}
	t->looked = now;
	t->looked_version = fl_daemon_version(t->o.daemon);
	for (uint32_t i = 0; i < t->names.n && i < t->cap_present && r == 0; i++) {
		struct fl_tiers_share *s = &t->shares[i];
		const int64_t share = t->present[i];

		if (share < 0)
			continue;
		s->most = fl_amount_max(s->most, share);
		if (share == INT64_MAX) /* it has no mean */
			continue;
		s->share += (fl_nanos)share * gone;
		s->known += gone;
	}
	return r;
}

/* The shares until now go to the step, and begin anew. */
static int hand_over_shares(struct fl_tiers *t, fairlead_error *err)
{
	t->work.shares = malloc((t->names.n + 1) * sizeof *t->work.shares);
	t->work.n_shares = 0;
	if (!t->work.shares)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < t->names.n && i < t->cap_shares; i++) {
		if (t->shares[i].known || t->shares[i].most)
			t->work.shares[t->work.n_shares++] = t->shares[i];
		t->shares[i].share = 0;
		t->shares[i].known = 0;
		t->shares[i].most = 0;
	}
	return 0;
}

static void on_thread(uv_work_t *request)
{
	struct fl_tiers *t = request->data;

	t->result = fl_tiers_step(t->o.daemon->store, &t->work, &t->error);
}

static void freed(uv_handle_t *handle)
{
	struct fl_tiers *t = handle->data;

	t->closed(t->closed_user);
	if (t->is_cut)
		fl_hours_look_done(&t->cut);
	fl_names_done(&t->names);
	fl_mem_free(&fl_mem_heap, t->shares);
	fl_mem_free(&fl_mem_heap, t->present);
	free(t);
}

static void on_timer(uv_timer_t *timer);

static void again(struct fl_tiers *t, uint64_t ms)
{
	(void)uv_timer_start(&t->timer, on_timer, ms, /* repeat= */ 0);
}

/* A failure is told once; the next step tries it again, from where the store is. */
static void tell_result(struct fl_tiers *t)
{
	if (t->result < 0 && !t->failed)
		fl_daemon_log(t->o.daemon, "history cannot be summed up: %s", t->error.text);
	t->failed = t->result < 0;
}

static void after(uv_work_t *request, int status)
{
	struct fl_tiers *t = request->data;

	(void)status;
	t->working = false;
	tell_result(t);
	t->more = t->result > 0 || (t->result < 0 && t->work.cut != FL_TIME_NONE);
	fl_mem_free(&fl_mem_heap, t->work.shares);
	/* A cut of which more is to be summed up stays what is done next. */
	if (t->more && t->work.cut != FL_TIME_NONE && !t->is_cut) {
		t->cut = t->work.look;
		t->cut_at = t->work.cut;
		t->is_cut = true;
	} else {
		fl_hours_look_done(&t->work.look);
	}
	t->work = (struct fl_tiers_work){ 0 };
	if (t->closed)
		uv_close((uv_handle_t *)&t->timer, freed);
	else
		again(t, t->result > 0 ? MORE_MS : FL_TIERS_TICK * 1000);
}

/* Is there an hour or a part that is over? */
static bool is_due(const struct fl_tiers *t, fl_time now)
{
	fl_time same, wall, boot;

	if (t->is_cut && !t->more)
		return now - t->cut_at >= FL_TIERS_GRACE * FL_SECOND;
	if (t->more || t->tried == FL_TIME_NONE || now - t->tried >= FL_TIERS_PART * FL_SECOND)
		return true;
	fl_clock_read(&t->o.daemon->clock, &same, &wall, &boot);
	wall -= FL_TIERS_GRACE * FL_SECOND;
	return floor_of(wall, HOUR) != floor_of(wall - (now - t->tried), HOUR);
}

static int look(const struct fl_upkeep_options *o, struct fl_hours_look *ret, fairlead_error *err)
{
	struct fl_live_view view;
	fl_time now, wall, boot;
	int r;

	fl_daemon_view(o->daemon, &view);
	fl_clock_read(&o->daemon->clock, &now, &wall, &boot);
	r = fl_hours_look(&view, wall + (view.now - now),
			  o->configuration ? o->configuration(o->user) : 0, ret, err);
	ret->applied = o->applied ? o->applied(o->user) : view.now;
	return r;
}

static int begin(struct fl_tiers *t, fairlead_error *err)
{
	int r = hand_over_shares(t, err);

	if (r < 0)
		return r;
	t->work.cut = t->is_cut ? t->cut_at : FL_TIME_NONE;
	if (t->is_cut)
		t->work.look = t->cut;
	else
		r = look(&t->o, &t->work.look, err);
	t->is_cut = false;
	t->request.data = t;
	if (r == 0 && uv_queue_work(t->timer.loop, &t->request, on_thread, after) == 0) {
		t->working = true;
		return 0;
	}
	if (r == 0)
		fl_hours_look_done(&t->work.look);
	fl_mem_free(&fl_mem_heap, t->work.shares);
	t->work = (struct fl_tiers_work){ 0 };
	return r < 0 ? r : fl_fail(err, FAIRLEAD_EIO, "no thread could be started");
}

static void on_timer(uv_timer_t *timer)
{
	struct fl_tiers *t = timer->data;
	fl_time now = fl_clock_now(&t->o.daemon->clock);
	int r = look_at_shares(t, now, &t->error);

	if (r == 0 && is_due(t, now)) {
		t->tried = now;
		r = begin(t, &t->error);
	}
	if (r < 0) {
		t->result = r;
		tell_result(t);
	}
	if (!t->working)
		again(t, FL_TIERS_TICK * 1000);
}

void fl_tiers_cut(struct fl_tiers *t, fl_time at)
{
	fairlead_error err;

	/* One at a time: what comes after it is summed up with the newest. */
	if (!t || t->is_cut || look(&t->o, &t->cut, &err) < 0)
		return;
	t->is_cut = true;
	t->cut_at = at;
}

int fl_tiers_new(const struct fl_upkeep_options *options, struct fl_tiers **ret,
		 fairlead_error *err)
{
	struct fl_tiers *t = calloc(1, sizeof *t);
	int r = t ? fl_names_init(&t->names, &fl_mem_heap, err) : fl_fail_nomem(err);

	if (r < 0) {
		if (t)
			fl_names_done(&t->names);
		free(t);
		return r;
	}
	t->o = *options;
	t->looked = t->tried = FL_TIME_NONE;
	(void)uv_timer_init(t->o.loop, &t->timer);
	t->timer.data = t;
	again(t, FL_TIERS_GRACE * 1000);
	*ret = t;
	return 0;
}

void fl_tiers_close(struct fl_tiers *t, void (*closed)(void *user), void *user)
{
	t->closed = closed;
	t->closed_user = user;
	if (!t->working)
		uv_close((uv_handle_t *)&t->timer, freed);
}
