/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/apply.h"
#include "daemon/cluster/scheduler.h"
#include "daemon/cluster/scheduler/confirm.h"
#include "daemon/cluster/scheduler/cycle.h"
#include "daemon/cluster/scheduler/drain.h"
#include "daemon/cluster/scheduler/lead.h"
#include "daemon/cluster/scheduler/moves.h"
#include "daemon/cluster/scheduler/recall.h"
#include "daemon/cluster/scheduler/state.h"
#include "daemon/cluster/scheduler/write.h"

enum { TROUBLE_MS = 10000 };

/* --- what is decided --- */

static int start(void *scheduler, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_scheduler *s = scheduler;
	struct fl_cluster *c = s->o.cluster;
	const struct fl_live *job = fl_generation_job(&c->generation, &c->jobs, d->workload);
	struct fl_intent intent = { .decided = now };
	int r;

	if (!job)
		return 0;
	intent.job = job->id;
	r = fl_recall_text(&c->generation, d->workload, &intent.yielded, err);
	if (r == 0)
		r = fl_intent_of_admission(&c->generation, d->workload, d->cluster_queue, &intent,
					   err);
	return r < 0 ? r : fl_scheduler_intend(s, &intent, err);
}

static int evict(void *scheduler, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_scheduler *s = scheduler;
	struct fl_cluster *c = s->o.cluster;
	const struct fl_live *job = fl_generation_job(&c->generation, &c->jobs, d->workload);
	struct fl_intent intent = { .decided = now, .evicts = true, .reason = d->reason };
	const struct fl_intent *old;
	int r;

	if (!job)
		return 0;
	/* Its admission is under way: the answer says whether there is something to evict. */
	old = fl_intents_find(&s->intents, job->id);
	if (old && old->call && !old->confirms)
		return 0;
	r = fl_recall_text(&c->generation, d->workload, &intent.yielded, err);
	if (r < 0)
		return r;
	intent.job = job->id;
	intent.message = fl_scheduler_why(s, d);
	if (intent.message)
		return fl_scheduler_intend(s, &intent, err);
	free(intent.yielded);
	return fl_fail_nomem(err);
}

/* --- what is heard --- */

/* The job of @o has been told of it already (`heard`). */
static int seen(void *scheduler, const struct fl_mirror_object *o, const char *json, size_t len,
		fairlead_error *err)
{
	struct fl_scheduler *s = scheduler;
	const struct fl_live *job = o->number ? fl_jobs_find(&s->o.cluster->jobs, o->number) : NULL;
	int r = fl_managed_put(&s->managed, o, json, len, err);

	if (r == 0 && job && job->made_of == o)
		r = fl_confirm_seen(s, job, err);
	return r == FAIRLEAD_EINPUT ? 0 : r;
}

static void removed(void *scheduler, const struct fl_mirror_object *o)
{
	struct fl_scheduler *s = scheduler;

	fl_managed_remove(&s->managed, fl_mirror_uid(o));
}

static enum fl_workload_state state_of(const struct fl_cluster *c, const struct fl_live *job)
{
	return job->workload.v == FL_NONE ?
		       FL_STATE_ABSENT :
		       c->generation.ops->state(c->generation.policy, job->workload);
}

static bool knows(void *scheduler, const struct fl_live *job, const struct fl_mirror_object *o,
		  unsigned said)
{
	struct fl_scheduler *s = scheduler;
	const struct fl_intent *intent = fl_intents_find(&s->intents, job->id);
	const enum fl_workload_state state = state_of(s->o.cluster, job);
	fairlead_error none = { 0 };
	bool held = false;

	if (!intent || intent->confirms)
		return false;
	if (intent->evicts)
		return said == FL_SAID_GOES && state == FL_STATE_EVICTING;
	/* Another one may have been first, with other flavors. */
	return said == FL_SAID_HOLDS && state == FL_STATE_ADMITTED &&
	       fl_intent_is_held(intent, o, &held, &none) == 0 && held;
}

static void restructured(void *scheduler, const struct fl_mirror_change *change)
{
	if (fl_scheduler_moves(change))
		fl_scheduler_needs(scheduler);
}

/* Does the policy count what it holds? */
static bool is_counted(const struct fl_cluster *c, const struct fl_live *job)
{
	const struct fl_mirror_object *o = job->made_of;
	const enum fl_fate fate = o ? o->fate : FL_FATE_NONE;

	return (fate != FL_FATE_HOLDS && fate != FL_FATE_GOES) ||
	       state_of(c, job) >= FL_STATE_ADMITTED || state_of(c, job) == FL_STATE_EXCLUDED;
}

static void heard(void *scheduler, const struct fl_live *job)
{
	struct fl_scheduler *s = scheduler;
	struct fl_intent *intent = fl_intents_find(&s->intents, job->id);
	const enum fl_workload_state state = state_of(s->o.cluster, job);
	const struct fl_mirror_object *o = job->made_of;
	const enum fl_fate fate = o ? o->fate : FL_FATE_NONE;

	if (!is_counted(s->o.cluster, job)) {
		s->o.cluster->changed = true;
		fl_scheduler_needs(s);
	}
	fl_scheduler_soon(s);
	if (!intent || intent->confirms)
		return;
	if (fate == (intent->evicts ? FL_FATE_GOES : FL_FATE_HOLDS)) {
		s->writes[FL_WRITTEN_DONE]++;
		fl_decision_events_put(s, intent, o);
	} else if (state == (intent->evicts ? FL_STATE_EVICTING : FL_STATE_ADMITTED) &&
		   fate != FL_FATE_NONE)
		return;
	fl_intents_close(&s->intents, intent);
}

/* A generation has all that wait. */
static int leave_refused(struct fl_scheduler *s)
{
	struct fl_cluster *c = s->o.cluster;
	int r = 0;

	for (uint32_t i = 0; i < s->refused.n && r >= 0; i++) {
		struct fl_live *job = fl_jobs_find(&c->jobs, s->refused.rows[i].job);
		const struct fl_mirror_object *o = job ? job->made_of : NULL;

		if (s->refused.rows[i].out && o && o->fate == FL_FATE_WAITS)
			r = fl_cluster_leave_out(c, job);
		c->changed |= r > 0;
	}
	return r < 0 ? r : 0;
}

static int renewed(void *scheduler, fairlead_error *err)
{
	struct fl_scheduler *s = scheduler;
	struct fl_cluster *c = s->o.cluster;
	int r = 0;

	for (struct fl_intent *i = s->intents.first, *later; i && r >= 0; i = later) {
		const struct fl_live *job = fl_jobs_find(&c->jobs, i->job);
		const enum fl_workload_state state = job ? state_of(c, job) : FL_STATE_ABSENT;

		later = i->later;
		if (!job || state == FL_STATE_ABSENT || state == FL_STATE_EXCLUDED)
			continue; /* it is dropped when it would be sent (write.c) */
		if (state == (i->evicts ? FL_STATE_EVICTING : FL_STATE_ADMITTED))
			continue;
		r = fl_intent_impose(c, i, job, err);
		if (r > 0)
			fl_cluster_log(
				c,
				"what was decided for %s/%s has no place in the cluster as it is now",
				fl_mirror_namespace(job->made_of), fl_mirror_name(job->made_of));
	}
	if (r >= 0)
		r = leave_refused(s);
	if (r >= 0 && s->stage == FL_SCHEDULER_DECIDES && (r = fl_recall_all(s, err)) == 0 &&
	    (r = fl_rings_look(s, err)) == 0 && (r = fl_scheduler_drain(s, err)) == 0)
		r = fl_confirm_all(s, err);
	for (uint32_t i = 0; i < c->jobs.n && c->changed; i++)
		if (!is_counted(c, &c->jobs.rows[i]))
			s->needed = c->generations + 2; /* not this one, which is not counted yet */
	fl_scheduler_soon(s);
	return r < 0 ? r : fl_stopped_look(s, err);
}

/* Why nothing will be decided; what cannot be written, once it has lasted; or the trees in which nothing is decided. */
static const char *problem(void *scheduler)
{
	struct fl_scheduler *s = scheduler;
	const char *unable = fl_scheduler_unable(s);

	if (!unable)
		unable = fl_scheduler_starves(s);
	if (unable)
		return unable;
	if (s->refusals >= FL_SCHEDULER_REFUSALS &&
	    (s->intents.first || fl_refused_any(&s->refused)))
		return s->refusal;
	if (s->troubled && uv_now(s->o.cluster->o.loop) - s->troubled >= TROUBLE_MS)
		return s->trouble;
	return s->stopped.trees ? s->stopped.text : NULL;
}

static void writing(const void *scheduler, struct fl_daemon_writing *ret)
{
	const struct fl_scheduler *s = scheduler;
	const struct fl_intent *first = s->intents.first;

	*ret = (struct fl_daemon_writing){
		.leads = s->lease && fl_kube_lease_leads(s->lease),
		.intents = s->intents.n,
		.stopped = s->stopped.trees,
		.oldest = first ? (fl_time)(uv_now(s->o.cluster->o.loop) - first->begun) *
					  (FL_SECOND / 1000) :
				  0,
	};
	memcpy(ret->writes, s->writes, sizeof ret->writes);
	memcpy(ret->tellings, s->tellings, sizeof ret->tellings);
}

/* --- its life --- */

static void soon(void *scheduler)
{
	struct fl_scheduler *s = scheduler;
	fairlead_error err = { 0 };

	if (fl_lead_begin(s, &err) < 0)
		fl_cluster_break(s->o.cluster, &err);
	fl_scheduler_soon(s);
}

int fl_scheduler_new(const struct fl_scheduler_options *options, struct fl_scheduler **ret,
		     fairlead_error *err)
{
	struct fl_scheduler *s = calloc(1, sizeof *s);

	if (!s || !(s->timers = calloc(1, sizeof *s->timers))) {
		free(s);
		return fl_fail_nomem(err);
	}
	s->o = *options;
	s->told = (struct fl_cluster_scheduler){ .seen = seen,
						 .removed = removed,
						 .knows = knows,
						 .restructured = restructured,
						 .heard = heard,
						 .renewed = renewed,
						 .start = start,
						 .evict = evict,
						 .soon = soon,
						 .problem = problem,
						 .writing = writing,
						 .user = s };
	(void)uv_timer_init(s->o.cluster->o.loop, &s->timers->cycle);
	(void)uv_timer_init(s->o.cluster->o.loop, &s->timers->write);
	s->timers->cycle.data = s->timers->write.data = s;
	fl_cluster_decide(s->o.cluster, &s->told);
	*ret = s;
	return 0;
}

void fl_scheduler_close(struct fl_scheduler *s, void (*closed)(void *user), void *user)
{
	s->closing = true;
	s->closed = closed;
	s->closed_user = user;
	(void)uv_timer_stop(&s->timers->write);
	fl_lead_end(s);
}

static void close_write(uv_handle_t *cycle)
{
	/* The second of two handles frees both. */
	free(cycle->data);
}

static void close_cycle(uv_handle_t *cycle)
{
	struct fl_scheduler_timers *timers = cycle->data;

	timers->write.data = timers;
	uv_close((uv_handle_t *)&timers->write, close_write);
}

struct fl_scheduler *fl_scheduler_free(struct fl_scheduler *s)
{
	if (!s)
		return NULL;
	fl_cluster_decide(s->o.cluster, NULL);
	(void)uv_timer_stop(&s->timers->write);
	(void)uv_timer_stop(&s->timers->cycle);
	if (s->lease_changes)
		fl_kube_reflector_free(s->lease_changes);
	fl_kube_lease_free(s->lease);
	fl_intents_done(&s->intents);
	fl_managed_done(&s->managed);
	fl_refused_done(&s->refused);
	fl_rings_done(&s->rings);
	fl_decision_events_done(&s->decision_events);
	s->timers->cycle.data = s->timers;
	uv_close((uv_handle_t *)&s->timers->cycle, close_cycle);
	free(s);
	return NULL;
}
