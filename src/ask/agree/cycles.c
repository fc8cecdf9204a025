/* SPDX-License-Identifier: Apache-2.0 */
/* cycles - the engine's cycles in a window, and what happens between them */
#include "ask/agree/cycles.h"

#include "ask/agree/world.h"
#include "base/amount.h"

const int fl_agree_clocks[FL_AGREE_CLOCKS] = { 0, 1, -1 };

int fl_agree_n_clocks(const struct fl_agree_window *w)
{
	return w->o->flush_after ? FL_AGREE_CLOCKS : 1;
}

/* --- what happens --- */

bool fl_agree_changes(const struct fl_agree_heard *h)
{
	enum fl_agree_kind kind;

	return h->what == FL_AGREE_EVENT && !fl_agree_is_decision(h, &kind);
}

int fl_agree_flush(struct fl_agree_cycles *x, fl_time until, fairlead_error *err)
{
	const struct fl_policy_ops *ops = x->w->o->ops;
	fl_time due;
	int r;

	if (!ops->flush)
		return 0;
	until = fl_sat_add(until, x->early);
	r = ops->flush(x->w->p, FL_TIME_NONE, &due, err);
	if (r < 0 || due > until)
		return r;
	x->due = fl_amount_min(x->due, due);
	return ops->flush(x->w->p, until, &due, err);
}

int fl_agree_apply_to(struct fl_agree_cycles *x, uint32_t to, fairlead_error *err)
{
	int r = 0;

	for (; x->done < to && r == 0; x->done++) {
		const struct fl_agree_heard *h = &x->w->heard[x->done];

		if ((r = fl_agree_flush(x, h->at, err)) < 0)
			return r;
		if (fl_agree_changes(h))
			x->due = fl_amount_min(x->due, h->at);
		else if (h->what == FL_AGREE_EVENT && x->done < x->w->start && !x->known &&
			 fl_agree_obey(x->w, h, err) == FAIRLEAD_ENOMEM)
			return FAIRLEAD_ENOMEM;
		r = fl_agree_apply(x->w, h, err);
		x->now = fl_amount_max(x->now, h->at);
	}
	return r;
}

int fl_agree_know(struct fl_agree_cycles *x, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = x->done; i < x->w->start && !x->known && r == 0; i++) {
		const struct fl_agree_heard *h = &x->w->heard[i];

		if (h->what == FL_AGREE_EVENT && !fl_agree_changes(h))
			r = fl_agree_obey(x->w, h, err);
	}
	x->known = true;
	return r == 0 || r == FAIRLEAD_ENOMEM ? r : 1;
}

int fl_agree_cycle(struct fl_agree_cycles *x, const struct fl_sink *sink, fairlead_error *err)
{
	struct fl_agree_window *w = x->w;
	fl_time wake, again = FL_NEVER;
	int r;

	x->moved = false;
	x->due = FL_NEVER;
	if (fl_agree_is_tired(w) || x->steps++ >= FL_AGREE_STEPS)
		return 0;
	r = fl_agree_step(w, x->now, x->done, sink, &x->moved, err);
	if (r < 0)
		return r;
	wake = w->o->ops->wake(w->p, fl_agree_kept_time(w, x->now));
	if (wake != FL_NEVER && w->o->grain) /* the first of these times at which it has come */
		wake = fl_agree_kept_time(w, fl_sat_add(wake, w->o->grain - 1));
	x->due = x->moved ? x->now : wake > x->now ? wake : FL_NEVER;
	if (w->o->ops->flush)
		r = w->o->ops->flush(w->p, FL_TIME_NONE, &again, err);
	x->due = fl_amount_min(x->due, again);
	return r;
}

/* Since when a cycle is due, with what was heard before @at. */
static fl_time due(const struct fl_agree_cycles *x, uint32_t at)
{
	for (uint32_t i = x->done; i < at; i++)
		if (fl_agree_changes(&x->w->heard[i]))
			return fl_amount_min(x->due, x->w->heard[i].at);
	return x->due;
}

/* --- cycles where nothing is decided --- */

int fl_agree_catch_up(struct fl_agree_cycles *x, uint32_t at, fl_time until, fairlead_error *err)
{
	const struct fl_agree_window *w = x->w;
	int r = 0;

	while (r == 0 && x->steps < FL_AGREE_STEPS) {
		fl_time now = fl_sat_add(due(x, at), w->late);
		uint32_t to = x->done;

		if (now >= until)
			break;
		while (to < at && w->heard[to].at <= now)
			to++;
		r = fl_agree_apply_to(x, to, err);
		if (r == 0 && (r = fl_agree_know(x, err)) > 0)
			r = 0;
		x->now = fl_amount_max(x->now, now);
		if (r == 0)
			r = fl_agree_flush(x, x->now, err);
		if (r == 0)
			r = fl_agree_cycle(x, x->sink, err);
	}
	return r;
}
