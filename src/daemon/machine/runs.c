/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_json.h"
#include "daemon/engine/placement.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/view.h"
#include "daemon/token/run.h"

/* --- starting and stopping --- */

fl_time fl_core_time_limit(const struct fl_core *c, const struct fl_live *job)
{
	const struct fl_daemon_settings *s = fl_config_settings(c->config);

	return fl_amount_min(job->time_limit == FL_NEVER ? s->time_limit : job->time_limit,
			     s->max_time_limit);
}

struct reading {
	struct fl_core *c;
	struct fl_live *job;
	enum fl_before before;
	int client;
};

static int start_as(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	const struct reading *r = user;
	const struct fl_daemon_settings *s = fl_config_settings(r->c->config);
	struct fl_living living = fl_core_living(r->c);
	struct fl_run_grant grants[FL_GRANTS];
	struct fl_job_document doc;
	char token[FL_RUN_TOKEN];
	struct fl_run run = { .job = r->job->id,
			      .attempt = r->job->attempt,
			      .token = token,
			      .before = r->before,
			      .client = r->client,
			      .grants = grants };
	int rc = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, err);

	if (rc < 0)
		return rc;
	fl_token_of(&r->c->key, row->id, r->job->attempt, row->submitted, token);
	run.spec = &doc.spec;
	run.n_grants = fl_live_grants(&living, r->job, grants, FL_GRANTS);
	run.time_limit = fl_core_time_limit(r->c, r->job);
	run.grace = fl_amount_min(doc.spec.grace == FL_TIME_NONE ? s->grace : doc.spec.grace,
				  s->max_grace);
	rc = r->c->backend->start(r->c->host, &run, err);
	fl_job_document_done(&doc);
	return rc;
}

struct fl_journal_row fl_core_ended(const struct fl_clock *clock, const struct fl_run_outcome *o)
{
	return (struct fl_journal_row){
		.kind = FL_JOURNAL_ENDED,
		.job = o->job,
		.ended = { .attempt = o->attempt,
			   .when = o->ended == FL_TIME_NONE ? FL_TIME_NONE :
							      fl_clock_of_boot(clock, o->ended),
			   .status = (uint32_t)o->status,
			   .stopped = o->stopped,
			   .how = o->kind,
			   .remark = o->text[0] ? o->text : NULL },
	};
}

static struct fl_journal_row measured(const struct fl_run_outcome *o)
{
	return (struct fl_journal_row){ .kind = FL_JOURNAL_MEASURED,
					.job = o->job,
					.measured = { o->attempt, o->cpu, o->memory } };
}

struct fl_run_outcome fl_core_outcome(const struct fl_journal_row *row)
{
	struct fl_run_outcome o = { .job = row->job,
				    .attempt = row->ended.attempt,
				    .kind = (enum fl_outcome_kind)row->ended.how,
				    .stopped = (enum fl_go_why)row->ended.stopped,
				    .status = (int)row->ended.status,
				    .ended = row->ended.when };

	if (row->ended.remark)
		(void)snprintf(o.text, sizeof o.text, "%s", row->ended.remark);
	return o;
}

/* A start that the backend refuses is recorded as an outcome like any other. */
static int not_started(struct fl_core *c, const struct fl_live *job, enum fl_outcome_kind kind,
		       enum fl_go_why stopped, const char *text, fairlead_error *err)
{
	struct fl_run_outcome o = { .job = job->id,
				    .attempt = job->attempt,
				    .kind = kind,
				    .stopped = stopped,
				    .ended = FL_TIME_NONE };
	struct fl_journal_row row;

	(void)snprintf(o.text, sizeof o.text, "%.255s", text);
	row = fl_core_ended(&c->daemon.clock, &o);
	return fl_core_note(c, &row, err);
}

int fl_core_start(struct fl_core *c, struct fl_live *job, enum fl_before before,
		  fairlead_error *err)
{
	struct reading reading = { c, job, before, -1 };
	fairlead_error why = { 0 };
	int r;

	if (c->replaying)
		return 0;
	/* One that is not to start, as it was told to stop or is lost, needs no client. */
	if (job->interactive && before != FL_BEFORE_TOLD && before != FL_BEFORE_SURELY) {
		reading.client = fl_core_client_for_start(c, job->id, before);
		if (reading.client < 0)
			return 0;
	}
	r = fl_store_job(c->daemon.store, job->id, start_as, &reading, &why);
	if (r == FAIRLEAD_ENOMEM) {
		*err = why;
		return r;
	}
	/* EINPUT is damage, which trying again would not mend. */
	return r < 0 ? not_started(c, job,
				   r == FAIRLEAD_EINPUT ? FL_RUN_IMPOSSIBLE : FL_RUN_NOT_STARTED,
				   FL_GO_NOT, why.text, err) :
		       0;
}

struct grace_of {
	fl_time grace;
};

static int see_grace(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_document doc;
	int r = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, err);

	if (r < 0)
		return r;
	if (doc.spec.grace != FL_TIME_NONE)
		((struct grace_of *)user)->grace = doc.spec.grace;
	fl_job_document_done(&doc);
	return 0;
}

int fl_core_stop(struct fl_core *c, struct fl_live *job, enum fl_go_why why, fairlead_error *err)
{
	struct grace_of g = { fl_config_settings(c->config)->grace };
	fairlead_error cause = { 0 };
	int r;

	if (c->replaying)
		return 0;
	if (fl_core_give_up_start(c, job->id))
		return not_started(c, job, FL_RUN_NOT_STARTED, why, "no client was attached to it",
				   err);
	(void)fl_store_job(c->daemon.store, job->id, see_grace, &g, &cause);
	g.grace = fl_amount_min(g.grace, fl_config_settings(c->config)->max_grace);
	r = c->backend->stop(c->host, job->id, job->attempt, why, g.grace, &cause);
	if (r < 0)
		fl_core_log(c, "job %llu could not be told to stop: %s",
			    (unsigned long long)job->id, cause.text);
	(void)err;
	return 0;
}

void fl_core_limit(const struct fl_core *c, const struct fl_live *job)
{
	fairlead_error why = { 0 };

	if (!c->replaying &&
	    c->backend->limit(c->host, job->id, job->attempt, fl_core_time_limit(c, job), &why) < 0)
		fl_core_log(c, "the time limit of job %llu could not be changed: %s",
			    (unsigned long long)job->id, why.text);
}

void fl_core_signal(const struct fl_core *c, const struct fl_live *job, int number)
{
	fairlead_error why = { 0 };

	if (!c->replaying && c->backend->signal(c->host, job->id, job->attempt, number, &why) < 0)
		fl_core_log(c, "job %llu could not be sent signal %d: %s",
			    (unsigned long long)job->id, number, why.text);
}

/* --- reports of the backend --- */

static void began(void *user, uint64_t job, uint32_t attempt, fl_time at)
{
	struct fl_core *c = user;
	struct fl_journal_row row = { .kind = FL_JOURNAL_BEGAN,
				      .job = job,
				      .began = { attempt, at } };
	const struct fl_live *live = fl_jobs_find(&c->jobs, job);
	fairlead_error err;

	if (!live || live->attempt != attempt || live->state != FL_JOB_STARTS)
		return;
	if (fl_core_note(c, &row, &err) < 0)
		fl_core_break(c, &err);
}

static void ended(void *user, const struct fl_run_outcome *o)
{
	struct fl_core *c = user;
	struct fl_journal_row row = fl_core_ended(&c->daemon.clock, o), used = measured(o);
	const struct fl_live *live = fl_jobs_find(&c->jobs, o->job);
	fairlead_error err;

	if (!live || fl_job_is_over(live->state) || live->attempt != o->attempt) {
		c->backend->forget(c->host, o->job, o->attempt);
		return;
	}
	if (((o->cpu || o->memory) && fl_core_note(c, &used, &err) < 0) ||
	    fl_core_note(c, &row, &err) < 0)
		fl_core_break(c, &err);
}

static void notice(void *user, const char *text)
{
	fl_core_log((const struct fl_core *)user, "%s", text);
}

static void broken(void *user, const char *why)
{
	fairlead_error err = { 0 };

	fl_fail(&err, FAIRLEAD_EIO, "%s", why);
	fl_core_break(user, &err);
}

/* Opens the backend with .spec.machine of the Daemon. */
static int open_host(struct fl_core *c, struct fl_host_options *o, fairlead_error *err)
{
	const struct fl_model *m = fl_config_objects(c->config);
	const struct fl_daemon_settings *s = &m->daemon;
	struct fl_host_flavor *flavors = calloc(s->flavors.n + 1, sizeof *flavors);
	struct fl_host_resource *rows = calloc(m->n_daemon_resources + 1, sizeof *rows);
	int r = flavors && rows ? 0 : fl_fail_nomem(err);

	for (uint32_t i = 0; r == 0 && i < m->n_daemon_resources; i++)
		rows[i] = (struct fl_host_resource){
			fl_model_text(m, m->daemon_resources[i].resource_name),
			m->daemon_resources[i].amount
		};
	for (uint32_t i = 0; r == 0 && i < s->flavors.n; i++) {
		const struct fl_daemon_flavor_row *f = &m->daemon_flavors[s->flavors.first + i];

		flavors[i] = (struct fl_host_flavor){
			.name = fl_model_text(m, f->name),
			.resources = rows + f->resources.first,
			.n_resources = f->resources.n,
			.device = f->device.v ? fl_model_text(m, f->device) : NULL,
			.devices = m->daemon_devices + f->devices.first,
			.n_devices = f->devices.n,
		};
	}
	o->flavors = flavors;
	o->n_flavors = s->flavors.n;
	o->reserved = rows ? rows + s->reserved.first : NULL;
	o->n_reserved = s->reserved.n;
	if (r == 0)
		r = c->backend->open(o, &c->host, err);
	free(flavors);
	free(rows);
	return r;
}

int fl_core_open_host(struct fl_core *c, struct fl_capacity *ret, fairlead_error *err)
{
	const struct fl_daemon_settings *s = fl_config_settings(c->config);
	struct fl_host_options o = {
		.loop = c->loop,
		.state = c->options.state,
		.runner = c->options.runner,
		.spawner = c->options.spawner,
		.cgroup = s->cgroup,
		.output_limit = s->output_limit,
		.callbacks = { .began = began,
			       .ended = ended,
			       .notice = notice,
			       .broken = broken,
			       .user = c },
	};
	int r;

	c->backend = c->options.backend;
	if ((r = open_host(c, &o, err)) < 0 || (r = c->backend->capacity(c->host, ret, err)) < 0)
		return r;
	for (uint32_t i = 0; i < ret->n_remarks; i++)
		fl_core_log(c, "%s", ret->remarks[i]);
	return 0;
}

/* --- after recovery --- */

struct looking {
	struct fl_core *c;
	uint32_t attempt;
	enum fl_found found;
};

static int look_for(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct looking *l = user;
	char token[FL_RUN_TOKEN];

	fl_token_of(&l->c->key, row->id, l->attempt, row->submitted, token);
	return l->c->backend->find(l->c->host, row->id, l->attempt, token, &l->found, err);
}

/* No file of the run can be read: the state of the job says whether it was started. */
static enum fl_before before(const struct fl_live *job, enum fl_found found)
{
	if (found == FL_FOUND_DAMAGED || job->state == FL_JOB_RUNS)
		return FL_BEFORE_SURELY;
	return job->state == FL_JOB_STOPS ? FL_BEFORE_TOLD : FL_BEFORE_MAYBE;
}

static int find_run(struct fl_core *c, struct fl_live *job, fairlead_error *err)
{
	struct looking l = { .c = c, .attempt = job->attempt };
	int r = fl_store_job_row(c->daemon.store, job->id, look_for, &l, err);

	if (r == FAIRLEAD_EINPUT) /* the row is damaged: a run with its number is taken for it */
		r = c->backend->find(c->host, job->id, job->attempt, /* token= */ NULL, &l.found,
				     err);
	if (r < 0)
		return r;
	switch (l.found) {
	case FL_FOUND_NEVER:
	case FL_FOUND_DAMAGED:
		return fl_core_start(c, job, before(job, l.found), err);
	case FL_FOUND_RUNS:
		if (job->relimited) /* it may not have been told */
			fl_core_limit(c, job);
		return job->state == FL_JOB_STOPS ? fl_core_stop(c, job, job->stopping, err) : 0;
	case FL_FOUND_ENDED:
		break;
	}
	return 0;
}

int fl_core_find_runs(struct fl_core *c, fairlead_error *err)
{
	int r = fl_core_disown_runs(c, err);

	for (uint32_t i = 0; i < c->jobs.n && r == 0; i++)
		if (fl_live_runs(&c->jobs.rows[i]))
			r = find_run(c, &c->jobs.rows[i], err);
	return r;
}
