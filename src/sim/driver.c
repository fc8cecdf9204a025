/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/driver.h"

void fl_driver_init(struct fl_driver *d, const struct fl_policy_ops *ops, struct fl_policy *policy,
		    const struct fl_backend *backend, fl_time interval, fl_time period)
{
	*d = (struct fl_driver){ .ops = ops,
				 .policy = policy,
				 .backend = *backend,
				 .interval = interval,
				 .period = period,
				 .last = FL_TIME_NONE,
				 .wake = FL_NEVER,
				 .due = true };
}

int fl_driver_apply(struct fl_driver *d, fl_time now, const struct fl_event *event,
		    fairlead_error *err)
{
	int r = d->ops->apply(d->policy, now, event, err);

	if (r < 0)
		return r;
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

int fl_driver_cycle(struct fl_driver *d, fl_time now, fairlead_error *err)
{
	struct fl_decisions decisions;
	int r = d->ops->step(d->policy, now, /* flags= */ 0, /* sink= */ NULL, &decisions, err);

	if (r < 0)
		return r;
	d->last = now;
	d->due = decisions.moved;
	d->waiting = decisions.waiting;
	d->cycles++;
	d->heads += decisions.n_heads;
	r = hand_over(d, now, &decisions, err);
	d->wake = d->ops->wake(d->policy, now);
	return r;
}
