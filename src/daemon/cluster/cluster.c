/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/apply.h"
#include "daemon/cluster/before.h"
#include "daemon/cluster/capacity.h"
#include "daemon/cluster/configuration.h"
#include "daemon/cluster/daemon.h"
#include "daemon/cluster/decided.h"
#include "daemon/cluster/heard.h"
#include "daemon/cluster/kai.h"
#include "daemon/cluster/maker.h"
#include "daemon/cluster/scheduler.h"

enum { SPARE = 256 /* places for newcomers, beside a sixteenth of what is there */ };

/* --- messages --- */

void fl_cluster_log(const struct fl_cluster *c, const char *format, ...)
{
	char line[1400];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (c->o.log)
		c->o.log(c->o.user, line);
}

void fl_cluster_break(struct fl_cluster *c, const fairlead_error *err)
{
	fairlead_error why = *err;

	if (!why.text[0])
		(void)fl_fail_nomem(&why);
	if (!c->broken && c->o.broken)
		c->o.broken(c->o.user, &why);
	c->broken = true;
}

void fl_cluster_drop_over(struct fl_cluster *c, uint32_t over)
{
	if (c->jobs.n_over <= over)
		return;
	fl_jobs_drop(&c->jobs, /* may= */ NULL, /* user= */ NULL);
	if (!c->drafter.draft && !c->drafter.making)
		fl_jobs_forget_names(&c->jobs);
}

/* --- generations --- */

static struct fl_generation_options options_of(const struct fl_cluster *c)
{
	return (struct fl_generation_options){
		.config = c->next_config ? c->next_config : c->config,
		.capacity = &c->nothing,
		.now = fl_clock_now(&c->daemon.clock),
		.up_to = UINT64_MAX,
		.backend = &c->backend,
		.maker = &c->maker,
		.still = c->dialect == FL_DIALECT_KAI, /* KAI's usage is in a database of its own */
		.spare = c->dialect == FL_DIALECT_KAI ? 0 : c->jobs.n / 16 + SPARE,
		.ours = c->scheduler != NULL,
	};
}

/* Generations and their configurations take a quarter of the time at most. */
static void rest(struct fl_cluster *c, uint64_t took)
{
	c->rest = uv_hrtime() + 3 * (c->configuring + took);
}

/*
 * A configuration that is refused leaves the old one in force.  Before the first view there is none: 1, nothing can
 * be made yet.
 */
static int configure(struct fl_cluster *c, fairlead_error *err)
{
	fairlead_error own = { 0 };
	int r;

	c->restructured = false;
	r = fl_cluster_configure(c, &c->next_config, &own);
	c->configuring = uv_hrtime() - c->begun;
	if (r == FAIRLEAD_ENOMEM)
		*err = own;
	c->outdated &= r != 0;
	if (r == 0 || r == FAIRLEAD_ENOMEM)
		return r;
	fl_cluster_refuse(c, &own);
	c->outdated = true;
	c->stuck = !c->viewed;
	rest(c, /* took= */ 0);
	return c->stuck;
}

static int begin_draft(struct fl_cluster *c, fairlead_error *err)
{
	const bool with_old = c->with_old;
	struct fl_generation_options o;
	int r = 0;

	c->begun = uv_hrtime();
	c->configuring = 0;
	c->with_old = false;
	c->heard &= with_old;
	if (!with_old && (c->restructured || c->stuck || !c->viewed))
		r = configure(c, err);
	c->changed = false;
	if (r)
		return r;
	c->n_since = 0;
	o = options_of(c);
	return fl_drafter_begin(&c->drafter, &o, &c->jobs, /* aside= */ true, err);
}

/* It is told what has changed since it was begun; what the scheduler decides is compared by it. */
static int go_on_with(struct fl_cluster *c, const struct fl_generation *next, fairlead_error *err)
{
	struct fl_generation old = c->generation;
	struct fl_agreement *agreement = c->agreement;
	int r;

	c->generation = *next;
	c->agreement = NULL; /* it has heard all that */
	r = c->dialect == FL_DIALECT_KAI ? fl_cluster_catch_up_kai(c, err) :
					   fl_cluster_catch_up(c, err);
	c->changed |= r > 0;
	if (r >= 0 && c->scheduler)
		r = c->scheduler->renewed(c->scheduler->user, err);
	if (r >= 0)
		r = fl_cluster_agree(c, agreement, err);
	else
		fl_agreement_free(agreement);
	fl_generation_done(&old);
	return r;
}

/*
 * No policy takes these objects: what there was stays.  Workloads that need a generation get one with the
 * configuration of before; all of it is tried again after the next change.
 */
static void refuse_draft(struct fl_cluster *c, const fairlead_error *err)
{
	fl_cluster_refuse(c, err);
	c->stuck = true;
	c->with_old = c->next_config && c->viewed;
	c->changed |= c->with_old;
	c->next_config = fl_config_free(c->next_config);
}

/* 1: it is refused. */
static int take_draft(struct fl_cluster *c, fairlead_error *err)
{
	const struct fl_generation_options o = options_of(c);
	const uint64_t began = uv_hrtime();
	struct fl_generation next = { 0 };
	int r = fl_drafter_take(&c->drafter, &o, &c->jobs, &next, err);

	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT) {
		refuse_draft(c, err);
		rest(c, uv_hrtime() - began + c->drafter.took);
		return 1;
	}
	if (r < 0)
		return r;
	if (c->next_config) /* what was until now is summed up with the queues as they were */
		fl_upkeep_cut(c->upkeep, fl_clock_now(&c->daemon.clock));
	r = go_on_with(c, &next, err);
	if (r >= 0 && (c->next_config || !c->viewed))
		r = fl_cluster_note_capacity(c, err);
	fl_metrics_generation(c->daemon.metrics, (fl_time)(uv_hrtime() - c->begun));
	if (c->next_config) {
		fl_config_free(c->config);
		c->config = c->next_config;
		c->next_config = NULL;
		c->stuck = false;
		if (!c->own_refused)
			c->refused[0] = '\0';
	}
	if (r < 0)
		return r;
	fl_cluster_drop_over(c, 0);
	c->generations++;
	c->version++;
	rest(c, uv_hrtime() - began + c->drafter.took);
	return 0;
}

static bool all_listed(const struct fl_cluster *c)
{
	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++)
		if (!c->listed[k] && fl_mirror_reads(c->dialect, k))
			return false;
	return true;
}

static void on_second(uv_timer_t *timer)
{
	struct fl_cluster *c = timer->data;
	fairlead_error err = { 0 };

	if (c->agreement && !c->broken &&
	    fl_agreement_pass(c->agreement, fl_clock_now(&c->daemon.clock), &err) < 0)
		fl_cluster_break(c, &err);
}

static int be_viewed(struct fl_cluster *c, fairlead_error *err)
{
	const struct fl_upkeep_options upkeep = { .loop = c->o.loop, .daemon = &c->daemon };

	if (c->viewed)
		return 0;
	(void)uv_timer_start(&c->second, on_second, 1000, 1000);
	c->viewed = true;
	if (c->o.ready)
		c->o.ready(c->o.user);
	return fl_upkeep_new(&upkeep, &c->upkeep, err);
}

static void end_draft(struct fl_cluster *c)
{
	fairlead_error err = { 0 };
	int r = take_draft(c, &err);

	if (r < 0) {
		fl_cluster_break(c, &err);
		return;
	}
	if (r == 0 && be_viewed(c, &err) < 0)
		fl_cluster_break(c, &err);
	fl_cluster_soon(c);
}

static bool wants_draft(const struct fl_cluster *c)
{
	return c->ready && (c->changed || c->restructured || (c->stuck ? c->heard : !c->viewed)) &&
	       !c->drafter.making && !c->drafter.draft && !c->closing && !c->broken;
}

static void on_soon(uv_timer_t *timer)
{
	struct fl_cluster *c = timer->data;
	fairlead_error err = { 0 };
	const uint64_t now = uv_hrtime();
	int r;

	if (!c->closing && !c->broken && fl_cluster_tell_gangs(c, &err) < 0)
		fl_cluster_break(c, &err);
	if (!wants_draft(c))
		return;
	if (now < c->rest) {
		(void)uv_timer_start(timer, on_soon, (c->rest - now) / 1000000 + 1, 0);
		return;
	}
	r = begin_draft(c, &err);
	if (r < 0)
		fl_cluster_break(c, &err);
	else if (r == 0 && !c->drafter.making)
		end_draft(c); /* without a thread it is made when it is taken */
}

void fl_cluster_soon(struct fl_cluster *c)
{
	const bool kai = c->dialect == FL_DIALECT_KAI;

	if (c->scheduler)
		c->scheduler->soon(c->scheduler->user);
	if ((kai ? !c->closing : wants_draft(c)) && !uv_is_active((uv_handle_t *)&c->soon))
		(void)uv_timer_start(&c->soon, on_soon, kai && c->viewed ? FL_KAI_TOGETHER : 0, 0);
}

static void tell_drafted(void *cluster)
{
	struct fl_cluster *c = cluster;

	(void)uv_async_send(&c->drafted);
}

static void on_drafted(uv_async_t *async)
{
	struct fl_cluster *c = async->data;

	if (fl_drafter_finish(&c->drafter) && !c->closing)
		end_draft(c);
}

/* --- what was heard --- */

/*
 * Without memory a change may be in the jobs or the policy in part: there is no going on.  What is wrong with an object
 * costs that object.
 */
static int heard(struct fl_cluster *c, enum fl_mirror_kind kind, int r, const fairlead_error *err)
{
	if (r == 0)
		return 0;
	if (r == FAIRLEAD_ENOMEM) {
		fl_cluster_break(c, err);
		return r;
	}
	fl_cluster_log(c, "an object of %s cannot be read: %s%s%s", fl_mirror_kind(kind)->plural,
		       err->subject, err->subject[0] ? ": " : "", err->text);
	return 0;
}

void fl_cluster_decide(struct fl_cluster *c, const struct fl_cluster_scheduler *s)
{
	c->scheduler = s;
}

void fl_cluster_serves(struct fl_cluster *c, enum fl_dialect dialect) { c->dialect = dialect; }

void fl_cluster_begun(struct fl_cluster *c, enum fl_mirror_kind kind, const char *version)
{
	fl_mirror_begin(c->mirror, kind, version);
}

static int seen(struct fl_cluster *c, enum fl_mirror_kind kind, int r, const char *json, size_t len,
		fairlead_error *err)
{
	fairlead_error own = { 0 };

	if (r >= 0 && c->scheduler && kind == FL_MIRROR_WORKLOAD &&
	    c->scheduler->seen(c->scheduler->user, fl_mirror_latest(c->mirror), json, len, &own) <
		    0)
		return heard(c, kind, FAIRLEAD_ENOMEM, &own);
	return heard(c, kind, r, err);
}

int fl_cluster_seen(struct fl_cluster *c, enum fl_mirror_kind kind, const char *json, size_t len,
		    fairlead_error *err)
{
	return seen(c, kind, fl_mirror_see(c->mirror, kind, json, len, err), json, len, err);
}

int fl_cluster_answered(struct fl_cluster *c, const char *json, size_t len, fairlead_error *err)
{
	const enum fl_mirror_kind kind = FL_MIRROR_WORKLOAD;

	return seen(c, kind, fl_mirror_answer(c->mirror, kind, json, len, err), json, len, err);
}

int fl_cluster_too_large(struct fl_cluster *c, enum fl_mirror_kind kind, const char *namespace,
			 const char *name, const char *uid, fairlead_error *err)
{
	fl_cluster_log(c, "%s %s%s%s is too large to be read", fl_mirror_kind(kind)->name,
		       namespace, *namespace ? "/" : "", name);
	return heard(c, kind, fl_mirror_too_large(c->mirror, kind, namespace, name, uid, err), err);
}

int fl_cluster_removed(struct fl_cluster *c, enum fl_mirror_kind kind, const char *namespace,
		       const char *name, fairlead_error *err)
{
	return heard(c, kind, fl_mirror_remove(c->mirror, kind, namespace, name, err), err);
}

void fl_cluster_listed(struct fl_cluster *c, enum fl_mirror_kind kind)
{
	fairlead_error err = { 0 };
	int r = fl_mirror_listed(c->mirror, kind, &err);

	if (r == 0)
		c->listed[kind] = true;
	if (r == 0 && !c->ready && all_listed(c)) {
		c->ready = true;
		r = fl_cluster_take_in(c, &err);
		fl_kept_watches(c);
	}
	if (r < 0)
		fl_cluster_break(c, &err);
	else
		fl_cluster_soon(c);
}

void fl_cluster_troubled(struct fl_cluster *c, const char *why)
{
	(void)snprintf(c->trouble, sizeof c->trouble, "%s", why ? why : "");
}

/* --- the state --- */

bool fl_cluster_is_ready(const struct fl_cluster *c) { return c->viewed; }
const struct fl_mirror *fl_cluster_mirror(const struct fl_cluster *c) { return c->mirror; }

bool fl_cluster_is_settled(const struct fl_cluster *c)
{
	return c->viewed && !c->changed && !c->restructured && !c->stuck && !c->drafter.draft;
}

void fl_cluster_counts(const struct fl_cluster *c, uint64_t *ret_generations, uint64_t *ret_events)
{
	*ret_generations = c->generations;
	*ret_events = c->events;
}

const struct fl_live *fl_cluster_find(const struct fl_cluster *c, const char *namespace,
				      const char *name)
{
	const bool kai = c->dialect == FL_DIALECT_KAI;
	const struct fl_mirror_object *o = fl_mirror_find(
		c->mirror, kai ? FL_MIRROR_POD_GROUP : FL_MIRROR_WORKLOAD, namespace, name);

	const struct fl_live *job = o && o->number ? fl_jobs_find(&c->jobs, o->number) : NULL;

	return job && !fl_job_is_over(job->state) ? job : NULL;
}

const struct fl_mirror_object *fl_cluster_object(const struct fl_cluster *c,
						 const struct fl_live *job)
{
	(void)c;
	return job->made_of;
}

/* --- beginning and end --- */

/* Until the cluster was read: the settings of the command line, and no objects. */
static int begin_empty(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_generation_options o;
	int r = fl_cluster_configure(c, &c->config, err);

	if (r < 0)
		return r;
	c->daemon.start_settings = *fl_config_settings(c->config);
	o = options_of(c);
	o.maker = NULL;
	return fl_generation_new(&o, &c->jobs, &c->generation, err);
}

/* Times are those of the API: until its server says what time it is, that is guessed. */
static int open_store(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_store_options o = c->o.store ? *c->o.store :
						 (struct fl_store_options){ .create = true };
	int r;

	o.folder = c->o.state;
	if (asprintf(&c->agreement_folder, "%s/agreement", c->o.state) < 0) {
		c->agreement_folder = NULL;
		return fl_fail_nomem(err);
	}
	r = fl_store_open(&o, &c->daemon.store, err);
	if (r < 0)
		return r;
	c->daemon.clock.follows = true;
	fl_clock_begin(&c->daemon.clock, &(struct fl_clock_past){ 0 });
	return fl_kept_begin(c, err);
}

static int begin_jobs(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_asks asks;
	int r = fl_jobs_init(&c->jobs, err);

	memset(&asks, 0, sizeof asks);
	asks.tasks = 1;
	return r < 0 ? r : fl_jobs_find_asks(&c->jobs, &asks, &c->no_asks, err);
}

int fl_cluster_new(const struct fl_cluster_options *options, struct fl_cluster **ret,
		   fairlead_error *err)
{
	struct fl_cluster *c = calloc(1, sizeof *c);
	int r;

	if (!c)
		return fl_fail_nomem(err);
	c->o = *options;
	c->backend = fl_cluster_backend(c);
	c->drafter.told = tell_drafted;
	c->drafter.user = c;
	fl_cluster_begin_daemon(c);
	fl_times_init(&c->times);
	fl_cluster_maker(c, &c->maker);
	c->dialect = FL_DIALECT_KUEUE;
	if ((r = fl_cluster_kai_begin(c, err)) < 0 ||
	    (r = fl_mirror_new(fl_cluster_hear, c, &c->mirror, err)) < 0 ||
	    (r = begin_jobs(c, err)) < 0 || (r = open_store(c, err)) < 0 ||
	    (r = begin_empty(c, err)) < 0 ||
	    (r = fl_metrics_new(c->daemon.start_settings.metrics_queues, &c->daemon.metrics, err)) <
		    0) {
		fl_cluster_free(c);
		return r;
	}
	c->drafted.data = c->soon.data = c->second.data = c->kept.timer.data = c;
	if (uv_async_init(c->o.loop, &c->drafted, on_drafted) ||
	    uv_timer_init(c->o.loop, &c->soon) || uv_timer_init(c->o.loop, &c->second) ||
	    uv_timer_init(c->o.loop, &c->kept.timer)) {
		fl_cluster_free(c);
		return fl_fail(err, FAIRLEAD_EIO, "the loop takes no more handles");
	}
	c->open_handles = 4;
	c->daemon.started = fl_clock_now(&c->daemon.clock);
	*ret = c;
	return 0;
}

static void on_closed(uv_handle_t *handle)
{
	struct fl_cluster *c = handle->data;

	if (--c->open_handles == 0 && c->closed)
		c->closed(c->closed_user);
}

static void close_handles(void *cluster)
{
	struct fl_cluster *c = cluster;

	uv_close((uv_handle_t *)&c->drafted, on_closed);
	uv_close((uv_handle_t *)&c->soon, on_closed);
	uv_close((uv_handle_t *)&c->second, on_closed);
	fl_kept_close(c, on_closed);
}

void fl_cluster_close(struct fl_cluster *c, void (*closed)(void *user), void *user)
{
	struct fl_upkeep *upkeep = c->upkeep;

	c->closing = true;
	c->closed = closed;
	c->closed_user = user;
	c->upkeep = NULL;
	fl_drafter_drop(&c->drafter);
	if (upkeep)
		fl_upkeep_close(upkeep, close_handles, c);
	else
		close_handles(c);
}

struct fl_cluster *fl_cluster_free(struct fl_cluster *c)
{
	if (!c)
		return NULL;
	fl_drafter_drop(&c->drafter);
	fl_agreement_free(c->agreement);
	free(c->agreement_folder);
	fl_generation_done(&c->generation);
	fl_config_free(c->config);
	fl_config_free(c->next_config);
	fl_jobs_done(&c->jobs);
	free(c->since);
	fl_before_free(c->before);
	fl_kept_done(&c->kept);
	fl_cluster_own_done(&c->own);
	fl_cluster_kai_done(c);
	fl_mirror_free(c->mirror);
	fl_metrics_free(c->daemon.metrics);
	fl_store_close(c->daemon.store);
	free(c);
	return NULL;
}
