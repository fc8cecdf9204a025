/* SPDX-License-Identifier: Apache-2.0 */
/* view - what there is of a core, for whoever asks */
#include <stdio.h>
#include <string.h>

#include "daemon/machine/core_parts.h"
#include "decide/borrow/borrow.h"
#include "model/table.h"
#include "report/borrow/tree_report.h"

const struct fl_live *fl_core_job(const struct fl_core *c, uint64_t id)
{
	return fl_jobs_find(&c->jobs, id);
}

const char *fl_core_word(const struct fl_core *c, struct fl_sym word)
{
	return fl_names_text(&c->jobs.names, word);
}

uint64_t fl_core_job_of(const struct fl_core *c, struct fl_workload w)
{
	return w.v < c->generation.model->n_workloads ? c->generation.job_of[w.v] : 0;
}

/* Nobody has looked at one that is not the first of its queue, or has just come back. */
static const char *waiting_reason(const struct fl_generation *g, const struct fl_live *job)
{
	enum fl_reason reason = g->ops->reason(g->policy, job->workload);

	return reason == FL_REASON_NONE ? "waits for its turn" : fl_reason_sentence(reason);
}

/* What a queue is part of takes nobody in, or not who comes from that namespace. */
static void put_node_reason(const struct fl_model *m, const char *queue, struct fl_node n,
			    char *buffer, size_t size)
{
	const struct fl_node_row *node = &m->nodes[n.v];
	char why[320];

	(void)snprintf(buffer, size, "queue '%.253s' takes nobody in: %s '%.253s': %s", queue,
		       node->kind == FL_QUEUE ? "queue" : "ClusterQueue",
		       fl_model_text(m, node->name),
		       node->inactive == FL_ACTIVE ? "it does not match the namespace" :
						     fl_report_why_inactive(m, n, why));
}

/* Why a job takes no part: what is wrong with its queue, or with what that leads to. */
static void put_queue_reason(const struct fl_core *c, const struct fl_live *job, char *buffer,
			     size_t size)
{
	const struct fl_model *m = c->generation.model;
	const char *queue = fl_core_word(c, job->queue);
	struct fl_sym namespace, name;
	const struct fl_queue_row *row;
	fairlead_error why = { 0 };
	uint32_t at;
	int r = fl_config_queue(m, queue, &namespace, &name, &why);

	if (r == FAIRLEAD_ENOENT)
		(void)snprintf(buffer, size, "there is no queue '%.253s' any more", queue);
	else if (r < 0)
		(void)snprintf(buffer, size, "%s", why.text);
	if (r < 0)
		return;
	at = fl_config_local_queue(m, namespace, name);
	row = at == FL_NONE ? NULL : &m->queues[at];
	if (!row)
		put_node_reason(m, queue, fl_model_find_node(m, FL_QUEUE, fl_model_text(m, name)),
				buffer, size);
	else if (row->stop != FL_STOP_NONE)
		(void)snprintf(buffer, size, "queue '%.253s' is stopped (stopPolicy)", queue);
	else if (row->cluster_queue.v == FL_NONE)
		(void)snprintf(buffer, size,
			       "queue '%.253s' leads to ClusterQueue '%.253s', which is not there",
			       queue, fl_model_text(m, row->cluster_queue_name));
	else
		put_node_reason(m, queue, row->cluster_queue, buffer, size);
}

/* Its queue is gone, or was changed while it waited there, so that it takes nobody in. */
static bool takes_no_part(const struct fl_generation *g, const struct fl_live *job)
{
	if (job->state != FL_JOB_WAITS)
		return false;
	return job->workload.v == FL_NONE ?
		       job->retry == FL_NEVER :
		       g->ops->state(g->policy, job->workload) == FL_STATE_EXCLUDED;
}

const char *fl_core_reason(const struct fl_core *c, const struct fl_live *job, char *buffer,
			   size_t size)
{
	const struct fl_generation *g = &c->generation;
	const char *text = "";

	if (fl_job_is_over(job->state))
		return fl_core_ending(job, buffer, size) ? buffer : "";
	if (job->state == FL_JOB_HELD)
		text = job->held == FL_HOLD_ADMIN ? "waits to be released by an admin" :
						    "waits to be released";
	else if (job->state == FL_JOB_DEPENDS)
		text = "waits for other jobs to end";
	else if (takes_no_part(g, job))
		return put_queue_reason(c, job, buffer, size), buffer;
	else if (job->state == FL_JOB_WAITS && job->workload.v == FL_NONE)
		text = job->retry == FL_TIME_NONE ? "has just come" :
						    "could not be started, and tries again soon";
	else if (job->state == FL_JOB_WAITS)
		text = waiting_reason(g, job);
	else if (job->state == FL_JOB_STOPS)
		text = fl_go_why_name(job->stopping);
	(void)snprintf(buffer, size, "%s", text);
	return buffer;
}

const char *fl_core_public(const char *reason, char buffer[FL_CORE_REASON])
{
	const char *colon = strstr(reason, ": ");

	(void)snprintf(buffer, FL_CORE_REASON, "%.*s",
		       (int)(colon ? (size_t)(colon - reason) : strlen(reason)), reason);
	return buffer;
}

void fl_core_view(const struct fl_core *c, struct fl_live_view *ret)
{
	fl_time now = fl_clock_now(&c->clock);

	*ret = (struct fl_live_view){ .model = c->generation.model,
				      .ops = c->generation.ops,
				      .policy = c->generation.policy,
				      .driver = &c->generation.driver,
				      .now = now < c->at ? c->at : now,
				      .jobs = c->jobs.rows,
				      .n_jobs = c->jobs.n };
}

/* What queues and cohorts other than @rest have of their own in a flavor and resource. */
static fl_amount promised(const struct fl_live_view *v, struct fl_node rest,
			  const struct fl_explain_spare *of)
{
	const struct fl_tree *t = fl_borrow_tree(v->policy);
	fl_amount sum = 0;

	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node n = { t->order[i] };
		struct fl_column c = fl_tree_column(t, n, of->flavor, of->resource);

		if (n.v != rest.v && c.v != FL_NONE)
			sum = fl_quota_add(sum, t->nominal[fl_tree_cell(t, n, c)]);
	}
	return sum;
}

static struct fl_flavor flavor_of(const struct fl_model *m, const char *name)
{
	static const struct fl_sym no_namespace = { 0 };
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	return (struct fl_flavor){ sym.v == FL_NONE ?
					   FL_NONE :
					   fl_table_find(m, FL_TABLE_FLAVOR, no_namespace, sym) };
}

int fl_core_machine(const struct fl_core *c, struct fl_arena *arena, struct fl_explain_machine *ret,
		    fairlead_error *err)
{
	const struct fl_model *m = c->generation.model;
	struct fl_explain_spare *rows = fl_arena_alloc(arena, c->capacity.n, sizeof *rows, err);
	struct fl_live_view v;

	if (!rows)
		return FAIRLEAD_ENOMEM;
	*ret = (struct fl_explain_machine){ .spare = rows, .rest = { FL_NONE } };
	if (c->generation.ops != &fl_borrow_policy)
		return 0;
	if (m->daemon.cohort.v != 0)
		ret->rest = fl_model_find_node(m, FL_COHORT, fl_model_text(m, m->daemon.cohort));
	fl_core_view(c, &v);
	for (uint32_t i = 0; i < c->capacity.n; i++) {
		const struct fl_capacity_row *has = &c->capacity.rows[i];
		struct fl_explain_spare *row = &rows[ret->n];

		row->flavor = flavor_of(m, has->flavor);
		row->resource = fl_model_find_resource(m, has->resource);
		if (row->flavor.v == FL_NONE || row->resource.v == FL_NONE)
			continue;
		row->amount = fl_quota_sub(has->amount, promised(&v, ret->rest, row));
		row->amount = row->amount < 0 ? 0 : row->amount;
		ret->n++;
	}
	return 0;
}

struct fl_store *fl_core_store(const struct fl_core *c) { return c->store; }
const struct fl_config *fl_core_config(const struct fl_core *c) { return c->config; }
struct fl_metrics *fl_core_metrics(const struct fl_core *c) { return c->metrics; }
const struct fl_clock *fl_core_clock(const struct fl_core *c) { return &c->clock; }
fl_time fl_core_started(const struct fl_core *c) { return c->started; }

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
		for (uint32_t e = 0; both[i] && e < both[i]->n_events; e++)
			fn(user, &both[i]->events[e]);
}
