/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alibaba's "openb" (cluster-trace-gpu-v2023): pods and nodes as CSV, columns by name.
 *
 * A pod is a job of one pod that arrives when it was created, is pending until it was scheduled and
 * runs until it was deleted.  For one that was never scheduled the run time is not known: with the
 * source's `cancelled` it arrives, gives up when it was deleted, and would run for as long as it
 * existed; otherwise it is left out.  The times count from the trace's own beginning, not from a
 * date.
 *
 * GPUs are counted in thousandths (fairlead.dev/gpu-milli), as most pods ask for parts of one.
 * That the parts of a pod must be on one GPU is not checked.
 */
#include "codec/trace/openb.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/text/csv.h"
#include "codec/trace/jobs.h"
#include "codec/trace/tracer.h"

#define MIB (INT64_C(1) << 20)

/* Columns; those that may be missing in the file come last. */
enum pod_column {
	NAME,
	CPU,
	MEMORY,
	GPUS,
	GPU_MILLI,
	CREATED,
	DELETED,
	SCHEDULED,
	NEEDED_OF_POD,
	MODELS = NEEDED_OF_POD,
	QOS,
	POD_COLUMNS
};

static const char *const pod_columns[POD_COLUMNS] = {
	"name",          "cpu_milli",     "memory_mib",     "num_gpu",  "gpu_milli",
	"creation_time", "deletion_time", "scheduled_time", "gpu_spec", "qos",
};

enum node_column { NODE_NAME, NODE_CPU, NODE_MEMORY, NODE_GPUS, NODE_MODEL, NODE_COLUMNS };

static const char *const node_columns[NODE_COLUMNS] = { "sn", "cpu_milli", "memory_mib", "gpu",
							"model" };

/* A file whose first line names its columns. */
struct sheet {
	struct fl_tracer *t;
	struct fl_csv_reader csv;
	uint32_t columns[POD_COLUMNS]; /* FL_NONE: no column of that name */
	const char *const *names;
};

static int read_header(struct sheet *s, uint32_t n, uint32_t needed)
{
	struct fl_tracer *t = s->t;
	int r = fl_tracer_line(t);

	if (r == 1)
		return fl_tracer_fail(t, t->lines.text, "is empty");
	if (r == 0)
		r = fl_csv_cut(&s->csv, &t->lines, t->err);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		s->columns[i] = fl_csv_column(&s->csv, s->names[i]);
		if (s->columns[i] == FL_NONE && i < needed)
			return fl_tracer_fail(t, t->lines.text, "no column '%s' in the first line",
					      s->names[i]);
	}
	return r;
}

/* 0; 1 at the end. Empty lines are skipped. */
static int next_row(struct sheet *s)
{
	int r;

	do
		r = fl_tracer_line(s->t);
	while (r == 0 && s->t->lines.text == s->t->lines.end);
	return r ? r : fl_csv_cut(&s->csv, &s->t->lines, s->t->err);
}

static struct fl_csv_field field(const struct sheet *s, uint32_t column)
{
	const struct fl_csv_field none = { "", NULL };

	return s->columns[column] == FL_NONE ? none : s->csv.fields[s->columns[column]];
}

static size_t length(struct fl_csv_field f) { return f.end ? (size_t)(f.end - f.at) : 0; }

/* In units of 10^-9, not negative; -1 for an empty field. */
static int number(struct sheet *s, uint32_t column, int64_t *ret)
{
	struct fl_csv_field f = field(s, column);
	fairlead_error own;

	*ret = -1;
	if (length(f) == 0)
		return 0;
	if (fl_lines_number(f.at, f.end, ret, &own) < 0)
		return fl_tracer_fail(s->t, f.at, "%s: '%.*s' %s", s->names[column],
				      (int)(length(f) > 40 ? 40 : length(f)), f.at, own.text);
	if (*ret < 0)
		return fl_tracer_fail(s->t, f.at, "%s: '%.*s' is below 0", s->names[column],
				      (int)length(f), f.at);
	return 0;
}

/* The same as a whole number, and 0 for an empty field. */
static int count(struct sheet *s, uint32_t column, int64_t *ret)
{
	int r = number(s, column, ret);

	*ret = *ret < 0 ? 0 : *ret / FL_SECOND;
	return r;
}

/* A required number. */
static int need(struct sheet *s, uint32_t column, int64_t *ret)
{
	int r = number(s, column, ret);

	if (r == 0 && *ret < 0)
		return fl_tracer_fail(s->t, field(s, column).at, "no %s", s->names[column]);
	return r;
}

static int text(struct sheet *s, uint32_t column, struct fl_sym *ret)
{
	struct fl_csv_field f = field(s, column);

	if (length(f) > FL_MAX_NAME)
		return fl_tracer_fail(s->t, f.at, "%s: more than %d bytes", s->names[column],
				      FL_MAX_NAME);
	return fl_model_sym(s->t->m, f.at, length(f), ret, s->t->err);
}

/* --- pods --- */

static int read_shape(struct sheet *s, struct fl_trace_shape *shape)
{
	int64_t memory = 0, gpus = 0, milli = 0;
	int r = count(s, CPU, &shape->cpu);

	shape->pods = 1;
	if (r == 0)
		r = count(s, MEMORY, &memory);
	if (r == 0)
		r = count(s, GPUS, &gpus);
	if (r == 0)
		r = count(s, GPU_MILLI, &milli);
	shape->memory = memory * MIB;
	shape->gpu = gpus * milli;
	return r < 0 ? r : text(s, MODELS, &shape->models);
}

/*
 * Its times of arrival, start and end; a pod that was never scheduled stays until it was deleted.
 */
static int read_times(struct sheet *s, struct fl_trace_job *job, bool *ret_ran)
{
	int64_t created, scheduled, deleted;
	int r = need(s, CREATED, &created);

	if (r == 0)
		r = number(s, SCHEDULED, &scheduled);
	if (r == 0)
		r = number(s, DELETED, &deleted);
	if (r < 0)
		return r;
	*ret_ran = scheduled >= 0;
	job->came = created;
	if (scheduled >= 0 && scheduled < created)
		return fl_tracer_fail(s->t, field(s, SCHEDULED).at,
				      "scheduled before it was created");
	if (deleted >= 0 && deleted < (scheduled >= 0 ? scheduled : created))
		return fl_tracer_fail(s->t, field(s, DELETED).at, "deleted before it was %s",
				      scheduled >= 0 ? "scheduled" : "created");
	job->waited = *ret_ran ? scheduled - created : FL_TIME_NONE;
	job->runs = deleted < 0 ? FL_NEVER : deleted - (*ret_ran ? scheduled : created);
	job->stays = *ret_ran || deleted < 0 ? FL_NEVER : deleted - created;
	return 0;
}

static int read_pod(struct sheet *s)
{
	struct fl_tracer *t = s->t;
	struct fl_trace_job job = { .asked = FL_TIME_NONE };
	struct fl_csv_field qos = field(s, QOS);
	char owner[FL_MAX_NAME + 1], name[2 * FL_MAX_NAME];
	bool ran;
	int r = read_times(s, &job, &ran);

	if (r == 0)
		r = fl_tracer_counts(t, field(s, CREATED).at, job.came);
	if (r != 0)
		return r == 1 ? 0 : r;
	if (!ran && !t->m->traces[t->trace].cancelled) {
		t->odd[FL_ODD_CANCELLED]++;
		return 0;
	}
	r = read_shape(s, &job.shape);
	if (r == 0)
		r = text(s, NAME, &job.name);
	if (r == 0 && t->trace) {
		(void)snprintf(name, sizeof name, "t%u-%s", t->trace + 1,
			       fl_model_text(t->m, job.name));
		r = fl_model_sym(t->m, name, strlen(name), &job.name, t->err);
	}
	(void)snprintf(owner, sizeof owner, "%.*s", (int)length(qos), qos.at);
	job.owner.queue = length(qos) ? owner : NULL;
	return r < 0 ? r : fl_tracer_add(t, &job);
}

int fl_openb_read_pods(struct fl_tracer *t)
{
	struct sheet s = { .t = t, .names = pod_columns };
	int r = read_header(&s, POD_COLUMNS, NEEDED_OF_POD);

	while (r == 0) {
		r = next_row(&s);
		if (r == 0)
			r = read_pod(&s);
		else if (r == 1)
			return 0;
	}
	return r == 2 ? 0 : r;
}

/* --- nodes --- */

/* Nodes with GPUs of one model, or without any (model symbol 0), together. */
struct model_sum {
	struct fl_sym model;
	fl_amount cpu, memory, gpu;
};

struct nodes {
	struct sheet sheet;
	struct model_sum *sums;
	uint32_t n, cap;
	bool machines; /* one for each node; otherwise only sums */
	struct fl_place place;
};

static int push_model_label(struct fl_tracer *t, struct fl_sym model, struct fl_span *ret)
{
	struct fl_label label = { .key = t->model_label, .value = model };

	*ret = (struct fl_span){ t->m->n_labels, 1 };
	return fl_model_push_labels(t->m, &label, /* ret_id= */ NULL, t->err);
}

static int add_machine(struct nodes *n, struct fl_sym name, const struct model_sum *node)
{
	struct fl_tracer *t = n->sheet.t;
	struct fl_machine_row row = { .name = name, .place = t->at };
	int r = node->model.v ? push_model_label(t, node->model, &row.labels) : 0;

	row.allocatable.of[FL_CPU] = (double)node->cpu;
	row.allocatable.of[FL_MEMORY] = (double)node->memory;
	row.allocatable.of[FL_GPU] = (double)node->gpu / 1000;
	return r < 0 ? r : fl_model_add_machine(t->m, &row, t->err);
}

static int add_up(struct nodes *n, const struct model_sum *node)
{
	struct fl_tracer *t = n->sheet.t;
	uint32_t i = 0;
	int r;

	while (i < n->n && n->sums[i].model.v != node->model.v)
		i++;
	if (i == n->n) {
		r = fl_mem_grow(t->m->mem, &n->sums, &n->cap, n->n + 1, sizeof *n->sums, t->err);
		if (r < 0)
			return r;
		n->sums[n->n++] = (struct model_sum){ .model = node->model };
	}
	n->sums[i].cpu = fl_quota_add(n->sums[i].cpu, node->cpu);
	n->sums[i].memory = fl_quota_add(n->sums[i].memory, node->memory);
	n->sums[i].gpu = fl_quota_add(n->sums[i].gpu, node->gpu);
	return 0;
}

static int read_node(struct nodes *n)
{
	struct sheet *s = &n->sheet;
	struct model_sum node = { .model = { 0 } };
	struct fl_sym name;
	int r = text(s, NODE_NAME, &name);

	if (r == 0)
		r = text(s, NODE_MODEL, &node.model);
	if (r == 0)
		r = count(s, NODE_CPU, &node.cpu);
	if (r == 0)
		r = count(s, NODE_MEMORY, &node.memory);
	if (r == 0)
		r = count(s, NODE_GPUS, &node.gpu);
	if (r < 0)
		return r;
	node.memory *= MIB;
	node.gpu *= 1000;
	if (node.gpu == 0)
		node.model.v = 0;
	return n->machines ? add_machine(n, name, &node) : add_up(n, &node);
}

/* Without GPUs first, then by the name of the model: the order in which flavors are tried. */
static void sort_models(struct nodes *n)
{
	for (uint32_t i = 1; i < n->n; i++)
		for (uint32_t k = i;
		     k > 0 && fl_names_cmp(&n->sheet.t->m->names, n->sums[k - 1].model,
					   n->sums[k].model) > 0;
		     k--) {
			struct model_sum swap = n->sums[k];

			n->sums[k] = n->sums[k - 1];
			n->sums[k - 1] = swap;
		}
}

/* Flavors have the names of the models, in lower case; "cpu" has no GPUs. */
static int flavor_name(struct fl_tracer *t, struct fl_sym model, struct fl_sym *ret)
{
	char name[FL_MAX_NAME + 1];

	(void)snprintf(name, sizeof name, "%s", model.v ? fl_model_text(t->m, model) : "cpu");
	for (char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return fl_model_sym(t->m, name, strlen(name), ret, t->err);
}

/* An existing flavor is left unchanged. */
static int add_flavor(struct nodes *n, struct fl_sym model)
{
	struct fl_tracer *t = n->sheet.t;
	struct fl_flavor_row row = { .place = n->place };
	struct fl_sym label = model;
	int r = flavor_name(t, model, &row.name);

	for (uint32_t i = 0; i < t->m->n_flavors; i++)
		if (t->m->flavors[i].name.v == row.name.v)
			return r;
	if (r == 0 && !model.v)
		r = fl_model_sym(t->m, "none", 4, &label, t->err);
	if (r == 0)
		r = push_model_label(t, label, &row.labels);
	return r < 0 ? r : fl_model_add_flavor(t->m, &row, t->err);
}

static int push_quotas(struct nodes *n, const struct model_sum *sum, struct fl_span *ret)
{
	struct fl_tracer *t = n->sheet.t;
	const struct {
		struct fl_sym resource;
		fl_amount amount;
	} rows[] = { { t->cpu, sum->cpu }, { t->memory, sum->memory }, { t->gpu, sum->gpu } };
	struct fl_quota quota = { .borrowing_limit = FL_NO_LIMIT,
				  .lending_limit = FL_NO_LIMIT,
				  .place = n->place };
	int r = flavor_name(t, sum->model, &quota.flavor_name);

	*ret = (struct fl_span){ t->m->n_quotas, 3 };
	for (int i = 0; i < 3 && r == 0; i++) {
		quota.resource_name = rows[i].resource;
		quota.nominal = rows[i].amount;
		r = fl_model_push_quotas(t->m, &quota, /* ret_id= */ NULL, t->err);
	}
	return r;
}

/*
 * One group with all flavors: with @all their whole capacity as quota, otherwise 0 for a queue that
 * only borrows.
 */
static int push_group(struct nodes *n, bool all, struct fl_span *ret)
{
	struct fl_tracer *t = n->sheet.t;
	struct fl_model *m = t->m;
	const struct fl_sym resources[] = { t->cpu, t->memory, t->gpu };
	struct fl_group group = { .resources = { m->n_syms, 3 }, .place = n->place };
	struct fl_group_flavor flavors[FL_MAX_FLAVORS];
	int r = 0;

	if (n->n > FL_MAX_FLAVORS)
		return fl_tracer_fail(t, t->lines.text, "more than %d GPU models", FL_MAX_FLAVORS);
	for (int i = 0; i < 3 && r == 0; i++)
		r = fl_model_push_syms(m, &resources[i], /* ret_id= */ NULL, t->err);
	for (uint32_t i = 0; i < n->n && r == 0; i++) {
		const struct model_sum nothing = { .model = n->sums[i].model };

		r = flavor_name(t, n->sums[i].model, &flavors[i].name);
		if (r == 0)
			r = push_quotas(n, all ? &n->sums[i] : &nothing, &flavors[i].quotas);
	}
	group.flavors = (struct fl_span){ m->n_group_flavors, n->n };
	for (uint32_t i = 0; i < n->n && r == 0; i++)
		r = fl_model_push_group_flavors(m, &flavors[i], /* ret_id= */ NULL, t->err);
	*ret = (struct fl_span){ m->n_groups, 1 };
	return r < 0 ? r : fl_model_push_groups(m, &group, /* ret_id= */ NULL, t->err);
}

/* "*": every queue that a rule names and that does not exist. */
static int push_template(struct nodes *n, const struct fl_node_row *node)
{
	struct fl_tracer *t = n->sheet.t;
	struct fl_template_row row = { .node = *node, .place = n->place };
	int r = fl_model_sym(t->m, "*", 1, &row.match, t->err);

	row.node.place = n->place;
	return r < 0 ? r : fl_model_push_templates(t->m, &row, /* ret_id= */ NULL, t->err);
}

/* A cohort with the whole capacity, and queues that borrow from it. */
static int make_borrow_tree(struct nodes *n, struct fl_sym name)
{
	struct fl_node_row cohort = fl_cohort_default, queue = fl_cluster_queue_default;
	int r = push_group(n, /* all= */ true, &cohort.groups);

	cohort.name = name;
	cohort.place = n->place;
	if (r == 0)
		r = fl_model_add_node(n->sheet.t->m, &cohort, n->sheet.t->err);
	if (r == 0)
		r = push_group(n, /* all= */ false, &queue.groups);
	queue.parent_name = name;
	queue.namespaces.present = true;
	queue.reclaim = FL_PREEMPT_ANY;
	queue.within_queue = FL_PREEMPT_LOWER_PRIORITY;
	return r < 0 ? r : push_template(n, &queue);
}

static struct fl_entitlement nothing_deserved(void)
{
	struct fl_entitlement e = fl_entitlement_default;

	for (int axis = 0; axis < FL_BUNDLE; axis++) {
		e.limit.of[axis] = FL_UNBOUNDED;
		e.weight.of[axis] = 1;
	}
	return e;
}

static int make_entitle_tree(struct nodes *n, struct fl_sym name)
{
	struct fl_tracer *t = n->sheet.t;
	struct fl_node_row root = fl_entitled_default, queue = fl_entitled_default;
	struct fl_entitlement e = nothing_deserved();
	int r = fl_model_push_entitlements(t->m, &e, &queue.entitlement, t->err);

	for (int axis = 0; axis < FL_BUNDLE; axis++)
		e.deserved.of[axis] = FL_UNBOUNDED;
	if (r == 0)
		r = fl_model_push_entitlements(t->m, &e, &root.entitlement, t->err);
	root.name = name;
	root.place = n->place;
	if (r == 0)
		r = fl_model_add_node(t->m, &root, t->err);
	queue.parent_name = name;
	return r < 0 ? r : push_template(n, &queue);
}

/* The document's tree, if it has one; its cohort `openb` gets the capacity, if it has no quota. */
static int make_tree(struct nodes *n)
{
	struct fl_tracer *t = n->sheet.t;
	struct fl_model *m = t->m;
	bool empty = m->n_nodes == 0 && m->n_templates == 0;
	struct fl_sym name;
	int r = fl_model_sym(m, "openb", 5, &name, t->err);

	if (n->machines)
		return r < 0 || !empty ? r : make_entitle_tree(n, name);
	for (uint32_t i = 0; i < n->n && r == 0; i++)
		r = add_flavor(n, n->sums[i].model);
	if (r == 0 && empty)
		return make_borrow_tree(n, name);
	for (uint32_t i = 0; i < m->n_nodes && r == 0; i++)
		if (m->nodes[i].kind == FL_COHORT && m->nodes[i].name.v == name.v &&
		    m->nodes[i].groups.n == 0)
			return push_group(n, /* all= */ true, &m->nodes[i].groups);
	return r;
}

static int read_nodes(struct nodes *n)
{
	int r = read_header(&n->sheet, NODE_COLUMNS, NODE_COLUMNS);

	n->place = n->sheet.t->at;
	while (r == 0) {
		r = next_row(&n->sheet);
		if (r == 0)
			r = read_node(n);
	}
	if (r != 1)
		return r;
	if (n->n == 0 && !(n->machines && n->sheet.t->lines.number > 1))
		return fl_tracer_fail(n->sheet.t, n->sheet.t->lines.text, "no node in it");
	sort_models(n);
	return make_tree(n);
}

int fl_trace_read_nodes(struct fl_model *m, uint32_t trace, const char *name,
			const struct fl_source *source, fairlead_error *err)
{
	fairlead_error unused;
	struct fl_tracer t;
	struct nodes n = { .sheet = { .t = &t, .names = node_columns } };
	int r;

	if (!err)
		err = &unused;
	*err = (fairlead_error){ 0 };
	n.machines = fl_trace_entitle(m);
	r = fl_tracer_begin(&t, m, trace, name, source, err);
	if (r == 0)
		r = read_nodes(&n);
	fl_mem_free(m->mem, n.sums);
	return fl_tracer_end(&t, r);
}
