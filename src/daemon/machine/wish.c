/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/wish.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_json.h"
#include "daemon/machine/asked.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/submit.h"

const char *fl_core_refusal(int result)
{
	switch (result) {
	case FAIRLEAD_ENOENT:
		return "there is no such job";
	case FAIRLEAD_ESTATE:
		return "the job has ended";
	default:
		return "the job has changed at this moment, so nothing was done: try again";
	}
}

/* --- can it be done? --- */

static int fail_over(uint64_t job, enum fl_job_state state, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " has ended: %s", job,
		       fl_job_state_name(state));
}

static int check_release(const struct fl_live *job, const struct fl_wishing *w, fairlead_error *err)
{
	if (job->held != FL_HOLD_ADMIN || w->who.admin)
		return 0;
	fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is held by an admin", job->id);
	return fl_fail_hint(err, "only an admin can release it; its owner can cancel it");
}

static int check_signal(const struct fl_live *job, fairlead_error *err)
{
	if (job->state == FL_JOB_RUNS || job->state == FL_JOB_STOPS)
		return 0;
	return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " does not run", job->id);
}

/* Its client gave it its input, which it does not give once more. */
static int fail_interactive(uint64_t job, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is interactive, and is not queued again",
		job);
	return fl_fail_hint(err, "run it anew with 'fairlead run'");
}

static int check_requeue(const struct fl_live *job, fairlead_error *err)
{
	if (job->interactive)
		return fail_interactive(job->id, err);
	if (job->state == FL_JOB_STOPS && job->stopping == FL_GO_CANCELLED)
		return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is being cancelled", job->id);
	if (fl_live_runs(job))
		return 0;
	return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is pending already", job->id);
}

static int see_interactive(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_document doc;
	int r = fl_job_parse(row->spec, strlen(row->spec), FL_JOB_STORED, &doc, err);

	if (r < 0)
		return r;
	*(bool *)user = doc.spec.interactive != FL_INTERACTIVE_NOT;
	fl_job_document_done(&doc);
	return 0;
}

/* One that has ended: it counts for limits again, and its queue must be there. */
static int check_revival(const struct fl_core *c, uint64_t job, struct fl_wishing *w,
			 fairlead_error *err)
{
	struct fl_journal_row row;
	char *text = NULL;
	bool interactive = false;
	int r = fl_core_check_again(c, job, w->again + 1, err);

	if (r == 0)
		r = fl_store_job(c->daemon.store, job, see_interactive, &interactive, err);
	if (r == 0 && interactive)
		r = fail_interactive(job, err);
	if (r == 0)
		r = fl_core_revive_row(c, job, &w->who, &row, &text, err);
	free(text);
	w->again += r == 0;
	return r;
}

int fl_core_check_wish(const struct fl_core *c, struct fl_wishing *w, uint64_t id,
		       fairlead_error *err)
{
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);
	struct fl_known_ends ends;

	if (!job && id > c->submitted)
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no job %" PRIu64, id);
	if (w->wish == FL_WISH_REQUEUE && (!job || fl_job_is_over(job->state)))
		return check_revival(c, id, w, err);
	if (job && fl_job_is_over(job->state))
		return fail_over(id, job->state, err);
	if (!job && fl_core_is_coming(c, id))
		return 0; /* it is submitted at this moment */
	if (!job)
		return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " has ended", id);
	switch (w->wish) {
	case FL_WISH_RELEASE:
		return check_release(job, w, err);
	case FL_WISH_SIGNAL:
		return check_signal(job, err);
	case FL_WISH_REQUEUE:
		return check_requeue(job, err);
	case FL_WISH_UPDATE:
		return fl_core_check_update(c, id, w->update, &w->who, &ends, &w->budget, err);
	default:
		return 0;
	}
}

/* --- rows --- */

enum { CHANGED = 64 << 20 }; /* bytes of specs that the requests of one batch may change */

uint64_t fl_core_wish_bytes(const struct fl_core *c, const struct fl_wishing *w, uint64_t id)
{
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);

	return job && (w->update || (w->wish == FL_WISH_RELEASE && job->why_held)) ? job->bytes : 0;
}

static int check_changed(const struct fl_core *c, const struct fl_wishing *w, const uint64_t *jobs,
			 uint32_t n, uint64_t *ret, fairlead_error *err)
{
	*ret = c->gather->changed;
	for (uint32_t i = 0; i < n; i++)
		*ret += fl_core_wish_bytes(c, w, jobs[i]);
	return *ret <= CHANGED || *ret == c->gather->changed ?
		       0 :
		       fl_fail(err, FAIRLEAD_EIO,
			       "too many jobs are changed at this moment: try again");
}

static int add_update(struct fl_core *c, struct fl_wishing *w, uint64_t job, fairlead_error *err)
{
	struct fl_known_ends ends = { 0 };
	struct fl_journal_row row;
	char *text = NULL;
	int r = 0;

	if (w->wish == FL_WISH_UPDATE)
		r = fl_core_check_update(c, job, w->update, &w->who, &ends, &w->budget, err);
	if (r == 0)
		r = fl_core_update_row(c, job, w->update, &ends, &w->who, &row, &text, err);
	if (r == 0)
		r = fl_core_note(c, &row, err);
	free(text);
	return r;
}

static int add_revival(struct fl_core *c, const struct fl_wishing *w, uint64_t job,
		       fairlead_error *err)
{
	struct fl_journal_row row;
	char *text = NULL;
	int r = fl_core_revive_row(c, job, &w->who, &row, &text, err);

	if (r == 0)
		r = fl_core_note(c, &row, err);
	free(text);
	return r;
}

static int add_row(struct fl_core *c, struct fl_wishing *w, uint64_t id, fairlead_error *err)
{
	static const enum fl_journal_kind kinds[FL_WISHES] = {
		[FL_WISH_CANCEL] = FL_JOURNAL_CANCEL,     [FL_WISH_HOLD] = FL_JOURNAL_HOLD_BACK,
		[FL_WISH_STOP] = FL_JOURNAL_HOLD,         [FL_WISH_RELEASE] = FL_JOURNAL_RELEASE,
		[FL_WISH_PRIORITY] = FL_JOURNAL_PRIORITY, [FL_WISH_SIGNAL] = FL_JOURNAL_SIGNAL,
		[FL_WISH_REQUEUE] = FL_JOURNAL_REQUEUE,
	};
	const struct fl_live *job = fl_jobs_find(&c->jobs, id);
	struct fl_journal_row row = { .kind = kinds[w->wish], .job = id };
	char by[80];

	if (w->wish == FL_WISH_UPDATE)
		return add_update(c, w, id, err);
	if (w->wish == FL_WISH_REQUEUE && (!job || fl_job_is_over(job->state)))
		return add_revival(c, w, id, err);
	(void)snprintf(by, sizeof by, "by %s", w->who.name);
	if (w->wish == FL_WISH_PRIORITY) {
		row.priority.value = w->value;
		row.priority.by = by;
	} else if (w->wish == FL_WISH_SIGNAL) {
		row.signal.number = (uint32_t)w->value;
		row.signal.by = by;
	} else {
		row.asked.admin = w->who.admin;
		row.asked.by = by;
	}
	return fl_core_note(c, &row, err);
}

/* Why it is held: after the rows that were asked for, each of which has a result. */
static int add_reason(struct fl_core *c, struct fl_wishing *w, uint64_t id, fairlead_error *err)
{
	return (w->wish == FL_WISH_HOLD || w->wish == FL_WISH_STOP) && w->update &&
			       fl_jobs_find(&c->jobs, id) ?
		       add_update(c, w, id, err) :
		       0;
}

int fl_core_wish(struct fl_core *c, struct fl_wishing *w, const uint64_t *jobs, uint32_t n,
		 fl_reply_fn *done, void *user, fairlead_error *err)
{
	uint32_t before = c->gather->all.rows.n_journal;
	struct fl_post post = { done, user, before, n };
	uint64_t changed = 0;
	int r = fl_core_check_open(c, err);

	w->budget = FL_WISH_BUDGET;
	if (r == 0)
		r = check_changed(c, w, jobs, n, &changed, err);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = add_row(c, w, jobs[i], err);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = add_reason(c, w, jobs[i], err);
	if (r == 0)
		r = fl_gather_post(c->gather, &post, err);
	if (r < 0)
		c->gather->all.rows.n_journal = before;
	else
		c->gather->changed = changed;
	return r;
}
