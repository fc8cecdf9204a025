/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Simulation names is looked up.  It is ours: what does not exist is an error, with
 * the nearest name.
 */
#include <string.h>

#include "base/nearest.h"
#include "base/sort.h"
#include "model/table.h"

static const struct fl_sym no_namespace = { 0 };

static int fail(const struct fl_model *m, struct fl_place place, fairlead_error *err)
{
	fl_fail_in(err, "Simulation/%.253s", fl_model_text(m, m->simulation.name));
	fl_model_fail_at(m, place, err);
	return FAIRLEAD_EINPUT;
}

static int fail_missing(const struct fl_model *m, const char *kind, const struct fl_nearest *near,
			struct fl_place place, fairlead_error *err)
{
	char text[1600];

	fl_fail(err, FAIRLEAD_EINPUT, "there is no %s '%.253s'", kind, near->wanted);
	if (near->n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(near, text, sizeof text));
	return fail(m, place, err);
}

/* --- names --- */

static int find_node(const struct fl_model *m, enum fl_node_kind kind, struct fl_sym name,
		     struct fl_place place, struct fl_node *ret, fairlead_error *err)
{
	const struct fl_node_row row = { .kind = kind };
	enum fl_table table = fl_table_of_node(&row);
	struct fl_nearest near = { .wanted = fl_model_text(m, name) };

	ret->v = fl_table_find(m, table, no_namespace, name);
	if (ret->v != FL_NONE)
		return 0;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind == kind)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
	return fail_missing(m, fl_table_kind(table), &near, place, err);
}

static int find_machine(const struct fl_model *m, struct fl_sym name, struct fl_place place,
			struct fl_machine *ret, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = fl_model_text(m, name) };

	if (fl_model_dialect(m) == FL_DIALECT_KUEUE) {
		fl_fail(err, FAIRLEAD_EINPUT, "the borrow policy has no machines");
		fl_fail_hint(err, "name a clusterQueue or cohort, a flavor and a resource");
		return fail(m, place, err);
	}
	ret->v = fl_table_find(m, FL_TABLE_MACHINE, no_namespace, name);
	if (ret->v != FL_NONE)
		return 0;
	for (uint32_t i = 0; i < m->n_machines; i++)
		fl_nearest_offer(&near, fl_model_text(m, m->machines[i].name));
	return fail_missing(m, "Node", &near, place, err);
}

static int find_flavor(const struct fl_model *m, struct fl_sym name, struct fl_place place,
		       struct fl_flavor *ret, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = fl_model_text(m, name) };

	ret->v = fl_table_find(m, FL_TABLE_FLAVOR, no_namespace, name);
	if (ret->v != FL_NONE)
		return 0;
	for (uint32_t i = 0; i < m->n_flavors; i++)
		fl_nearest_offer(&near, fl_model_text(m, m->flavors[i].name));
	return fail_missing(m, "ResourceFlavor", &near, place, err);
}

/* @entitle: one that queues are entitled to. */
static int find_resource(const struct fl_model *m, struct fl_sym name, bool entitle,
			 struct fl_place place, struct fl_resource *ret, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = fl_model_text(m, name) };

	for (uint32_t i = 0; i < m->n_resources; i++) {
		bool counts = !entitle;

		for (int a = 0; a < FL_BUNDLE; a++)
			counts |= m->axis[a].v == i;
		if (counts && m->resources[i].v == name.v) {
			ret->v = i;
			return 0;
		}
		if (counts)
			fl_nearest_offer(&near, fl_model_text(m, m->resources[i]));
	}
	return fail_missing(m, "resource", &near, place, err);
}

static uint32_t root_of(const struct fl_model *m, uint32_t n)
{
	uint32_t steps = 0;

	while (m->nodes[n].parent.v != FL_NONE && steps++ <= m->n_nodes) /* there may be cycles */
		n = m->nodes[n].parent.v;
	return n;
}

/* A node of its tree must have such quota, or nothing could change. */
static int check_column(const struct fl_model *m, struct fl_node node, struct fl_flavor flavor,
			struct fl_resource resource, struct fl_place place, fairlead_error *err)
{
	uint32_t root = root_of(m, node.v);

	for (uint32_t n = 0; n < m->n_nodes; n++) {
		struct fl_quota_walk walk = { 0 };
		const struct fl_quota *q;

		if (root_of(m, n) != root)
			continue;
		while ((q = fl_model_next_quota(m, (struct fl_node){ n }, &walk)) != NULL)
			if (q->flavor.v == flavor.v && q->resource.v == resource.v)
				return 0;
	}
	fl_fail(err, FAIRLEAD_EINPUT,
		"no node in the tree of '%.253s' has quota of %s in flavor '%s'",
		fl_model_text(m, m->nodes[node.v].name), fl_model_text(m, m->resources[resource.v]),
		fl_model_text(m, m->flavors[flavor.v].name));
	return fail(m, place, err);
}

/* --- rows --- */

static int resolve_change(struct fl_model *m, struct fl_change_row *row, fairlead_error *err)
{
	bool machine = row->machine_name.v != FL_NONE;
	bool entitle = machine || row->node_kind == FL_QUEUE;
	int r = machine ? find_machine(m, row->machine_name, row->place, &row->machine, err) :
			  find_node(m, row->node_kind, row->node_name, row->place, &row->node, err);

	if (r == 0 && row->flavor_name.v != FL_NONE)
		r = find_flavor(m, row->flavor_name, row->place, &row->flavor, err);
	if (r == 0 && row->resource_name.v != FL_NONE)
		r = find_resource(m, row->resource_name, entitle, row->place, &row->resource, err);
	if (r == 0 && row->flavor_name.v != FL_NONE)
		r = check_column(m, row->node, row->flavor, row->resource, row->place, err);
	return r;
}

static int resolve_failure(struct fl_model *m, struct fl_failure_row *row, fairlead_error *err)
{
	int r;

	if (row->machine_name.v != FL_NONE)
		return find_machine(m, row->machine_name, row->place, &row->machine, err);
	r = find_node(m, row->node_kind, row->node_name, row->place, &row->node, err);
	if (r == 0)
		r = find_flavor(m, row->flavor_name, row->place, &row->flavor, err);
	if (r == 0)
		r = find_resource(m, row->resource_name, /* entitle= */ false, row->place,
				  &row->resource, err);
	return r < 0 ? r : check_column(m, row->node, row->flavor, row->resource, row->place, err);
}

/* --- one thing said twice --- */

static int cmp_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int cmp_changes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_change_row *x = &m->changes[a], *y = &m->changes[b];
	int c = (x->at > y->at) - (x->at < y->at);

	c = c ? c : cmp_numbers(x->cell, y->cell);
	c = c ? c : cmp_numbers(x->node.v, y->node.v);
	c = c ? c : cmp_numbers(x->machine.v, y->machine.v);
	c = c ? c : cmp_numbers(x->flavor.v, y->flavor.v);
	return c ? c : cmp_numbers(x->resource.v, y->resource.v);
}

static int cmp_failures(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_failure_row *x = &m->failures[a], *y = &m->failures[b];
	int c = cmp_numbers(x->node.v, y->node.v);

	c = c ? c : cmp_numbers(x->machine.v, y->machine.v);
	c = c ? c : cmp_numbers(x->flavor.v, y->flavor.v);
	return c ? c : cmp_numbers(x->resource.v, y->resource.v);
}

/* The later of two rows that are equal by @cmp, which leaves rows as they stand; FL_NONE: none. */
static int find_twin(const struct fl_model *m, struct fl_arena *scratch, uint32_t n,
		     fl_sort_cmp *cmp, uint32_t *ret, fairlead_error *err)
{
	uint32_t *ids = fl_arena_alloc(scratch, n, 2 * sizeof *ids, err);

	*ret = FL_NONE;
	if (!ids)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	fl_sort(ids, n, ids + n, cmp, m);
	for (uint32_t i = 1; i < n && *ret == FL_NONE; i++)
		if (cmp(m, ids[i - 1], ids[i]) == 0)
			*ret = ids[i];
	return 0;
}

static int refuse_twins(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	uint32_t twin = FL_NONE;
	int r = find_twin(m, scratch, m->n_changes, cmp_changes, &twin, err);

	if (r == 0 && twin != FL_NONE) {
		fl_fail(err, FAIRLEAD_EINPUT, "this is changed twice at the same time");
		return fail(m, m->changes[twin].place, err);
	}
	if (r == 0)
		r = find_twin(m, scratch, m->n_failures, cmp_failures, &twin, err);
	if (r == 0 && twin != FL_NONE) {
		fl_fail(err, FAIRLEAD_EINPUT, "an earlier entry has a failure of the same already");
		return fail(m, m->failures[twin].place, err);
	}
	return r;
}

/*
 * Pods say when their workload comes where its PodGroup does not, or there is none: the first
 * in name order.  What belongs to no workload is left out.  A workload that was not
 * created at a time of its own is created when it arrives; an open offset says no time.
 */
static int resolve_lives(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	bool *has = fl_arena_alloc(scratch, m->n_workloads, sizeof *has, err);
	uint32_t n = 0;

	if (!has)
		return FAIRLEAD_ENOMEM;
	memset(has, 0, m->n_workloads * sizeof *has);
	for (uint32_t i = 0; i < m->n_lives; i++)
		if (m->lives[i].workload.v != FL_NONE)
			has[m->lives[i].workload.v] = true;
	for (uint32_t t = 0; t < m->n_tasks; t++) {
		uint32_t life = m->tasks[t].life, w = m->tasks[t].workload.v;

		if (life == FL_NONE || w == FL_NONE || has[w])
			continue;
		m->lives[life].workload.v = w;
		has[w] = true;
		if (m->workloads[w].created == FL_TIME_NONE && !m->lives[life].from_start)
			m->workloads[w].created = m->lives[life].arrives;
	}
	for (uint32_t i = 0; i < m->n_lives; i++)
		if (m->lives[i].workload.v != FL_NONE)
			m->lives[n++] = m->lives[i];
	m->n_lives = n;
	return 0;
}

int fl_simulation_resolve(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	int r = resolve_lives(m, scratch, err);

	if (!m->simulation.whole)
		return r;
	for (uint32_t i = 0; i < m->n_changes && r == 0; i++)
		r = resolve_change(m, &m->changes[i], err);
	for (uint32_t i = 0; i < m->n_failures && r == 0; i++)
		r = resolve_failure(m, &m->failures[i], err);
	return r < 0 ? r : refuse_twins(m, scratch, err);
}
