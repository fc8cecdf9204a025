/* SPDX-License-Identifier: Apache-2.0 */
/* Makes rows of a job: a workload with podsets for borrow and drf, with pods for entitle. */
#include "codec/trace/jobs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mix.h"
#include "codec/trace/route.h"
#include "codec/trace/tracer.h"

bool fl_trace_entitle(const struct fl_model *m)
{
	if (m->n_templates && !m->n_nodes)
		return m->templates[0].node.kind == FL_QUEUE;
	return fl_model_dialect(m) == FL_DIALECT_KAI;
}

static struct fl_trace_row *row_of(const struct fl_tracer *t) { return &t->m->traces[t->trace]; }

static int sym(struct fl_tracer *t, const char *text, struct fl_sym *ret)
{
	return fl_model_sym(t->m, text, strlen(text), ret, t->err);
}

static int names(struct fl_tracer *t)
{
	int r = sym(t, "cpu", &t->cpu);

	if (r == 0)
		r = sym(t, "memory", &t->memory);
	if (r == 0)
		r = sym(t, FL_GPU_MILLI, &t->gpu);
	if (r == 0)
		r = sym(t, "pods", &t->podset);
	return r < 0 ? r : sym(t, FL_GPU_MODEL, &t->model_label);
}

int fl_tracer_begin(struct fl_tracer *t, struct fl_model *m, uint32_t trace, const char *name,
		    const struct fl_source *source, fairlead_error *err)
{
	struct fl_sym file;
	int r;

	*t = (struct fl_tracer){ .m = m, .trace = trace, .err = err };
	t->clock = t->first = t->last = t->base = FL_TIME_NONE;
	t->podsets = m->n_podsets;
	t->tasks = m->n_tasks;
	t->workloads = m->n_workloads;
	fl_pairs_init(&t->shapes, m->mem);
	r = sym(t, name, &file);
	if (r == 0)
		r = fl_model_push_inputs(m, &file, &t->at.file, err);
	if (r == 0)
		r = names(t);
	if (r == 0)
		r = fl_lines_open(&t->lines, m->mem, source, err);
	if (r < 0 && err && err->file[0] == '\0' && err->code != FAIRLEAD_ENOMEM)
		fl_model_fail_at(m, t->at, err);
	return r;
}

int fl_tracer_line(struct fl_tracer *t)
{
	int r = fl_lines_next(&t->lines, t->err);

	t->at.line = t->lines.number;
	t->at.column = 1;
	return r;
}

int fl_tracer_fail(struct fl_tracer *t, const char *at, const char *format, ...)
{
	char text[sizeof t->err->text];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	t->at.column = fl_lines_column(&t->lines, at);
	fl_fail(t->err, FAIRLEAD_EINPUT, "%s", text);
	fl_model_fail_at(t->m, t->at, t->err);
	return FAIRLEAD_EINPUT;
}

/* --- which jobs count, and when they arrive --- */

int fl_tracer_counts(struct fl_tracer *t, const char *at, fl_time came)
{
	const struct fl_trace_row *row = row_of(t);
	fl_time since;

	if (t->first == FL_TIME_NONE)
		t->first = t->last = came;
	if (came < t->last) {
		fl_tracer_fail(
			t, at,
			"arrives %.9g s before the job above it, but jobs must be in the order of arrival",
			(double)(t->last - came) / (double)FL_SECOND);
		fl_fail_hint(t->err, "sort the file by time of arrival");
		return FAIRLEAD_EINPUT;
	}
	t->last = came;
	since = came - t->first;
	if (since < row->from)
		return 1;
	if (row->length != 0 && row->length != FL_NEVER && since - row->from >= row->length)
		return 2;
	if (t->base == FL_TIME_NONE)
		t->base = came;
	return 0;
}

/* --- shapes --- */

static int push_request(struct fl_tracer *t, struct fl_sym resource, fl_amount amount)
{
	struct fl_request request = { .resource_name = resource, .amount = amount };

	return fl_model_push_requests(t->m, &request, /* ret_id= */ NULL, t->err);
}

/* In the order of names. */
static int push_requests(struct fl_tracer *t, const struct fl_trace_shape *s, struct fl_span *ret)
{
	uint32_t first = t->m->n_requests;
	int r = push_request(t, t->cpu, s->cpu);

	if (r == 0 && s->gpu)
		r = push_request(t, t->gpu, s->gpu);
	if (r == 0 && s->memory)
		r = push_request(t, t->memory, s->memory);
	*ret = (struct fl_span){ first, t->m->n_requests - first };
	return r;
}

/* Makes one term of affinity of "T4|P100". */
static int push_models(struct fl_tracer *t, struct fl_sym models, struct fl_span *ret)
{
	struct fl_model *m = t->m;
	struct fl_requirement one = { .key = t->model_label,
				      .op = FL_OP_IN,
				      .values = { m->n_syms, 0 } };
	struct fl_term term = { { m->n_requirements, 1 } };
	char text[FL_MAX_NAME + 1];
	const char *at = text;
	int r = 0;

	(void)snprintf(text, sizeof text, "%s", fl_model_text(m, models));
	for (;;) {
		size_t len = strcspn(at, "|");
		struct fl_sym model;

		r = fl_model_sym(m, at, len, &model, t->err);
		if (r == 0)
			r = fl_model_push_syms(m, &model, /* ret_id= */ NULL, t->err);
		if (r < 0)
			return r;
		one.values.n++;
		at += len;
		if (*at++ == '\0')
			break;
	}
	r = fl_model_push_requirements(m, &one, /* ret_id= */ NULL, t->err);
	*ret = (struct fl_span){ m->n_terms, 1 };
	return r < 0 ? r : fl_model_push_terms(m, &term, /* ret_id= */ NULL, t->err);
}

static int push_podset(struct fl_tracer *t, const struct fl_trace_shape *s)
{
	uint64_t hash[2] = { 0, 0 };
	struct fl_podset p = fl_podset_default;
	int r = push_requests(t, s, &p.requests);

	p.name = t->podset;
	p.count = s->pods;
	p.has_affinity = s->models.v != 0;
	if (r == 0 && p.has_affinity)
		r = push_models(t, s->models, &p.affinity);
	/* Its requests are compared, so memory that does not count makes no new shape. */
	for (const char *c = fl_model_text(t->m, s->models); *c; c++)
		fl_mix(hash, (uint64_t)(unsigned char)*c);
	p.spec_hash = hash[0];
	return r < 0 ? r : fl_model_push_podsets(t->m, &p, /* ret_id= */ NULL, t->err);
}

/* Equal shapes share one podset, found by a walk down a tree of their requests. */
static int find_podset(struct fl_tracer *t, const struct fl_trace_shape *s, uint32_t *ret)
{
	const uint32_t path[] = { (uint32_t)s->cpu,    (uint32_t)((uint64_t)s->cpu >> 32),
				  (uint32_t)s->memory, (uint32_t)((uint64_t)s->memory >> 32),
				  (uint32_t)s->gpu,    (uint32_t)((uint64_t)s->gpu >> 32),
				  s->models.v,         (uint32_t)s->pods };
	const uint32_t steps = sizeof path / sizeof *path;
	uint32_t at = 0;

	for (uint32_t i = 0; i < steps; i++) {
		uint32_t next = i + 1 < steps ? t->n_shapes + 1 : t->m->n_podsets;
		int r = fl_pairs_add(&t->shapes, at, path[i], next, &next, t->err);

		if (r < 0)
			return r;
		if (r == 0 && i + 1 < steps)
			t->n_shapes++;
		else if (r == 0 && (r = push_podset(t, s)) < 0)
			return r;
		at = next;
	}
	*ret = at;
	return 0;
}

/* --- rows --- */

static int push_tasks(struct fl_tracer *t, const struct fl_workload_row *row,
		      const struct fl_trace_shape *s)
{
	struct fl_task_row task = fl_task_default;
	int r = 0;

	task.namespace = row->namespace;
	task.gang_name = row->name;
	task.created = row->created;
	task.place = row->place;
	task.request.of[FL_CPU] = (double)s->cpu;
	task.request.of[FL_MEMORY] = (double)s->memory;
	task.request.of[FL_GPU] = (double)s->gpu / 1000;
	task.has_affinity = s->models.v != 0;
	if (task.has_affinity)
		r = push_models(t, s->models, &task.affinity);
	for (int32_t i = 0; i < s->pods && r == 0; i++) {
		char name[FL_MAX_NAME + 16];

		(void)snprintf(name, sizeof name, "%s-%d", fl_model_text(t->m, row->name), i);
		r = sym(t, name, &task.name);
		if (r == 0)
			r = fl_model_add_task(t->m, &task, t->err);
	}
	return r;
}

/* A gang: all of its pods run, or none. */
static int add_gang(struct fl_tracer *t, struct fl_workload_row *row,
		    const struct fl_trace_shape *s)
{
	struct fl_gang gang = fl_gang_default;
	int r;

	if (s->pods > FL_MAX_LIST)
		return fl_tracer_fail(t, t->lines.text, "%d pods, more than %d", s->pods,
				      FL_MAX_LIST);
	gang.min_tasks = s->pods;
	r = fl_model_push_gangs(t->m, &gang, &row->gang, t->err);
	if (r == 0)
		r = fl_model_add_workload(t->m, row, t->err);
	return r < 0 ? r : push_tasks(t, row, s);
}

static int add_workload(struct fl_tracer *t, struct fl_workload_row *row,
			const struct fl_trace_shape *s)
{
	int r = 0;

	if (fl_trace_entitle(t->m))
		return add_gang(t, row, s);
	row->podsets.n = 1;
	r = find_podset(t, s, &row->podsets.first);
	return r < 0 ? r : fl_model_add_workload(t->m, row, t->err);
}

static int add_life(struct fl_tracer *t, const struct fl_trace_job *job)
{
	double faster = 1 / row_of(t)->load;
	fl_time came = fl_trace_times(job->came - t->base, faster);
	struct fl_life_row life = {
		.workload = { t->m->n_workloads },
		.from_start = t->clock == FL_TIME_NONE,
		.runs = fl_trace_times(job->runs, row_of(t)->runtime),
		.asked = fl_trace_times(job->asked, row_of(t)->runtime),
		.waited = job->waited,
		.class_name = { FL_NONE },
		.user = { FL_NONE },
	};
	int r = 0;

	life.arrives = life.from_start ? came : fl_sat_add(t->clock + t->base, came);
	life.leaves = job->stays == FL_NEVER ? FL_NEVER : fl_sat_add(life.arrives, job->stays);
	if (job->owner.user)
		r = sym(t, job->owner.user, &life.user);
	return r < 0 ? r : fl_model_push_lives(t->m, &life, /* ret_id= */ NULL, t->err);
}

int fl_tracer_add(struct fl_tracer *t, const struct fl_trace_job *job)
{
	struct fl_workload_row row = fl_workload_default;
	struct fl_trace_route route;
	const struct fl_life_row *life;
	int r = fl_trace_route(t->m, t->trace, &job->owner, t->at, &route, t->err);

	if (r < 0 || route.left_out)
		return r;
	r = add_life(t, job);
	if (r < 0)
		return r;
	life = &t->m->lives[t->m->n_lives - 1];
	row.namespace = route.namespace;
	row.name = job->name;
	row.queue_name = route.queue_name;
	row.has_priority = route.has_priority;
	row.priority = route.priority;
	row.created = life->from_start ? FL_TIME_NONE : life->arrives;
	row.place = t->at;
	return add_workload(t, &row, &job->shape);
}

/* --- at the end --- */

static int tell(struct fl_tracer *t, enum fl_notice_kind kind, const char *text)
{
	char subject[FL_MAX_NAME + 1]; /* a notice adds texts, and those there move */

	(void)snprintf(subject, sizeof subject, "%s", fl_model_text(t->m, row_of(t)->file));
	return fl_model_notice(t->m, kind, row_of(t)->place, subject, /* hint= */ NULL, t->err,
			       "%s", text);
}

static bool has_quota_of(const struct fl_model *m, struct fl_sym resource)
{
	for (uint32_t i = 0; i < m->n_quotas; i++)
		if (m->quotas[i].resource_name.v == resource.v)
			return true;
	return false;
}

static bool has_memory(const struct fl_model *m)
{
	for (uint32_t i = 0; i < m->n_machines; i++)
		if (m->machines[i].allocatable.of[FL_MEMORY] > 0)
			return true;
	return false;
}

/*
 * If no queue has quota for memory, or no machine has any, no job that asks for memory could start:
 * so these requests do not count.
 */
static int forget_memory(struct fl_tracer *t)
{
	struct fl_model *m = t->m;
	uint32_t podsets = has_quota_of(m, t->memory) ? t->podsets : m->n_podsets;
	uint32_t tasks = has_memory(m) ? t->tasks : m->n_tasks;
	uint32_t changed = 0;

	for (uint32_t i = t->podsets; i < podsets; i++) {
		struct fl_podset *p = &m->podsets[i];
		struct fl_request *last = &m->requests[p->requests.first + p->requests.n - 1];

		if (last->resource_name.v != t->memory.v)
			continue;
		*last = m->requests[p->requests.first]; /* its place is no longer used */
		p->requests.n--;
		changed++;
	}
	for (uint32_t i = t->tasks; i < tasks; i++) {
		changed += m->tasks[i].request.of[FL_MEMORY] > 0;
		m->tasks[i].request.of[FL_MEMORY] = 0;
	}
	if (!changed)
		return 0;
	return tell(t, FL_NOTICE_JOBS_WITHOUT_MEMORY,
		    "jobs ask for memory, but no queue has quota for it: these requests do not "
		    "count");
}

static int tell_odd(struct fl_tracer *t)
{
	static const char *const words[FL_ODDS] = {
		[FL_ODD_CANCELLED] = "cancelled while pending",
		[FL_ODD_NO_RUN_TIME] = "without a run time",
		[FL_ODD_NO_SIZE] = "without a size",
		[FL_ODD_PARTIAL] = "parts of other jobs",
	};
	char why[200] = "", text[300];
	uint32_t all = 0;

	for (int i = 0; i < FL_ODDS; i++) {
		size_t used = strlen(why);

		if (t->odd[i])
			(void)snprintf(why + used, sizeof why - used, "%s%u %s", all ? ", " : "",
				       t->odd[i], words[i]);
		all += t->odd[i];
	}
	if (!all)
		return 0;
	(void)snprintf(text, sizeof text, "%u of %u jobs are left out: %s", all,
		       all + t->m->n_workloads - t->workloads, why);
	return tell(t, FL_NOTICE_JOBS_LEFT_OUT, text);
}

static double quota_of(const struct fl_model *m, uint32_t node, struct fl_sym resource)
{
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;
	double sum = 0;

	while ((q = fl_model_next_quota(m, (struct fl_node){ node }, &walk)) != NULL)
		if (q->resource_name.v == resource.v)
			sum += (double)q->nominal;
	return sum;
}

/* The sum of all quotas of cpu, or of all machines. */
static double capacity(const struct fl_tracer *t)
{
	const struct fl_model *m = t->m;
	double sum = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		sum += quota_of(m, n, t->cpu);
	for (uint32_t i = 0; i < m->n_machines && t->tasks < m->n_tasks; i++)
		sum += m->machines[i].allocatable.of[FL_CPU];
	return sum;
}

static int tell_too_large(struct fl_tracer *t)
{
	struct fl_model *m = t->m;
	double cpu = capacity(t);
	char text[200];
	uint32_t n = 0;

	for (uint32_t w = t->workloads; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];
		const struct fl_podset *p = &m->podsets[row->podsets.first];

		if (row->gang == FL_NONE)
			n += (double)p->count * (double)m->requests[p->requests.first].amount > cpu;
	}
	for (uint32_t k = t->tasks; k < m->n_tasks;) {
		struct fl_sym gang = m->tasks[k].gang_name;
		double sum = 0;

		for (; k < m->n_tasks && m->tasks[k].gang_name.v == gang.v; k++)
			sum += m->tasks[k].request.of[FL_CPU];
		n += sum > cpu;
	}
	if (!n)
		return 0;
	(void)snprintf(
		text, sizeof text,
		"%u job%s larger than the whole cluster, %.9g cores, and stay%s pending for ever",
		n, n == 1 ? " is" : "s are", cpu / 1000, n == 1 ? "s" : "");
	return tell(t, FL_NOTICE_JOBS_TOO_LARGE, text);
}

int fl_tracer_end(struct fl_tracer *t, int r)
{
	fairlead_error *err = t->err;

	fl_lines_done(&t->lines);
	fl_pairs_done(&t->shapes);
	/* An error of the line reader lacks the file, one of a queue lacks the line. */
	if (r < 0 && err && err->file[0] == '\0' && err->code != FAIRLEAD_ENOMEM) {
		if (err->line) {
			t->at.line = err->line;
			t->at.column = err->column;
		}
		fl_model_fail_at(t->m, t->at, err);
	}
	if (r == 0)
		r = forget_memory(t);
	if (r == 0)
		r = tell_odd(t);
	return r < 0 ? r : tell_too_large(t);
}
