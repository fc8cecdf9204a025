/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/generation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mix.h"
#include "daemon/config/config_queue.h"
#include "daemon/config/dialect.h"
#include "decide/policies.h"

/* The part of a job that its workload is made from. */
struct joiner {
	uint64_t id;
	fl_time submitted, started;
	struct fl_sym queue;
	uint32_t asks;
	int32_t priority;
	bool holds; /* holds quota: it cannot stay out */
};

/* The local queue that the name of a queue means in the model. */
struct place {
	bool known, gone;
	struct fl_sym namespace, queue;
};

struct fl_draft {
	struct fl_generation_options o;
	struct fl_names words; /* the words of the jobs, by the same symbols */
	struct fl_asks *asks;
	struct joiner *rows;       /* by workload, which is the order of job numbers */
	uint32_t n_asks, n, n_out; /* n_out: rows behind the n, of jobs without queue */
	struct fl_generation g;    /* its model and policy, as far as they are done */
	bool made, gangs;
	struct fl_sym main;   /* the name of a podset */
	struct place *places; /* by symbol of the words */
	uint32_t *podset_of;  /* by index of asks: one for all jobs with equal asks; FL_NONE */
	struct fl_model *m;   /* g's */
	fairlead_error error, *err; /* why it failed; where errors go while it is made */
	int code;
};

static const char *word(const struct fl_draft *k, struct fl_sym sym)
{
	return fl_names_text(&k->words, sym);
}

static int sym(struct fl_draft *k, const char *text, struct fl_sym *ret)
{
	return fl_model_sym(k->m, text, strlen(text), ret, k->err);
}

/* --- what a job asks for --- */

static int push_labels(struct fl_draft *k, const struct fl_asks *a, struct fl_span *ret)
{
	int r = 0;

	*ret = (struct fl_span){ k->m->n_labels, a->n_labels };
	for (uint32_t i = 0; i < a->n_labels && r == 0; i++) {
		struct fl_label row;

		r = sym(k, word(k, a->labels[i].key), &row.key);
		if (r == 0)
			r = sym(k, word(k, a->labels[i].value), &row.value);
		if (r == 0)
			r = fl_model_push_labels(k->m, &row, /* ret_id= */ NULL, k->err);
	}
	return r;
}

static void mix_text(uint64_t hash[2], const char *text)
{
	fl_mix(hash, strlen(text));
	for (; *text; text++)
		fl_mix(hash, (unsigned char)*text);
}

/* Equal for jobs with equal asks, also after a restart, when symbols differ. */
static uint64_t hash_of(const struct fl_draft *k, const struct fl_asks *a)
{
	uint64_t hash[2] = { a->tasks, a->n_labels };

	for (uint32_t i = 0; i < a->n_requests; i++) {
		mix_text(hash, word(k, a->requests[i].resource));
		fl_mix(hash, (uint64_t)a->requests[i].amount);
	}
	for (uint32_t i = 0; i < a->n_labels; i++) {
		mix_text(hash, word(k, a->labels[i].key));
		mix_text(hash, word(k, a->labels[i].value));
	}
	return hash[0];
}

static int push_podset(struct fl_draft *k, uint32_t asks, uint32_t *ret)
{
	const struct fl_asks *a = &k->asks[asks];
	struct fl_podset p = fl_podset_default;
	int r;

	*ret = k->podset_of[asks];
	if (*ret != FL_NONE)
		return 0;
	p.name = k->main;
	p.count = (int32_t)a->tasks;
	p.spec_hash = hash_of(k, a);
	if ((r = push_labels(k, a, &p.node_selector)) < 0)
		return r;
	p.requests = (struct fl_span){ k->m->n_requests, a->n_requests };
	for (uint32_t i = 0; i < a->n_requests && r == 0; i++) {
		struct fl_request row = { .amount = a->requests[i].amount };

		r = sym(k, word(k, a->requests[i].resource), &row.resource_name);
		if (r == 0)
			r = fl_model_push_requests(k->m, &row, /* ret_id= */ NULL, k->err);
	}
	if (r == 0)
		r = fl_model_push_podsets(k->m, &p, ret, k->err);
	if (r == 0)
		k->podset_of[asks] = *ret;
	return r;
}

static struct fl_bundle bundle_of(const struct fl_draft *k, const struct fl_asks *a)
{
	static const char *const names[FL_BUNDLE] = { "cpu", "memory", "nvidia.com/gpu" };
	struct fl_bundle b = { { 0 } };

	for (uint32_t i = 0; i < a->n_requests; i++)
		for (int axis = 0; axis < FL_BUNDLE; axis++)
			if (strcmp(word(k, a->requests[i].resource), names[axis]) == 0)
				b.of[axis] = (double)a->requests[i].amount * a->tasks;
	return b;
}

/* --- what a job holds, in the first generation --- */

static int push_admission(struct fl_draft *k, const struct joiner *job, struct fl_workload_row *row)
{
	struct fl_podset_assignment set = { .podset = k->main,
					    .count = (int32_t)k->asks[job->asks].tasks,
					    .assignments = { k->m->n_assignments, 0 } };
	const struct fl_run_grant *grants;
	uint32_t n = 0;
	int r = 0;

	grants = k->o.held ? k->o.held(k->o.user, job->id, &n) : NULL;
	if (!grants)
		return 0;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_assignment a = { .amount = grants[i].amount };

		r = sym(k, grants[i].resource, &a.resource_name);
		if (r == 0)
			r = sym(k, grants[i].flavor, &a.flavor_name);
		if (r == 0)
			r = fl_model_push_assignments(k->m, &a, /* ret_id= */ NULL, k->err);
	}
	set.assignments.n = n;
	row->admission = (struct fl_span){ k->m->n_podset_assignments, 1 };
	row->reserved = row->admitted = true;
	row->reserved_at = job->started == FL_TIME_NONE ? k->o.now : job->started;
	return r < 0 ? r : fl_model_push_podset_assignments(k->m, &set, /* ret_id= */ NULL, k->err);
}

/* --- jobs to workloads --- */

static int add_gang(struct fl_draft *k, const struct joiner *job, struct fl_workload_row *row)
{
	struct fl_task_row task = fl_task_default;
	struct fl_gang gang = fl_gang_default;
	uint32_t n = 0;
	int r = fl_model_push_gangs(k->m, &gang, &row->gang, k->err);

	if (r == 0)
		r = fl_model_add_workload(k->m, row, k->err);
	task.namespace = row->namespace;
	task.name = task.gang_name = row->name;
	task.created = row->created;
	task.request = bundle_of(k, &k->asks[job->asks]);
	if (r == 0)
		r = push_labels(k, &k->asks[job->asks], &task.node_selector);
	if (k->o.held && k->o.held(k->o.user, job->id, &n)) {
		task.phase = FL_TASK_ALLOCATED;
		task.started = job->started;
		task.machine_name = k->m->daemon.machine_name; /* the machine where all jobs run */
	}
	return r < 0 ? r : fl_model_add_task(k->m, &task, k->err);
}

/* Looked up once for each queue: there are few queues and many jobs. */
static int find_place(struct fl_draft *k, struct fl_sym queue, struct fl_workload_row *row)
{
	struct place *p = &k->places[queue.v];
	int r = 0;

	if (!p->known)
		r = fl_config_queue(k->m, word(k, queue), &p->namespace, &p->queue, k->err);
	if (r < 0)
		return r;
	p->known = true;
	row->namespace = p->namespace;
	row->queue_name = p->queue;
	return 0;
}

static int is_in_use(const struct fl_draft *k, const struct joiner *job)
{
	fl_fail(k->err, FAIRLEAD_EINPUT,
		"queue '%s' does not exist, and jobs of it run, such as %" PRIu64,
		word(k, job->queue), job->id);
	fl_fail_hint(k->err, "empty it first: stopPolicy HoldAndDrain evicts its jobs");
	return FAIRLEAD_EINPUT;
}

/* A pending job whose queue does not exist (any more) stays out. */
static int leave_out(struct fl_draft *k)
{
	struct fl_workload_row none;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		struct joiner job = k->rows[i];
		struct place *p = &k->places[job.queue.v];
		int r = !job.holds && p->gone ? FAIRLEAD_ENOENT : find_place(k, job.queue, &none);

		p->gone = r < 0;
		if (r == FAIRLEAD_ENOMEM)
			return r;
		if (r < 0 && job.holds)
			return is_in_use(k, &job);
		if (r < 0)
			continue;
		k->rows[i] = k->rows[kept];
		k->rows[kept++] = job;
	}
	k->n_out = k->n - kept;
	k->n = kept;
	return 0;
}

static int add_job(struct fl_draft *k, const struct joiner *job)
{
	struct fl_workload_row row = fl_workload_default;
	char name[24];
	int r;

	(void)snprintf(name, sizeof name, "%" PRIu64, job->id);
	if ((r = sym(k, name, &row.name)) < 0 || (r = find_place(k, job->queue, &row)) < 0)
		return r;
	row.uid = row.name;
	row.created = job->submitted;
	row.has_priority = true;
	row.priority = job->priority;
	if (k->gangs)
		return add_gang(k, job, &row);
	row.podsets.n = 1;
	if ((r = push_podset(k, job->asks, &row.podsets.first)) < 0)
		return r;
	if (!k->o.from && (r = push_admission(k, job, &row)) < 0)
		return r;
	if (row.reserved)
		row.admitted_queue_name =
			k->m->queues[fl_config_local_queue(k->m, row.namespace, row.queue_name)]
				.cluster_queue_name;
	return fl_model_add_workload(k->m, &row, k->err);
}

bool fl_generation_wants(const struct fl_live *job, fl_time now)
{
	return job->workload.v == FL_NONE && job->state == FL_JOB_WAITS &&
	       (job->retry == FL_TIME_NONE || job->retry <= now);
}

static bool takes_part(const struct fl_generation_options *o, const struct fl_live *job)
{
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
	d->g.job_of = array(n, sizeof *d->g.job_of);
	if (r == 0 && (!d->rows || !d->asks || !d->podset_of || !d->places || !d->g.job_of))
		r = fl_fail_nomem(err);
	if (r < 0) {
		fl_draft_free(d);
		return r;
	}
	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct fl_live *job = &jobs->rows[i];

		if (takes_part(options, job))
			d->rows[d->n++] = (struct joiner){ job->id,
							   job->submitted,
							   job->started,
							   job->queue,
							   job->asks,
							   job->priority,
							   job->state != FL_JOB_WAITS };
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
	fl_names_done(&d->words);
	fl_mem_free(&fl_mem_heap, d->rows);
	fl_mem_free(&fl_mem_heap, d->asks);
	fl_mem_free(&fl_mem_heap, d->podset_of);
	fl_mem_free(&fl_mem_heap, d->places);
	fl_mem_free(&fl_mem_heap, d);
	return NULL;
}

/* The policy of the Daemon document, or the first policy for the kind of objects in the trees. */
static int find_policy(const struct fl_model *m, const struct fl_policy_ops **ret,
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
						   .moving_usage = true };
	int r = fl_config_model(d->o.config, d->o.capacity, &fl_mem_heap, &d->m, err);

	if (r < 0)
		return r;
	d->g.model = d->m;
	d->gangs = fl_config_dialect_of(d->m)->gangs;
	r = find_policy(d->m, &d->g.ops, err);
	if (r == 0)
		r = sym(d, "main", &d->main);
	if (r == 0)
		r = leave_out(d);
	for (uint32_t i = 0; i < d->n && r == 0; i++)
		r = add_job(d, &d->rows[i]);
	if (r == 0)
		r = fl_model_seal(d->m, err);
	return r < 0 ? r : d->g.ops->new (d->m, &options, &d->g.policy, err);
}

void fl_draft_make(struct fl_draft *d)
{
	d->err = &d->error;
	d->code = make(d, &d->error);
	d->made = true;
}

/* --- taking a draft --- */

static int make_driver(const struct fl_generation_options *o, struct fl_generation *g,
		       fairlead_error *err)
{
	struct fl_driver_options options = {
		.mem = &fl_mem_heap,
		.ops = g->ops,
		.policy = g->policy,
		.n_workloads = g->model->n_workloads,
		.backend = *o->backend,
		.interval = fl_config_settings(o->config)->cycle_interval,
		.period = FL_NEVER,
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
		if (!job)
			continue;
		if (t->o->from)
			t->was[w] = job->workload;
		if (!t->o->from || t->was[w].v != FL_NONE || fl_generation_wants(job, t->o->now))
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

/* Each job gets the number of its workload. */
static void number(struct taking *t)
{
	for (uint32_t i = 0; i < t->jobs->n; i++)
		t->jobs->rows[i].workload.v = FL_NONE;
	for (uint32_t w = 0; w < t->d->n; w++) {
		struct fl_live *job;

		t->d->g.job_of[w] = 0;
		if (t->row_of[w] == FL_NONE)
			continue;
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
	t.was = array(d->n, sizeof *t.was);
	r = t.row_of && t.was ? 0 : fl_fail_nomem(err);
	if (r == 0) {
		find_rows(&t);
		r = adopt(&t, err);
	}
	if (r == 0)
		r = make_driver(options, &d->g, err);
	if (r == 0 && options->from)
		r = fl_driver_adopt(&d->g.driver, &options->from->driver, t.was, err);
	if (r == 0)
		r = let_in(&t, err);
	if (r == 0) {
		number(&t);
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

int fl_generation_load(const struct fl_policy_ops *ops, struct fl_model *model,
		       struct fl_policy *policy, const struct fl_generation_options *options,
		       const struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err)
{
	const struct fl_mem *mem = &fl_mem_heap;
	struct fl_generation g = { .ops = ops, .model = model, .policy = policy };
	int r;

	g.job_of = mem->resize(mem->user, NULL, (model->n_workloads + 1) * sizeof *g.job_of);
	r = g.job_of ? make_driver(options, &g, err) : fl_fail_nomem(err);
	for (uint32_t w = 0; w < model->n_workloads && r == 0; w++)
		g.job_of[w] = 0;
	for (uint32_t i = 0; i < jobs->n && r == 0; i++)
		if (jobs->rows[i].workload.v != FL_NONE)
			g.job_of[jobs->rows[i].workload.v] = jobs->rows[i].id;
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
	if (job->workload.v != FL_NONE)
		g->job_of[job->workload.v] = 0;
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
