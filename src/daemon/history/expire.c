/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/history/expire.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/store.h"

enum { FIRST_MS = 60 * 1000, HOUR_MS = 3600 * 1000, MORE_MS = 100, GONE = 8192 };

struct fl_expiry {
	struct fl_upkeep_options o;
	uv_timer_t timer;
	uv_work_t work;
	bool working;
	struct fl_retention keep;
	uint64_t gone[GONE];
	uint32_t n_gone;
	int result;
	fairlead_error error;
	void (*closed)(void *user);
	void *closed_user;
};

/* On the thread. */
static void is_gone(void *user, uint64_t job)
{
	struct fl_expiry *e = user;

	if (e->n_gone < GONE)
		e->gone[e->n_gone++] = job;
}

static void expire(uv_work_t *work)
{
	struct fl_expiry *e = work->data;

	e->result = fl_store_expire(e->o.daemon->store, &e->keep, &e->error);
}

static void freed(uv_handle_t *handle)
{
	struct fl_expiry *e = handle->data;

	e->closed(e->closed_user);
	free(e);
}

static void begin(uv_timer_t *timer);

static void after(uv_work_t *work, int status)
{
	struct fl_expiry *e = work->data;

	(void)status;
	e->working = false;
	for (uint32_t i = 0; i < e->n_gone && e->result >= 0 && e->o.gone;
	     i++) /* otherwise the rows still exist */
		e->o.gone(e->o.user, e->gone[i]);
	e->n_gone = 0;
	if (e->closed)
		uv_close((uv_handle_t *)&e->timer, freed);
	else
		(void)uv_timer_start(&e->timer, begin, e->result > 0 ? MORE_MS : HOUR_MS, 0);
}

static void begin(uv_timer_t *timer)
{
	struct fl_expiry *e = timer->data;
	const struct fl_daemon_settings *s = fl_daemon_settings_of(e->o.daemon);
	fl_time now = fl_clock_now(&e->o.daemon->clock);

	e->keep = (struct fl_retention){ .events_before = now - s->keep_events,
					 .usage_before = now - s->keep_exact,
					 .hours_before = fl_sat_sub(now, s->keep_hours),
					 .days_before = fl_sat_sub(now, s->keep_days),
					 .jobs_before = now - s->keep_jobs,
					 .gone = is_gone,
					 .user = e };
	if (e->o.expiring)
		e->o.expiring(e->o.user, e->keep.jobs_before);
	e->work.data = e;
	e->working = uv_queue_work(timer->loop, &e->work, expire, after) == 0;
	if (!e->working)
		(void)uv_timer_start(&e->timer, begin, HOUR_MS, 0);
}

int fl_expiry_new(const struct fl_upkeep_options *options, struct fl_expiry **ret,
		  fairlead_error *err)
{
	struct fl_expiry *e = calloc(1, sizeof *e);

	if (!e)
		return fl_fail_nomem(err);
	e->o = *options;
	(void)uv_timer_init(e->o.loop, &e->timer);
	e->timer.data = e;
	(void)uv_timer_start(&e->timer, begin, FIRST_MS, 0);
	*ret = e;
	return 0;
}

void fl_expiry_close(struct fl_expiry *e, void (*closed)(void *user), void *user)
{
	e->closed = closed;
	e->closed_user = user;
	if (!e->working)
		uv_close((uv_handle_t *)&e->timer, freed);
}
