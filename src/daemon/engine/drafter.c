/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/drafter.h"

static void settle(struct fl_drafter *d)
{
	if (d->making)
		(void)uv_thread_join(&d->thread);
	d->making = false;
}

void fl_drafter_drop(struct fl_drafter *d)
{
	settle(d);
	d->draft = fl_draft_free(d->draft);
}

static void make_on_thread(void *drafter)
{
	struct fl_drafter *d = drafter;
	uint64_t began = uv_hrtime();

	fl_draft_make(d->draft);
	d->took += uv_hrtime() - began;
	atomic_store(&d->made, true);
	d->told(d->user);
}

int fl_drafter_begin(struct fl_drafter *d, const struct fl_generation_options *options,
		     const struct fl_jobs *jobs, bool aside, fairlead_error *err)
{
	uint64_t began = uv_hrtime();
	int r;

	fl_drafter_drop(d);
	r = fl_draft_new(options, jobs, &d->draft, err);
	if (r < 0 || !aside)
		return r;
	atomic_store(&d->made, false);
	d->took = uv_hrtime() - began;
	d->making = uv_thread_create(&d->thread, make_on_thread, d) == 0;
	return 0;
}

bool fl_drafter_finish(struct fl_drafter *d)
{
	if (!d->making || !atomic_load(&d->made))
		return false; /* the error of a draft that was dropped */
	settle(d);
	return true;
}

int fl_drafter_take(struct fl_drafter *d, const struct fl_generation_options *options,
		    struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err)
{
	int r;

	settle(d);
	r = fl_draft_take(d->draft, options, jobs, ret, err);
	fl_drafter_drop(d);
	return r;
}
