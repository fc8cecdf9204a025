/* SPDX-License-Identifier: Apache-2.0 */
/* run - when the engine's cycles come in a window */
#include "ask/agree/run.h"

#include "ask/agree/follow.h"
#include "ask/agree/world.h"
#include "base/amount.h"

/* --- before the window --- */

/* One step, which takes effect only if it decides nothing.  1: another one may find more. */
static int look(struct fl_agree_window *w, fairlead_error *err)
{
	struct fl_decisions d;
	fl_mark mark;
	bool idle = true;
	int r = w->o->ops->mark(w->p, &mark, err);

	if (r < 0)
		return r;
	r = w->o->ops->step(w->p, w->from, 0, /* sink= */ NULL, &d, err);
	for (uint32_t i = 0; r == 0 && i < d.n; i++)
		idle &= d.rows[i].kind == FL_WAIT;
	if (r == 0 && idle) {
		w->o->ops->keep(w->p, mark);
		return d.moved;
	}
	w->o->ops->rollback(w->p, mark);
	return r;
}

/*
 * The scheduler has looked at what is pending in cycles that decided nothing, which no
 * event tells of: what did not fit is parked already, and others are first in line.
 */
int fl_agree_look_around(struct fl_agree_window *w, fairlead_error *err)
{
	int r = 1;

	for (uint32_t steps = 0; r > 0 && steps < FL_AGREE_STEPS && !fl_agree_is_tired(w); steps++)
		r = look(w, err);
	return r < 0 ? r : 0;
}

/* The window begins with what was heard before @since, and before heard[@most]. */
static int begin_at(struct fl_agree_cycles *x, fl_time since, uint32_t most, fairlead_error *err)
{
	uint32_t to = 0;
	int r;

	while (to < most && x->w->heard[to].at < since)
		to++;
	r = fl_agree_apply_to(x, to, err);
	return r == 0 && to ? fl_agree_look_around(x->w, err) : r;
}

static int run_beside(struct fl_agree_cycles *x, fairlead_error *err)
{
	struct fl_agree_window *w = x->w;
	int r = 0;

	for (uint32_t at = w->start; at < w->n && r == 0 && !w->tired; at++) {
		enum fl_agree_kind kind;

		r = fl_agree_catch_up(x, at, w->heard[at].at, err);
		if (r == 0 && fl_agree_is_decision(&w->heard[at], &kind))
			r = fl_agree_follow(x, at, err);
	}
	return r < 0 ? r : fl_agree_catch_up(x, w->n, fl_sat_add(w->to, 1), err);
}

/* Cycles are at fixed times. */
static int run_at_intervals(struct fl_agree_cycles *x, fairlead_error *err)
{
	const struct fl_agree_window *w = x->w;
	int r = 0;

	for (fl_time now = w->from; now <= w->to && r == 0 && !w->tired;
	     now = fl_sat_add(now, w->o->interval)) {
		uint32_t to = x->done;

		while (to < w->n && w->heard[to].at <= now)
			to++;
		r = fl_agree_apply_to(x, to, err);
		x->now = now;
		if (r == 0)
			r = fl_agree_flush(x, now, err);
		if (r == 0)
			r = fl_agree_cycle(x, x->sink, err);
	}
	return r;
}

int fl_agree_run(struct fl_agree_window *w, const struct fl_sink *sink, fairlead_error *err)
{
	const fl_time late = fl_agree_lateness(w->o, &w->heard[w->start]);
	struct fl_agree_cycles x = { .w = w, .sink = sink, .now = w->heard[0].at, .due = w->from };
	int r;

	fl_agree_world_begin(w);
	r = begin_at(&x, fl_sat_sub(w->from, late), w->start, err);
	x.due = w->from;
	if (r < 0)
		return r;
	return w->o->interval ? run_at_intervals(&x, err) : run_beside(&x, err);
}

/* --- in the state in which the scheduler was --- */

/* With what was heard before @to, and all that the scheduler decided before the start. */
static int would_at(struct fl_agree_cycles *x, uint32_t to, const struct fl_agree_heard *like,
		    fairlead_error *err)
{
	const struct fl_agree_cycles was = *x;
	struct fl_agree_mark mark;
	bool found = false;
	int r = fl_agree_world_mark(x->w, &mark, err);

	if (r < 0)
		return r;
	r = fl_agree_apply_to(x, to, err);
	if (r == 0)
		r = fl_agree_know(x, err);
	if (r >= 0)
		r = fl_agree_flush(x, to < x->w->n_all ? x->w->heard[to].at : like->at, err);
	x->moved = true;
	for (int i = 0; i < FL_AGREE_CYCLES && r == 0 && !found && x->moved; i++) {
		r = fl_agree_cycle(x, /* sink= */ NULL, err);
		found = like->event.holding.n ? fl_agree_is_of_engine(x->w, like) :
						fl_agree_row_of(x->w, 0, like) != NULL;
	}
	fl_agree_world_back(x->w, &mark);
	*x = was;
	return r < 0 ? r : found;
}

/* Another tree's workload makes no difference to what is decided of @like. */
static bool is_of_tree(const struct fl_agree_window *w, const struct fl_agree_heard *h,
		       const struct fl_agree_heard *like)
{
	return fl_agree_root(w->m, h->event.workload) == fl_agree_root(w->m, like->event.workload);
}

/* 1: at one of the moments from heard[@first] to heard[@at]. */
static int would_before(struct fl_agree_cycles *x, uint32_t first, uint32_t at,
			const struct fl_agree_heard *like, fairlead_error *err)
{
	uint32_t tries = 0;
	int r = 0;

	for (uint32_t to = at; r == 0 && !x->w->tired && tries < FL_AGREE_TRIES; to--) {
		const struct fl_agree_heard *h = &x->w->heard[to];

		if (to == at || (fl_agree_changes(h) && is_of_tree(x->w, h, like))) {
			tries++;
			r = would_at(x, to, like, err);
		}
		if (to <= first)
			break;
	}
	return r;
}

static int would(struct fl_agree_window *w, uint32_t at, const struct fl_agree_heard *like,
		 fairlead_error *err)
{
	struct fl_agree_cycles x = { .w = w, .now = w->heard[0].at, .due = FL_NEVER };
	const uint32_t start = w->start;
	struct fl_agree_mark mark;
	uint32_t first;
	int r;

	fl_agree_world_begin(w);
	if ((r = fl_agree_world_mark(w, &mark, err)) < 0)
		return r;
	w->start = at;
	r = begin_at(&x, fl_sat_sub(like->at, w->late), at, err);
	first = x.done;
	for (int i = 0; i < fl_agree_n_clocks(w) && r == 0; i++) {
		x.early = fl_agree_clocks[i] * w->o->flush_after;
		r = would_before(&x, first, at, like, err);
	}
	fl_agree_world_back(w, &mark);
	w->start = start;
	return r;
}

int fl_agree_would(struct fl_agree_window *w, uint32_t at, const struct fl_agree_heard *like,
		   fairlead_error *err)
{
	const bool exact = w->exact;
	int r = would(w, at, like, err);

	if (r == 0 && w->o->grain) {
		w->exact = !exact;
		r = would(w, at, like, err);
		w->exact = exact;
	}
	return r;
}
