/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/driver.h"

int fl_driver_init(struct fl_driver *d, const struct fl_driver_options *o, fairlead_error *err)
{
	*d = (struct fl_driver){ .ops = o->ops,
				 .policy = o->policy,
				 .backend = o->backend,
				 .interval = o->interval,
				 .period = o->period,
				 .flags = o->flags,
				 .last = FL_TIME_NONE,
				 .wake = FL_NEVER,
				 .due = true };
	return fl_loop_watch_init(&d->loop_watch, o->mem, o->n_workloads, err);
}

void fl_driver_done(struct fl_driver *d) { fl_loop_watch_done(&d->loop_watch); }

int fl_driver_adopt(struct fl_driver *d, const struct fl_driver *from,
		    const struct fl_workload *was, fairlead_error *err)
{
	d->last = from->last;
	d->cycles = from->cycles;
	d->events = from->events;
	d->heads = from->heads;
	return fl_loop_watch_adopt(&d->loop_watch, &from->loop_watch, was, err);
}

void fl_driver_join(struct fl_driver *d, struct fl_workload w)
{
	fl_loop_watch_join(&d->loop_watch, w);
}

void fl_driver_move(struct fl_driver *d, struct fl_workload from, struct fl_workload w)
{
	fl_loop_watch_move(&d->loop_watch, from, w);
}

int fl_driver_apply(struct fl_driver *d, fl_time now, const struct fl_event *event,
		    fairlead_error *err)
{
	int r = d->ops->apply(d->policy, now, event, err);

	if (r < 0)
		return r;
	fl_loop_watch_event(&d->loop_watch, event);
	d->due = true;
	d->events++;
	return 0;
}

fl_time fl_driver_next(const struct fl_driver *d, fl_time now)
{
	fl_time next = d->due ? now : d->wake, soonest;

	if (d->last == FL_TIME_NONE)
		return now;
	if (d->waiting && d->period != FL_NEVER)
		next = fl_amount_min(next, fl_sat_add(d->last, d->period));
	soonest = fl_sat_add(d->last, d->interval);
	next = next < soonest ? soonest : next;
	return next < now ? now : next;
}

static int hand_over(struct fl_driver *d, fl_time now, const struct fl_decisions *decisions,
		     fairlead_error *err)
{
	const struct fl_backend *b = &d->backend;
	int r = 0;

	for (uint32_t i = 0; i < decisions->n && r >= 0; i++) {
		const struct fl_decision *row = &decisions->rows[i];

		if (row->kind == FL_ADMIT)
			r = b->start(b->user, now, row, err);
		else if (row->kind == FL_EVICT && !row->already_evicting)
			r = b->evict(b->user, now, row, err);
	}
	return r < 0 || !b->cycle ? r : b->cycle(b->user, now, decisions, err);
}

static int tell_loops(struct fl_driver *d, fl_time now, fairlead_error *err)
{
	const struct fl_watched_loop *l;
	int r = fl_loop_watch_look(&d->loop_watch, d->ops, d->policy, now, err);

	while (r >= 0 && (l = fl_loop_watch_next(&d->loop_watch)))
		r = d->backend.loop ? d->backend.loop(d->backend.user, now, l, err) : 0;
	return r;
}

int fl_driver_follow(struct fl_driver *d, fl_time now, const struct fl_event *event,
		     struct fl_workload preemptor, fairlead_error *err)
{
	const struct fl_decision row = {
		.kind = event->kind == FL_EV_HOLDS ? FL_ADMIT : FL_EVICT,
		.reason = event->reason,
		.workload = event->workload,
		.preemptor = preemptor,
		.already_evicting = d->ops->state(d->policy, event->workload) == FL_STATE_EVICTING
	};
	const struct fl_decisions decided = { .rows = &row, .n = 1 };
	int r = d->ops->apply(d->policy, now, event, err);

	if (r < 0)
		return r;
	d->due = true;
	d->events++;
	r = fl_loop_watch_decided(&d->loop_watch, now, &decided, err);
	return r < 0 ? r : tell_loops(d, now, err);
}

static int decided(struct fl_driver *d, fl_time now, const struct fl_decisions *decisions,
		   fairlead_error *err)
{
	int r;

	d->cycles++;
	d->heads += decisions->n_heads;
	r = fl_loop_watch_decided(&d->loop_watch, now, decisions, err);
	if (r >= 0)
		r = hand_over(d, now, decisions, err);
	if (r >= 0)
		r = tell_loops(d, now, err);
	d->wake = d->ops->wake(d->policy, now);
	return r;
}

int fl_driver_cycle(struct fl_driver *d, fl_time now, fairlead_error *err)
{
	struct fl_decisions decisions;
	int r = d->ops->step(d->policy, now, d->flags, /* sink= */ NULL, &decisions, err);

	if (r < 0)
		return r;
	d->last = now;
	d->due = decisions.moved;
	d->waiting = decisions.waiting;
	return decided(d, now, &decisions, err);
}

int fl_driver_serve(struct fl_driver *d, fl_time now, struct fl_workload w, fairlead_error *err)
{
	struct fl_decisions decisions;
	int r = d->ops->serve(d->policy, now, w, /* sink= */ NULL, &decisions, err);

	d->due = true;
	return r < 0 ? (r == FAIRLEAD_ESTATE ? 0 : r) : decided(d, now, &decisions, err);
}
