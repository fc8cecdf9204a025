/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal_entitle - the entitle policy's part of sealing: queues, gangs, tasks, machines, history
 *
 * Tasks of a gang become neighbours in the order of their names; a pod of ours without
 * PodGroup becomes a workload.  What a missing parent leaves without a place is kept,
 * with its reason and a notice.  No pass looks at the order of the input.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/sort.h"
#include "base/time.h"
#include "model/suggest.h"
#include "model/table.h"

enum { DEFAULT_PRIORITY = 50 };

static const struct fl_sym no_namespace = { 0 };

static const char *queue_subject(const struct fl_model *m, uint32_t n, char buffer[FL_SUBJECT])
{
	return fl_table_subject(m, FL_TABLE_ENTITLED, no_namespace, m->nodes[n].name, buffer);
}

/* --- queues --- */

int fl_entitle_parents(struct fl_model *m, fairlead_error *err)
{
	char subject[FL_SUBJECT], hint[FL_SUGGESTION];
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		struct fl_node_row *row = &m->nodes[n];

		if (row->kind != FL_QUEUE || row->parent_name.v == FL_NONE)
			continue;
		row->parent.v = fl_table_find(m, FL_TABLE_ENTITLED, no_namespace, row->parent_name);
		if (row->parent.v != FL_NONE)
			continue;
		row->inactive = FL_INACTIVE_PARENT_NOT_FOUND;
		r = fl_model_notice(m, FL_NOTICE_MISSING_PARENT, row->place,
				    queue_subject(m, n, subject),
				    fl_model_suggest(m, FL_TABLE_ENTITLED, no_namespace,
						     row->parent_name, hint),
				    err,
				    "parent '%s' does not exist; the queue and all below it are "
				    "left out",
				    fl_model_text(m, row->parent_name));
	}
	return r;
}

/* Is it deeper than trees may be?  There are no loops any more. */
static bool is_too_deep(const struct fl_model *m, uint32_t n)
{
	uint32_t above = 0;

	while ((n = m->nodes[n].parent.v) != FL_NONE && above <= FL_MAX_TREE_DEPTH)
		above++;
	return above > FL_MAX_TREE_DEPTH;
}

/* Of those that are, the one of the least name is named. */
static int check_depth(const struct fl_model *m, fairlead_error *err)
{
	char subject[FL_SUBJECT];
	uint32_t worst = FL_NONE;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (m->nodes[n].kind == FL_QUEUE && m->nodes[n].inactive == FL_ACTIVE &&
		    is_too_deep(m, n) &&
		    (worst == FL_NONE ||
		     fl_names_cmp(&m->names, m->nodes[n].name, m->nodes[worst].name) < 0))
			worst = n;
	if (worst == FL_NONE)
		return 0;
	(void)fl_fail(err, FAIRLEAD_ELIMIT, "queues nest deeper than %d levels", FL_MAX_TREE_DEPTH);
	fl_fail_in(err, "%s", queue_subject(m, worst, subject));
	return fl_model_fail_at(m, m->nodes[worst].place, err);
}

/*
 * Queues below one that is left out.  There are no loops any more.  Each walk climbs up to
 * one that is left out or was walked before, so that all of them together are linear.
 */
static int drop_descendants(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	bool *done = fl_arena_alloc(scratch, m->n_nodes, sizeof *done, err);
	char subject[FL_SUBJECT];
	int r = 0;

	if (!done)
		return FAIRLEAD_ENOMEM;
	memset(done, 0, m->n_nodes * sizeof *done);
	for (uint32_t start = 0; start < m->n_nodes; start++) {
		uint32_t n = start;
		bool dropped;

		if (m->nodes[start].kind != FL_QUEUE)
			continue;
		while (n != FL_NONE && !done[n] && m->nodes[n].inactive == FL_ACTIVE)
			n = m->nodes[n].parent.v;
		dropped = n != FL_NONE && m->nodes[n].inactive != FL_ACTIVE;
		for (n = start; n != FL_NONE && !done[n]; n = m->nodes[n].parent.v) {
			done[n] = true;
			if (dropped)
				m->nodes[n].inactive = FL_INACTIVE_PARENT_NOT_FOUND;
		}
	}
	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		const struct fl_node_row *row = &m->nodes[n];

		if (row->kind != FL_QUEUE || row->inactive == FL_ACTIVE || row->parent.v == FL_NONE)
			continue;
		r = fl_model_notice(m, FL_NOTICE_MISSING_PARENT, row->place,
				    queue_subject(m, n, subject), /* hint= */ NULL, err,
				    "queue '%s' above it is left out, and so is this one",
				    fl_model_text(m, row->parent_name));
	}
	return r;
}

/* --- tasks --- */

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_task_row *x = &m->tasks[a], *y = &m->tasks[b];
	int order = fl_names_cmp(&m->names, x->namespace, y->namespace);

	return order ? order : fl_names_cmp(&m->names, x->name, y->name);
}

static int by_workload(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	uint32_t x = m->tasks[a].workload.v, y = m->tasks[b].workload.v;

	return (x > y) - (x < y);
}

/* Neighbours in name order are twins when they compare equal. */
static int refuse_twins(const struct fl_model *m, const uint32_t *ids, fairlead_error *err)
{
	char subject[FL_SUBJECT];

	for (uint32_t i = 1; i < m->n_tasks; i++) {
		const struct fl_task_row *first = &m->tasks[ids[i - 1]], *row = &m->tasks[ids[i]];

		if (by_name(m, ids[i - 1], ids[i]) != 0)
			continue;
		fl_fail(err, FAIRLEAD_EINPUT, "defined twice");
		fl_fail_hint(err, "first defined at %.200s:%u:%u", fl_model_file(m, first->place),
			     first->place.line, first->place.column);
		fl_fail_in(err, "%s",
			   fl_table_subject(m, FL_TABLE_POD, row->namespace, row->name, subject));
		return fl_model_fail_at(m, row->place, err);
	}
	return 0;
}

/* A gang of one for a pod that belongs to no PodGroup. */
static int add_lone(struct fl_model *m, uint32_t t, fairlead_error *err)
{
	struct fl_gang gang = fl_gang_default;
	struct fl_workload_row row = fl_workload_default;
	const struct fl_task_row *task = &m->tasks[t];
	int r;

	gang.lone = true;
	gang.stated = task->stated;
	gang.started = task->started;
	r = fl_model_push_gangs(m, &gang, &row.gang, err);
	row.namespace = task->namespace;
	row.name = task->name;
	row.queue_name = task->queue_name;
	row.priority_class = task->priority_class;
	row.has_priority = task->has_priority;
	row.priority = task->priority;
	row.created = task->created;
	row.finished = task->phase == FL_TASK_DONE;
	row.place = task->place;
	if (r == 0)
		r = fl_named_reserve(m, err);
	if (r == 0)
		r = fl_model_push_workloads(m, &row, &m->tasks[t].workload.v, err);
	if (r == 0)
		fl_named_add(m, m->tasks[t].workload.v);
	return r;
}

static int find_workload(struct fl_model *m, uint32_t t, fairlead_error *err)
{
	struct fl_task_row *task = &m->tasks[t];
	char subject[FL_SUBJECT];

	task->workload.v = FL_NONE;
	if (task->foreign)
		return 0;
	if (task->gang_name.v == FL_NONE)
		return add_lone(m, t, err);
	task->workload.v = fl_table_find(m, FL_TABLE_POD_GROUP, task->namespace, task->gang_name);
	if (task->workload.v != FL_NONE)
		return 0;
	return fl_model_notice(
		m, FL_NOTICE_MISSING_POD_GROUP, task->place,
		fl_table_subject(m, FL_TABLE_POD, task->namespace, task->name, subject),
		/* hint= */ NULL, err,
		"pod group '%s' does not exist; the pod only uses resources of its node",
		fl_model_text(m, task->gang_name));
}

static int find_machine(struct fl_model *m, struct fl_task_row *task, fairlead_error *err)
{
	bool holds = task->phase == FL_TASK_ALLOCATED || task->phase == FL_TASK_RELEASING;
	char subject[FL_SUBJECT];

	task->machine.v = task->machine_name.v == FL_NONE ?
				  FL_NONE :
				  fl_table_find(m, FL_TABLE_MACHINE, no_namespace,
						task->machine_name);
	if (task->machine.v != FL_NONE || task->machine_name.v == FL_NONE || !holds)
		return 0;
	return fl_model_notice(
		m, FL_NOTICE_MISSING_MACHINE, task->place,
		fl_table_subject(m, FL_TABLE_POD, task->namespace, task->name, subject),
		/* hint= */ NULL, err,
		"node '%s' does not exist; what the pod holds counts for its queue only",
		fl_model_text(m, task->machine_name));
}

/*
 * The memory of one GPU as KAI takes it from the label: MiB, or bytes if there are more than a TiB
 * of MiB; cut to hundreds of MiB.  0: not known.
 */
static double memory_of_gpu(const struct fl_model *m, const struct fl_machine_row *machine)
{
	struct fl_span labels = machine->labels;

	for (uint32_t i = labels.first; i < labels.first + labels.n; i++) {
		const char *value = fl_model_text(m, m->labels[i].value);
		double memory = 0;

		if (strcmp(fl_model_text(m, m->labels[i].key), "nvidia.com/gpu.memory") != 0 ||
		    strspn(value, "0123456789") != strlen(value) || strlen(value) > 15)
			continue;
		for (; *value; value++)
			memory = memory * 10 + (*value - '0');
		memory = memory < 0x1p20 ? memory : memory / 0x1p20;
		return 100 * (double)(int64_t)(memory / 100);
	}
	return 0;
}

/*
 * Memory of GPUs becomes parts of GPUs, as KAI counts it: of a pod on a machine by the GPUs of that
 * machine, of all others by the smallest GPU of the cluster.
 */
static int resolve_gpu_memory(struct fl_model *m, fairlead_error *err)
{
	double least = 0;
	char subject[FL_SUBJECT];
	int r = 0;

	for (uint32_t i = 0; m->n_gpu_memories && i < m->n_machines; i++) {
		double memory = memory_of_gpu(m, &m->machines[i]);

		if (memory > 0 && (least == 0 || memory < least))
			least = memory;
	}
	for (uint32_t i = 0; i < m->n_gpu_memories && r == 0; i++) {
		const struct fl_gpu_memory_row *row = &m->gpu_memories[i];
		struct fl_task_row *task = &m->tasks[row->task];
		double of = task->machine.v == FL_NONE ?
				    0 :
				    memory_of_gpu(m, &m->machines[task->machine.v]);

		if (!(of > 0))
			of = least;
		if (of > 0)
			task->request.of[FL_GPU] = row->memory / of * row->devices;
		else
			r = fl_model_notice(m, FL_NOTICE_IGNORED_FIELD, task->place,
					    fl_table_subject(m, FL_TABLE_POD, task->namespace,
							     task->name, subject),
					    /* hint= */ NULL, err,
					    "its annotation 'gpu-memory' counts as no GPU: no node "
					    "has the label nvidia.com/gpu.memory");
	}
	return r;
}

/* Row i becomes what row ids[i] was.  Each cycle of the permutation is walked once. */
static void permute(struct fl_task_row *rows, uint32_t *ids, uint32_t n)
{
	for (uint32_t start = 0; start < n; start++) {
		struct fl_task_row first = rows[start];
		uint32_t at = start;

		while (ids[at] != start) {
			uint32_t from = ids[at];

			rows[at] = rows[from];
			ids[at] = at;
			at = from;
		}
		rows[at] = first;
		ids[at] = at;
	}
}

/* @ids: tasks in the order of their names. */
static struct fl_task_row *find_task(const struct fl_model *m, const uint32_t *ids,
				     const struct fl_bind_row *bind)
{
	uint32_t low = 0, high = m->n_tasks;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		struct fl_task_row *task = &m->tasks[ids[middle]];
		int order = fl_names_cmp(&m->names, task->namespace, bind->namespace);

		if (!order)
			order = fl_names_cmp(&m->names, task->name, bind->pod);
		if (!order)
			return task;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Pods that are being bound are on their machines, as they are for KAI's next cycle. */
static void apply_binds(struct fl_model *m, const uint32_t *ids)
{
	for (uint32_t i = 0; i < m->n_binds; i++) {
		struct fl_task_row *task = find_task(m, ids, &m->binds[i]);

		if (!task || task->phase != FL_TASK_PENDING)
			continue;
		task->phase = FL_TASK_ALLOCATED;
		task->machine_name = m->binds[i].machine_name;
	}
}

static int resolve_tasks(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	uint32_t *ids = fl_arena_alloc(scratch, m->n_tasks, sizeof *ids, err);
	uint32_t *spare = fl_arena_alloc(scratch, m->n_tasks, sizeof *spare, err);
	int r;

	if (!ids || !spare)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_tasks; i++)
		ids[i] = i;
	fl_sort(ids, m->n_tasks, spare, by_name, m);
	r = refuse_twins(m, ids, err);
	apply_binds(m, ids);
	/* In name order, so that workloads that are made here are numbered by name. */
	for (uint32_t i = 0; i < m->n_tasks && r == 0; i++) {
		r = find_workload(m, ids[i], err);
		if (r == 0)
			r = find_machine(m, &m->tasks[ids[i]], err);
	}
	if (r == 0)
		r = resolve_gpu_memory(m, err);
	if (r < 0)
		return r;
	fl_sort(ids, m->n_tasks, spare, by_workload, m); /* stable: names stay in order */
	permute(m->tasks, ids, m->n_tasks);
	for (uint32_t t = 0; t < m->n_tasks; t++) {
		const struct fl_task_row *task = &m->tasks[t];
		struct fl_span *span;

		if (task->workload.v == FL_NONE)
			break;
		span = &m->gangs[m->workloads[task->workload.v].gang].tasks;
		if (span->n == 0)
			span->first = t;
		span->n++;
	}
	return 0;
}

/* --- workloads --- */

static void note_time(struct fl_model *m, fl_time t)
{
	if (t != FL_TIME_NONE && t > m->newest)
		m->newest = t;
}

static int find_queue(struct fl_model *m, struct fl_workload_row *row, const bool *has_children,
		      const char *subject, fairlead_error *err)
{
	uint32_t n = row->queue_name.v == FL_NONE ?
			     FL_NONE :
			     fl_table_find(m, FL_TABLE_ENTITLED, no_namespace, row->queue_name);

	char hint[FL_SUGGESTION];

	row->cluster_queue.v = m->gangs[row->gang].queue.v = n;
	if (row->finished) {
		row->excluded = FL_EXCLUDED_FINISHED;
		return 0;
	}
	if (n == FL_NONE) {
		row->excluded = FL_EXCLUDED_NO_QUEUE;
		if (row->queue_name.v == FL_NONE)
			return fl_model_notice(m, FL_NOTICE_NO_QUEUE, row->place, subject,
					       /* hint= */ NULL, err,
					       "no queue: it is never scheduled");
		return fl_model_notice(
			m, FL_NOTICE_MISSING_QUEUE, row->place, subject,
			fl_model_suggest(m, FL_TABLE_ENTITLED, no_namespace, row->queue_name, hint),
			err, "queue '%s' does not exist", fl_model_text(m, row->queue_name));
	}
	if (m->nodes[n].inactive != FL_ACTIVE) {
		row->excluded = FL_EXCLUDED_PARENT_NOT_FOUND;
		return fl_model_notice(m, FL_NOTICE_MISSING_PARENT, row->place, subject,
				       /* hint= */ NULL, err,
				       "its queue '%s' is left out, and so is the workload",
				       fl_model_text(m, row->queue_name));
	}
	if (has_children[n]) {
		row->excluded = FL_EXCLUDED_NOT_A_LEAF;
		return fl_model_notice(m, FL_NOTICE_NOT_A_LEAF, row->place, subject,
				       /* hint= */ NULL, err,
				       "queue '%s' has queues below it: the workload is never "
				       "scheduled, but its request counts",
				       fl_model_text(m, row->queue_name));
	}
	return 0;
}

/* Classes that come with KAI need not be in the input. */
static void apply_own_class(const struct fl_model *m, struct fl_workload_row *row)
{
	if (row->has_priority || row->priority_class.v == FL_NONE ||
	    fl_table_find(m, FL_TABLE_PRIORITY_CLASS, no_namespace, row->priority_class) != FL_NONE)
		return;
	row->has_priority = fl_entitle_own_class(fl_model_text(m, row->priority_class),
						 &row->priority);
}

static void resolve_gang(struct fl_model *m, struct fl_workload_row *row)
{
	struct fl_gang *gang = &m->gangs[row->gang];

	gang->preemptible = gang->stated == FL_PREEMPTIBLE_UNSET ?
				    row->priority < FL_PREEMPTIBLE_BELOW :
				    gang->stated == FL_PREEMPTIBLE;
	note_time(m, row->created);
	note_time(m, gang->started);
	note_time(m, gang->stale_since);
	for (uint32_t t = gang->tasks.first; t < gang->tasks.first + gang->tasks.n; t++) {
		note_time(m, m->tasks[t].created);
		note_time(m, m->tasks[t].started);
	}
}

static int resolve_row(struct fl_model *m, struct fl_workload_row *row, const bool *has_children,
		       int32_t otherwise, fairlead_error *err)
{
	char subject[FL_SUBJECT];
	int r;

	fl_table_subject(m, fl_table_of_workload(m, row), row->namespace, row->name, subject);
	apply_own_class(m, row);
	r = fl_model_resolve_priority(m, row, otherwise, subject, err);
	resolve_gang(m, row);
	return r < 0 ? r : find_queue(m, row, has_children, subject, err);
}

static void find_children(const struct fl_model *m, bool *has_children)
{
	memset(has_children, 0, m->n_nodes * sizeof *has_children);
	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (m->nodes[n].kind == FL_QUEUE && m->nodes[n].parent.v != FL_NONE)
			has_children[m->nodes[n].parent.v] = true;
}

static int resolve_gangs(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	bool *has_children = fl_arena_alloc(scratch, m->n_nodes, sizeof *has_children, err);
	int32_t otherwise = fl_model_default_priority(m, DEFAULT_PRIORITY);
	int r = 0;

	if (!has_children)
		return FAIRLEAD_ENOMEM;
	find_children(m, has_children);
	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++)
		if (m->workloads[w].gang != FL_NONE)
			r = resolve_row(m, &m->workloads[w], has_children, otherwise, err);
	return r;
}

/* Costs as many queues as there are, which are few beside workloads. */
int fl_entitle_resolve_one(struct fl_model *m, struct fl_workload_row *row, uint32_t w,
			   fairlead_error *err)
{
	struct fl_span tasks = m->gangs[row->gang].tasks;
	struct fl_arena scratch;
	bool *has_children;
	int r = 0;

	fl_arena_init(&scratch, m->mem);
	has_children = fl_arena_alloc(&scratch, m->n_nodes, sizeof *has_children, err);
	if (!has_children)
		return FAIRLEAD_ENOMEM;
	find_children(m, has_children);
	for (uint32_t t = tasks.first; t < tasks.first + tasks.n && r == 0; t++) {
		m->tasks[t].workload.v = w;
		r = find_machine(m, &m->tasks[t], err);
	}
	if (r == 0)
		r = resolve_row(m, row, has_children,
				fl_model_default_priority(m, DEFAULT_PRIORITY), err);
	fl_arena_done(&scratch);
	return r;
}

/* --- history and budgets --- */

/* Node of the queue, or FL_NONE with a notice. */
static int find_named(struct fl_model *m, struct fl_sym name, struct fl_place place,
		      const char *subject, struct fl_node *ret, fairlead_error *err)
{
	ret->v = fl_table_find(m, FL_TABLE_ENTITLED, no_namespace, name);
	if (ret->v != FL_NONE)
		return 0;
	return fl_model_notice(m, FL_NOTICE_MISSING_NODE, place, subject,
			       "its settings have no effect", err, "there is no Queue '%s'",
			       fl_model_text(m, name));
}

/* Of one queue, or of the capacity, in the order of time. */
static int by_time(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_sample_row *x = &m->samples[a], *y = &m->samples[b];

	if (x->queue_name.v != y->queue_name.v)
		return x->queue_name.v < y->queue_name.v ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static int sample_fail(const struct fl_model *m, const struct fl_sample_row *row,
		       fairlead_error *err)
{
	if (row->queue_name.v != FL_NONE)
		fl_fail_in(err, "UsageHistory queue '%.100s'", fl_model_text(m, row->queue_name));
	else
		fl_fail_in(err, "UsageHistory capacity");
	return fl_model_fail_at(m, row->place, err);
}

static int refuse_overlaps(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	uint32_t *ids = fl_arena_alloc(scratch, m->n_samples, sizeof *ids, err);
	uint32_t *spare = fl_arena_alloc(scratch, m->n_samples, sizeof *spare, err);

	if (!ids || !spare)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_samples; i++)
		ids[i] = i;
	fl_sort(ids, m->n_samples, spare, by_time, m);
	for (uint32_t i = 1; i < m->n_samples; i++) {
		const struct fl_sample_row *before = &m->samples[ids[i - 1]];
		const struct fl_sample_row *row = &m->samples[ids[i]];

		if (before->queue_name.v != row->queue_name.v || row->from >= before->to)
			continue;
		fl_fail(err, FAIRLEAD_EINPUT, "a sample that overlaps another");
		fl_fail_hint(err, "the other one is at line %u", before->place.line);
		return sample_fail(m, row, err);
	}
	return 0;
}

int fl_model_check_samples(const struct fl_model *m, fl_time now, fairlead_error *err)
{
	for (uint32_t i = 0; i < m->n_samples; i++) {
		if (m->samples[i].to <= now)
			continue;
		fl_fail(err, FAIRLEAD_EINPUT, "a sample from the future: it ends after now");
		fl_fail_hint(err, "set the time with --now");
		return sample_fail(m, &m->samples[i], err);
	}
	return 0;
}

/* The real program says so in its log, and uses it all the same. */
static int warn_of_stale(struct fl_model *m, fairlead_error *err)
{
	const struct fl_sample_row *last = NULL;

	for (uint32_t i = 0; i < m->n_samples; i++)
		if (!last || m->samples[i].to > last->to)
			last = &m->samples[i];
	if (!last || fl_time_minus(m->newest, last->to) <= m->entitle.staleness)
		return 0;
	return fl_model_notice(m, FL_NOTICE_STALE_USAGE, last->place, "UsageHistory",
			       /* hint= */ NULL, err,
			       "the last sample ends longer ago than stalenessPeriod; it still "
			       "counts");
}

static int resolve_history(struct fl_model *m, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < m->n_samples && r == 0; i++) {
		struct fl_sample_row *row = &m->samples[i];

		row->node.v = FL_NONE;
		note_time(m, row->to);
		if (row->queue_name.v != FL_NONE)
			r = find_named(m, row->queue_name, row->place, "UsageHistory", &row->node,
				       err);
	}
	for (uint32_t i = 0; i < m->n_usages && r == 0; i++)
		r = find_named(m, m->usages[i].queue_name, m->usages[i].place, "UsageHistory",
			       &m->usages[i].node, err);
	for (uint32_t i = 0; i < m->n_budgets && r == 0; i++)
		r = find_named(m, m->budgets[i].queue_name, m->budgets[i].place, "Policy",
			       &m->budgets[i].node, err);
	return r < 0 ? r : warn_of_stale(m, err);
}

static int pass_over(struct fl_model *m, enum fl_table table, struct fl_sym namespace,
		     struct fl_sym name, struct fl_place place, fairlead_error *err)
{
	char subject[FL_SUBJECT];

	return fl_model_notice(m, FL_NOTICE_IGNORED_OBJECT, place,
			       fl_table_subject(m, table, namespace, name, subject),
			       /* hint= */ NULL, err, "kind '%s' of 'v1' is not read",
			       fl_table_kind(table));
}

/* To the borrow policy pods and nodes say nothing. */
static int drop_all(struct fl_model *m, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < m->n_tasks && r == 0; i++)
		r = pass_over(m, FL_TABLE_POD, m->tasks[i].namespace, m->tasks[i].name,
			      m->tasks[i].place, err);
	for (uint32_t i = 0; i < m->n_machines && r == 0; i++)
		r = pass_over(m, FL_TABLE_MACHINE, no_namespace, m->machines[i].name,
			      m->machines[i].place, err);
	m->n_tasks = m->n_machines = 0;
	return r;
}

/*
 * The multiplier by the name that KAI's documents give it has no effect in KAI.  With a Policy it
 * has that of the documents, which allow no value below 1.
 */
static int resolve_multiplier(struct fl_model *m, fairlead_error *err)
{
	struct fl_entitle_settings *e = &m->entitle;
	char subject[1024]; /* a notice adds texts, and those there move */

	if (m->documented.subject.v == 0) /* it is not given */
		return 0;
	(void)snprintf(subject, sizeof subject, "%s", fl_model_text(m, m->documented.subject));
	if (!e->by_documents)
		return fl_model_notice(m, FL_NOTICE_MULTIPLIER_NOT_READ, m->documented.place,
				       subject,
				       "write relcaimerSaturationMultiplier, spelled like that",
				       err,
				       "KAI does not read this name, although its "
				       "documents have it; it has no effect");
	if (m->documented.value < 1) {
		fl_fail(err, FAIRLEAD_EINPUT, "a multiplier below 1 is not allowed");
		fl_fail_hint(err,
			     "with documentedMultiplier of a Policy: queues could reclaim from "
			     "each other for ever");
		fl_fail_in(err, "%s", subject);
		return fl_model_fail_at(m, m->documented.place, err);
	}
	e->multiplier = m->documented.value;
	return 0;
}

int fl_entitle_resolve(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	int r = resolve_multiplier(m, err);

	if (r < 0 || fl_model_dialect(m) == FL_DIALECT_KUEUE)
		return r < 0 ? r : drop_all(m, err);
	r = drop_descendants(m, scratch, err);
	if (r == 0)
		r = check_depth(m, err);
	if (r == 0)
		r = resolve_tasks(m, scratch, err);
	if (r == 0)
		r = resolve_gangs(m, scratch, err);
	if (r == 0)
		r = refuse_overlaps(m, scratch, err);
	return r < 0 ? r : resolve_history(m, err);
}
