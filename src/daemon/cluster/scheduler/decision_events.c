/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/decision_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "daemon/cluster/apply.h"
#include "daemon/cluster/decided.h"
#include "daemon/cluster/scheduler/event.h"
#include "daemon/cluster/scheduler/state.h"
#include "daemon/cluster/scheduler/write.h"

enum {
	SECOND = 1000, /* ms */
	LATER = 5000,  /* ms: after one that was not taken */
	TRIES = 3
};

struct fl_decision_event {
	struct fl_decision_event *later;
	const char *reason, *action;
	char *namespace, *name, *uid, *note;
	uint64_t version; /* of the Workload: none has two Events of one */
	uint32_t tries;
};

/* --- those that wait --- */

static void free_event(struct fl_decision_event *one)
{
	free(one->namespace);
	free(one->name);
	free(one->uid);
	free(one->note);
	free(one);
}

static void drop_first(struct fl_decision_events *e)
{
	struct fl_decision_event *one = e->first;

	e->first = one->later;
	if (!e->first)
		e->last = NULL;
	e->n--;
	free_event(one);
}

/* It is told when the first is, and how many it were when none waits any more. */
static void leave_out(struct fl_scheduler *s, const char *why)
{
	s->tellings[FL_TELLING_DROPPED]++;
	if (s->decision_events.left_out++ == 0)
		fl_cluster_log(s->o.cluster, "Events about decisions are left out: %s", why);
}

static void count_left_out(struct fl_scheduler *s)
{
	struct fl_decision_events *e = &s->decision_events;

	if (e->first || !e->left_out)
		return;
	fl_cluster_log(s->o.cluster, "%" PRIu64 " Events about decisions were left out",
		       e->left_out);
	e->left_out = 0;
}

/* --- what they tell --- */

static bool is_wanted(const struct fl_cluster *c, const struct fl_intent *i)
{
	const enum fl_events_about about = fl_config_settings(c->config)->events;

	return about == FL_EVENTS_ALL || (about == FL_EVENTS_PREEMPTED && i->evicts);
}

/* Kueue evicts for causes of its own: it is the one that was decided by its cause and time. */
static bool is_ours(const struct fl_intent *i, const struct fl_mirror_object *o)
{
	struct fl_model *m = NULL;
	fairlead_error none = { 0 };
	bool held = false;

	if (!i->evicts)
		return fl_intent_is_held(i, o, &held, &none) == 0 && held;
	if (fl_cluster_read_object(o, &m, &none) < 0)
		return false;
	held = m->n_evictions && fl_cluster_why_it_goes(m) == i->reason &&
	       m->evictions[0].at == i->decided - i->decided % FL_SECOND;
	fl_model_free(m);
	return held;
}

static char *note_of(const struct fl_intent *i)
{
	char *note;

	if (i->evicts)
		return strdup(i->message);
	if (fl_scheduler_checked(i))
		return asprintf(&note, "Quota reserved in ClusterQueue %s", i->queue) < 0 ? NULL :
											    note;
	return asprintf(&note, "Admitted by ClusterQueue %s, wait time since reservation was 0s",
			i->queue) < 0 ?
		       NULL :
		       note;
}

static struct fl_decision_event *make(const struct fl_intent *i, const struct fl_mirror_object *o)
{
	const bool preempts = i->evicts && i->reason != FL_REASON_CLUSTER_QUEUE_STOPPED;
	const bool reserves = fl_scheduler_checked(i); /* Kueue tells when it admits */
	struct fl_decision_event *one = malloc(sizeof *one);

	if (!one)
		return NULL;
	*one = (struct fl_decision_event){
		.reason = preempts  ? "Preempted" :
			  i->evicts ? "EvictedDueToClusterQueueStopped" :
			  reserves  ? "QuotaReserved" :
				      "Admitted",
		.action = preempts  ? "Preempt" :
			  i->evicts ? "Evict" :
			  reserves  ? "Reserve" :
				      "Admit",
		.namespace = strdup(fl_mirror_namespace(o)),
		.name = strdup(fl_mirror_name(o)),
		.uid = strdup(fl_mirror_uid(o)),
		.note = note_of(i),
		.version = o->version,
	};
	if (one->namespace && one->name && one->uid && one->note)
		return one;
	free_event(one);
	return NULL;
}

void fl_decision_events_put(struct fl_scheduler *s, const struct fl_intent *intent,
			    const struct fl_mirror_object *o)
{
	struct fl_decision_events *e = &s->decision_events;
	struct fl_decision_event *one;

	if (!is_wanted(s->o.cluster, intent) || !is_ours(intent, o))
		return;
	if (e->n == FL_MAX_KUBE_EVENTS) {
		leave_out(s, "decisions come faster than Events may be written");
		return;
	}
	one = make(intent, o);
	if (!one) {
		leave_out(s, "out of memory");
		return;
	}
	if (e->last)
		e->last->later = one;
	else
		e->first = one;
	e->last = one;
	e->n++;
}

/* --- sending --- */

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_scheduler *s = user;
	struct fl_decision_events *e = &s->decision_events;
	const enum fl_kube_event_fate fate = fl_kube_event_fate_of(answer);
	const char *problem = answer->problem ? answer->problem->text : "";

	e->call = NULL;
	if (fate == FL_KUBE_EVENT_THERE) {
		s->tellings[FL_TELLING_DONE]++;
		drop_first(e);
	} else if (fate == FL_KUBE_EVENT_REFUSED) {
		s->tellings[FL_TELLING_REJECTED]++;
		if (!e->refused)
			fl_cluster_log(s->o.cluster,
				       "the API server refuses an Event about %s/%s: %s",
				       e->first->namespace, e->first->name, problem);
		e->refused = true;
		drop_first(e);
	} else {
		e->not_before = uv_now(s->o.cluster->o.loop) + LATER;
		if (++e->first->tries == TRIES) {
			leave_out(s, problem);
			drop_first(e);
		}
	}
	count_left_out(s);
	fl_decision_events_send(s);
}

/* Decisions come first: those whose writes are due, or are not answered. */
static bool may_send(const struct fl_scheduler *s, uint64_t now)
{
	return s->stage == FL_SCHEDULER_DECIDES && fl_kube_lease_leads(s->lease) &&
	       !s->intents.under_way && s->due > now && now >= s->decision_events.not_before;
}

void fl_decision_events_send(struct fl_scheduler *s)
{
	struct fl_decision_events *e = &s->decision_events;
	const uint64_t now = uv_now(s->o.cluster->o.loop);
	const struct fl_decision_event *one = e->first;
	fairlead_error err = { 0 };

	if (!one || e->call || !may_send(s, now))
		return;
	if (now - e->from >= SECOND) {
		e->from = now;
		e->sent = 0;
	}
	if (e->sent >= s->o.events)
		return;
	e->sent++;
	if (fl_kube_event_send(s,
			       &(struct fl_kube_event){ .number = one->version,
							.type = "Normal",
							.reason = one->reason,
							.action = one->action,
							.note = one->note,
							.kind = FL_MIRROR_WORKLOAD,
							.namespace = one->namespace,
							.name = one->name,
							.uid = one->uid },
			       on_answer, s, &e->call, &err) < 0)
		e->not_before = now + LATER;
}

void fl_decision_events_stop(struct fl_scheduler *s)
{
	struct fl_decision_events *e = &s->decision_events;

	if (e->call)
		e->call = fl_kube_cancel(e->call);
	for (; e->first; drop_first(e))
		leave_out(s, "it leads no more");
	count_left_out(s);
}

void fl_decision_events_done(struct fl_decision_events *e)
{
	if (e->call)
		(void)fl_kube_cancel(e->call);
	while (e->first)
		drop_first(e);
	*e = (struct fl_decision_events){ 0 };
}
