/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/ended.h"

#include <stdio.h>
#include <string.h>

#include "daemon/machine/apply.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/view.h"

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
			    char buffer[FL_LIVE_REASON])
{
	bool started = o->kind != FL_RUN_NOT_STARTED && o->kind != FL_RUN_IMPOSSIBLE;

	if (job->stopping != FL_GO_NOT)
		return fl_go_why_name(job->stopping);
	if (has_run(o) && o->text[0])
		(void)snprintf(buffer, FL_LIVE_REASON, "%s", o->text);
	else
		(void)snprintf(buffer, FL_LIVE_REASON, "%s%s%s", fl_outcome_name(o->kind),
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
	job->cpu = job->memory = 0;
}

static int requeue(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_event_kind how,
		   const char *reason, const char *text, fairlead_error *err)
{
	int r = fl_core_tell_policy(c, at, how, job, err);

	wait_again(job, at);
	return r < 0 ? r : fl_core_happened(c, FL_HAPPENED_REQUEUED, at, job, reason, text, err);
}

/* The run has ended and the job leaves the policy: held, or it joins again. */
static int put_back(struct fl_core *c, struct fl_live *job, fl_time at, enum fl_go_why why,
		    fairlead_error *err)
{
	int r = fl_core_tell_policy(c, at, FL_EV_CANCEL, job, err);

	fl_generation_leave(&c->generation, job);
	wait_again(job, at);
	if (r == 0)
		r = job->state == FL_JOB_WAITS ? fl_core_newcomer(c, job, err) :
						 fl_core_let_others_in(c, job, err);
	if (r == 0 && why == FL_GO_REQUEUED)
		return fl_core_happened(c, FL_HAPPENED_REQUEUED, at, job, fl_go_why_name(why),
					/* text= */ NULL, err);
	return r < 0 ? r : fl_core_touch(c, job, err);
}

/* The job is started again after 1 s, 2 s, 4 s and so on, 512 s at most. */
static int try_later(struct fl_core *c, struct fl_live *job, fl_time at, fairlead_error *err)
{
	int r = fl_core_tell_policy(c, at, FL_EV_CANCEL, job, err);

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

/* Not queued again, as it was submitted so: @how its run came to its end. */
static int end_once(struct fl_core *c, struct fl_live *job, fl_time at, const char *how,
		    fairlead_error *err)
{
	char text[FL_LIVE_REASON];
	int r = fl_core_tell_policy(c, at, FL_EV_FINISHED, job, err);

	(void)snprintf(text, sizeof text, "%.200s, and it is not queued again (--no-requeue)", how);
	return r < 0 ? r : fl_core_end_job(c, job, at, FL_JOB_FAILED, text, err);
}

static int lost(struct fl_core *c, struct fl_live *job, fl_time at, const struct fl_run_outcome *o,
		const char *how, fairlead_error *err)
{
	bool told_to_go = job->stopping == FL_GO_PREEMPTED;
	bool started = o->kind == FL_RUN_LOST;
	int r;

	job->losses++;
	if (!c->replaying)
		fl_metrics_lost(c->daemon.metrics, fl_core_queue(c, job));
	r = fl_core_happened(c, started ? FL_HAPPENED_LOST : FL_HAPPENED_NOT_STARTED, at, job,
			     fl_outcome_name(o->kind), started ? o->text : NULL, err);
	if (r < 0)
		return r;
	if (is_hopeless(c, job)) {
		r = fl_core_tell_policy(c, at, FL_EV_FINISHED, job, err);
		return r < 0 ? r : fl_core_end_job(c, job, at, FL_JOB_FAILED, how, err);
	}
	if (started && job->once)
		return end_once(c, job, at, how, err);
	if (job->held)
		return put_back(c, job, at, FL_GO_HELD, err);
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
	char text[FL_LIVE_REASON];
	int r;

	if ((job->once && (why == FL_GO_PREEMPTED || why == FL_GO_DRAIN)) ||
	    (job->interactive && why == FL_GO_HELD))
		return end_once(c, job, at, fl_go_why_name(why), err);
	if (why == FL_GO_HELD || why == FL_GO_DRAIN || why == FL_GO_REQUEUED ||
	    (why == FL_GO_PREEMPTED && job->held))
		return put_back(c, job, at, why, err);
	if (why == FL_GO_PREEMPTED)
		return requeue(c, job, at, told ? FL_EV_EVICTED : FL_EV_KILLED, "preempted",
			       /* text= */ NULL, err);
	r = fl_core_tell_policy(c, at, FL_EV_FINISHED, job, err);
	if (r < 0)
		return r;
	size_t n = strlen(fl_live_last_run(job, text, sizeof text));
	if (has_run(o) && o->text[0])
		(void)snprintf(text + n, sizeof text - n, ", %s", o->text);
	return fl_core_end_job(c, job, at,
			       well                   ? FL_JOB_DONE :
			       why == FL_GO_CANCELLED ? FL_JOB_CANCELLED :
							FL_JOB_FAILED,
			       text, err);
}

static int began(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		 fairlead_error *err)
{
	int r;

	if (job->state != FL_JOB_STARTS || row->began.attempt != job->attempt)
		return 0;
	job->state = FL_JOB_RUNS;
	r = fl_core_tell_begun(c, job, row->at, err);
	return r < 0 ? r :
		       fl_core_happened(c, FL_HAPPENED_STARTED, row->at, job, /* reason= */ NULL,
					/* text= */ NULL, err);
}

/* Kept until its end, which is the next row. */
static int measured(const struct fl_journal_row *row, struct fl_live *job)
{
	if (fl_live_runs(job) && row->measured.attempt == job->attempt) {
		job->cpu = row->measured.cpu;
		job->memory = row->measured.memory;
	}
	return 0;
}

static int ended(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		 fairlead_error *err)
{
	struct fl_run_outcome o = fl_core_outcome(row);
	char buffer[FL_LIVE_REASON];
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

int fl_core_run_told(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		     fairlead_error *err)
{
	switch (row->kind) {
	case FL_JOURNAL_BEGAN:
		return began(c, row, job, err);
	case FL_JOURNAL_MEASURED:
		return measured(row, job);
	case FL_JOURNAL_ENDED:
		return ended(c, row, job, err);
	default:
		return 0;
	}
}
