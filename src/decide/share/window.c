/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/window.h"

#include "base/time.h"

static fl_time tumbling_start(const struct fl_usage_window *w, fl_time now)
{
	fl_time since = fl_time_minus(now, w->first);

	if (since < 0)
		return now;
	if (since == 0)
		return w->first;
	return w->first + (since - 1) / w->length * w->length;
}

static fl_time cron_start(const struct fl_cron *c, fl_time now)
{
	fl_time third = now, farthest, last = fl_cron_before(c, now);

	for (int i = 0; i < 3 && third != FL_NEVER; i++)
		third = fl_cron_after(c, third);
	farthest = fl_time_minus(now, fl_time_minus(third, now));
	return last > farthest ? last : farthest;
}

fl_time fl_window_start(const struct fl_usage_window *w, fl_time now)
{
	switch (w->kind) {
	case FL_WINDOW_TUMBLING:
		return tumbling_start(w, now);
	case FL_WINDOW_CRON:
		return cron_start(&w->cron, now);
	case FL_WINDOW_SLIDING:
		break;
	}
	return fl_time_minus(now, w->length);
}

/*
 * Sliding and tumbling windows start later and later.  So does a cron window, except at the exact
 * times of its schedule: there the third next time may be farther ahead than before.  It never
 * starts before the last time of the schedule before now.
 */
fl_time fl_window_oldest(const struct fl_usage_window *w, fl_time now)
{
	return w->kind == FL_WINDOW_CRON ? fl_cron_before(&w->cron, now) : fl_window_start(w, now);
}
