/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codec/kueue/eviction.h"
#include "daemon/cluster/apply.h"
#include "daemon/cluster/scheduler.h"
#include "daemon/cluster/scheduler/confirm.h"
#include "daemon/cluster/scheduler/cycle.h"
#include "daemon/cluster/scheduler/recall.h"

enum {
	UNDER_WAY = 32,      /* writes at once */
	DRAFT = 200,         /* ms: until a generation that is being made is looked for again */
	LOOK = 20,           /* ms: for a version that the watch brings */
	NEW = 500,           /* ms: until Kueue has written why one that is new waits */
	FIRST = 500,         /* ms: after a failure, then doubled */
	MOST = 30000,        /* ms */
	REFUSED_FIRST = 1000 /* ms */
};

/* --- texts --- */

void fl_scheduler_path(const struct fl_model *m, struct fl_node queue, char path[FL_SCHEDULER_PATH])
{
	const struct fl_node parent = m->nodes[queue.v].parent;
	size_t len;

	path[0] = '\0';
	if (parent.v != FL_NONE)
		fl_scheduler_path(m, parent, path);
	len = strlen(path);
	(void)snprintf(path + len, FL_SCHEDULER_PATH - len, "/%s",
		       fl_model_text(m, m->nodes[queue.v].name));
}

char *fl_scheduler_why(const struct fl_scheduler *s, const struct fl_decision *d)
{
	const struct fl_cluster *c = s->o.cluster;
	const struct fl_live *preemptor = fl_generation_job(&c->generation, &c->jobs, d->preemptor);
	const struct fl_model *m = c->generation.model;
	const struct fl_workload_row *row = d->preemptor.v == FL_NONE ?
						    NULL :
						    &m->workloads[d->preemptor.v];
	const bool has_path = row && row->cluster_queue.v != FL_NONE;
	char by[FL_SCHEDULER_PATH], from[FL_SCHEDULER_PATH], job[FL_UUID];

	if (has_path)
		fl_scheduler_path(m, row->cluster_queue, by);
	fl_scheduler_path(m, d->cluster_queue, from);
	return fl_kube_why_preempted(row ? fl_model_text(m, row->uid) : NULL,
				     preemptor && preemptor->made_of ?
					     fl_managed_job(&s->managed, preemptor->made_of, job) :
					     NULL,
				     fl_reason_name(d->reason), has_path ? by : NULL, from);
}

bool fl_scheduler_checked(const struct fl_intent *i)
{
	const struct fl_model *m;
	struct fl_node n;

	if (!i->queue) /* it does not admit */
		return false;
	m = i->of->o.cluster->generation.model;
	n = fl_model_find_node(m, FL_CLUSTER_QUEUE, i->queue);
	return n.v != FL_NONE && m->nodes[n.v].checks != FL_CHECKS_NONE;
}

static struct fl_managed_change change_of(const struct fl_intent *i)
{
	const bool preempts = i->evicts && i->reason != FL_REASON_CLUSTER_QUEUE_STOPPED;

	return (struct fl_managed_change){ .now = i->decided,
					   .cluster_queue = i->queue,
					   .rows = i->rows,
					   .n = i->n,
					   .checked = fl_scheduler_checked(i),
					   .passes = i->confirms,
					   .reason = preempts ? "Preempted" : "ClusterQueueStopped",
					   .preempted = preempts ? fl_reason_name(i->reason) : NULL,
					   .message = i->message,
					   .yielded = i->yielded };
}

/* --- what becomes of it --- */

static void after(struct fl_scheduler *s);

static void in_trouble(struct fl_scheduler *s, const struct fl_kube_answer *answer)
{
	const uint64_t now = uv_now(s->o.cluster->o.loop);

	s->writes[FL_WRITTEN_RETRIED]++;
	if (!s->troubled)
		s->troubled = now;
	(void)snprintf(s->trouble, sizeof s->trouble, "decisions cannot be written: %.200s",
		       answer->problem ? answer->problem->text : "no answer");
}

static void try_again(struct fl_intent *i, const struct fl_kube_answer *answer)
{
	uint64_t wait = FIRST;

	for (uint32_t k = 0; k < i->failures && wait < MOST; k++)
		wait *= 2;
	i->failures++;
	if (wait < UINT64_C(1000) * answer->retry_after)
		wait = UINT64_C(1000) * answer->retry_after;
	i->next = uv_now(i->of->o.cluster->o.loop) + wait;
}

/*
 * An admission: the job is as the API has it, and is not looked at for a while.  An eviction is decided on and its quota
 * held, whatever the server says: it is tried again.
 */
static void refuse(struct fl_scheduler *s, struct fl_intent *i, const struct fl_kube_answer *answer)
{
	struct fl_cluster *c = s->o.cluster;
	struct fl_live *job = fl_jobs_find(&c->jobs, i->job);
	const struct fl_mirror_object *o = job ? job->made_of : NULL;
	fairlead_error err = { 0 };
	int r = 0;

	s->writes[FL_WRITTEN_REJECTED]++;
	s->refusals++;
	(void)snprintf(s->refusal, sizeof s->refusal,
		       "the API server refuses what is decided: %.200s",
		       answer->problem ? answer->problem->text : "");
	if (o)
		fl_cluster_log(c, "the API server refuses to have %s/%s %s: %s",
			       fl_mirror_namespace(o), fl_mirror_name(o),
			       i->evicts ? "evicted" : "admitted",
			       answer->problem ? answer->problem->text : "");
	if (i->evicts || i->confirms) {
		try_again(i, answer);
		return;
	}
	fl_intents_close(&s->intents, i);
	if (o && o->fate == FL_FATE_WAITS)
		r = fl_refused_put(&s->refused, job, uv_now(c->o.loop), &err);
	if (r == 0 && o && o->fate == FL_FATE_WAITS)
		r = fl_cluster_leave_out(c, job);
	c->changed |= r > 0;
	if (r < 0)
		fl_cluster_break(c, &err);
}

/* The mirror has it, as the watch will say, or has said; what is deleted since stays so. */
static void take(struct fl_scheduler *s, uint64_t number, const struct fl_kube_answer *answer)
{
	struct fl_cluster *c = s->o.cluster;
	const struct fl_live *job = fl_jobs_find(&c->jobs, number);
	fairlead_error err = { 0 };

	if (job && job->made_of)
		(void)fl_cluster_answered(c, answer->bytes, answer->len, &err);
}

static void be_well(struct fl_scheduler *s)
{
	s->troubled = 0;
	s->trouble[0] = '\0';
}

static void on_answer(void *user, const struct fl_kube_answer *answer)
{
	struct fl_intent *i = user;
	struct fl_scheduler *s = i->of;
	const uint64_t now = uv_now(s->o.cluster->o.loop);
	const unsigned status = answer->status;

	i->call = NULL;
	s->intents.under_way--;
	if (status == 200)
		s->refusals = 0;
	if (status == 200 || status == 409 || status == 404) {
		be_well(s);
		s->writes[FL_WRITTEN_CONFLICT] += status != 200;
		i->failures = 0;
		i->next = now + LOOK;
		i->again = now + FL_SCHEDULER_UNSURE;
		if (status == 200)
			take(s, i->job, answer); /* and it is closed, as it is heard */
	} else if (status >= 400 && status < 500 && status != 401 && status != 408 &&
		   status != 429) {
		be_well(s);
		refuse(s, i, answer);
	} else {
		in_trouble(s, answer);
		try_again(i, answer);
	}
	after(s);
	fl_decision_events_send(s);
}

/* --- sending --- */

static int send_one(struct fl_scheduler *s, struct fl_intent *i, const struct fl_mirror_object *o,
		    fairlead_error *err)
{
	const struct fl_managed_change change = change_of(i);
	struct fl_kube_request request = { .method = "PATCH",
					   .type = "application/apply-patch+yaml",
					   .lane = FL_KUBE_ASK,
					   .timeout = FL_SCHEDULER_TIMEOUT,
					   .done = on_answer,
					   .user = i };
	char path[800], *body;
	int r = fl_managed_body(&s->managed, o, &change, &body, err);

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof path,
		       "/apis/kueue.x-k8s.io/" FL_MANAGED_API "/namespaces/%.260s/workloads/%.260s/"
		       "status?fieldManager=" FL_MANAGED_BY "&force=true",
		       fl_mirror_namespace(o), fl_mirror_name(o));
	request.path = path;
	request.body = body;
	request.len = strlen(body);
	r = fl_kube_ask(s->o.client, &request, &i->call, err);
	free(body);
	if (r < 0)
		return r;
	i->base = o->version;
	i->again = uv_now(s->o.cluster->o.loop) + FL_SCHEDULER_UNSURE;
	s->slowed = uv_now(s->o.cluster->o.loop) + FL_SCHEDULER_SLOW;
	s->intents.under_way++;
	return 0;
}

/*
 * Is it still as it was decided: in the policy, in a queue that is ours, and, of an eviction, of one that holds quota?  A
 * newer generation may have no place for it.
 */
static bool is_wanted(const struct fl_scheduler *s, const struct fl_intent *i,
		      const struct fl_live *job)
{
	const struct fl_cluster *c = s->o.cluster;
	const struct fl_mirror_object *o = job->made_of;
	const struct fl_generation *g = &c->generation;
	const struct fl_workload w = job->workload;
	const struct fl_workload_row *row = w.v == FL_NONE ? NULL : &g->model->workloads[w.v];
	const bool holds = o && (o->fate == FL_FATE_HOLDS || o->fate == FL_FATE_GOES);
	struct fl_node queue = { FL_NONE };

	if (i->confirms)
		return fl_confirm_wants(s, job);
	if (row) /* one that holds quota may be of another queue since */
		queue = i->evicts && row->admitted_queue.v != FL_NONE ? row->admitted_queue :
									row->cluster_queue;
	return queue.v != FL_NONE && !g->model->nodes[queue.v].elsewhere && holds == i->evicts &&
	       g->ops->state(g->policy, w) == (i->evicts ? FL_STATE_EVICTING : FL_STATE_ADMITTED);
}

/* The policy has the job as the API has it. */
static int drop(struct fl_scheduler *s, struct fl_intent *i, struct fl_live *job,
		fairlead_error *err)
{
	struct fl_cluster *c = s->o.cluster;
	int r;

	fl_intents_close(&s->intents, i);
	r = job && job->made_of ? fl_cluster_renew(c, job, err) : 0;
	c->changed |= r > 0;
	return r < 0 ? r : 0;
}

/*
 * Kueue writes the conditions of a Workload that is new at once, and the names of its checks, and of two that write at once
 * one is refused.
 */
static bool is_new(const struct fl_scheduler *s, const struct fl_intent *i,
		   const struct fl_mirror_object *o)
{
	enum fl_managed_check check = FL_MANAGED_NO_CHECK;
	fairlead_error none;

	return fl_managed_is_new(&s->managed, o) ||
	       (fl_scheduler_checked(i) && fl_managed_check(&s->managed, o, &check, &none) == 0 &&
		check == FL_MANAGED_NO_CHECK);
}

/* While the watch is behind what the last answer knew, a write on the same version would be refused again. */
static uint64_t due_at(const struct fl_scheduler *s, const struct fl_intent *i,
		       const struct fl_mirror_object *o, uint64_t now)
{
	if (!i->evicts && now < i->begun + NEW && is_new(s, i, o))
		return now + LOOK;
	return o->version != i->base || i->failures || i->next > i->again ? i->next : i->again;
}

/* One was sent that is not answered, and the API does not show yet what came of it. */
static bool may_be_done(const struct fl_intent *i, const struct fl_mirror_object *o, uint64_t now)
{
	return i->base && o && o->version == i->base && now < i->again;
}

void fl_scheduler_write(struct fl_scheduler *s)
{
	struct fl_cluster *c = s->o.cluster;
	const uint64_t now = uv_now(c->o.loop);
	fairlead_error err = { 0 };
	int r = 0;

	if (s->stage != FL_SCHEDULER_DECIDES || c->broken)
		return;
	s->due = now + DRAFT;
	if (c->drafter.draft || fl_scheduler_lacks(s)) {
		after(s);
		return;
	}
	s->due = UINT64_MAX;
	for (struct fl_intent *i = s->intents.first, *later; i && r == 0; i = later) {
		struct fl_live *job = fl_jobs_find(&c->jobs, i->job);
		bool wanted;
		uint64_t due;

		later = i->later;
		if (s->intents.under_way == UNDER_WAY || !fl_kube_lease_leads(s->lease))
			break;
		if (i->call)
			continue;
		wanted = job && is_wanted(s, i, job);
		if (!wanted && !(job && may_be_done(i, job->made_of, now))) {
			r = drop(s, i, job, &err);
			continue;
		}
		due = wanted ? due_at(s, i, job->made_of, now) : i->again;
		if (s->refusals >= FL_SCHEDULER_REFUSALS && due < s->slowed)
			due = s->slowed;
		if (wanted && due <= now && send_one(s, i, job->made_of, &err) == FAIRLEAD_ENOMEM)
			r = FAIRLEAD_ENOMEM;
		else if (!i->call)
			s->due = due < s->due ? due : s->due;
	}
	if (!s->intents.first)
		be_well(s);
	if (r < 0) {
		fl_cluster_break(c, &err);
		return;
	}
	after(s);
	if (c->changed)
		fl_cluster_soon(c);
}

/* Those that were refused and may be looked at again. */
static void let_in(struct fl_scheduler *s)
{
	struct fl_cluster *c = s->o.cluster;
	fairlead_error err = { 0 };
	uint64_t number;
	int r = 0;

	bool any = false;

	while (r >= 0 && (number = fl_refused_due(&s->refused, uv_now(c->o.loop)))) {
		struct fl_live *job = fl_jobs_find(&c->jobs, number);

		if (job && job->made_of && job->workload.v == FL_NONE) {
			r = fl_cluster_renew(c, job, &err);
			any = true;
		}
		c->changed |= r > 0;
	}
	if (r >= 0 && any)
		r = fl_recall_all(s, &err);
	if (r < 0)
		fl_cluster_break(c, &err);
	else
		fl_cluster_soon(c);
}

static void on_write(uv_timer_t *timer)
{
	struct fl_scheduler *s = timer->data;

	let_in(s);
	fl_scheduler_write(s);
}

/* What is not under way is looked at again when it is due; while as many as may be are, an answer comes first. */
static void after(struct fl_scheduler *s)
{
	const uint64_t now = uv_now(s->o.cluster->o.loop);
	const bool waits = s->intents.n > s->intents.under_way && s->intents.under_way < UNDER_WAY;
	uint64_t wait = s->refused.n ? REFUSED_FIRST / 2 : UINT64_MAX;

	if (s->closing)
		return;
	if (waits)
		wait = s->due == UINT64_MAX || s->due < now + LOOK ? LOOK : s->due - now;
	if (wait != UINT64_MAX)
		(void)uv_timer_start(&s->timers->write, on_write, wait, 0);
}
