/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/generation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "daemon/config/config_queue.h"
#include "daemon/config/dialect.h"
#include "daemon/engine/making/draft_rows.h"
#include "decide/policies.h"

/* Places for newcomers: a sixteenth of the jobs that there are, and some. */
enum { SPARE_SHARE = 16, SPARE = 32 };

bool fl_generation_wants(const struct fl_live *job, fl_time now)
{
	return job->workload.v == FL_NONE && job->state == FL_JOB_WAITS && !job->begin &&
	       (job->retry == FL_TIME_NONE || job->retry <= now);
}

static bool takes_part(const struct fl_generation_options *o, const struct fl_live *job)
{
	if (job->made_of)
		return !fl_job_is_over(job->state);
	switch (job->state) {
	case FL_JOB_STARTS:
	case FL_JOB_RUNS:
	case FL_JOB_STOPS:
		return true;
	case FL_JOB_WAITS:
		return job->workload.v != FL_NONE ||
		       (job->id <= o->up_to && fl_generation_wants(job, o->now));
	default:
		return false;
	}
}

/* --- a draft --- */

static void *array(size_t n, size_t size)
{
	void *ret = fl_mem_heap.resize(fl_mem_heap.user, NULL, (n + 1) * size);

	if (ret)
		memset(ret, 0, (n + 1) * size);
	return ret;
}

/* A copy, as the loop adds to its own meanwhile. */
static int copy_words(struct fl_draft *d, const struct fl_names *from, fairlead_error *err)
{
	int r = fl_names_init(&d->words, &fl_mem_heap, err);

	for (uint32_t s = 1; s < from->n && r == 0; s++) {
		const char *text = fl_names_text(from, (struct fl_sym){ s });
		struct fl_sym same;

		r = fl_names_add(&d->words, text, strlen(text), &same, err);
	}
	return r;
}

int fl_draft_new(const struct fl_generation_options *options, const struct fl_jobs *jobs,
		 struct fl_draft **ret, fairlead_error *err)
{
	struct fl_draft *d = array(1, sizeof *d);
	uint32_t n = 0;
	int r;

	if (!d)
		return fl_fail_nomem(err);
	d->o = *options;
	r = copy_words(d, &jobs->names, err);
	for (uint32_t i = 0; i < jobs->n; i++)
		n += takes_part(options, &jobs->rows[i]);
	d->rows = array(n, sizeof *d->rows);
	d->asks = array(jobs->n_asks, sizeof *d->asks);
	d->podset_of = array(jobs->n_asks, sizeof *d->podset_of);
	d->places = array(jobs->names.n, sizeof *d->places);
	if (r == 0 && options->maker)
		r = options->maker->begin(options->maker->user, &d->making, err);
	if (r == 0 && (!d->rows || !d->asks || !d->podset_of || !d->places))
		r = fl_fail_nomem(err);
	if (r < 0) {
		fl_draft_free(d);
		return r;
	}
	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct fl_live *job = &jobs->rows[i];

		if (takes_part(options, job))
			d->rows[d->n++] = (struct fl_joiner){ job->id,
							      job->submitted,
							      job->started,
							      job->queue,
							      job->asks,
							      job->priority,
							      job->state != FL_JOB_WAITS,
							      job->made_of };
	}
	d->n_asks = jobs->n_asks;
	if (d->n_asks)
		memcpy(d->asks, jobs->asks, d->n_asks * sizeof *d->asks);
	memset(d->podset_of, 0xff, d->n_asks * sizeof *d->podset_of); /* FL_NONE */
	*ret = d;
	return 0;
}

struct fl_draft *fl_draft_free(struct fl_draft *d)
{
	if (!d)
		return NULL;
	fl_generation_done(&d->g);
	if (d->making)
		d->o.maker->end(d->making);
	fl_names_done(&d->words);
	fl_mem_free(&fl_mem_heap, d->rows);
	fl_mem_free(&fl_mem_heap, d->asks);
	fl_mem_free(&fl_mem_heap, d->podset_of);
	fl_mem_free(&fl_mem_heap, d->places);
	fl_mem_free(&fl_mem_heap, d);
	return NULL;
}

int fl_generation_policy(const struct fl_model *m, const struct fl_policy_ops **ret,
			 fairlead_error *err)
{
	const char *name = fl_model_text(m, m->daemon.policy);
	enum fl_dialect dialect = fl_model_dialect(m);
	const struct fl_policy_ops *ops = *name ? fl_policy_named(name, SIZE_MAX) :
						  fl_policy_of(dialect);
	char names[200];

	if (!ops || fl_policy_dialect(ops) != dialect) {
		fl_fail(err, FAIRLEAD_EINPUT,
			ops ? "the policy %s does not use the objects of the trees" :
			      "there is no policy '%s'",
			name);
		fl_fail_hint(err, "the policies are %s",
			     fl_policy_names("", ", ", names, sizeof names));
		fl_fail_in(err, "Daemon/%.253s .spec.policy", fl_model_text(m, m->daemon.name));
		return fl_model_fail_at(m, m->daemon.place, err);
	}
	*ret = ops;
	return 0;
}

static int make(struct fl_draft *d, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = d->o.now,
						   .moving_usage = !d->o.still };
	int r = fl_config_model(d->o.config, d->o.capacity, &fl_mem_heap, &d->m, err);

	if (r < 0)
		return r;
	d->g.model = d->m;
	d->g.still = d->o.still;
	d->m->spare = d->o.spare;
	d->gangs = fl_config_dialect_of(d->m)->gangs;
	r = fl_generation_policy(d->m, &d->g.ops, err);
	if (r == 0)
		r = fl_draft_sym(d, "main", &d->main);
	if (r == 0)
		r = fl_draft_leave_out(d);
	for (uint32_t i = 0; i < d->n && r == 0; i++)
		r = fl_draft_add(d, &d->rows[i]);
	if (r == 0 && d->making && d->o.maker->finish)
		r = d->o.maker->finish(d->making, d->m, err);
	if (!d->m->spare && d->g.ops && d->g.ops->join)
		d->m->spare = d->n / SPARE_SHARE + SPARE;
	if (r == 0)
		r = fl_model_seal(d->m, err);
	return r < 0 ? r : d->g.ops->new (d->m, &options, &d->g.policy, err);
}

int fl_generation_check(const struct fl_config *config, fl_time now, fairlead_error *err)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = now };
	const struct fl_capacity nothing = { 0 };
	const struct fl_policy_ops *ops;
	struct fl_policy *policy = NULL;
	struct fl_model *m = NULL;
	int r = fl_config_model(config, &nothing, &fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_generation_policy(m, &ops, err);
	if (r == 0)
		r = fl_model_seal(m, err);
	if (r == 0)
		r = ops->new (m, &options, &policy, err);
	if (r == 0)
		ops->free(policy);
	fl_model_free(m);
	return r;
}

void fl_draft_make(struct fl_draft *d)
{
	d->err = &d->error;
	d->code = make(d, &d->error);
	d->made = true;
}

/* --- taking a draft --- */

/* Workloads, and places of newcomers. */
static uint32_t rows_of(const struct fl_model *m) { return m->places ? m->places : m->n_workloads; }

/* As many rows as there may be workloads. */
static int begin_jobs(struct fl_generation *g, fairlead_error *err)
{
	uint64_t *job_of = array(rows_of(g->model), sizeof *job_of);

	if (!job_of)
		return fl_fail_nomem(err);
	fl_mem_free(&fl_mem_heap, g->job_of);
	g->job_of = job_of;
	fl_pairs_init(&g->podsets, &fl_mem_heap);
	return 0;
}

static int make_driver(const struct fl_generation_options *o, struct fl_generation *g,
		       fairlead_error *err)
{
	struct fl_driver_options options = {
		.mem = &fl_mem_heap,
		.ops = g->ops,
		.policy = g->policy,
		.n_workloads = rows_of(g->model),
		.backend = *o->backend,
		.interval = fl_config_settings(o->config)->cycle_interval,
		.period = FL_NEVER,
		.flags = o->ours ? FL_STEP_OURS : 0,
	};

	return fl_driver_init(&g->driver, &options, err);
}

/*
 * A draft, the present jobs, and by workload the row of its job (FL_NONE) and its workload before.
 */
struct taking {
	struct fl_draft *d;
	const struct fl_generation_options *o;
	struct fl_jobs *jobs;
	uint32_t *row_of;
	struct fl_workload *was; /* in the old generation; FL_NONE */
};

/* Jobs and rows are both in the order of job numbers. */
static void find_rows(struct taking *t)
{
	uint32_t i = 0;

	for (uint32_t w = 0; w < t->d->n; w++) {
		const struct fl_live *job;

		while (i < t->jobs->n && t->jobs->rows[i].id < t->d->rows[w].id)
			i++;
		job = i < t->jobs->n && t->jobs->rows[i].id == t->d->rows[w].id ?
			      &t->jobs->rows[i] :
			      NULL;
		t->row_of[w] = FL_NONE;
		t->was[w].v = FL_NONE;
		if (!job || fl_job_is_over(job->state) || job->queue.v != t->d->rows[w].queue.v)
			continue; /* it has ended, or is of another queue since */
		if (t->o->from)
			t->was[w] = job->workload;
		if (!t->o->from || t->was[w].v != FL_NONE || job->made_of ||
		    fl_generation_wants(job, t->o->now))
			t->row_of[w] = i;
	}
}

static int adopt(struct taking *t, fairlead_error *err)
{
	const struct fl_generation *from = t->o->from;
	struct fl_generation *g = &t->d->g;

	if (from && from->ops != g->ops)
		return fl_fail(
			err, FAIRLEAD_EINPUT,
			"the policy changes from %s to %s, which needs a daemon without jobs",
			from->ops->name, g->ops->name);
	return from ? g->ops->adopt(g->policy, t->o->now, from->policy, t->was, err) : 0;
}

/* Tells the policy of new jobs, and of priorities that changed since the draft was begun. */
static int let_in(struct taking *t, fairlead_error *err)
{
	struct fl_generation *g = &t->d->g;
	int r = 0;

	for (uint32_t w = 0; w < t->d->n && r == 0 && t->o->from; w++) {
		struct fl_event come = { .kind = FL_EV_SUBMIT, .workload = { w } };
		struct fl_event cell = { .kind = FL_EV_CELL, .workload = { w } };

		if (t->row_of[w] == FL_NONE)
			continue;
		cell.cell.kind = FL_CELL_PRIORITY;
		cell.cell.amount = t->jobs->rows[t->row_of[w]].priority;
		if (t->was[w].v == FL_NONE)
			r = fl_driver_apply(&g->driver, t->o->now, &come, err);
		if (r == FAIRLEAD_ESTATE) { /* its queue does not lead to a ClusterQueue */
			t->jobs->rows[t->row_of[w]].retry = FL_NEVER;
			t->row_of[w] = FL_NONE;
			r = 0;
		} else if (r == 0 && cell.cell.amount != t->d->rows[w].priority) {
			r = fl_driver_apply(&g->driver, t->o->now, &cell, err);
		}
	}
	return r;
}

int fl_generation_note_left(struct fl_generation *g, uint32_t w, fairlead_error *err)
{
	int r = fl_mem_grow(&fl_mem_heap, &g->left, &g->cap_left, g->n_left + 1, sizeof *g->left,
			    err);

	if (r == 0)
		g->left[g->n_left++] = w;
	return r;
}

/* Each job gets the number of its workload; workloads whose job has ended are left. */
static int number(struct taking *t, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < t->jobs->n; i++)
		t->jobs->rows[i].workload.v = FL_NONE;
	for (uint32_t w = 0; w < t->d->n && r == 0; w++) {
		struct fl_live *job;

		t->d->g.job_of[w] = 0;
		if (t->row_of[w] == FL_NONE) {
			r = t->d->g.ops->join ? fl_generation_note_left(&t->d->g, w, err) : 0;
			continue;
		}
		job = &t->jobs->rows[t->row_of[w]];
		job->workload.v = w;
		job->retry = FL_TIME_NONE;
		t->d->g.job_of[w] = job->id;
	}
	for (uint32_t i = t->d->n; i < t->d->n + t->d->n_out; i++) {
		struct fl_live *job = fl_jobs_find(t->jobs, t->d->rows[i].id);

		if (job && fl_generation_wants(job, t->o->now))
			job->retry = FL_NEVER; /* until the configuration changes */
	}
	return r;
}

/* Generations are made on more than one thread. */
static uint64_t next_number(void)
{
	static _Atomic uint64_t last;

	return ++last;
}

int fl_draft_take(struct fl_draft *d, const struct fl_generation_options *options,
		  struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err)
{
	struct taking t = { .d = d, .o = options, .jobs = jobs };
	int r;

	if (!d->made)
		fl_draft_make(d);
	if (d->code < 0) {
		*err = d->error;
		return d->code;
	}
	t.row_of = array(d->n, sizeof *t.row_of);
	t.was = array(rows_of(d->m), sizeof *t.was);
	r = t.row_of && t.was ? 0 : fl_fail_nomem(err);
	if (r == 0) {
		memset(t.was, 0xff, rows_of(d->m) * sizeof *t.was); /* FL_NONE */
		find_rows(&t);
		r = adopt(&t, err);
	}
	if (r == 0)
		r = begin_jobs(&d->g, err);
	if (r == 0)
		r = make_driver(options, &d->g, err);
	if (r == 0 && options->from)
		r = fl_driver_adopt(&d->g.driver, &options->from->driver, t.was, err);
	if (r == 0)
		r = let_in(&t, err);
	if (r == 0)
		r = number(&t, err);
	if (r == 0) {
		d->g.number = next_number();
		*ret = d->g;
		d->g = (struct fl_generation){ 0 };
	}
	fl_mem_free(&fl_mem_heap, t.row_of);
	fl_mem_free(&fl_mem_heap, t.was);
	return r;
}

int fl_generation_new(const struct fl_generation_options *options, struct fl_jobs *jobs,
		      struct fl_generation *ret, fairlead_error *err)
{
	struct fl_draft *d;
	int r = fl_draft_new(options, jobs, &d, err);

	if (r < 0)
		return r;
	r = fl_draft_take(d, options, jobs, ret, err);
	fl_draft_free(d);
	return r;
}

/* The workloads without a job, which are those that jobs left, but for places that are free already. */
static int find_left(struct fl_generation *g, fairlead_error *err)
{
	const struct fl_model *m = g->model;
	bool *vacant = m->places ? array(m->n_workloads, sizeof *vacant) : NULL;
	int r = m->places && !vacant ? fl_fail_nomem(err) : 0;

	for (uint32_t i = 0; r == 0 && i < m->n_vacant; i++)
		vacant[m->vacant[i].workload.v] = true;
	for (uint32_t w = 0; r == 0 && m->places && w < m->n_workloads; w++)
		if (!vacant[w] && !g->job_of[w])
			r = fl_generation_note_left(g, w, err);
	fl_mem_free(&fl_mem_heap, vacant);
	return r;
}

int fl_generation_load(const struct fl_policy_ops *ops, struct fl_model *model,
		       struct fl_policy *policy, const struct fl_generation_options *options,
		       const struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err)
{
	struct fl_generation g = {
		.ops = ops, .model = model, .policy = policy, .number = next_number()
	};
	int r = begin_jobs(&g, err);

	if (r == 0)
		r = make_driver(options, &g, err);
	for (uint32_t i = 0; i < jobs->n && r == 0; i++)
		if (jobs->rows[i].workload.v != FL_NONE)
			g.job_of[jobs->rows[i].workload.v] = jobs->rows[i].id;
	if (r == 0)
		r = find_left(&g, err);
	if (r < 0)
		fl_generation_done(&g);
	else
		*ret = g;
	return r;
}

void fl_generation_done(struct fl_generation *g)
{
	if (g->policy && g->driver.policy)
		fl_driver_done(&g->driver);
	if (g->policy)
		g->ops->free(g->policy);
	fl_model_free(g->model);
	fl_mem_free(&fl_mem_heap, g->job_of);
	fl_mem_free(&fl_mem_heap, g->left);
	if (g->podsets.mem)
		fl_pairs_done(&g->podsets);
	*g = (struct fl_generation){ 0 };
}

struct fl_live *fl_generation_job(const struct fl_generation *g, const struct fl_jobs *jobs,
				  struct fl_workload w)
{
	uint64_t id = w.v == FL_NONE ? 0 : g->job_of[w.v];

	return id ? fl_jobs_find(jobs, id) : NULL;
}

void fl_generation_leave(struct fl_generation *g, struct fl_live *job)
{
	fairlead_error none;

	if (job->workload.v == FL_NONE)
		return;
	g->job_of[job->workload.v] = 0;
	/* Without memory its place is not given back before the next generation. */
	if (g->ops->join)
		(void)fl_generation_note_left(g, job->workload.v, &none);
	job->workload.v = FL_NONE;
}

bool fl_generation_wants_any(const struct fl_jobs *jobs, uint64_t *newcomers, uint32_t *n,
			     fl_time now, fl_time *ret_retry)
{
	bool wanted = false;
	uint32_t kept = 0;

	*ret_retry = FL_NEVER;
	for (uint32_t i = 0; i < *n; i++) {
		const struct fl_live *job = fl_jobs_find(jobs, newcomers[i]);

		if (!job || job->state != FL_JOB_WAITS || job->workload.v != FL_NONE)
			continue;
		if (job->retry == FL_NEVER)
			continue;
		newcomers[kept++] = job->id;
		if (fl_generation_wants(job, now))
			wanted = true;
		else
			*ret_retry = fl_amount_min(*ret_retry, job->retry);
	}
	*n = kept;
	return wanted;
}
