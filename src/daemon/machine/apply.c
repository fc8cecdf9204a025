/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply - the effect of a row of the journal on jobs, policy and backend
 *
 * A row in the same state has the same effect when it has just become durable and when it is read
 * again after a kill.  In the second case the backend is not called: the runs of all jobs are
 * looked up at the end (runs.c).
 *
 *   state      a row that moves it                          the policy is told
 *   held       release -> depends, waits
 *   depends    no gate keeps it any more (gate.h) -> waits;
 *              a job that it waits for ended otherwise -> cancelled
 *   waits      due: its begin has come
 *              join -> in the generation (prepare.c)        SUBMIT
 *              cycle -> starts                              (it decides)
 *              hold -> held; cancel -> cancelled            CANCEL
 *   starts     began -> runs
 *   runs       cycle -> stops (preempted)                   (it decides)
 *              cancel, hold, requeue -> stops
 *   stops,     ended: preempted -> waits                    EVICTED
 *   runs,      lost -> waits, or failed                     KILLED, or EVICTED if it was to go
 *   starts     not started -> waits a while, or failed      CANCEL, and joins again
 *              impossible -> failed                         FINISHED
 *              held -> held; requeued -> waits              CANCEL
 *              else done, failed, cancelled                 FINISHED
 *              preempted or lost, not to be queued again -> failed  FINISHED
 *   done,      revive -> waits                              (it joins)
 *   failed, cancelled
 */
#include "daemon/machine/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/engine/gate.h"
#include "daemon/history/upkeep.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/asked.h"
#include "daemon/machine/change.h"
#include "daemon/machine/ended.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/view.h"

/* --- the policy --- */

/* The policy refuses events that do not suit a workload's state; no known case leads to it. */
int fl_core_tell_policy(struct fl_core *c, fl_time at, enum fl_event_kind kind,
			const struct fl_live *job, fairlead_error *err)
{
	struct fl_event e = { .kind = kind, .workload = job->workload, .machine = { FL_NONE } };
	fairlead_error why = { 0 };
	int r;

	if (job->workload.v == FL_NONE)
		return 0;
	r = fl_driver_apply(&c->generation.driver, at, &e, &why);
	if (r == FAIRLEAD_ESTATE) {
		fl_core_log(c, "the policy refuses event %d of job %llu: %s", (int)kind,
			    (unsigned long long)job->id, why.text);
		return 0;
	}
	if (r < 0)
		*err = why;
	return r;
}

/* --- small steps --- */

int fl_core_happened(struct fl_core *c, enum fl_happened what, fl_time at,
		     const struct fl_live *job, const char *reason, const char *text,
		     fairlead_error *err)
{
	struct fl_tell row = { .what = what, .at = at, .job = job, .reason = reason, .text = text };
	int r = fl_core_tell(c, &row, err);

	return r < 0 || !job ? r : fl_core_touch(c, job, err);
}

int fl_core_let_in(struct fl_core *c, struct fl_live *job, fairlead_error *err)
{
	job->state = job->held                      ? FL_JOB_HELD :
		     fl_gate_is_open(&c->jobs, job) ? FL_JOB_WAITS :
						      FL_JOB_DEPENDS;
	return job->state == FL_JOB_WAITS && !job->begin ? fl_core_newcomer(c, job, err) : 0;
}

int fl_core_let_others_in(struct fl_core *c, const struct fl_live *gone, fairlead_error *err)
{
	struct fl_live *next;
	int r = 0;

	while (r == 0 && (next = fl_gate_next(&c->jobs, gone))) {
		r = fl_core_let_in(c, next, err);
		if (r == 0)
			r = fl_core_touch(c, next, err);
	}
	return r;
}

struct telling {
	struct fl_core *c;
	fl_time at;
	fairlead_error *err;
	int r;
};

static void told_of_end(void *user, uint64_t id, bool as_wanted)
{
	struct telling *t = user;
	struct fl_live *job = fl_jobs_find(&t->c->jobs, id);

	if (!job || fl_job_is_over(job->state) || t->r < 0)
		return;
	if (!as_wanted) {
		t->r = fl_core_end_job(t->c, job, t->at, FL_JOB_CANCELLED,
				       "a job that it waited for did not end as required", t->err);
	} else if (job->state == FL_JOB_DEPENDS && !fl_jobs_waits_for(&t->c->jobs, id)) {
		t->r = fl_core_let_in(t->c, job, t->err);
		if (t->r == 0)
			t->r = fl_core_touch(t->c, job, t->err);
	}
}

/*
 * Tells the jobs that waited for @id that it ended.  Jobs that end for that reason are put in a
 * list, without recursion: a chain of jobs may be of any length.
 */
static int tell_who_waits(struct fl_core *c, uint64_t id, fl_time at, fairlead_error *err)
{
	struct telling t = { .c = c, .at = at, .err = err };
	bool first = c->n_ended == 0;

	if (fl_mem_grow(&fl_mem_heap, &c->ended, &c->cap_ended, c->n_ended + 1, sizeof *c->ended,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	c->ended[c->n_ended++] = id;
	for (uint32_t i = 0; first && i < c->n_ended && t.r == 0; i++)
		fl_jobs_tell(&c->jobs, c->ended[i], fl_jobs_find(&c->jobs, c->ended[i])->state,
			     told_of_end, &t);
	if (first)
		c->n_ended = 0;
	return t.r;
}

int fl_core_tell_begun(struct fl_core *c, const struct fl_live *job, fl_time at,
		       fairlead_error *err)
{
	struct telling t = { .c = c, .at = at, .err = err };

	if (job->awaited)
		fl_jobs_tell_begun(&c->jobs, job->id, told_of_end, &t);
	return t.r;
}

/* Ends the job; jobs that waited for it may go on, or end as well. */
int fl_core_end_job(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_job_state state,
		    const char *text, fairlead_error *err)
{
	enum fl_happened what = state == FL_JOB_DONE      ? FL_HAPPENED_FINISHED :
				state == FL_JOB_CANCELLED ? FL_HAPPENED_CANCELLED :
							    FL_HAPPENED_FAILED;
	char buffer[FL_LIVE_REASON];
	/* A text that follows from outcome and status is not kept. */
	bool said = text && job->outcome >= 0 &&
		    strcmp(fl_live_last_run(job, buffer, sizeof buffer), text) == 0;
	int r = fl_jobs_end(&c->jobs, job, state, said ? NULL : text, err);

	if (r < 0)
		return r;
	if (!c->replaying)
		fl_metrics_ended(c->daemon.metrics, fl_core_queue(c, job), state);
	job->ended = at;
	r = fl_core_happened(c, what, at, job, fl_job_state_name(state),
			     text ? fl_live_public(text, buffer) : NULL, err);
	fl_generation_leave(&c->generation, job);
	if (r == 0)
		r = fl_core_let_others_in(c, job, err);
	return r < 0 || !job->awaited ? r : tell_who_waits(c, job->id, at, err);
}

int fl_core_end(struct fl_core *c, uint64_t id, enum fl_job_state state, const char *why,
		fairlead_error *err)
{
	return fl_core_end_job(c, fl_jobs_find(&c->jobs, id), c->at, state, why, err);
}

/* The first reason stays, but a cancelled job is not requeued. */
int fl_core_stop_job(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_go_why why,
		     const char *text, fairlead_error *err)
{
	int r = 0;

	if (job->state != FL_JOB_STOPS || why == FL_GO_CANCELLED)
		job->stopping = why;
	if (job->state != FL_JOB_STOPS)
		r = fl_core_happened(c, FL_HAPPENED_STOPPED, at, job, fl_go_why_name(why), text,
				     err);
	job->state = FL_JOB_STOPS;
	return r < 0 ? r : fl_core_stop(c, job, why, err);
}

/* --- decisions of the policy --- */

static int start(void *user, fl_time now, struct fl_live *job, const struct fl_decision *d,
		 fairlead_error *err)
{
	struct fl_core *c = user;
	int r;

	if (!c->replaying)
		fl_metrics_waited(c->daemon.metrics, fl_core_queue(c, job), now - job->waits);
	if ((r = fl_core_happened(c, FL_HAPPENED_ADMITTED, now, job, fl_reason_name(d->reason),
				  NULL, err)) < 0 ||
	    (r = fl_core_admit(c, job, err)) < 0)
		return r;
	return fl_core_start(c, job, FL_BEFORE_NOT, err);
}

static int evict(void *user, fl_time now, struct fl_live *job, const struct fl_decision *d,
		 fairlead_error *err)
{
	struct fl_core *c = user;
	const struct fl_live *by = fl_generation_job(&c->generation, &c->jobs, d->preemptor);
	struct fl_tell row = { .what = FL_HAPPENED_PREEMPTED,
			       .at = now,
			       .job = job,
			       .by = by ? by->id : 0,
			       .reason = fl_reason_name(d->reason),
			       .text = fl_reason_sentence(d->reason) };
	int r;

	if (!c->replaying)
		fl_metrics_preempted(c->daemon.metrics, fl_core_queue(c, job),
				     by ? fl_core_queue(c, by) : NULL, d->reason);
	if ((r = fl_core_tell(c, &row, err)) < 0 || (r = fl_core_touch(c, job, err)) < 0)
		return r;
	return fl_core_stop(c, job, FL_GO_PREEMPTED, err);
}

static int loop(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err)
{
	struct fl_core *c = user;
	char text[FL_LOOP_TEXT];
	struct fl_tell row = { .what = FL_HAPPENED_LOOP,
			       .at = now,
			       .reason = l->sure ? "sure" : "repeated",
			       .text = fl_loop_text(l, text) };

	if (!c->replaying)
		fl_metrics_loop(c->daemon.metrics);
	return fl_core_tell(c, &row, err);
}

void fl_core_decide(struct fl_core *c)
{
	c->deciding = (struct fl_decisions_heard){ .jobs = &c->jobs,
						   .generation = &c->generation,
						   .starts = start,
						   .goes = evict,
						   .loops = loop,
						   .user = c };
	c->driven = fl_decisions_backend(&c->deciding);
}

static bool is_drained(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return (row->cluster_queue.v != FL_NONE &&
		m->nodes[row->cluster_queue.v].stop == FL_STOP_HOLD_AND_DRAIN) ||
	       (row->queue.v != FL_NONE && m->queues[row->queue.v].stop == FL_STOP_HOLD_AND_DRAIN);
}

/* Stops the jobs of queues that are drained. */
static int drain(struct fl_core *c, fl_time at, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < c->jobs.n && r == 0; i++) {
		struct fl_live *job = &c->jobs.rows[i];

		if (job->workload.v != FL_NONE && fl_live_runs(job) &&
		    is_drained(c->generation.model, job->workload))
			r = fl_core_stop_job(c, job, at, FL_GO_DRAIN, "its queue is drained", err);
	}
	return r;
}

/*
 * All or nothing: a configuration that lacks the queue of a running job, or a flavor that a job
 * holds, is refused. *ret is the error.
 */
static int configured(struct fl_core *c, const struct fl_journal_row *row, int *ret,
		      fairlead_error *err)
{
	const char *next = row->configured.config ? row->configured.config : "";
	char *was = fl_config_spell(c->config, &c->capacity, /* as= */ NULL);
	fairlead_error why = { 0 };
	int r = was ? fl_core_take_config(c, next, strlen(next), err) : fl_fail_nomem(err);

	c->configuring = false;
	if (!c->replaying)
		fl_upkeep_cut(c->upkeep, row->at);
	for (uint32_t i = 0; i < c->jobs.n;
	     i++) /* a job whose queue was missing may have one again */
		if (c->jobs.rows[i].retry == FL_NEVER)
			c->jobs.rows[i].retry = FL_TIME_NONE;
	if (r == 0)
		*ret = fl_core_regenerate(c, row->at, /* up_to= */ UINT64_MAX, &why);
	if (r == 0 && *ret == 0) /* labels and the like may have changed: all are tried again */
		r = c->generation.ops->forget(c->generation.policy, row->at, err);
	if (r == 0 && *ret < 0) {
		fl_core_log(c, "the configuration is refused: %s", why.text);
		c->refused = why;
		r = *ret == FAIRLEAD_ENOMEM ? fl_fail_nomem(err) :
					      fl_core_take_config(c, was, strlen(was), err);
	} else if (r == 0) {
		r = fl_core_conditions(c, row->at, err);
		if (r == 0)
			r = drain(c, row->at, err);
		c->must_checkpoint = true;
		if (r == 0)
			r = fl_core_new_version(c, row, err);
		if (r == 0)
			r = fl_core_happened(c, FL_HAPPENED_CONFIGURED, row->at, NULL, NULL, NULL,
					     err);
	}
	free(was);
	return r;
}

/* --- begin --- */

static int begins(void *user, struct fl_live *job, fairlead_error *err)
{
	struct telling *t = user;

	if (job->state != FL_JOB_WAITS)
		return 0;
	job->waits = t->at; /* it was not pending before */
	return fl_core_newcomer(t->c, job, err);
}

static int due(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	struct telling t = { .c = c, .at = row->at };

	return fl_jobs_due(&c->jobs, row->due.wall, begins, &t, err);
}

/* --- all rows --- */

static int of_job(struct fl_core *c, const struct fl_journal_row *row, int *ret,
		  fairlead_error *err)
{
	struct fl_live *job = fl_jobs_find(&c->jobs, row->job);

	*ret = !job ? FAIRLEAD_ENOENT : fl_job_is_over(job->state) ? FAIRLEAD_ESTATE : 0;
	if (*ret < 0)
		return 0;
	switch (row->kind) {
	case FL_JOURNAL_CHANGE:
		return fl_core_change(c, row, job, ret, err);
	case FL_JOURNAL_BEGAN:
	case FL_JOURNAL_MEASURED:
	case FL_JOURNAL_ENDED:
		return fl_core_run_told(c, row, job, err);
	default:
		return fl_core_asked(c, row, job, err);
	}
}

static int cycle(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	uint64_t began = uv_hrtime();
	int r = fl_driver_cycle(&c->generation.driver, row->at, err);

	began = uv_hrtime() - began;
	c->replay_ns += began;
	if (!c->replaying)
		fl_metrics_cycle(c->daemon.metrics, (fl_time)began);
	return r;
}

int fl_core_apply(struct fl_core *c, const struct fl_journal_row *row,
		  const struct fl_job_spec *spec, int *ret, fairlead_error *err)
{
	c->row_seq = row->seq;
	c->row_events = 0;
	*ret = 0;
	switch (row->kind) {
	case FL_JOURNAL_SUBMIT:
		return fl_core_submitted(c, row, spec, err);
	case FL_JOURNAL_JOIN:
		return fl_core_join(c, row, err);
	case FL_JOURNAL_PREPARE:
		return fl_core_prepare(c, row, err);
	case FL_JOURNAL_CYCLE:
		return cycle(c, row, err);
	case FL_JOURNAL_DUE:
		return due(c, row, err);
	case FL_JOURNAL_DISOWNED:
	case FL_JOURNAL_RESTORED:
	case FL_JOURNAL_ACKNOWLEDGED:
		return fl_core_adopted(c, row, err);
	case FL_JOURNAL_TOKEN_MADE:
	case FL_JOURNAL_TOKEN_REVOKED:
		return fl_core_token_apply(c, row, err);
	case FL_JOURNAL_REVIVE:
		return fl_core_revive(c, row, ret, err);
	case FL_JOURNAL_CONFIGURED:
		fl_core_drop_draft(c); /* it is of the configuration that is replaced */
		return configured(c, row, ret, err);
	default:
		return of_job(c, row, ret, err);
	}
}
