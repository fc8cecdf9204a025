/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/view.h"

#include <inttypes.h>

#include "daemon/machine/adopt.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/inside.h"
#include "daemon/metrics/metrics_render.h"

const struct fl_live *fl_core_job(const struct fl_core *c, uint64_t id)
{
	return fl_jobs_find(&c->jobs, id);
}

const char *fl_core_word(const struct fl_core *c, struct fl_sym word)
{
	return fl_names_text(&c->jobs.names, word);
}

const char *fl_core_reason(const struct fl_core *c, const struct fl_live *job, char *buffer,
			   size_t size)
{
	struct fl_living living = fl_core_living(c);

	return fl_live_reason(&living, job, buffer, size);
}

struct fl_living fl_core_living(const struct fl_core *c)
{
	return (struct fl_living){ .config = c->config,
				   .capacity = &c->capacity,
				   .jobs = &c->jobs,
				   .generation = &c->generation };
}

void fl_core_view(const struct fl_core *c, struct fl_live_view *ret)
{
	struct fl_living living = fl_core_living(c);
	fl_time now = fl_clock_now(&c->clock);

	fl_live_view_of(&living, now < c->at ? c->at : now, ret);
}

int fl_core_try(struct fl_core *c, const struct fl_config *config, struct fl_live_view *ret,
		fairlead_error *err)
{
	struct fl_live_view is;

	fl_core_view(c, &is);
	return fl_live_view_try(&is, &c->jobs, config, ret, err);
}

void fl_core_figures(const struct fl_core *c, struct fl_metrics_now *ret)
{
	struct fl_store_damage damage;

	fl_core_view(c, &ret->view);
	fl_store_damaged(c->store, &damage);
	ret->started = c->started;
	ret->store_bytes = fl_store_bytes(c->store);
	ret->store_damaged = damage.total;
	ret->store_cut = damage.cut;
	ret->store_fails = fl_core_problem(c) != NULL;
	ret->restored = fl_core_warning(c) != NULL;
}

struct fl_store *fl_core_store(const struct fl_core *c) { return c->store; }
const struct fl_config *fl_core_config(const struct fl_core *c) { return c->config; }
struct fl_metrics *fl_core_metrics(const struct fl_core *c) { return c->metrics; }
const struct fl_clock *fl_core_clock(const struct fl_core *c) { return &c->clock; }
fl_time fl_core_started(const struct fl_core *c) { return c->started; }

struct one {
	uint64_t id;
	fl_job_fn *fn;
	void *user;
	bool there;
};

static int see_one(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct one *one = user;

	if (row->id != one->id)
		return 0;
	one->there = true;
	if (row->damaged)
		return fl_fail(err, FAIRLEAD_EINPUT, "job %" PRIu64 " is damaged", row->id);
	return one->fn(one->user, row, err);
}

int fl_core_row(const struct fl_core *c, uint64_t id, fl_job_fn *fn, void *user,
		fairlead_error *err)
{
	const struct fl_job_filter filter = {
		.after = id - 1, .limit = 1, .without_spec = true, .damaged = true
	};
	struct one one = { id, fn, user, false };
	int r = fl_store_jobs(c->store, &filter, see_one, &one, err);

	return r < 0 || one.there ? r :
				    fl_fail(err, FAIRLEAD_ENOENT, "there is no job %" PRIu64, id);
}

struct fl_host *fl_core_host(const struct fl_core *c, const struct fl_backend_ops **ret)
{
	*ret = c->backend;
	return c->host;
}

const struct fl_daemon_settings *fl_core_settings(const struct fl_core *c)
{
	return fl_config_settings(c->config);
}

const struct fl_daemon_settings *fl_core_start_settings(const struct fl_core *c)
{
	return &c->start_settings;
}

void fl_core_follow(struct fl_core *c, struct fl_follower *f)
{
	fl_followers_join(&c->followers, f);
}

void fl_core_unfollow(struct fl_core *c, struct fl_follower *f)
{
	fl_followers_leave(&c->followers, f);
}

void fl_core_unwritten(const struct fl_core *c,
		       void (*fn)(void *user, const struct fl_event_row *row), void *user)
{
	const struct fl_gather *const both[] = { c->writing, c->gather };

	for (int i = 0; i < 2; i++)
		for (uint32_t e = 0; both[i] && e < both[i]->rows.n_events; e++)
			fn(user, &both[i]->rows.events[e]);
}
