/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a workload of one model, by names, in another one. */
#include <string.h>

#include "base/limits.h"
#include "model/join_from.h"
#include "model/table.h"

struct carry {
	struct fl_model *to;
	const struct fl_model *from;
	fairlead_error *err;
	int r; /* of the first thing that failed; nothing is done behind it */
};

static struct fl_sym name(struct carry *c, struct fl_sym sym)
{
	const char *text;
	struct fl_sym ret = { FL_NONE };

	if (sym.v == FL_NONE || c->r < 0)
		return ret;
	text = fl_model_text(c->from, sym);
	c->r = fl_model_sym(c->to, text, strlen(text), &ret, c->err);
	return ret;
}

/* Where it stands, if the other model has an input of that name. */
static struct fl_place place(const struct carry *c, struct fl_place at)
{
	const char *file = fl_model_file(c->from, at);
	const struct fl_sym sym = fl_names_find(&c->to->names, file, strlen(file));

	for (uint32_t i = 0; i < c->to->n_inputs && sym.v != FL_NONE; i++)
		if (c->to->inputs[i].v == sym.v)
			return (struct fl_place){ i, at.line, at.column };
	return (struct fl_place){ 0 };
}

/* Rows of a span are neighbours: those that they point to are pushed before. */
#define SPAN(table, body)                                                                          \
	static struct fl_span table(struct carry *c, struct fl_span s)                             \
	{                                                                                          \
		const uint32_t first = c->to->n_##table;                                           \
                                                                                                   \
		for (uint32_t i = s.first; i < s.first + s.n && c->r == 0; i++) {                  \
			__typeof__(*c->to->table) row = c->from->table[i];                         \
                                                                                                   \
			body;                                                                      \
			if (c->r == 0)                                                             \
				c->r = fl_model_push_##table(c->to, &row, /* ret_id= */ NULL,      \
							     c->err);                              \
		}                                                                                  \
		return (struct fl_span){ first, s.n };                                             \
	}

SPAN(syms, row = name(c, row))
SPAN(labels, (row.key = name(c, row.key), row.value = name(c, row.value)))
SPAN(tolerations, (row.key = name(c, row.key), row.value = name(c, row.value)))
SPAN(amounts, row.resource_name = name(c, row.resource_name))
SPAN(requests, row.resource_name = name(c, row.resource_name))
SPAN(assignments,
     (row.resource_name = name(c, row.resource_name), row.flavor_name = name(c, row.flavor_name)))
SPAN(requirements, (row.key = name(c, row.key), row.values = syms(c, row.values)))
SPAN(terms, row.requirements = requirements(c, row.requirements))
SPAN(parts, row.amounts = amounts(c, row.amounts))
SPAN(podset_assignments,
     (row.podset = name(c, row.podset), row.assignments = assignments(c, row.assignments)))

/* What is pushed for a row of `requirements` is `syms` only, and so on: spans stay together. */
static void podset(struct carry *c, struct fl_podset *row)
{
	bool given = row->parts.n == 0 && row->runtime_class.v == 0;

	row->name = name(c, row->name);
	row->parts = parts(c, row->parts);
	row->runtime_class = name(c, row->runtime_class);
	row->requests = given ? requests(c, row->requests) : (struct fl_span){ 0 };
	row->node_selector = labels(c, row->node_selector);
	row->affinity = terms(c, row->affinity);
	row->tolerations = tolerations(c, row->tolerations);
}
SPAN(podsets, podset(c, &row))

static bool is_of_gang(const struct fl_task_row *task, const struct fl_workload_row *row)
{
	return !task->foreign && task->namespace.v == row->namespace.v &&
	       task->gang_name.v == row->name.v;
}

static void push_task(struct carry *c, const struct fl_task_row *from, struct fl_span *tasks)
{
	struct fl_task_row row = *from;
	uint32_t at;

	row.namespace = name(c, row.namespace);
	row.name = name(c, row.name);
	row.gang_name = name(c, row.gang_name);
	row.queue_name = name(c, row.queue_name);
	row.machine_name = name(c, row.machine_name);
	row.priority_class = name(c, row.priority_class);
	row.node_selector = labels(c, row.node_selector);
	row.affinity = terms(c, row.affinity);
	row.tolerations = tolerations(c, row.tolerations);
	row.life = FL_NONE;
	row.place = (struct fl_place){ 0 };
	if (c->r < 0 || (c->r = fl_model_push_tasks(c->to, &row, /* ret_id= */ NULL, c->err)) < 0)
		return;
	/* In the order of names. */
	for (at = c->to->n_tasks - 1;
	     at > tasks->first &&
	     fl_names_cmp(&c->to->names, c->to->tasks[at - 1].name, row.name) > 0;
	     at--)
		c->to->tasks[at] = c->to->tasks[at - 1];
	c->to->tasks[at] = row;
	tasks->n++;
}

static uint32_t gang(struct carry *c, const struct fl_workload_row *of)
{
	struct fl_gang row = c->from->gangs[of->gang];
	struct fl_span all = c->from->sealed ? row.tasks : (struct fl_span){ 0, c->from->n_tasks };
	uint32_t id = FL_NONE;

	row.tasks = (struct fl_span){ c->to->n_tasks, 0 };
	for (uint32_t t = all.first; t < all.first + all.n && c->r == 0; t++)
		if (c->from->sealed || is_of_gang(&c->from->tasks[t], of))
			push_task(c, &c->from->tasks[t], &row.tasks);
	if (c->r == 0)
		c->r = fl_model_push_gangs(c->to, &row, &id, c->err);
	return id;
}

static uint32_t requeue(struct carry *c, uint32_t of)
{
	struct fl_requeue_row row;
	uint32_t id = FL_NONE;

	if (of == FL_NONE)
		return FL_NONE;
	row = c->from->requeues[of];
	row.ready_at = FL_TIME_NONE;
	row.evicted_reason = name(c, row.evicted_reason);
	row.requeued_reason = name(c, row.requeued_reason);
	if (c->r == 0)
		c->r = fl_model_push_requeues(c->to, &row, &id, c->err);
	return id;
}

/* The name of where it holds quota; after sealing the node is known in its place. */
static struct fl_sym admitted_by(const struct fl_model *m, const struct fl_workload_row *row)
{
	if (!m->sealed)
		return row->admitted_queue_name;
	return row->admitted_queue.v == FL_NONE ? (struct fl_sym){ 0 } :
						  m->nodes[row->admitted_queue.v].name;
}

static void workload(struct carry *c, struct fl_workload_row *row)
{
	struct fl_sym admitted = admitted_by(c->from, row);

	row->gang = row->gang == FL_NONE ? FL_NONE : gang(c, row);
	row->namespace = name(c, row->namespace);
	row->name = name(c, row->name);
	row->uid = name(c, row->uid);
	row->queue_name = name(c, row->queue_name);
	row->owner_job = name(c, row->owner_job);
	row->priority_class = name(c, row->priority_class);
	row->admitted_queue_name = name(c, admitted);
	row->podsets = podsets(c, row->podsets);
	row->admission = podset_assignments(c, row->admission);
	row->requeue = requeue(c, row->requeue);
	row->excluded = FL_INCLUDED;
	row->evicting = FL_EVICTING_NOT;
	row->place = place(c, row->place);
}

/* What is said of it beside its row; until it has joined, of no workload. */
static void carry_eviction(struct carry *c, struct fl_workload w, uint32_t *ret)
{
	const struct fl_eviction_row *of = fl_model_eviction(c->from, w);
	struct fl_eviction_row row;

	*ret = FL_NONE;
	if (!of)
		return;
	row = *of;
	row.workload.v = FL_NONE;
	row.reason = name(c, row.reason);
	row.rule = name(c, row.rule);
	row.preemptor = name(c, row.preemptor);
	row.preemptor_job = name(c, row.preemptor_job);
	row.preemptor_path = name(c, row.preemptor_path);
	if (c->r == 0)
		c->r = fl_model_push_evictions(c->to, &row, ret, c->err);
}

static void carry_life(struct carry *c, struct fl_workload w, uint32_t *ret)
{
	struct fl_life_row row;
	uint32_t i = 0;

	*ret = FL_NONE;
	while (i < c->from->n_lives && c->from->lives[i].workload.v != w.v)
		i++;
	if (i == c->from->n_lives)
		return;
	row = c->from->lives[i];
	row.workload.v = FL_NONE;
	row.class_name = name(c, row.class_name);
	row.user = name(c, row.user);
	if (c->r == 0)
		c->r = fl_model_push_lives(c->to, &row, ret, c->err);
}

int fl_model_join_from(struct fl_model *m, const struct fl_model *from, struct fl_workload w,
		       struct fl_workload *ret, const char **ret_why, fairlead_error *err)
{
	struct carry c = { .to = m, .from = from, .err = err };
	struct fl_workload_row row = from->workloads[w.v];
	struct fl_model_mark mark;
	uint32_t eviction, life;
	int r;

	if (from->n_gpu_memories) {
		*ret_why = "it asks for memory of GPUs, which are compared when a model is sealed";
		return 1;
	}
	fl_model_mark(m, &mark);
	workload(&c, &row);
	carry_eviction(&c, w, &eviction);
	carry_life(&c, w, &life);
	r = c.r == 0 ? fl_model_join(m, &row, ret, ret_why, err) : c.r;
	if (r != 0) {
		fl_model_cut(m, &mark);
		return r;
	}
	if (eviction != FL_NONE)
		m->evictions[eviction].workload = *ret;
	if (life != FL_NONE)
		m->lives[life].workload = *ret;
	return 0;
}

int fl_model_take_notices(struct fl_model *m, const struct fl_model *from, fairlead_error *err)
{
	struct carry c = { .to = m, .from = from, .err = err };

	for (uint32_t i = 0; i < from->n_notices && c.r == 0; i++) {
		struct fl_notice row = from->notices[i];

		if (m->n_notices >= FL_MAX_NOTICES) {
			m->notices_dropped++;
			continue;
		}
		row.place = place(&c, row.place);
		row.subject = name(&c, row.subject);
		row.text = name(&c, row.text);
		row.hint = name(&c, row.hint);
		if (c.r == 0)
			c.r = fl_model_push_notices(m, &row, /* ret_id= */ NULL, err);
	}
	m->notices_dropped += c.r == 0 ? from->notices_dropped : 0;
	return c.r;
}
