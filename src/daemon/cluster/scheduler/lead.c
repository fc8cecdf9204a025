/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/lead.h"

#include <stdio.h>

#include "daemon/cluster/apply.h"
#include "daemon/cluster/scheduler/confirm.h"
#include "daemon/cluster/scheduler/drain.h"
#include "daemon/cluster/scheduler/recall.h"

#define LEASE "fairlead"

enum { RELEASE_MS = 3000, CLOSE_LOOK_MS = 20 };

/* What was decided and never sent, or may have been sent by a lease before: the API says what came of it. */
static void revert_all(struct fl_scheduler *s)
{
	struct fl_cluster *c = s->o.cluster;
	fairlead_error err = { 0 };
	int r = 0;

	while (s->intents.first && r >= 0) {
		struct fl_live *job = fl_jobs_find(&c->jobs, s->intents.first->job);

		fl_intents_close(&s->intents, s->intents.first);
		if (job && job->made_of)
			r = fl_cluster_renew(c, job, &err);
		c->changed |= r > 0;
	}
	if (r < 0)
		fl_cluster_break(c, &err);
}

static void on_read(void *scheduler)
{
	struct fl_scheduler *s = scheduler;
	fairlead_error err = { 0 };

	if (s->stage != FL_SCHEDULER_READS)
		return;
	revert_all(s);
	s->stage = FL_SCHEDULER_DECIDES;
	s->anew = true;
	s->looked = uv_now(s->o.cluster->o.loop);
	fl_cluster_log(s->o.cluster, "decides for the ClusterQueues that are handed over");
	if (fl_recall_all(s, &err) < 0 || fl_rings_look(s, &err) < 0 ||
	    fl_scheduler_drain(s, &err) < 0 || fl_confirm_all(s, &err) < 0)
		fl_cluster_break(s->o.cluster, &err);
	fl_cluster_soon(s->o.cluster);
}

static void list_again(uv_timer_t *timer)
{
	struct fl_scheduler *s = timer->data;

	s->stage = FL_SCHEDULER_READS;
	fl_cluster_log(s->o.cluster, "leads: the cluster is listed anew");
	fl_following_again(s->o.following, on_read, s);
}

/* Writes that this identity sent before it lost the Lease are over first. */
static void on_leads(void *scheduler, const char *version)
{
	struct fl_scheduler *s = scheduler;

	(void)version; /* all that is listed from now on is newer */
	if (s->closing)
		return;
	(void)uv_timer_start(&s->timers->cycle, list_again,
			     fl_kube_lease_was_mine(s->lease) ? FL_SCHEDULER_UNSURE : 0, 0);
}

/* What is sent and not answered may be done or not, which the API shows. */
static void stop_writing(struct fl_scheduler *s)
{
	for (struct fl_intent *i = s->intents.first; i; i = i->later)
		if (i->call) {
			i->call = fl_kube_cancel(i->call);
			s->intents.under_way--;
		}
	fl_rings_stop(&s->rings);
	fl_decision_events_stop(s);
	s->troubled = 0;
	(void)uv_timer_stop(&s->timers->write);
}

static void on_lost(void *scheduler, const fairlead_error *why)
{
	struct fl_scheduler *s = scheduler;

	if (s->closing)
		return;
	s->stage = FL_SCHEDULER_WAITS;
	stop_writing(s);
	(void)uv_timer_stop(&s->timers->cycle);
	revert_all(s);
	fl_cluster_soon(s->o.cluster);
	fl_cluster_log(s->o.cluster, "leads no more: %s", why->text);
}

static void end(struct fl_scheduler *s)
{
	void (*closed)(void *user) = s->closed;

	s->closed = NULL;
	(void)uv_timer_stop(&s->timers->cycle);
	if (closed)
		closed(s->closed_user);
}

static void on_late(uv_timer_t *timer) { end(timer->data); }

static void on_released(void *scheduler, const fairlead_error *why)
{
	struct fl_scheduler *s = scheduler;

	(void)why;
	(void)uv_timer_start(&s->timers->cycle, on_late, 0, 0);
}

static const struct fl_kube_lease_listener lease_listener = { .leads = on_leads,
							      .lost = on_lost,
							      .released = on_released };

static int on_lease(void *scheduler, enum fl_kube_what what, const struct fl_kube_object *lease)
{
	struct fl_scheduler *s = scheduler;

	(void)what;
	(void)lease; /* it is written as it is asked for, with all that it has */
	if (s->lease)
		fl_kube_lease_look(s->lease);
	return 0;
}

static const struct fl_kube_listener changes_listener = { .object = on_lease };

/* One that was given back is taken at once.  Without the right to watch it that takes as long as its `look`. */
static int watch_lease(struct fl_scheduler *s, fairlead_error *err)
{
	char fields[64];
	const struct fl_kube_source source = { .group = "coordination.k8s.io",
					       .versions = { "v1" },
					       .plural = "leases",
					       .namespace = s->o.namespace,
					       .fields = fields };

	(void)snprintf(fields, sizeof fields, "metadata.name=%s", LEASE);
	return fl_kube_reflect(s->o.client, &source, &changes_listener, s, &s->lease_changes, err);
}

int fl_lead_begin(struct fl_scheduler *s, fairlead_error *err)
{
	const struct fl_kube_lease_spec spec = { .namespace = s->o.namespace,
						 .name = LEASE,
						 .identity = s->o.identity };
	int r;

	if (s->lease || !s->o.cluster->viewed || s->closing)
		return 0;
	r = fl_kube_lease_new(s->o.client, &spec, &lease_listener, s, &s->lease, err);
	if (r == 0)
		r = watch_lease(s, err);
	return r;
}

static void release(uv_timer_t *timer)
{
	struct fl_scheduler *s = timer->data;

	if (s->intents.under_way && uv_now(s->o.cluster->o.loop) < s->close_by) {
		(void)uv_timer_start(timer, release, CLOSE_LOOK_MS, 0);
		return;
	}
	stop_writing(s);
	if (s->lease && fl_kube_lease_leads(s->lease)) {
		fl_kube_lease_release(s->lease);
		(void)uv_timer_start(timer, on_late, RELEASE_MS, 0);
	} else {
		end(s);
	}
}

void fl_lead_end(struct fl_scheduler *s)
{
	s->stage = FL_SCHEDULER_WAITS;
	s->close_by = uv_now(s->o.cluster->o.loop) + FL_SCHEDULER_UNSURE;
	(void)uv_timer_start(&s->timers->cycle, release, 0, 0);
}
