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
 *   depends    the jobs it waits for ended -> waits; not as required -> cancelled
 *   waits      join -> in the generation (prepare.c)        SUBMIT
 *              cycle -> starts                              (it decides)
 *              hold -> held; cancel -> cancelled            CANCEL
 *   starts     began -> runs
 *   runs       cycle -> stops (preempted)                   (it decides)
 *              cancel, hold -> stops
 *   stops,     ended: preempted -> waits                    EVICTED
 *   runs,      lost -> waits, or failed                     KILLED, or EVICTED if it was to go
 *   starts     not started -> waits a while, or failed      CANCEL, and joins again
 *              impossible -> failed                         FINISHED
 *              held -> held; else done, failed, cancelled   CANCEL; FINISHED
 */
#include "daemon/machine/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/machine/adopt.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/view.h"

enum { READ_NS = 20 }; /* ns to read a byte of a spec again after a kill */

/* --- the policy --- */

/* The policy refuses events that do not suit a workload's state; no known case leads to it. */
static int tell_policy(struct fl_core *c, fl_time at, enum fl_event_kind kind,
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

static int tell(struct fl_core *c, enum fl_happened what, fl_time at, const struct fl_live *job,
		const char *reason, const char *text, fairlead_error *err)
{
	struct fl_tell row = { .what = what, .at = at, .job = job, .reason = reason, .text = text };
	int r = fl_core_tell(c, &row, err);

	return r < 0 || !job ? r : fl_core_touch(c, job, err);
}

struct telling {
	struct fl_core *c;
	fl_time at;
	fairlead_error *err;
	int r;
};

static int end_job(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_job_state state,
		   const char *text, fairlead_error *err);

static void told_of_end(void *user, uint64_t id, bool as_wanted)
{
	struct telling *t = user;
	struct fl_live *job = fl_jobs_find(&t->c->jobs, id);

	if (!job || fl_job_is_over(job->state) || t->r < 0)
		return;
	if (!as_wanted) {
		t->r = end_job(t->c, job, t->at, FL_JOB_CANCELLED,
			       "a job that it waited for did not end as required", t->err);
	} else if (job->state == FL_JOB_DEPENDS && !fl_jobs_waits_for(&t->c->jobs, id)) {
		job->state = FL_JOB_WAITS;
		t->r = fl_core_touch(t->c, job, t->err);
		if (t->r == 0)
			t->r = fl_core_newcomer(t->c, job, t->err);
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

/* Ends the job; jobs that waited for it may go on, or end as well. */
static int end_job(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_job_state state,
		   const char *text, fairlead_error *err)
{
	enum fl_happened what = state == FL_JOB_DONE      ? FL_HAPPENED_FINISHED :
				state == FL_JOB_CANCELLED ? FL_HAPPENED_CANCELLED :
							    FL_HAPPENED_FAILED;
	char buffer[FL_CORE_REASON];
	/* A text that follows from outcome and status is not kept. */
	bool said = text && job->outcome >= 0 &&
		    strcmp(fl_live_last_run(job, buffer, sizeof buffer), text) == 0;
	int r = fl_jobs_end(&c->jobs, job, state, said ? NULL : text, err);

	if (r < 0)
		return r;
	if (!c->replaying)
		fl_metrics_ended(c->metrics, fl_core_queue(c, job), state);
	job->ended = at;
	r = tell(c, what, at, job, fl_job_state_name(state),
		 text ? fl_live_public(text, buffer) : NULL, err);
	fl_generation_leave(&c->generation, job);
	return r < 0 || !job->awaited ? r : tell_who_waits(c, job->id, at, err);
}

int fl_core_end(struct fl_core *c, uint64_t id, enum fl_job_state state, const char *why,
		fairlead_error *err)
{
	return end_job(c, fl_jobs_find(&c->jobs, id), c->at, state, why, err);
}

/* --- requests of users --- */

/* The state of a job that only the store has; FL_JOB_STATES: no such job. */
struct looking {
	enum fl_job_state state;
};

static int see_state(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	((struct looking *)user)->state = row->state;
	return 0;
}

enum fl_job_state fl_core_state_of(const struct fl_core *c, uint64_t id)
{
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);
	struct looking l = { FL_JOB_STATES };
	fairlead_error none;

	if (job)
		return job->state;
	return fl_store_job(c->store, id, see_state, &l, &none) < 0 ? FL_JOB_STATES : l.state;
}

/*
 * Removes dependencies on jobs that have ended.  False: one of them did not end as required.  Of
 * jobs that ended before it was submitted the row says it.
 */
static bool look_back(struct fl_core *c, const struct fl_journal_row *submit, struct fl_live *job,
		      const struct fl_job_spec *spec)
{
	bool hope = true;

	for (uint32_t i = 0; i < spec->n_after; i++) {
		bool well = submit->submit.wanted >> i & 1, ill = submit->submit.unwanted >> i & 1;
		enum fl_job_state state = well || ill ? FL_JOB_STATES :
							fl_core_state_of(c, spec->after[i].job);

		if (state != FL_JOB_STATES && !fl_job_is_over(state))
			continue;
		hope &= well || (state != FL_JOB_STATES && fl_after_is(spec->after[i].how, state));
		fl_jobs_waited(&c->jobs, job->id, spec->after[i].job);
	}
	return hope;
}

static int submit(struct fl_core *c, const struct fl_journal_row *row,
		  const struct fl_job_spec *spec, fairlead_error *err)
{
	struct fl_live *job;
	bool hope;
	int r = fl_jobs_add(&c->jobs, row->job, spec, row->at, &job, err);

	if (r < 0)
		return r;
	c->replay_ns += (uint64_t)spec->bytes * READ_NS; /* a start reads the spec once more */
	if (!c->replaying)
		fl_metrics_submitted(c->metrics, fl_core_queue(c, job), 1);
	hope = look_back(c, row, job, spec);
	if (job->held)
		job->state = FL_JOB_HELD;
	else if (fl_jobs_waits_for(&c->jobs, job->id))
		job->state = FL_JOB_DEPENDS;
	r = tell(c, FL_HAPPENED_SUBMITTED, row->at, job, /* reason= */ NULL, /* text= */ NULL, err);
	if (r == 0 && job->state == FL_JOB_WAITS)
		r = fl_core_newcomer(c, job, err);
	if (r == 0 && !hope)
		r = end_job(c, job, row->at, FL_JOB_CANCELLED,
			    "a job that it waits for did not end as required", err);
	return r;
}

/* The first reason stays, but a cancelled job is not requeued. */
static int stop(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_go_why why,
		const char *text, fairlead_error *err)
{
	int r = 0;

	if (job->state != FL_JOB_STOPS || why == FL_GO_CANCELLED)
		job->stopping = why;
	if (job->state != FL_JOB_STOPS)
		r = tell(c, FL_HAPPENED_STOPPED, at, job, fl_go_why_name(why), text, err);
	job->state = FL_JOB_STOPS;
	return r < 0 ? r : fl_core_stop(c, job, why, err);
}

static int cancel(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		  fairlead_error *err)
{
	int r;

	if (fl_live_runs(job))
		return stop(c, job, row->at, FL_GO_CANCELLED, row->asked.by, err);
	r = tell_policy(c, row->at, FL_EV_CANCEL, job, err);
	return r < 0 ? r : end_job(c, job, row->at, FL_JOB_CANCELLED, row->asked.by, err);
}

static int hold(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		fairlead_error *err)
{
	int r = tell(c, FL_HAPPENED_HELD, row->at, job, /* reason= */ NULL, row->asked.by, err);

	if (row->asked.admin || job->held == FL_HOLD_NONE)
		job->held = row->asked.admin ? FL_HOLD_ADMIN : FL_HOLD_OWNER;
	if (r < 0 || job->state == FL_JOB_HELD)
		return r;
	if (fl_live_runs(job))
		return stop(c, job, row->at, FL_GO_HELD, row->asked.by, err);
	r = tell_policy(c, row->at, FL_EV_CANCEL, job, err);
	fl_generation_leave(&c->generation, job);
	job->state = FL_JOB_HELD;
	return r;
}

static int release(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		   fairlead_error *err)
{
	int r = 0;

	/* Refused before; only a request in the same batch as an admin's hold gets here. */
	if (!job->held || (job->held == FL_HOLD_ADMIN && !row->asked.admin))
		return 0;
	job->held = FL_HOLD_NONE;
	if (job->state == FL_JOB_HELD)
		job->state = fl_jobs_waits_for(&c->jobs, job->id) ? FL_JOB_DEPENDS : FL_JOB_WAITS;
	if (job->state == FL_JOB_WAITS)
		r = fl_core_newcomer(c, job, err);
	return r < 0 ? r :
		       tell(c, FL_HAPPENED_RELEASED, row->at, job, /* reason= */ NULL,
			    row->asked.by, err);
}

static int set_priority(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
			fairlead_error *err)
{
	struct fl_event e = { .kind = FL_EV_CELL, .workload = job->workload };
	int r = 0;

	job->priority = row->priority.value;
	e.cell.kind = FL_CELL_PRIORITY;
	e.cell.amount = row->priority.value;
	if (job->workload.v != FL_NONE)
		r = fl_driver_apply(&c->generation.driver, row->at, &e, err);
	return r < 0 ? r : tell(c, FL_HAPPENED_PRIORITY, row->at, job, NULL, row->priority.by, err);
}

/* --- the ends of runs --- */

/* It began and ended, possibly by a signal, and was not lost. */
static bool has_run(const struct fl_run_outcome *o)
{
	return o->kind == FL_RUN_EXITED || o->kind == FL_RUN_SIGNALLED;
}

/*
 * The text of a failed start names folders and programs, which only owner and admins see
 * (fl_api_reason).
 */
static const char *ended_as(const struct fl_live *job, const struct fl_run_outcome *o,
			    char buffer[FL_CORE_REASON])
{
	bool started = o->kind != FL_RUN_NOT_STARTED && o->kind != FL_RUN_IMPOSSIBLE;

	if (job->stopping != FL_GO_NOT)
		return fl_go_why_name(job->stopping);
	if (has_run(o) && o->text[0])
		(void)snprintf(buffer, FL_CORE_REASON, "%s", o->text);
	else
		(void)snprintf(buffer, FL_CORE_REASON, "%s%s%s", fl_outcome_name(o->kind),
			       started ? "" : ": ", started ? "" : o->text);
	return buffer;
}

static void wait_again(struct fl_live *job, fl_time at)
{
	job->state = job->held ? FL_JOB_HELD : FL_JOB_WAITS;
	job->waits = at;
	job->stopping = FL_GO_NOT;
	job->preemptor = 0;
	job->outcome = -1;
	job->status = 0;
}

static int requeue(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_event_kind how,
		   const char *reason, const char *text, fairlead_error *err)
{
	int r = tell_policy(c, at, how, job, err);

	wait_again(job, at);
	return r < 0 ? r : tell(c, FL_HAPPENED_REQUEUED, at, job, reason, text, err);
}

/* The run has ended and the job leaves the policy: held, or it joins again. */
static int put_back(struct fl_core *c, struct fl_live *job, fl_time at, fairlead_error *err)
{
	int r = tell_policy(c, at, FL_EV_CANCEL, job, err);

	fl_generation_leave(&c->generation, job);
	wait_again(job, at);
	if (r == 0 && job->state == FL_JOB_WAITS)
		r = fl_core_newcomer(c, job, err);
	return r < 0 ? r : fl_core_touch(c, job, err);
}

/* The job is started again after 1 s, 2 s, 4 s and so on, 512 s at most. */
static int try_later(struct fl_core *c, struct fl_live *job, fl_time at, fairlead_error *err)
{
	int r = tell_policy(c, at, FL_EV_CANCEL, job, err);

	fl_generation_leave(&c->generation, job);
	wait_again(job, at);
	job->retry = at + (FL_SECOND << (job->losses < 10 ? job->losses - 1 : 9));
	return r < 0 ? r : fl_core_newcomer(c, job, err);
}

static bool is_hopeless(const struct fl_core *c, const struct fl_live *job)
{
	return job->outcome == FL_RUN_IMPOSSIBLE ||
	       job->losses >= fl_config_settings(c->config)->losses;
}

static int lost(struct fl_core *c, struct fl_live *job, fl_time at, const struct fl_run_outcome *o,
		const char *how, fairlead_error *err)
{
	bool told_to_go = job->stopping == FL_GO_PREEMPTED;
	bool started = o->kind == FL_RUN_LOST;
	int r;

	job->losses++;
	if (!c->replaying)
		fl_metrics_lost(c->metrics, fl_core_queue(c, job));
	r = tell(c, started ? FL_HAPPENED_LOST : FL_HAPPENED_NOT_STARTED, at, job,
		 fl_outcome_name(o->kind), started ? o->text : NULL, err);
	if (r < 0)
		return r;
	if (is_hopeless(c, job)) {
		r = tell_policy(c, at, FL_EV_FINISHED, job, err);
		return r < 0 ? r : end_job(c, job, at, FL_JOB_FAILED, how, err);
	}
	if (job->held)
		return put_back(c, job, at, err);
	if (!started)
		return try_later(c, job, at, err);
	return requeue(c, job, at, told_to_go ? FL_EV_EVICTED : FL_EV_KILLED, "lost", o->text, err);
}

static int finish(struct fl_core *c, struct fl_live *job, fl_time at,
		  const struct fl_run_outcome *o, fairlead_error *err)
{
	enum fl_go_why why = job->stopping;
	bool told = job->state == FL_JOB_STOPS; /* evicted by the present policy */
	bool well = o->kind == FL_RUN_EXITED && o->status == 0 && why == FL_GO_NOT;
	char text[FL_CORE_REASON];
	int r;

	if (why == FL_GO_HELD || why == FL_GO_DRAIN || (why == FL_GO_PREEMPTED && job->held))
		return put_back(c, job, at, err);
	if (why == FL_GO_PREEMPTED)
		return requeue(c, job, at, told ? FL_EV_EVICTED : FL_EV_KILLED, "preempted",
			       /* text= */ NULL, err);
	r = tell_policy(c, at, FL_EV_FINISHED, job, err);
	if (r < 0)
		return r;
	size_t n = strlen(fl_live_last_run(job, text, sizeof text));
	if (has_run(o) && o->text[0])
		(void)snprintf(text + n, sizeof text - n, ", %s", o->text);
	return end_job(c, job, at,
		       well                   ? FL_JOB_DONE :
		       why == FL_GO_CANCELLED ? FL_JOB_CANCELLED :
						FL_JOB_FAILED,
		       text, err);
}

static int began(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		 fairlead_error *err)
{
	if (job->state != FL_JOB_STARTS || row->began.attempt != job->attempt)
		return 0;
	job->state = FL_JOB_RUNS;
	return tell(c, FL_HAPPENED_STARTED, row->at, job, /* reason= */ NULL, /* text= */ NULL,
		    err);
}

static int ended(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		 fairlead_error *err)
{
	struct fl_run_outcome o = fl_core_outcome(row);
	char buffer[FL_CORE_REASON];
	const char *how;
	fl_time at;
	int r;

	if (!fl_live_runs(job) || row->ended.attempt != job->attempt)
		return 0;
	/*
	 * The runner knows two more reasons than the daemon: the time limit, and a shutdown of the
	 * machine; and with an older database (adopt.c), all orders that came after it.
	 */
	if (job->stopping == FL_GO_NOT)
		job->stopping = o.stopped;
	/* After a start without image (replay.c) a stop without known reason is a drain. */
	if (job->stopping == FL_GO_DRAIN && o.stopped != FL_GO_NOT)
		job->stopping = o.stopped;
	/* It exited before it got the order to stop: it ended by itself. */
	if (o.kind == FL_RUN_EXITED && o.stopped == FL_GO_NOT && job->stopping != FL_GO_CANCELLED) {
		job->stopping = FL_GO_NOT;
		job->preemptor = 0;
	}
	job->outcome = o.kind;
	job->status = o.status;
	/* It may have ended while the daemon was down: its quota was released then. */
	at = o.ended == FL_TIME_NONE || o.ended > row->at ? row->at :
	     o.ended < job->started                       ? job->started :
							    o.ended;
	job->ran += at - job->started;
	how = ended_as(job, &o, buffer);
	r = fl_core_release(c, job, at, how, err);
	if (r < 0)
		return r;
	if (!c->replaying) /* otherwise find_runs does it */
		c->backend->forget(c->host, row->job, o.attempt);
	if (job->stopping == FL_GO_CANCELLED)
		return finish(c, job, row->at, &o, err);
	/* A job that was stopped before it began has ended: that is no failure. */
	if (has_run(&o) || (o.kind == FL_RUN_NOT_STARTED && job->stopping != FL_GO_NOT))
		return finish(c, job, row->at, &o, err);
	return lost(c, job, row->at, &o, how, err);
}

/* --- decisions of the policy --- */

static int start(void *user, fl_time now, struct fl_live *job, const struct fl_decision *d,
		 fairlead_error *err)
{
	struct fl_core *c = user;
	int r;

	if (!c->replaying)
		fl_metrics_waited(c->metrics, fl_core_queue(c, job), now - job->waits);
	if ((r = tell(c, FL_HAPPENED_ADMITTED, now, job, fl_reason_name(d->reason), NULL, err)) <
		    0 ||
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
		fl_metrics_preempted(c->metrics, fl_core_queue(c, job), d->reason);
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
		fl_metrics_loop(c->metrics);
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
			r = stop(c, job, at, FL_GO_DRAIN, "its queue is drained", err);
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
	char *was = fl_core_spell_config(c->config, &c->capacity);
	fairlead_error why = { 0 };
	int r = was ? fl_core_take_config(c, next, strlen(next), err) : fl_fail_nomem(err);

	c->configuring = false;
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
			r = tell(c, FL_HAPPENED_CONFIGURED, row->at, NULL, NULL, NULL, err);
	}
	free(was);
	return r;
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
	case FL_JOURNAL_CANCEL:
		return cancel(c, row, job, err);
	case FL_JOURNAL_HOLD:
		return hold(c, row, job, err);
	case FL_JOURNAL_RELEASE:
		return release(c, row, job, err);
	case FL_JOURNAL_PRIORITY:
		return set_priority(c, row, job, err);
	case FL_JOURNAL_BEGAN:
		return began(c, row, job, err);
	case FL_JOURNAL_ENDED:
		return ended(c, row, job, err);
	default:
		return 0;
	}
}

static int cycle(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	uint64_t began = uv_hrtime();
	int r = fl_driver_cycle(&c->generation.driver, row->at, err);

	began = uv_hrtime() - began;
	c->replay_ns += began;
	if (!c->replaying)
		fl_metrics_cycle(c->metrics, (fl_time)began);
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
		return submit(c, row, spec, err);
	case FL_JOURNAL_JOIN:
		return fl_core_join(c, row, err);
	case FL_JOURNAL_PREPARE:
		return fl_core_prepare(c, row, err);
	case FL_JOURNAL_CYCLE:
		return cycle(c, row, err);
	case FL_JOURNAL_DISOWNED:
	case FL_JOURNAL_RESTORED:
	case FL_JOURNAL_ACKNOWLEDGED:
		return fl_core_adopted(c, row, err);
	case FL_JOURNAL_CONFIGURED:
		fl_core_drop_draft(c); /* it is of the configuration that is replaced */
		return configured(c, row, ret, err);
	default:
		return of_job(c, row, ret, err);
	}
}
