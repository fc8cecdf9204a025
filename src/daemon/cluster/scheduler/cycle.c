/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/cycle.h"

#include <stdio.h>
#include <string.h>

#include "daemon/cluster/scheduler/first.h"
#include "daemon/cluster/scheduler/write.h"

enum { MS = FL_SECOND / 1000 };

/* ms: of a view that lacks something all the time; and until it is told that nothing is decided */
enum { STARVES = 5000, TOLD = 10000 };

const char *fl_scheduler_unable(struct fl_scheduler *s)
{
	const struct fl_cluster *c = s->o.cluster;

	if (!c->viewed)
		return NULL;
	if (c->generation.ops != &fl_borrow_policy)
		return "role scheduler decides by the policy borrow alone, beside Kueue";
	if (strcmp(fl_mirror_version(c->mirror, FL_MIRROR_WORKLOAD), FL_MANAGED_API) != 0)
		return "role scheduler needs Workloads of kueue.x-k8s.io/" FL_MANAGED_API;
	return NULL;
}

/* --- a view that lacks something --- */

void fl_scheduler_needs(struct fl_scheduler *s)
{
	const struct fl_cluster *c = s->o.cluster;

	/* A draft that is being made was begun without it. */
	s->needed = c->generations + (c->drafter.draft || c->drafter.making ? 2 : 1);
}

bool fl_scheduler_lacks(const struct fl_scheduler *s)
{
	const struct fl_cluster *c = s->o.cluster;

	return c->generations < s->needed && !fl_cluster_is_settled(c);
}

/*
 * Has the view all that may not be decided without?  What else has changed may be seconds old in it, if changes never end: new
 * Namespaces, or a quota.
 */
static bool has_all(const struct fl_scheduler *s)
{
	const struct fl_cluster *c = s->o.cluster;

	return c->viewed && !c->stuck && !c->outdated && !c->drafter.draft &&
	       !fl_scheduler_lacks(s);
}

static bool is_current(struct fl_scheduler *s)
{
	const uint64_t now = uv_now(s->o.cluster->o.loop);
	bool is = fl_cluster_is_settled(s->o.cluster) && !s->o.cluster->outdated;

	if (is)
		s->unsettled = 0;
	else if (!s->unsettled)
		s->unsettled = now;
	else
		is = now - s->unsettled >= STARVES && has_all(s);
	if (is)
		s->looked = now;
	return is;
}

const char *fl_scheduler_starves(const struct fl_scheduler *s)
{
	const struct fl_cluster *c = s->o.cluster;

	if (s->stage != FL_SCHEDULER_DECIDES)
		return NULL;
	if (c->stuck || c->outdated)
		return "nothing is decided: the configuration of the cluster is refused";
	return uv_now(c->o.loop) - s->looked < TOLD ?
		       NULL :
		       "nothing is decided: queues change faster than they can be taken in";
}

/* Not while another one may lead, or what is known is old or not in the view. */
static bool may_decide(struct fl_scheduler *s)
{
	struct fl_cluster *c = s->o.cluster;

	return is_current(s) && s->stage == FL_SCHEDULER_DECIDES && fl_kube_lease_leads(s->lease) &&
	       !fl_scheduler_unable(s) && !c->broken && c->fresh &&
	       c->fresh(c->following, c->stale);
}

static void on_cycle(uv_timer_t *timer)
{
	struct fl_scheduler *s = timer->data;
	struct fl_cluster *c = s->o.cluster;
	const fl_time now = fl_clock_now(&c->daemon.clock);
	struct fl_driver *d = &c->generation.driver;
	fairlead_error err = { 0 };
	int r = 0;

	if (may_decide(s) && s->anew) {
		s->anew = false;
		r = fl_first_serve(s, now, &err);
	}
	if (r == 0 && may_decide(s) && fl_driver_next(d, now) <= now)
		r = fl_driver_cycle(d, now, &err);
	if (r < 0) {
		fl_cluster_break(c, &err);
		return;
	}
	fl_scheduler_write(s);
	if (s->stage == FL_SCHEDULER_DECIDES && fl_kube_lease_leads(s->lease)) {
		fl_rings_send(s);
		fl_decision_events_send(s);
	}
	fl_scheduler_soon(s);
}

void fl_scheduler_soon(struct fl_scheduler *s)
{
	const struct fl_cluster *c = s->o.cluster;
	const fl_time now = fl_clock_now(&c->daemon.clock);
	fl_time wait = FL_SECOND;

	if (s->stage != FL_SCHEDULER_DECIDES)
		return;
	if (may_decide(s))
		wait = fl_amount_min(wait, fl_driver_next(&c->generation.driver, now) - now);
	(void)uv_timer_start(&s->timers->cycle, on_cycle, (uint64_t)((wait + MS - 1) / MS), 0);
}
