/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/past.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_json.h"
#include "sim/forecast.h"
#include "tell/tell.h"

struct fl_past {
	struct fl_jobs jobs; /* in no order */
	struct known {
		struct fl_sym name;
		fl_time limit; /* FL_TIME_NONE: none */
	} * known;             /* by row of jobs */
	uint32_t cap;
	size_t bytes;     /* of specs */
	uint32_t n_ended; /* of those that are over so many were seen */
	bool cut;         /* there are more than FL_PAST_BYTES: what comes after is not here */
};

int fl_past_new(struct fl_past **ret, fairlead_error *err)
{
	struct fl_past *p = fl_mem_heap.resize(fl_mem_heap.user, NULL, sizeof *p);
	int r;

	if (!p)
		return fl_fail_nomem(err);
	memset(p, 0, sizeof *p);
	r = fl_jobs_init(&p->jobs, err);
	if (r == 0)
		*ret = p;
	else
		fl_past_free(p);
	return r;
}

struct fl_past *fl_past_free(struct fl_past *p)
{
	if (!p)
		return NULL;
	fl_jobs_done(&p->jobs);
	fl_mem_free(&fl_mem_heap, p->known);
	fl_mem_free(&fl_mem_heap, p);
	return NULL;
}

/* --- what is known --- */

static int add(struct fl_past *p, const struct fl_job_row *row, const struct fl_job_spec *spec,
	       fairlead_error *err)
{
	struct fl_live job = {
		.id = row->id,
		.state = row->state,
		.priority = row->priority,
		.tasks = spec->tasks,
		.workload = { FL_NONE },
		.submitted = row->submitted,
		.started = row->started,
		.ended = row->ended,
	};
	struct fl_job_spec asks = *spec;
	struct known *known;
	struct fl_live *added;
	int r = fl_mem_grow(&fl_mem_heap, &p->known, &p->cap, p->jobs.n + 1, sizeof *p->known, err);

	asks.n_after = 0;
	if (r == 0)
		r = fl_jobs_restore(&p->jobs, &job, &asks, &added, err);
	if (r < 0)
		return r;
	known = &p->known[p->jobs.n - 1];
	known->limit = spec->time_limit == FL_NEVER ? FL_TIME_NONE : spec->time_limit;
	return fl_names_add(&p->jobs.names, row->name, strlen(row->name), &known->name, err);
}

/* Of those that never ran nothing is learned. A spec that cannot be read is nobody's to wait for. */
int fl_past_add(struct fl_past *p, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_document doc;
	fairlead_error none;
	size_t len;
	int r;

	p->n_ended += fl_job_is_over(row->state);
	if (!row->spec || (fl_job_is_over(row->state) &&
			   (row->started == FL_TIME_NONE || row->ended == FL_TIME_NONE)))
		return 0;
	len = strlen(row->spec);
	p->cut |= len > FL_PAST_BYTES - p->bytes;
	if (p->cut) /* nor a smaller one, so that nobody is missing between two that are here */
		return 0;
	p->bytes += len;
	r = fl_job_parse(row->spec, len, FL_JOB_STORED, &doc, &none);
	if (r < 0)
		return r == FAIRLEAD_ENOMEM ? fl_fail_nomem(err) : 0;
	r = add(p, row, &doc.spec, err);
	fl_job_document_done(&doc);
	return r;
}

/* --- in a copy of the process: spares --- */

struct trial {
	const struct fl_past *past;
	struct fl_jobs *jobs;     /* that are there, and spares behind them */
	struct fl_live_view view; /* of the generation that is tried */
	struct fl_model *m;       /* its model */
	uint32_t n;               /* jobs that are there */
	uint32_t *was;            /* by job that is there: its workload in the generation that is */
	uint32_t *spare_of;       /* by row of the past: its first spare, a job; FL_NONE */
	uint32_t copies;
	struct fl_tell_coming coming;
};

static void *room(size_t n, fairlead_error *err)
{
	void *ret = malloc((n + 1) * sizeof(uint32_t));

	if (ret)
		memset(ret, 0xff, (n + 1) * sizeof(uint32_t)); /* FL_NONE */
	else
		(void)fl_fail_nomem(err);
	return ret;
}

/*
 * Since when is it known who came?  While the first job is still known, since it came; else since
 * the first end that was read, or, when there were more, since the oldest of those that were.
 */
static fl_time known_since(const struct fl_past *p, fl_time now)
{
	uint64_t lowest = UINT64_MAX;
	fl_time first = now, ended = FL_NEVER, oldest = now;

	for (uint32_t i = 0; i < p->jobs.n; i++) {
		const struct fl_live *job = &p->jobs.rows[i];

		first = fl_amount_min(first, job->submitted);
		lowest = job->id < lowest ? job->id : lowest;
		if (!fl_job_is_over(job->state))
			continue;
		ended = fl_amount_min(ended, job->ended);
		oldest = fl_amount_min(oldest, job->submitted);
	}
	if (p->cut || p->n_ended >= FL_PAST_ENDED)
		return oldest;
	return lowest == 1 || ended == FL_NEVER ? first : ended;
}

static void set_text(char *to, size_t size, const struct fl_past *p, struct fl_sym sym)
{
	(void)snprintf(to, size, "%s", fl_names_text(&p->jobs.names, sym));
}

/* What the policy needs to know of it. */
static void spell(const struct fl_past *p, const struct fl_live *job, struct fl_job_spec *ret)
{
	const struct fl_asks *a = &p->jobs.asks[job->asks];

	*ret = (struct fl_job_spec){ .priority = job->priority,
				     .tasks = a->tasks,
				     .n_requests = a->n_requests,
				     .n_labels = a->n_labels };
	set_text(ret->queue, sizeof ret->queue, p, job->queue);
	set_text(ret->user, sizeof ret->user, p, job->user);
	for (uint32_t i = 0; i < a->n_requests; i++) {
		set_text(ret->requests[i].resource, FL_JOB_RESOURCE, p, a->requests[i].resource);
		ret->requests[i].amount = a->requests[i].amount;
	}
	for (uint32_t i = 0; i < a->n_labels; i++) {
		set_text(ret->labels[i].key, FL_JOB_RESOURCE, p, a->labels[i].key);
		set_text(ret->labels[i].value, FL_JOB_RESOURCE, p, a->labels[i].value);
	}
}

static bool came_lately(const struct trial *t, const struct fl_live *job)
{
	return job->submitted > t->view.now - t->coming.period && job->submitted <= t->view.now;
}

/* Jobs of numbers that nobody has, behind all others: as many as come again; of others one, to learn from. */
static int add_spares(struct trial *t, fairlead_error *err)
{
	static const fl_time later = 100 * 365 * (86400 * FL_SECOND);
	const struct fl_jobs *past = &t->past->jobs;
	struct fl_jobs *jobs = t->jobs;
	uint64_t id = t->n ? jobs->rows[t->n - 1].id : 0;
	int r = 0;

	for (uint32_t i = 0; i < past->n && r == 0; i++) {
		bool comes = came_lately(t, &past->rows[i]);
		struct fl_job_spec spec;
		struct fl_live *added;

		if (!comes && !fl_job_is_over(past->rows[i].state))
			continue;
		spell(t->past, &past->rows[i], &spec);
		t->spare_of[i] = jobs->n;
		for (uint32_t k = 0; k < (comes ? t->copies : 1) && r == 0; k++)
			r = fl_jobs_add(jobs, ++id, &spec,
					fl_sat_add(past->rows[i].submitted, later), &added, err);
	}
	return r;
}

static int push_life(struct trial *t, const struct fl_live *job, uint32_t row, struct fl_workload w,
		     fairlead_error *err)
{
	const struct fl_live *past = &t->past->jobs.rows[row];
	const struct known *known = &t->past->known[row];
	struct fl_life_row life = { .workload = w,
				    .arrives = FL_TIME_NONE,
				    .runs = FL_NEVER,
				    .asked = known->limit,
				    .leaves = FL_NEVER,
				    .waited = FL_TIME_NONE,
				    .class_name = known->name,
				    .user = past->user };

	if (job->id != past->id)
		life.arrives = past->submitted;
	if (fl_job_is_over(past->state) && past->ended >= past->started) {
		life.runs = past->ended - past->started;
		life.waited = past->started - past->submitted;
	}
	return fl_model_push_lives(t->m, &life, /* ret_id= */ NULL, err);
}

/* It came, and may have ended; it is not there. */
static int set_aside(struct trial *t, uint32_t row, fairlead_error *err)
{
	const struct fl_jobs *jobs = t->jobs;
	uint32_t first = t->spare_of[row], own = FL_NONE;
	bool comes = came_lately(t, &t->past->jobs.rows[row]);
	int r = 0;

	for (uint32_t k = 0; k < (comes ? t->copies : 1) && r == 0; k++) {
		struct fl_event cancel = { .kind = FL_EV_CANCEL,
					   .workload = jobs->rows[first + k].workload };
		uint32_t w = cancel.workload.v;

		if (w == FL_NONE) /* its queue is gone */
			return 0;
		if (own == FL_NONE) {
			own = w;
			r = push_life(t, &jobs->rows[first], row, cancel.workload, err);
		}
		t->m->workloads[w].finished = true;
		t->coming.original[w] = comes ? own : FL_NONE;
		if (r == 0)
			r = t->view.ops->apply(t->view.policy, t->view.now, &cancel, err);
	}
	return r;
}

/* Since when it runs is the daemon's to know: the model of a later generation does not say. */
static void set_start(struct trial *t, const struct fl_live *job)
{
	struct fl_workload_row *row = &t->m->workloads[job->workload.v];

	if (row->gang != FL_NONE)
		t->m->gangs[row->gang].started = job->started;
	else
		row->reserved_at = job->started;
}

static int set_lives(struct trial *t, fairlead_error *err)
{
	const struct fl_past *p = t->past;
	int r = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct fl_live *job = &t->jobs->rows[i];

		if (job->workload.v != FL_NONE && job->state != FL_JOB_WAITS)
			set_start(t, job);
	}
	for (uint32_t i = 0; i < p->jobs.n && r == 0; i++) {
		const struct fl_live *job = fl_jobs_find(t->jobs, p->jobs.rows[i].id);

		if (job && job->workload.v != FL_NONE && !fl_job_is_over(p->jobs.rows[i].state))
			r = push_life(t, job, i, job->workload, err);
		if (r == 0 && t->spare_of[i] != FL_NONE)
			r = set_aside(t, i, err);
	}
	return r;
}

static int prepare(struct trial *t, fairlead_error *err)
{
	const struct fl_past *p = t->past;
	const struct fl_daemon_settings *settings = fl_config_settings(t->view.of.config);
	uint32_t n_came = 0;
	fl_time first;
	int r = 0;

	t->n = t->jobs->n;
	t->was = room(t->n, err);
	t->spare_of = room(p->jobs.n, err);
	if (!t->was || !t->spare_of)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < t->n; i++)
		t->was[i] = t->jobs->rows[i].workload.v;
	/* Who has come and gone before is forgotten, though the first one may run yet. */
	first = fl_amount_max(known_since(p, t->view.now),
			      fl_sat_sub(t->view.now, settings->keep_jobs));
	t->coming.period = fl_forecast_period(t->view.now, first, 0, &t->copies);
	for (uint32_t i = 0; i < p->jobs.n; i++)
		n_came += came_lately(t, &p->jobs.rows[i]);
	(void)fl_forecast_period(t->view.now, first, n_came, &t->copies);
	r = add_spares(t, err);
	if (r == 0)
		r = fl_live_view_try(&t->view, t->jobs, t->view.of.config, &t->view, err);
	if (r < 0)
		return r;
	t->m = (struct fl_model *)(uintptr_t)t->view.model; /* nobody else has it */
	t->m->simulation.cycle_interval = settings->cycle_interval;
	t->coming.original = room(t->m->n_workloads, err);
	return t->coming.original ? set_lives(t, err) : FAIRLEAD_ENOMEM;
}

/* Of the generation that is, as far as it was there. */
static struct fl_workload was(const struct trial *t, struct fl_workload w)
{
	for (uint32_t i = 0; i < t->n && w.v != FL_NONE; i++)
		if (t->jobs->rows[i].workload.v == w.v)
			return (struct fl_workload){ t->was[i] };
	return (struct fl_workload){ FL_NONE };
}

int fl_past_foretell(const struct fl_past *p, const struct fl_live_view *is, struct fl_jobs *jobs,
		     uint64_t id, struct fl_eta *ret, fairlead_error *err)
{
	struct trial t = { .past = p, .jobs = jobs, .view = *is };
	int r = prepare(&t, err);
	const struct fl_live *job = fl_jobs_find(jobs, id);

	if (r == 0 && (!job || job->workload.v == FL_NONE))
		r = fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " is not in the policy", id);
	if (r == 0) {
		const struct fl_question q = { .model = t.view.model,
					       .ops = t.view.ops,
					       .policy = t.view.policy,
					       .now = t.view.now };

		r = fl_tell_eta(&q, &t.coming, job->workload, ret, err);
	}
	if (r == 0) {
		ret->forecast.workload = was(&t, ret->forecast.workload);
		ret->forecast.awaited = was(&t, ret->forecast.awaited);
	}
	free(t.was);
	free(t.spare_of);
	free(t.coming.original);
	return r;
}
