/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/generation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"

/* A model in the making. */
struct making {
	const struct fl_generation_options *o;
	struct fl_jobs *jobs;
	struct fl_model *m;
	bool entitle;
	struct fl_sym main;      /* the name of a podset */
	uint32_t *podset_of;     /* by what jobs ask for: one for all who ask the same; FL_NONE */
	uint32_t *row_of;        /* workload -> row in jobs */
	struct fl_workload *was; /* workload -> in the old generation; FL_NONE */
	fairlead_error *err;
};

static const char *word(const struct making *k, struct fl_sym sym)
{
	return fl_names_text(&k->jobs->names, sym);
}

static int sym(struct making *k, const char *text, struct fl_sym *ret)
{
	return fl_model_sym(k->m, text, strlen(text), ret, k->err);
}

/* --- what a job asks for --- */

static int push_labels(struct making *k, const struct fl_asks *a, struct fl_span *ret)
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

static int push_podset(struct making *k, uint32_t asks, uint32_t *ret)
{
	const struct fl_asks *a = &k->jobs->asks[asks];
	struct fl_podset p = fl_podset_default;
	int r;

	*ret = k->podset_of[asks];
	if (*ret != FL_NONE)
		return 0;
	p.name = k->main;
	p.count = (int32_t)a->tasks;
	p.spec_hash = asks + 1;
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

static struct fl_bundle bundle_of(const struct making *k, const struct fl_asks *a)
{
	static const char *const names[FL_BUNDLE] = { "cpu", "memory", "nvidia.com/gpu" };
	struct fl_bundle b = { { 0 } };

	for (uint32_t i = 0; i < a->n_requests; i++)
		for (int axis = 0; axis < FL_BUNDLE; axis++)
			if (strcmp(word(k, a->requests[i].resource), names[axis]) == 0)
				b.of[axis] = (double)a->requests[i].amount * a->tasks;
	return b;
}

/* --- what it holds, of the first generation --- */

static int push_admission(struct making *k, const struct fl_live *job, struct fl_workload_row *row)
{
	struct fl_podset_assignment set = { .podset = k->main,
					    .count = (int32_t)job->tasks,
					    .assignments = { k->m->n_assignments, 0 } };
	const struct fl_run_grant *grants;
	uint32_t n = 0;
	int r = 0;

	grants = k->o->held ? k->o->held(k->o->user, job->id, &n) : NULL;
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
	row->reserved_at = job->started == FL_TIME_NONE ? k->o->now : job->started;
	return r < 0 ? r : fl_model_push_podset_assignments(k->m, &set, /* ret_id= */ NULL, k->err);
}

/* --- jobs to workloads --- */

static int add_gang(struct making *k, const struct fl_live *job, struct fl_workload_row *row)
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
	task.request = bundle_of(k, &k->jobs->asks[job->asks]);
	if (r == 0)
		r = push_labels(k, &k->jobs->asks[job->asks], &task.node_selector);
	if (k->o->held && k->o->held(k->o->user, job->id, &n)) {
		task.phase = FL_TASK_ALLOCATED;
		task.started = job->started;
		if (r == 0)
			r = sym(k, fl_model_text(k->m, k->m->machines[k->m->n_machines - 1].name),
				&task.machine_name);
	}
	return r < 0 ? r : fl_model_add_task(k->m, &task, k->err);
}

static int add_job(struct making *k, uint32_t at)
{
	const struct fl_live *job = &k->jobs->rows[at];
	struct fl_workload_row row = fl_workload_default;
	char name[24];
	int r;

	(void)snprintf(name, sizeof name, "%" PRIu64, job->id);
	if ((r = sym(k, name, &row.name)) < 0 ||
	    (r = fl_config_queue(k->m, word(k, job->queue), &row.namespace, &row.queue_name,
				 k->err)) < 0)
		return r;
	row.uid = row.name;
	row.created = job->submitted;
	row.has_priority = true;
	row.priority = job->priority;
	k->was[k->m->n_workloads] = k->o->from ? job->workload : (struct fl_workload){ FL_NONE };
	k->row_of[k->m->n_workloads] = at;
	if (k->entitle)
		return add_gang(k, job, &row);
	row.podsets.n = 1;
	if ((r = push_podset(k, job->asks, &row.podsets.first)) < 0)
		return r;
	if (!k->o->from && (r = push_admission(k, job, &row)) < 0)
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

static bool takes_part(const struct making *k, const struct fl_live *job)
{
	switch (job->state) {
	case FL_JOB_STARTS:
	case FL_JOB_RUNS:
	case FL_JOB_STOPS:
		return true;
	case FL_JOB_WAITS:
		return job->workload.v != FL_NONE ||
		       (job->id <= k->o->up_to && fl_generation_wants(job, k->o->now));
	default:
		return false;
	}
}

/* --- the whole --- */

static int alloc(struct making *k, struct fl_generation *g)
{
	const struct fl_mem *mem = &fl_mem_heap;
	size_t n = k->jobs->n + 1, asks = k->jobs->n_asks + 1;

	k->podset_of = mem->resize(mem->user, NULL, asks * sizeof *k->podset_of);
	k->row_of = mem->resize(mem->user, NULL, n * sizeof *k->row_of);
	k->was = mem->resize(mem->user, NULL, n * sizeof *k->was);
	g->job_of = mem->resize(mem->user, NULL, n * sizeof *g->job_of);
	if (!k->podset_of || !k->row_of || !k->was || !g->job_of)
		return fl_fail_nomem(k->err);
	memset(k->podset_of, 0xff, asks * sizeof *k->podset_of); /* FL_NONE */
	return 0;
}

static int make_model(struct making *k, struct fl_generation *g)
{
	int r = fl_config_model(k->o->config, k->o->capacity, &fl_mem_heap, &k->m, k->err);

	if (r < 0)
		return r;
	g->model = k->m;
	k->entitle = fl_model_policy(k->m) == FL_POLICY_ENTITLE;
	g->ops = k->entitle ? &fl_entitle_policy : &fl_borrow_policy;
	r = sym(k, "main", &k->main);
	for (uint32_t i = 0; i < k->jobs->n && r == 0; i++)
		if (takes_part(k, &k->jobs->rows[i]))
			r = add_job(k, i);
	return r < 0 ? r : fl_model_seal(k->m, k->err);
}

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
	int r = fl_driver_init(&g->driver, &options, err);

	if (r < 0 || !o->from)
		return r;
	g->driver.last = o->from->driver.last;
	g->driver.cycles = o->from->driver.cycles;
	g->driver.events = o->from->driver.events;
	g->driver.heads = o->from->driver.heads;
	return 0;
}

static int make_policy(struct making *k, struct fl_generation *g)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap,
					     .now = k->o->now,
					     .moving_usage = true };
	const struct fl_generation *from = k->o->from;
	int r = g->ops->new (g->model, &options, &g->policy, k->err);

	if (r < 0)
		return r;
	if (from && from->ops != g->ops)
		return fl_fail(k->err, FAIRLEAD_EINPUT,
			       "the policy changes from %s to %s while jobs are there",
			       from->ops->name, g->ops->name);
	if (from)
		r = g->ops->adopt(g->policy, k->o->now, from->policy, k->was, k->err);
	return r < 0 ? r : make_driver(k->o, g, k->err);
}

/* Who is new is told to the policy, and everybody learns its number. */
static int let_in(struct making *k, struct fl_generation *g)
{
	int r = 0;

	for (uint32_t w = 0; w < g->model->n_workloads && r == 0 && k->o->from; w++) {
		struct fl_event e = { .kind = FL_EV_SUBMIT, .workload = { w } };

		if (k->was[w].v == FL_NONE)
			r = fl_driver_apply(&g->driver, k->o->now, &e, k->err);
	}
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < k->jobs->n; i++)
		k->jobs->rows[i].workload.v = FL_NONE;
	for (uint32_t w = 0; w < g->model->n_workloads; w++) {
		struct fl_live *job = &k->jobs->rows[k->row_of[w]];

		job->workload.v = w;
		job->retry = FL_TIME_NONE;
		g->job_of[w] = job->id;
	}
	return 0;
}

int fl_generation_new(const struct fl_generation_options *options, struct fl_jobs *jobs,
		      struct fl_generation *ret, fairlead_error *err)
{
	struct making k = { .o = options, .jobs = jobs, .err = err };
	struct fl_generation g = { 0 };
	int r = alloc(&k, &g);

	if (r == 0)
		r = make_model(&k, &g);
	if (r == 0)
		r = make_policy(&k, &g);
	if (r == 0)
		r = let_in(&k, &g);
	fl_mem_free(&fl_mem_heap, k.podset_of);
	fl_mem_free(&fl_mem_heap, k.row_of);
	fl_mem_free(&fl_mem_heap, k.was);
	if (r < 0)
		fl_generation_done(&g);
	else
		*ret = g;
	return r;
}

int fl_generation_load(struct fl_model *model, struct fl_policy *policy,
		       const struct fl_generation_options *options, const struct fl_jobs *jobs,
		       struct fl_generation *ret, fairlead_error *err)
{
	const struct fl_mem *mem = &fl_mem_heap;
	struct fl_generation g = { .model = model, .policy = policy };
	int r;

	g.ops = fl_model_policy(model) == FL_POLICY_ENTITLE ? &fl_entitle_policy :
							      &fl_borrow_policy;
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
