/* SPDX-License-Identifier: Apache-2.0 */
/* view - what there is of a core, for whoever asks */
#include <stdio.h>
#include <string.h>

#include "daemon/core_parts.h"

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
	else if (job->state == FL_JOB_WAITS && job->workload.v == FL_NONE)
		text = job->retry == FL_TIME_NONE ? "has just come" :
		       job->retry == FL_NEVER     ? "its queue is not there, or leads nowhere" :
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

void fl_core_view(const struct fl_core *c, struct fl_core_view *ret)
{
	fl_time now = fl_clock_now(&c->clock);

	*ret = (struct fl_core_view){ .model = c->generation.model,
				      .ops = c->generation.ops,
				      .policy = c->generation.policy,
				      .driver = &c->generation.driver,
				      .now = now < c->at ? c->at : now,
				      .jobs = c->jobs.rows,
				      .n_jobs = c->jobs.n };
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

void fl_core_follow(struct fl_core *c, struct fl_follower *f)
{
	f->next = c->followers;
	c->followers = f;
}

void fl_core_unfollow(struct fl_core *c, struct fl_follower *f)
{
	for (struct fl_follower **at = &c->followers; *at; at = &(*at)->next)
		if (*at == f) {
			*at = f->next;
			return;
		}
}

void fl_core_unwritten(const struct fl_core *c,
		       void (*fn)(void *user, const struct fl_event_row *row), void *user)
{
	const struct fl_gather *const both[] = { c->writing, c->gather };

	for (int i = 0; i < 2; i++)
		for (uint32_t e = 0; both[i] && e < both[i]->n_events; e++)
			fn(user, &both[i]->events[e]);
}
