/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal - names become ids, references are checked, what cannot take part gets its reason
 *
 * Each pass is one loop over rows; no pass looks at the order of the input.
 */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "model/left.h"
#include "model/newcomer.h"
#include "model/suggest.h"
#include "model/table.h"

enum { LEFT_TEXT = 400 };

static const struct fl_sym no_namespace = { 0 };

/* What the passes share; scratch is freed when seal returns. */
struct seal {
	struct fl_model *m;
	struct fl_arena scratch;
	uint32_t *looped; /* node -> id of the cohort that names its cycle; FL_NONE: below none */
	bool *on_cycle;   /* part of the cycle itself */
};

static const char *node_subject(const struct fl_model *m, uint32_t n, char buffer[FL_SUBJECT])
{
	const struct fl_node_row *row = &m->nodes[n];

	return fl_table_subject(m, fl_table_of_node(row), no_namespace, row->name, buffer);
}

/* --- what the Configuration turns off, and what pods take --- */

static int apply_gates(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;

	(void)err;
	if (m->settings.off[FL_GATE_ADMISSION_FAIR_SHARING])
		m->settings.admission_fair_sharing = false;
	for (uint32_t i = 0; m->settings.off[FL_GATE_LENDING_LIMIT] && i < m->n_quotas; i++)
		m->quotas[i].lending_limit = FL_NO_LIMIT;
	return 0;
}

static int fill_totals(struct seal *s, fairlead_error *err)
{
	return fl_totals_fill(s->m, &s->scratch, err);
}

/* --- resources: ids in name order --- */

static int by_text(const void *ctx, uint32_t a, uint32_t b)
{
	return fl_names_cmp(ctx, (struct fl_sym){ a }, (struct fl_sym){ b });
}

static void note_resource(uint32_t *id_of, uint32_t *found, uint32_t *n, struct fl_sym name)
{
	if (id_of[name.v] == FL_NONE) {
		id_of[name.v] = 0;
		found[(*n)++] = name.v;
	}
}

/* The resources that entitlement knows, where it has something to say. */
static int name_axis(struct fl_model *m, struct fl_sym axis[FL_BUNDLE], fairlead_error *err)
{
	static const char *const names[FL_BUNDLE] = {
		[FL_CPU] = "cpu",
		[FL_MEMORY] = "memory",
		[FL_GPU] = "nvidia.com/gpu",
	};
	bool any = fl_model_dialect(m) != FL_DIALECT_KUEUE;
	int r = 0;

	for (int i = 0; i < FL_BUNDLE && r == 0; i++) {
		axis[i].v = FL_NONE;
		if (any)
			r = fl_model_sym(m, names[i], strlen(names[i]), &axis[i], err);
	}
	return r;
}

static int number_resources(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	struct fl_sym axis[FL_BUNDLE];
	int r = name_axis(m, axis, err);

	if (r < 0)
		return r;
	uint32_t *id_of = fl_arena_alloc(&s->scratch, m->names.n, sizeof *id_of, err);
	uint32_t *found = fl_arena_alloc(&s->scratch, m->names.n, sizeof *found, err);
	uint32_t *spare = fl_arena_alloc(&s->scratch, m->names.n, sizeof *spare, err);
	uint32_t n = 0;

	if (!id_of || !found || !spare)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->names.n; i++)
		id_of[i] = FL_NONE;
	for (uint32_t i = 0; i < m->n_quotas; i++)
		note_resource(id_of, found, &n, m->quotas[i].resource_name);
	for (uint32_t i = 0; i < m->n_requests; i++)
		note_resource(id_of, found, &n, m->requests[i].resource_name);
	for (uint32_t i = 0; i < m->n_assignments; i++)
		note_resource(id_of, found, &n, m->assignments[i].resource_name);
	for (uint32_t i = 0; i < m->n_consumed; i++)
		note_resource(id_of, found, &n, m->consumed[i].resource_name);
	for (uint32_t g = 0; g < m->n_groups; g++)
		for (uint32_t i = 0; i < m->groups[g].resources.n; i++)
			note_resource(id_of, found, &n, m->syms[m->groups[g].resources.first + i]);
	for (int i = 0; i < FL_BUNDLE && axis[i].v != FL_NONE; i++)
		note_resource(id_of, found, &n, axis[i]);
	fl_sort(found, n, spare, by_text, &m->names);
	m->n_resources = 0;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		id_of[found[i]] = i;
		r = fl_model_push_resources(m, &(struct fl_sym){ found[i] }, /* ret_id= */ NULL,
					    err);
	}
	for (uint32_t i = 0; i < m->n_quotas; i++)
		m->quotas[i].resource.v = id_of[m->quotas[i].resource_name.v];
	for (uint32_t i = 0; i < m->n_requests; i++)
		m->requests[i].resource.v = id_of[m->requests[i].resource_name.v];
	for (uint32_t i = 0; i < m->n_assignments; i++)
		m->assignments[i].resource.v = id_of[m->assignments[i].resource_name.v];
	for (uint32_t i = 0; i < m->n_consumed; i++)
		m->consumed[i].resource.v = id_of[m->consumed[i].resource_name.v];
	for (uint32_t i = 0; i < m->n_resource_weights; i++)
		m->resource_weights[i].resource.v = id_of[m->resource_weights[i].resource_name.v];
	for (int i = 0; i < FL_BUNDLE; i++)
		m->axis[i].v = axis[i].v == FL_NONE ? FL_NONE : id_of[axis[i].v];
	return r;
}

/* --- flavors --- */

/* Id of the flavor; one that is only referred to gets an undeclared row. */
static int flavor_id(struct fl_model *m, struct fl_sym name, struct fl_place place,
		     struct fl_flavor *ret, fairlead_error *err)
{
	uint32_t id = fl_table_find(m, FL_TABLE_FLAVOR, no_namespace, name);
	int r;

	if (id == FL_NONE) {
		const struct fl_flavor_row row = { .name = name, .place = place };

		r = fl_model_push_flavors(m, &row, &id, err);
		if (r == 0)
			r = fl_pairs_add(&m->by_name, FL_TABLE_FLAVOR, name.v, id,
					 /* ret_old= */ NULL, err);
		if (r < 0)
			return r;
	}
	ret->v = id;
	return 0;
}

static int resolve_flavor_of_group(struct seal *s, uint32_t n, struct fl_group_flavor *gf,
				   struct fl_place place, fairlead_error *err)
{
	struct fl_model *m = s->m;
	struct fl_node_row *node = &m->nodes[n];
	bool queue = node->kind == FL_CLUSTER_QUEUE;
	char subject[FL_SUBJECT], hint[FL_SUGGESTION];
	int r;

	if (gf->quotas.n)
		place = m->quotas[gf->quotas.first].place;
	r = flavor_id(m, gf->name, place, &gf->id, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < gf->quotas.n; i++)
		m->quotas[gf->quotas.first + i].flavor = gf->id;
	if (m->flavors[gf->id.v].declared)
		return 0;
	if (queue && node->inactive == FL_ACTIVE) {
		node->inactive = FL_INACTIVE_FLAVOR_NOT_FOUND;
		node->missing_flavor = gf->name;
	}
	return fl_model_notice(m, FL_NOTICE_MISSING_FLAVOR, place, node_subject(m, n, subject),
			       fl_model_suggest(m, FL_TABLE_FLAVOR, no_namespace, gf->name, hint),
			       err, "flavor '%s' does not exist%s", fl_model_text(m, gf->name),
			       queue ? "; the queue is inactive" : "");
}

static int resolve_flavors(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		for (uint32_t g = 0; g < m->nodes[n].groups.n; g++) {
			const struct fl_group *group = &m->groups[m->nodes[n].groups.first + g];

			for (uint32_t f = 0; f < group->flavors.n && r == 0; f++)
				r = resolve_flavor_of_group(
					s, n, &m->group_flavors[group->flavors.first + f],
					group->place, err);
		}
	for (uint32_t i = 0; i < m->n_assignments && r == 0; i++)
		r = flavor_id(m, m->assignments[i].flavor_name, (struct fl_place){ 0 },
			      &m->assignments[i].flavor, err);
	return r;
}

/* --- parents and cohort cycles --- */

static int resolve_parents(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;

	/* Implicit cohorts are appended while the loop runs; they have no parent. */
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		struct fl_sym name = m->nodes[n].parent_name;
		uint32_t id;
		int r;

		if (name.v == FL_NONE || m->nodes[n].kind == FL_QUEUE)
			continue;
		id = fl_table_find(m, FL_TABLE_COHORT, no_namespace, name);
		if (id == FL_NONE) {
			struct fl_node_row row = fl_cohort_default;

			row.name = name;
			row.declared = false;
			row.place = m->nodes[n].place;
			id = m->n_nodes;
			r = fl_model_add_node(m, &row, err);
			if (r < 0)
				return r;
		}
		m->nodes[n].parent.v = id;
	}
	return fl_entitle_parents(m, err);
}

/* The cohort of least name names its cycle, so that the notice says the same for every input order. */
static uint32_t name_of_cycle(struct seal *s, uint32_t on_it)
{
	const struct fl_model *m = s->m;
	uint32_t least = on_it, n = on_it;

	do {
		s->on_cycle[n] = true;
		if (fl_names_cmp(&m->names, m->nodes[n].name, m->nodes[least].name) < 0)
			least = n;
		n = m->nodes[n].parent.v;
	} while (n != on_it);
	return least;
}

/*
 * Walk up from each node until a walked one: every node is passed twice at most.
 * walk[n] is the walk that saw n first, so meeting one's own walk is a cycle.
 */
static int find_cycles(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	uint32_t *walk = fl_arena_alloc(&s->scratch, m->n_nodes, sizeof *walk, err);

	s->looped = fl_arena_alloc(&s->scratch, m->n_nodes, sizeof *s->looped, err);
	s->on_cycle = fl_arena_alloc(&s->scratch, m->n_nodes, sizeof *s->on_cycle, err);
	if (!walk || !s->looped || !s->on_cycle)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < m->n_nodes; n++)
		walk[n] = s->looped[n] = FL_NONE;
	for (uint32_t start = 0; start < m->n_nodes; start++) {
		uint32_t n = start, verdict = FL_NONE;

		while (n != FL_NONE && walk[n] == FL_NONE) {
			walk[n] = start;
			n = m->nodes[n].parent.v;
		}
		if (n != FL_NONE)
			verdict = walk[n] == start ? name_of_cycle(s, n) : s->looped[n];
		/* Only this walk's nodes; those of earlier walks have their verdict. */
		for (n = start; n != FL_NONE && walk[n] == start && s->looped[n] != verdict;
		     n = m->nodes[n].parent.v)
			s->looped[n] = verdict;
	}
	return 0;
}

/* "a -> b -> a"; of a long cycle only the beginning. */
static void cycle_text(const struct fl_model *m, uint32_t first, char *text, size_t size)
{
	uint32_t shown = 0, n = first;
	size_t at = 0;

	do {
		at += (size_t)snprintf(text + at, size - at, "%.60s -> ",
				       fl_model_text(m, m->nodes[n].name));
		n = m->nodes[n].parent.v;
	} while (n != first && ++shown < 6);
	(void)snprintf(text + at, size - at, "%s%.60s", n == first ? "" : "... -> ",
		       fl_model_text(m, m->nodes[first].name));
}

/* KAI's queues in a loop are not to be told from a mistake, and nothing says what they share. */
static int refuse_loop(const struct seal *s, fairlead_error *err)
{
	const struct fl_model *m = s->m;
	char text[512], subject[FL_SUBJECT];
	uint32_t least = FL_NONE;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (m->nodes[n].kind == FL_QUEUE && s->looped[n] == n &&
		    (least == FL_NONE ||
		     fl_names_cmp(&m->names, m->nodes[n].name, m->nodes[least].name) < 0))
			least = n;
	if (least == FL_NONE)
		return 0;
	cycle_text(m, least, text, sizeof text);
	fl_fail(err, FAIRLEAD_EINPUT, "the parents of queues form a loop: '%s'", text);
	fl_fail_in(err, "%s", node_subject(m, least, subject));
	return fl_model_fail_at(m, m->nodes[least].place, err);
}

static int mark_cycles(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	char text[512], subject[FL_SUBJECT];
	int r = refuse_loop(s, err);

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		if (s->looped[n] == FL_NONE)
			continue;
		m->nodes[n].inactive = FL_INACTIVE_COHORT_CYCLE;
		if (!m->nodes[n].declared)
			continue;
		cycle_text(m, s->looped[n], text, sizeof text);
		r = fl_model_notice(m, FL_NOTICE_COHORT_CYCLE, m->nodes[n].place,
				    node_subject(m, n, subject),
				    /* hint= */ NULL, err,
				    "%s the cohort cycle '%s'; nothing in it is admitted",
				    s->on_cycle[n] ? "is part of" : "is below", text);
	}
	return r;
}

static const char *stopped_text(enum fl_stop stop)
{
	return stop == FL_STOP_HOLD_AND_DRAIN ?
		       "the queue is stopped: it admits nothing, and its running workloads are evicted" :
		       "the queue is stopped: it admits nothing";
}

static const char *stopped_node_text(const struct fl_node_row *row)
{
	if (row->handed == FL_HANDED_BETWEEN && !row->elsewhere)
		return "its handover has begun and not ended: it admits nothing until fairlead handover is given "
		       "again, with or without --back";
	return stopped_text(row->stop);
}

/* --- handed over to fairlead: a tree whole, or not at all --- */

/* What is said of a ClusterQueue whose tree is left to Kueue by @by; of many in one tree that is found once. */
static const char *left_text(const struct fl_model *m, enum fl_left why, struct fl_node by,
			     char ret[LEFT_TEXT])
{
	const struct fl_node_row *row = by.v == FL_NONE ? NULL : &m->nodes[by.v];

	if (why == FL_LEFT_CONFIGURATION)
		return "Kueue's Configuration uses what fairlead does not decide for: it decides nowhere";
	if (!row)
		return "it is not known how much is held in its tree: fairlead decides nowhere in the tree";
	(void)snprintf(ret, LEFT_TEXT,
		       "%s '%.253s' of its tree %s: fairlead decides nowhere in the tree",
		       row->kind == FL_CLUSTER_QUEUE ? "ClusterQueue" : "Cohort",
		       fl_model_text(m, row->name), fl_left_words(why));
	return ret;
}

/* Where fairlead decides, Hold or its check only keeps Kueue from it. */
static int take_over(struct seal *s, fairlead_error *err)
{
	static const enum fl_stop stops[] = { [FL_HANDED_RUNS] = FL_STOP_NONE,
					      [FL_HANDED_HOLD] = FL_STOP_HOLD,
					      [FL_HANDED_DRAIN] = FL_STOP_HOLD_AND_DRAIN,
					      [FL_HANDED_BETWEEN] = FL_STOP_HOLD,
					      [FL_HANDED_OTHER] = FL_STOP_HOLD };
	struct fl_model *m = s->m;
	struct fl_node root = { FL_NONE }, by = { FL_NONE };
	enum fl_left why = FL_LEFT_NOT;
	char subject[FL_SUBJECT], text[LEFT_TEXT];
	int r = 0;

	fl_left_find(m);
	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		struct fl_node_row *row = &m->nodes[n];
		const bool whole = fl_left_is_handed_over(row);

		if (row->kind != FL_CLUSTER_QUEUE || row->handed == FL_HANDED_NOT)
			continue;
		if (!row->elsewhere) {
			row->stop = stops[row->handed];
			continue;
		}
		if (whole && fl_model_root(m, (struct fl_node){ n }).v != root.v) {
			root = fl_model_root(m, (struct fl_node){ n });
			why = fl_model_left(m, root, &by);
		}
		r = fl_model_notice(
			m, FL_NOTICE_HALF_HANDED_OVER, row->place, node_subject(m, n, subject),
			/* hint= */ NULL, err, "%s",
			whole ? left_text(m, why, by, text) :
			m->settings.undecided ?
				left_text(m, FL_LEFT_CONFIGURATION, by, text) :
				"annotation fairlead.dev/scheduler counts only with stopPolicy: Hold, or, "
				"where there are admission checks, without it and with that of "
				"fairlead");
	}
	return r;
}

static int check_cluster_queues(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	char subject[FL_SUBJECT];
	int r = take_over(s, err);

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		struct fl_node_row *row = &m->nodes[n];

		if (row->kind != FL_CLUSTER_QUEUE)
			continue;
		if (row->stop != FL_STOP_NONE) {
			if (row->inactive == FL_ACTIVE)
				row->inactive = FL_INACTIVE_STOPPED;
			r = fl_model_notice(m, FL_NOTICE_STOPPED, row->place,
					    node_subject(m, n, subject),
					    /* hint= */ NULL, err, "%s", stopped_node_text(row));
		}
		if (r == 0 && !row->namespaces.present)
			r = fl_model_notice(
				m, FL_NOTICE_SELECTOR_MATCHES_NOTHING, row->place,
				node_subject(m, n, subject),
				"write 'namespaceSelector: {}' to admit from every namespace", err,
				"no namespaceSelector: the queue admits from no namespace");
	}
	return r;
}

/* --- local queues and workloads --- */

static int resolve_queues(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	char subject[FL_SUBJECT], hint[FL_SUGGESTION];
	int r = 0;

	for (uint32_t q = 0; q < m->n_queues && r == 0; q++) {
		struct fl_queue_row *row = &m->queues[q];

		fl_table_subject(m, FL_TABLE_QUEUE, row->namespace, row->name, subject);
		row->cluster_queue.v = fl_table_find(m, FL_TABLE_CLUSTER_QUEUE, no_namespace,
						     row->cluster_queue_name);
		if (row->cluster_queue.v == FL_NONE)
			r = fl_model_notice(m, FL_NOTICE_MISSING_CLUSTER_QUEUE, row->place, subject,
					    fl_model_suggest(m, FL_TABLE_CLUSTER_QUEUE,
							     no_namespace, row->cluster_queue_name,
							     hint),
					    err, "cluster queue '%s' does not exist",
					    fl_model_text(m, row->cluster_queue_name));
		if (r == 0 && row->stop != FL_STOP_NONE)
			r = fl_model_notice(m, FL_NOTICE_STOPPED, row->place, subject,
					    /* hint= */ NULL, err, "%s", stopped_text(row->stop));
	}
	return r;
}

/* What a workload without priority and class gets. Of several defaults the least, as in Kubernetes. */
int32_t fl_model_default_priority(const struct fl_model *m, int32_t otherwise)
{
	bool found = false;
	int32_t value = otherwise;

	for (uint32_t i = 0; i < m->n_priorities; i++) {
		const struct fl_priority_row *row = &m->priorities[i];

		if (row->of_workloads || !row->global_default || (found && row->value >= value))
			continue;
		value = row->value;
		found = true;
	}
	return value;
}

int fl_model_resolve_priority(struct fl_model *m, struct fl_workload_row *row, int32_t otherwise,
			      const char *subject, fairlead_error *err)
{
	enum fl_table table = row->class_of_workloads ? FL_TABLE_WORKLOAD_PRIORITY_CLASS :
							FL_TABLE_PRIORITY_CLASS;
	char hint[FL_SUGGESTION];
	uint32_t id;

	if (row->has_priority)
		return 0;
	row->priority = otherwise;
	if (row->priority_class.v == FL_NONE)
		return 0;
	id = fl_table_find(m, table, no_namespace, row->priority_class);
	if (id != FL_NONE) {
		row->priority = m->priorities[id].value;
		return 0;
	}
	return fl_model_notice(m, FL_NOTICE_MISSING_PRIORITY_CLASS, row->place, subject,
			       fl_model_suggest(m, table, no_namespace, row->priority_class, hint),
			       err, "%s '%s' does not exist; the priority is %d",
			       fl_table_kind(table), fl_model_text(m, row->priority_class),
			       row->priority);
}

static enum fl_excluded why_excluded(const struct fl_model *m, const struct fl_workload_row *row)
{
	if (row->finished)
		return FL_EXCLUDED_FINISHED;
	if (!row->active)
		return FL_EXCLUDED_DEACTIVATED;
	if (row->queue.v == FL_NONE)
		return FL_EXCLUDED_NO_QUEUE;
	if (row->cluster_queue.v == FL_NONE ||
	    (row->reserved && row->admitted_queue.v == FL_NONE)) /* admitted to nowhere */
		return FL_EXCLUDED_NO_CLUSTER_QUEUE;
	if (m->queues[row->queue.v].stop != FL_STOP_NONE)
		return FL_EXCLUDED_QUEUE_STOPPED;
	if (m->nodes[row->cluster_queue.v].stop != FL_STOP_NONE)
		return FL_EXCLUDED_CLUSTER_QUEUE_STOPPED;
	if (row->requests == FL_REQUESTS_ABOVE_LIMITS)
		return FL_EXCLUDED_MISCONFIGURED;
	return row->requests == FL_REQUESTS_OUTSIDE_RANGE ? FL_EXCLUDED_LIMIT_RANGE : FL_INCLUDED;
}

/*
 * Why it must let go.  Draining evicts what runs; stopping in either way, or a local
 * queue that was deleted, takes the reservation from what waits for its checks.
 */
static enum fl_evicting why_evicting(const struct fl_model *m, const struct fl_workload_row *row)
{
	enum fl_stop local = row->queue.v == FL_NONE ? FL_STOP_NONE : m->queues[row->queue.v].stop;
	const struct fl_node_row *node = &m->nodes[row->admitted_queue.v];
	/* On the way from one scheduler to the other no workload loses its quota. */
	enum fl_stop queue = node->handed == FL_HANDED_BETWEEN && !node->elsewhere ? FL_STOP_NONE :
										     node->stop;
	enum fl_stop enough = row->admitted ? FL_STOP_HOLD_AND_DRAIN : FL_STOP_HOLD;

	if (row->evicted)
		return FL_EVICTING_UNDER_WAY;
	if (row->check_retries)
		return FL_EVICTING_ADMISSION_CHECK;
	if (local >= enough)
		return FL_EVICTING_LOCAL_QUEUE_STOPPED;
	if (row->queue.v == FL_NONE && !row->admitted)
		return FL_EVICTING_QUEUE_MISSING;
	return queue >= enough ? FL_EVICTING_CLUSTER_QUEUE_STOPPED : FL_EVICTING_NOT;
}

/* Kueue does not admit it now; where fairlead decides, it does not either. */
static bool is_kept_back(const struct fl_model *m, const struct fl_workload_row *row)
{
	return row->gated && row->admitted_queue.v == FL_NONE && row->cluster_queue.v != FL_NONE &&
	       !m->nodes[row->cluster_queue.v].elsewhere;
}

/*
 * From when on a queue takes it: after its back-off; and never while it is said not to
 * be requeued, unless what kept it from that is over.
 */
static fl_time ready_at(const struct fl_model *m, const struct fl_workload_row *row)
{
	static const char *const pass[] = { "PodsReadyTimeout", "AdmissionCheck", "Deactivated",
					    "ClusterQueueStopped", "LocalQueueStopped" };
	const struct fl_requeue_row *q = fl_model_requeue(m, row);
	const char *why = fl_model_text(m, q->requeued_reason);

	if (is_kept_back(m, row))
		return FL_NEVER;
	/* One that holds quota was requeued since; and it will be again when it is preempted. */
	if (!row->not_requeued || row->admitted_queue.v != FL_NONE)
		return q->requeue_at;
	for (size_t i = 0; i < sizeof pass / sizeof *pass; i++)
		if (strcmp(why, pass[i]) == 0)
			return q->requeue_at;
	return FL_NEVER;
}

static int resolve_requeue(struct fl_model *m, struct fl_workload_row *row, fairlead_error *err)
{
	fl_time at = ready_at(m, row);
	int r = 0;

	if (at != FL_TIME_NONE && row->requeue == FL_NONE)
		r = fl_model_push_requeues(m, &fl_requeue_default, &row->requeue, err);
	if (r == 0 && row->requeue != FL_NONE)
		m->requeues[row->requeue].ready_at = at;
	return r;
}

/*
 * Where it holds quota.  One that is finished, not active, or admitted to nowhere holds
 * nothing: the quota of a deactivated workload is free at once, before its pods have ended.
 */
static int resolve_admission(struct fl_model *m, struct fl_workload_row *row, const char *subject,
			     fairlead_error *err)
{
	struct fl_sym name = row->admitted_queue_name;

	row->admitted_queue.v = FL_NONE;
	if (!row->reserved || row->finished || !row->active)
		return 0;
	row->admitted_queue.v = fl_table_find(m, FL_TABLE_CLUSTER_QUEUE, no_namespace, name);
	if (row->admitted_queue.v != FL_NONE)
		return 0;
	return fl_model_notice(
		m, FL_NOTICE_MISSING_CLUSTER_QUEUE, row->place, subject, /* hint= */ NULL, err,
		"admitted to cluster queue '%s', which does not exist; it holds no quota",
		fl_model_text(m, name));
}

static int explain_excluded(struct fl_model *m, const struct fl_workload_row *row,
			    const char *subject, fairlead_error *err)
{
	char hint[FL_SUGGESTION];

	if (row->excluded == FL_EXCLUDED_MISCONFIGURED)
		return fl_model_notice(m, FL_NOTICE_REQUESTS_ABOVE_LIMITS, row->place, subject,
				       /* hint= */ NULL, err,
				       "a container requests more than its limits");
	if (row->excluded == FL_EXCLUDED_LIMIT_RANGE)
		return fl_model_notice(
			m, FL_NOTICE_OUTSIDE_LIMIT_RANGE, row->place, subject,
			/* hint= */ NULL, err,
			"asks for more or less than a LimitRange of namespace '%s' allows",
			fl_model_text(m, row->namespace));
	if (row->excluded != FL_EXCLUDED_NO_QUEUE)
		return 0;
	if (row->queue_name.v == FL_NONE)
		return fl_model_notice(m, FL_NOTICE_NO_QUEUE, row->place, subject, /* hint= */ NULL,
				       err, "no queueName: it is never admitted");
	return fl_model_notice(m, FL_NOTICE_MISSING_QUEUE, row->place, subject,
			       fl_model_suggest(m, FL_TABLE_QUEUE, row->namespace, row->queue_name,
						hint),
			       err, "local queue '%s/%s' does not exist",
			       fl_model_text(m, row->namespace), fl_model_text(m, row->queue_name));
}

static void note_time(struct fl_model *m, fl_time t)
{
	if (t != FL_TIME_NONE && t > m->newest)
		m->newest = t;
}

int fl_model_resolve_workload(struct fl_model *m, struct fl_workload_row *row, int32_t otherwise,
			      fairlead_error *err)
{
	char subject[FL_SUBJECT];
	int r;

	fl_table_subject(m, FL_TABLE_WORKLOAD, row->namespace, row->name, subject);
	note_time(m, row->created);
	note_time(m, fl_model_requeue(m, row)->evicted_at);
	note_time(m, row->reserved_at);
	row->queue.v = row->queue_name.v == FL_NONE ?
			       FL_NONE :
			       fl_table_find(m, FL_TABLE_QUEUE, row->namespace, row->queue_name);
	row->cluster_queue.v = row->queue.v == FL_NONE ? FL_NONE :
							 m->queues[row->queue.v].cluster_queue.v;
	r = fl_model_resolve_priority(m, row, otherwise, subject, err);
	if (r == 0)
		r = resolve_admission(m, row, subject, err);
	if (r < 0)
		return r; /* what it holds is a name yet */
	row->excluded = why_excluded(m, row);
	row->evicting = row->admitted_queue.v == FL_NONE ? FL_EVICTING_NOT : why_evicting(m, row);
	r = resolve_requeue(m, row, err);
	return r < 0 ? r : explain_excluded(m, row, subject, err);
}

static int resolve_workloads(struct seal *s, fairlead_error *err)
{
	struct fl_model *m = s->m;
	int32_t otherwise = fl_model_default_priority(m, /* otherwise= */ 0);
	int r = 0;

	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++)
		if (m->workloads[w].gang == FL_NONE)
			r = fl_model_resolve_workload(m, &m->workloads[w], otherwise, err);
	return r;
}

static int resolve_entitled(struct seal *s, fairlead_error *err)
{
	return fl_entitle_resolve(s->m, &s->scratch, err);
}

static int resolve_protections(struct seal *s, fairlead_error *err)
{
	return fl_protection_resolve(s->m, err);
}

static int resolve_simulation(struct seal *s, fairlead_error *err)
{
	return fl_simulation_resolve(s->m, &s->scratch, err);
}

static int resolve_moves(struct seal *s, fairlead_error *err)
{
	return fl_moves_resolve(s->m, err);
}

static int make_places(struct seal *s, fairlead_error *err)
{
	return s->m->spare ? fl_newcomer_places(s->m, err) : 0;
}

int fl_model_seal(struct fl_model *m, fairlead_error *err)
{
	static int (*const passes[])(struct seal *, fairlead_error *) = {
		apply_gates,        fill_totals,       number_resources, resolve_parents,
		find_cycles,        mark_cycles,       resolve_flavors,  check_cluster_queues,
		resolve_queues,     resolve_workloads, resolve_entitled, resolve_protections,
		resolve_simulation, resolve_moves,     make_places,
	};
	struct seal s = { .m = m };
	int r = 0;

	if (m->sealed)
		return fl_fail(err, FAIRLEAD_ESTATE, "the model is sealed already");
	r = fl_model_complete(m, err);
	fl_arena_init(&s.scratch, m->mem);
	for (size_t i = 0; i < sizeof passes / sizeof *passes && r == 0; i++)
		r = passes[i](&s, err);
	fl_arena_done(&s.scratch);
	m->sealed = r == 0;
	return r;
}
