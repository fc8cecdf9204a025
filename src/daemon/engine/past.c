/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/past.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_json.h"
#include "tell/eta.h"

struct fl_past {
	struct fl_jobs jobs; /* in no order */
	struct known {
		struct fl_sym name;
		fl_time limit; /* FL_TIME_NONE: none */
	} * known;             /* by row of jobs */
	uint32_t cap;
	size_t bytes;     /* bytes of specs */
	uint32_t n_ended; /* ended jobs that were seen, also those left out */
	bool cut;         /* more than FL_PAST_BYTES: all after that are left out */
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

/* --- the known jobs --- */

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

/*
 * Jobs that never ran tell nothing, and are left out.  A spec that cannot be read is left out, too.
 */
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
	if (p->cut) /* later ones as well, so that the known jobs have no gap */
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
	struct fl_jobs *jobs;     /* the present ones, and spares behind them */
	struct fl_live_view view; /* the view of the generation that is tried */
	struct fl_model *m;       /* its model */
	uint32_t n;               /* number of present jobs */
	uint32_t *was;            /* by present job: its workload in the present generation */
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
 * Since when are all submitted jobs known?  While job 1 is still known, since it was submitted;
 * else since the first end that was read, or, when some ended jobs were left out, since the oldest
 * one that was read.
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

/* The part of a job's spec that the policy needs. */
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

/*
 * Adds spare jobs with new numbers, behind all others: for a recent arrival as many as may come
 * again; for others one, to learn from.
 */
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

/* A word of the jobs of the past as one of the model. */
static int put_word(struct trial *t, struct fl_sym word, struct fl_sym *ret, fairlead_error *err)
{
	const char *text = fl_names_text(&t->past->jobs.names, word);

	return fl_model_sym(t->m, text, strlen(text), ret, err);
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
				    .waited = FL_TIME_NONE };
	int r = put_word(t, known->name, &life.class_name, err);

	if (r == 0)
		r = put_word(t, past->user, &life.user, err);
	if (r < 0)
		return r;

	if (job->id != past->id)
		life.arrives = past->submitted;
	if (fl_job_is_over(past->state) && past->ended >= past->started) {
		life.runs = past->ended - past->started;
		life.waited = past->started - past->submitted;
	}
	return fl_model_push_lives(t->m, &life, /* ret_id= */ NULL, err);
}

/* A job of the past: its spares are cancelled until the forecast lets them arrive. */
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

		if (w == FL_NONE) /* its queue does not exist any more */
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

/* Sets since when it runs: the daemon knows that, the model of a later generation does not. */
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
	/* Jobs that ended before that are forgotten, though the first one may still run. */
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
	t->m = (struct fl_model *)(uintptr_t)
		       t->view.model; /* this copy of the process is its only user */
	t->m->simulation.cycle_interval = settings->cycle_interval;
	t->coming.original = room(t->m->n_workloads, err);
	return t->coming.original ? set_lives(t, err) : FAIRLEAD_ENOMEM;
}

/* The workload in the present generation; FL_NONE: it is not in it. */
static struct fl_workload was(const struct trial *t, struct fl_workload w)
{
	for (uint32_t i = 0; i < t->n && w.v != FL_NONE; i++)
		if (t->jobs->rows[i].workload.v == w.v)
			return (struct fl_workload){ t->was[i] };
	return (struct fl_workload){ FL_NONE };
}

static struct fl_question question_of(const struct trial *t)
{
	return (struct fl_question){ .model = t->view.model,
				     .ops = t->view.ops,
				     .policy = t->view.policy,
				     .now = t->view.now };
}

static void end_trial(struct trial *t)
{
	free(t->was);
	free(t->spare_of);
	free(t->coming.original);
}

int fl_past_foretell_all(const struct fl_past *p, const struct fl_live_view *is,
			 struct fl_jobs *jobs, struct fl_foretold *rows, uint32_t n,
			 struct fl_forecast_basis *ret_basis, fairlead_error *err)
{
	struct trial t = { .past = p, .jobs = jobs, .view = *is };
	struct fl_forecast *forecasts = calloc((size_t)n + 1, sizeof *forecasts);
	struct fl_forecast_options options;
	uint32_t asked = 0;
	int r = forecasts ? prepare(&t, err) : fl_fail_nomem(err);

	for (uint32_t i = 0; i < n && r == 0; i++) {
		const struct fl_live *job = fl_jobs_find(jobs, rows[i].job);

		rows[i].forecast.state = FL_FORECAST_NOT;
		if (job && job->workload.v != FL_NONE)
			forecasts[asked++].workload = job->workload;
	}
	if (r == 0 && asked > 0) {
		const struct fl_question q = question_of(&t);

		r = fl_tell_etas(&q, &t.coming, forecasts, asked, &options, ret_basis, err);
	}
	asked = 0;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		const struct fl_live *job = fl_jobs_find(jobs, rows[i].job);

		if (job && job->workload.v != FL_NONE)
			rows[i].forecast = forecasts[asked++];
	}
	free(forecasts);
	end_trial(&t);
	return r;
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
		const struct fl_question q = question_of(&t);

		r = fl_tell_eta(&q, &t.coming, job->workload, ret, err);
	}
	if (r == 0) {
		ret->forecast.workload = was(&t, ret->forecast.workload);
		ret->forecast.awaited = was(&t, ret->forecast.awaited);
	}
	end_trial(&t);
	return r;
}

static int draw(const struct trial *t, const struct fl_future_options *o, struct fl_future *ret,
		fairlead_error *err)
{
	struct fl_forecast_options options = fl_forecast_default;
	struct fl_runtimes times;
	int r = fl_runtimes_init(&times, &fl_mem_heap, t->m, err);

	options.mem = &fl_mem_heap;
	options.now = t->view.now;
	options.seed = o->seed;
	options.told = true;
	options.arrivals = o->arrivals ? t->coming.period : 0;
	options.original = t->coming.original;
	if (r == 0)
		r = fl_runtimes_learn(&times, err);
	if (r == 0)
		r = fl_forecast_lives(t->view.ops, t->view.policy, t->m, &times, &options,
				      /* run= */ 0, ret->lives, &ret->basis, err);
	fl_runtimes_done(&times);
	return r;
}

int fl_past_future(const struct fl_past *p, const struct fl_live_view *is, struct fl_jobs *jobs,
		   const struct fl_future_options *options, struct fl_future *ret,
		   fairlead_error *err)
{
	static const char name[] = "From the present state";
	struct trial t = { .past = p, .jobs = jobs, .view = *is };
	int r;

	*ret = (struct fl_future){ 0 };
	t.view.of.config = options->config;
	r = prepare(&t, err);
	if (r == 0)
		r = fl_model_sym(t.m, name, sizeof name - 1, &t.m->simulation.name, err);
	if (r == 0) {
		ret->view = t.view;
		ret->lives = calloc((size_t)t.m->n_workloads + 1, sizeof *ret->lives);
		r = ret->lives ? draw(&t, options, ret, err) : fl_fail_nomem(err);
	}
	end_trial(&t);
	return r;
}
