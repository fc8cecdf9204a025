/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/asked.h"

#include <stdio.h>

#include "daemon/machine/apply.h"
#include "daemon/machine/change.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/view.h"

enum { READ_NS = 20 }; /* ns to read a byte of a spec again after a kill */

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
	return fl_store_job(c->daemon.store, id, see_state, &l, &none) < 0 ? FL_JOB_STATES :
									     l.state;
}

bool fl_core_look_back(struct fl_core *c, const struct fl_known_ends *known,
		       const struct fl_live *job, const struct fl_job_after *after,
		       uint32_t n_after)
{
	bool hope = true;

	for (uint32_t i = 0; i < n_after; i++) {
		bool well = known->wanted >> i & 1, ill = known->unwanted >> i & 1;
		enum fl_job_state state = well || ill ? FL_JOB_STATES :
							fl_core_state_of(c, after[i].job);

		bool begun = after[i].how == FL_AFTER_BEGUN &&
			     (state == FL_JOB_RUNS || state == FL_JOB_STOPS);

		if (state != FL_JOB_STATES && !fl_job_is_over(state) && !begun)
			continue;
		hope &= well || (state != FL_JOB_STATES && fl_after_is(after[i].how, state));
		fl_jobs_waited(&c->jobs, job->id, after[i].job);
	}
	return hope;
}

int fl_core_submitted(struct fl_core *c, const struct fl_journal_row *row,
		      const struct fl_job_spec *spec, fairlead_error *err)
{
	struct fl_live *job;
	bool hope;
	int r = fl_jobs_add(&c->jobs, row->job, spec, row->at, &job, err);

	if (r < 0)
		return r;
	c->replay_ns += (uint64_t)spec->bytes * READ_NS; /* a start reads the spec once more */
	if (!c->replaying)
		fl_metrics_submitted(c->daemon.metrics, fl_core_queue(c, job), 1);
	if (job->interactive && !c->replaying && (r = fl_core_await_client(c, job->id, err)) < 0)
		return r;
	hope = fl_core_look_back(
		c, &(struct fl_known_ends){ row->submit.wanted, row->submit.unwanted }, job,
		spec->after, spec->n_after);
	r = fl_core_let_in(c, job, err);
	if (r == 0)
		r = fl_core_happened(c, FL_HAPPENED_SUBMITTED, row->at, job, /* reason= */ NULL,
				     /* text= */ NULL, err);
	if (r == 0 && !hope)
		r = fl_core_end_job(c, job, row->at, FL_JOB_CANCELLED,
				    "a job that it waits for did not end as required", err);
	return r;
}

static int cancel(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		  fairlead_error *err)
{
	int r;

	if (fl_live_runs(job))
		return fl_core_stop_job(c, job, row->at, FL_GO_CANCELLED, row->asked.by, err);
	r = fl_core_tell_policy(c, row->at, FL_EV_CANCEL, job, err);
	return r < 0 ? r : fl_core_end_job(c, job, row->at, FL_JOB_CANCELLED, row->asked.by, err);
}

/* One that runs goes on, unless it is to be stopped. */
static int hold(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		fairlead_error *err)
{
	bool goes_on = fl_live_runs(job) && row->kind == FL_JOURNAL_HOLD_BACK;
	int r = fl_core_happened(c, FL_HAPPENED_HELD, row->at, job, goes_on ? "running" : NULL,
				 row->asked.by, err);

	if (row->asked.admin || job->held == FL_HOLD_NONE)
		job->held = row->asked.admin ? FL_HOLD_ADMIN : FL_HOLD_OWNER;
	if (r < 0 || goes_on || job->state == FL_JOB_HELD)
		return r;
	if (fl_live_runs(job))
		return fl_core_stop_job(c, job, row->at, FL_GO_HELD, row->asked.by, err);
	r = fl_core_tell_policy(c, row->at, FL_EV_CANCEL, job, err);
	fl_generation_leave(&c->generation, job);
	job->state = FL_JOB_HELD;
	return r < 0 ? r : fl_core_let_others_in(c, job, err);
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
		r = fl_core_let_in(c, job, err);
	if (r == 0 && job->why_held)
		r = fl_core_forget_why(c, job, err);
	return r < 0 ? r :
		       fl_core_happened(c, FL_HAPPENED_RELEASED, row->at, job, /* reason= */ NULL,
					row->asked.by, err);
}

/* One that is to be pending again anyway is; the request for one that is pending came too late. */
static int requeue_asked(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
			 fairlead_error *err)
{
	if (!fl_live_runs(job) || job->state == FL_JOB_STOPS)
		return 0;
	return fl_core_stop_job(c, job, row->at, FL_GO_REQUEUED, row->asked.by, err);
}

static int send_signal(struct fl_core *c, const struct fl_journal_row *row,
		       const struct fl_live *job, fairlead_error *err)
{
	char text[120];

	if (!fl_live_runs(job))
		return 0;
	fl_core_signal(c, job, (int)row->signal.number);
	(void)snprintf(text, sizeof text, "signal %u, %s", row->signal.number, row->signal.by);
	return fl_core_happened(c, FL_HAPPENED_SIGNALLED, row->at, job, /* reason= */ NULL, text,
				err);
}

static int set_priority(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
			fairlead_error *err)
{
	int r = fl_core_prioritize(c, row->at, job, row->priority.value, err);

	return r < 0 ? r :
		       fl_core_happened(c, FL_HAPPENED_PRIORITY, row->at, job, /* reason= */ NULL,
					row->priority.by, err);
}

int fl_core_asked(struct fl_core *c, const struct fl_journal_row *row, struct fl_live *job,
		  fairlead_error *err)
{
	switch (row->kind) {
	case FL_JOURNAL_CANCEL:
		return cancel(c, row, job, err);
	case FL_JOURNAL_HOLD:
	case FL_JOURNAL_HOLD_BACK:
		return hold(c, row, job, err);
	case FL_JOURNAL_SIGNAL:
		return send_signal(c, row, job, err);
	case FL_JOURNAL_REQUEUE:
		return requeue_asked(c, row, job, err);
	case FL_JOURNAL_RELEASE:
		return release(c, row, job, err);
	case FL_JOURNAL_PRIORITY:
		return set_priority(c, row, job, err);
	default:
		return 0;
	}
}
