/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workloads of Kueue's scalability tests, which are not Kubernetes objects: {cohorts}, each
 * `count` times, with sets of queues, each `count` times, with sets of workloads.
 *
 * A set of workloads goes through its list `count` times; one workload arrives every
 * creationIntervalMs, the first after one interval.  Every queue gets all sets, at the same time.
 * The result is a tree with one flavor, "default", and classes (codec/trace/classes.c), which
 * reports show by className.  Cohorts are called className-N, queues COHORT-className-N.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/object/workload.h"

/* One workload of a set. */
struct job {
	struct fl_class_row class;
	fl_amount cpu;
};

struct queue_set {
	struct fl_sym name;
	int32_t count;
	fl_amount nominal, limit;
	enum fl_preempt_policy reclaim, within;
	uint32_t first, n; /* into jobs */
	struct fl_place place;
};

struct cohort_set {
	struct fl_sym name;
	int32_t count;
	struct fl_place place;
};

/* One set of cohorts as it was read, before rows are made from it. */
struct plan {
	struct cohort_set cohort;
	struct queue_set *queues;
	struct job *jobs;
	uint32_t n_queues, cap_queues, n_jobs, cap_jobs;
	/* the current set of workloads */
	uint32_t first_job;
	int32_t count, interval;
	uint32_t cohorts; /* number made from all sets */
};

/* --- reading --- */

static int read_runtime(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t ms = 0;
	int r = fl_kube_count(k, v, &ms);

	((struct job *)row)->class.runs.a = ms / 1000.0;
	return r;
}

static int read_priority(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_class_row *class = &((struct job *)row)->class;

	class->has_priority = true;
	return fl_kube_int32(k, v, &class->priority);
}

static int read_request(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_quantity(k, v, "cpu", &((struct job *)row)->cpu);
}

static int read_pods(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t pods = 0;
	int r = fl_kube_count(k, v, &pods);

	if (r == 0 && pods > FL_MAX_LIST)
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d pods", FL_MAX_LIST);
	((struct job *)row)->class.pods.a = pods ? pods : 1;
	return r;
}

static int read_job_class(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct job *)row)->class.name);
}

static const struct fl_field job_fields[] = {
	{ .name = "className", .read = read_job_class },
	{ .name = "runtimeMs", .read = read_runtime },
	{ .name = "priority", .read = read_priority },
	{ .name = "request", .read = read_request },
	{ .name = "podCount", .read = read_pods },
	{ .name = NULL },
};

static int read_job(struct fl_kube *k, uint32_t v, struct plan *p)
{
	const struct fl_distribution one = { FL_CONSTANT, 1, 0, 0, INFINITY };
	struct job job = { .class = { .ends = FL_NEVER, .weekends = true } };
	uint32_t unused;
	int r = fl_kube_need(k, v, "className", &unused);

	job.class.between = job.class.runs = job.class.pods = one;
	job.class.runs.a = 0;
	job.class.place = fl_kube_place_of(k, v);
	if (r == 0)
		r = fl_kube_map(k, v, job_fields, &job);
	if (r == 0)
		r = fl_mem_grow(k->m->mem, &p->jobs, &p->cap_jobs, p->n_jobs + 1, sizeof *p->jobs,
				k->err);
	if (r == 0)
		p->jobs[p->n_jobs++] = job;
	return r;
}

static int read_jobs(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i))
		r = read_job(k, i, row);
	return r;
}

static int read_set_count(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_count(k, v, &((struct plan *)row)->count);
}

static int read_interval(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_count(k, v, &((struct plan *)row)->interval);
}

static const struct fl_field set_fields[] = {
	{ .name = "count", .read = read_set_count },
	{ .name = "creationIntervalMs", .read = read_interval },
	{ .name = "workloads", .read = read_jobs, .fields = job_fields, .list = true },
	{ .name = NULL },
};

/* The arrivals of a set's workloads are known when all of them were read. */
static int read_set(struct fl_kube *k, uint32_t v, struct plan *p)
{
	uint32_t n;
	int r;

	p->count = p->interval = 0;
	p->first_job = p->n_jobs;
	r = fl_kube_map(k, v, set_fields, p);
	n = p->n_jobs - p->first_job;
	if (r == 0 &&
	    p->count == 0) /* a class without a count would have all that arrive; here none does */
		p->n_jobs = p->first_job;
	for (uint32_t i = p->first_job; i < p->n_jobs && r == 0; i++) {
		struct fl_class_row *class = &p->jobs[i].class;
		fl_time step = p->interval * (FL_SECOND / 1000);

		class->count = (uint32_t)p->count;
		class->begins = fl_sat_mul(step, i - p->first_job + 1);
		class->between.a = (double)step * n / (double)FL_SECOND;
	}
	return r;
}

static int read_sets(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i))
		r = read_set(k, i, row);
	return r;
}

static struct queue_set *last_queue(void *row)
{
	struct plan *p = row;

	return &p->queues[p->n_queues - 1];
}

static int read_queue_class(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &last_queue(row)->name);
}

static int read_queue_count(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_count(k, v, &last_queue(row)->count);
}

static int read_nominal(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_quantity(k, v, "cpu", &last_queue(row)->nominal);
}

/* "" means no limit. */
static int read_limit(struct fl_kube *k, uint32_t v, void *row)
{
	bool empty = k->doc.values[v].kind == FL_TOKEN_SCALAR && k->doc.values[v].len == 0;

	return empty ? 0 : fl_kube_quantity(k, v, "cpu", &last_queue(row)->limit);
}

static int read_policy(struct fl_kube *k, uint32_t v, enum fl_preempt_policy *ret)
{
	static const char *const names[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority",
					     "Any", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	*ret = (enum fl_preempt_policy)i;
	return r;
}

static int read_reclaim(struct fl_kube *k, uint32_t v, void *row)
{
	return read_policy(k, v, &last_queue(row)->reclaim);
}

static int read_within(struct fl_kube *k, uint32_t v, void *row)
{
	return read_policy(k, v, &last_queue(row)->within);
}

static const struct fl_field queue_fields[] = {
	{ .name = "className", .read = read_queue_class },
	{ .name = "count", .read = read_queue_count },
	{ .name = "nominalQuota", .read = read_nominal },
	{ .name = "borrowingLimit", .read = read_limit },
	{ .name = "reclaimWithinCohort", .read = read_reclaim },
	{ .name = "withinClusterQueue", .read = read_within },
	{ .name = "workloadsSets", .read = read_sets, .fields = set_fields, .list = true },
	{ .name = NULL },
};

static int read_queue(struct fl_kube *k, uint32_t v, struct plan *p)
{
	struct queue_set set = { .limit = FL_NO_LIMIT,
				 .first = p->n_jobs,
				 .place = fl_kube_place_of(k, v) };
	uint32_t unused;
	int r = fl_kube_need(k, v, "className", &unused);

	if (r == 0)
		r = fl_mem_grow(k->m->mem, &p->queues, &p->cap_queues, p->n_queues + 1,
				sizeof *p->queues, k->err);
	if (r < 0)
		return r;
	p->queues[p->n_queues++] = set;
	r = fl_kube_map(k, v, queue_fields, p);
	last_queue(p)->n = p->n_jobs - set.first;
	return r;
}

static int read_queues(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i))
		r = read_queue(k, i, row);
	return r;
}

static int read_cohort_class(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct plan *)row)->cohort.name);
}

static int read_cohort_count(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_count(k, v, &((struct plan *)row)->cohort.count);
}

static const struct fl_field cohort_fields[] = {
	{ .name = "className", .read = read_cohort_class },
	{ .name = "count", .read = read_cohort_count },
	{ .name = "queuesSets", .read = read_queues, .fields = queue_fields, .list = true },
	{ .name = NULL },
};

/* --- making --- */

static int name_of(struct fl_kube *k, struct fl_sym parent, struct fl_sym class, uint32_t n,
		   struct fl_sym *ret)
{
	char name[2 * FL_MAX_NAME + 32];

	(void)snprintf(name, sizeof name, "%.*s%s%.*s-%u", FL_MAX_NAME,
		       parent.v == FL_NONE ? "" : fl_model_text(k->m, parent),
		       parent.v == FL_NONE ? "" : "-", FL_MAX_NAME, fl_model_text(k->m, class), n);
	return fl_model_sym(k->m, name, strlen(name), ret, k->err);
}

static int sym(struct fl_kube *k, const char *text, struct fl_sym *ret)
{
	return fl_model_sym(k->m, text, strlen(text), ret, k->err);
}

/* Quota of cpu in the one flavor. */
static int push_group(struct fl_kube *k, const struct queue_set *set, struct fl_span *ret)
{
	struct fl_model *m = k->m;
	struct fl_quota quota = { .nominal = set->nominal,
				  .borrowing_limit = set->limit,
				  .lending_limit = FL_NO_LIMIT,
				  .place = set->place };
	struct fl_group_flavor flavor = { .quotas = { m->n_quotas, 1 } };
	struct fl_group group = { .resources = { m->n_syms, 1 },
				  .flavors = { m->n_group_flavors, 1 },
				  .place = set->place };
	int r = sym(k, "cpu", &quota.resource_name);

	if (r == 0)
		r = sym(k, "default", &quota.flavor_name);
	flavor.name = quota.flavor_name;
	if (r == 0)
		r = fl_model_push_quotas(m, &quota, /* ret_id= */ NULL, k->err);
	if (r == 0)
		r = fl_model_push_syms(m, &quota.resource_name, /* ret_id= */ NULL, k->err);
	if (r == 0)
		r = fl_model_push_group_flavors(m, &flavor, /* ret_id= */ NULL, k->err);
	*ret = (struct fl_span){ m->n_groups, 1 };
	return r < 0 ? r : fl_model_push_groups(m, &group, /* ret_id= */ NULL, k->err);
}

static int make_queue(struct fl_kube *k, const struct plan *p, const struct queue_set *set,
		      struct fl_sym cohort, uint32_t number)
{
	struct fl_node_row row = fl_cluster_queue_default;
	int r = name_of(k, cohort, set->name, number, &row.name);

	row.parent_name = cohort;
	row.namespaces.present = true;
	row.reclaim = set->reclaim;
	row.within_queue = set->within;
	row.place = set->place;
	if (r == 0)
		r = push_group(k, set, &row.groups);
	if (r == 0)
		r = fl_model_add_node(k->m, &row, k->err);
	for (uint32_t i = set->first; i < set->first + set->n && r == 0; i++) {
		struct fl_class_row class = p->jobs[i].class;

		class.to = row.name;
		if (k->m->n_classes >= FL_MAX_NODES)
			return fl_kube_fail(k, 0, FAIRLEAD_ELIMIT, "more than %d sets of workloads",
					    FL_MAX_NODES);
		r = fl_model_push_classes(k->m, &class, /* ret_id= */ NULL, k->err);
	}
	return r;
}

/* The requests of a job, pushed once for all queues. */
static int push_requests(struct fl_kube *k, struct plan *p)
{
	struct fl_sym cpu;
	int r = sym(k, "cpu", &cpu);

	for (uint32_t i = 0; i < p->n_jobs && r == 0; i++) {
		struct fl_request request = { .resource_name = cpu, .amount = p->jobs[i].cpu };

		p->jobs[i].class.requests = (struct fl_span){ k->m->n_requests, 1 };
		r = fl_model_push_requests(k->m, &request, /* ret_id= */ NULL, k->err);
	}
	return r;
}

static int make_cohorts(struct fl_kube *k, struct plan *p, uint32_t v)
{
	int64_t nodes = 1;
	int r;

	for (uint32_t s = 0; s < p->n_queues; s++)
		nodes += p->queues[s].count;
	if (p->cohort.count > 0 && nodes > FL_MAX_NODES / p->cohort.count)
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d queues and cohorts",
				    FL_MAX_NODES);
	r = push_requests(k, p);

	for (int32_t c = 0; c < p->cohort.count && r == 0; c++) {
		struct fl_node_row row = fl_cohort_default;
		uint32_t number = 0;

		r = name_of(k, (struct fl_sym){ FL_NONE }, p->cohort.name, p->cohorts++, &row.name);
		row.place = p->cohort.place;
		if (r == 0)
			r = fl_model_add_node(k->m, &row, k->err);
		for (uint32_t s = 0; s < p->n_queues; s++)
			for (int32_t q = 0; q < p->queues[s].count && r == 0; q++)
				r = make_queue(k, p, &p->queues[s], row.name, number++);
	}
	return r;
}

static int read_cohort(struct fl_kube *k, uint32_t v, void *row)
{
	struct plan *p = row;
	uint32_t unused;
	int r = fl_kube_need(k, v, "className", &unused);

	p->n_queues = p->n_jobs = 0;
	p->cohort = (struct cohort_set){ .place = fl_kube_place_of(k, v) };
	if (r == 0)
		r = fl_kube_map(k, v, cohort_fields, p);
	return r < 0 ? r : make_cohorts(k, p, v);
}

static int read_cohorts(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i))
		r = read_cohort(k, i, row);
	return r;
}

static const struct fl_field generator[] = {
	{ .name = "cohorts", .read = read_cohorts, .fields = cohort_fields, .list = true },
	{ .name = NULL },
};

static int add_flavor(struct fl_kube *k)
{
	struct fl_flavor_row row = { .place = fl_kube_place_of(k, 0) };
	int r = sym(k, "default", &row.name);

	for (uint32_t i = 0; i < k->m->n_flavors && r == 0; i++)
		if (k->m->flavors[i].name.v == row.name.v)
			return 0;
	return r < 0 ? r : fl_model_add_flavor(k->m, &row, k->err);
}

int fl_generator_read(struct fl_kube *k)
{
	struct plan p = { .n_queues = 0 };
	int r;

	if (fl_doc_find(&k->doc, 0, "cohorts") == FL_NONE)
		return 1;
	if (k->tap)
		return fl_kube_fail(k, 0, FAIRLEAD_EINPUT,
				    "the input of a generator cannot be recorded or changed");
	if (k->m->wanted == FL_DIALECT_KAI)
		return fl_kube_fail(
			k, 0, FAIRLEAD_EINPUT,
			"a generator makes cluster queues, which the entitle policy has "
			"not");
	(void)snprintf(k->subject, sizeof k->subject, "generator");
	r = add_flavor(k);
	if (r == 0)
		r = fl_kube_map(k, 0, generator, &p);
	fl_mem_free(k->m->mem, p.queues);
	fl_mem_free(k->m->mem, p.jobs);
	return r;
}
