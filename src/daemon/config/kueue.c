/* SPDX-License-Identifier: Apache-2.0 */
/* kueue - the machine for Kueue's queues and cohorts: its capacity becomes quota */
#include "daemon/config/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "codec/text/quantity.h"
#include "daemon/config/config_queue.h"

static const char no_cohort[] = "machine", ours[] = "default";
static const char name_label[] = "kubernetes.io/metadata.name";

/* --- once: rows that a tree lacks --- */

static bool has_flavor(const struct fl_model *m, struct fl_sym name)
{
	for (uint32_t i = 0; i < m->n_flavors; i++)
		if (m->flavors[i].name.v == name.v)
			return true;
	return false;
}

static int add_flavor(struct fl_model *m, struct fl_sym name, fairlead_error *err)
{
	const struct fl_flavor_row row = { .name = name, .place = m->daemon.place };

	return has_flavor(m, name) ? 0 : fl_model_add_flavor(m, &row, err);
}

static int add_flavors(struct fl_model *m, fairlead_error *err)
{
	const struct fl_span flavors = m->daemon.flavors;
	struct fl_sym name;
	int r = 0;

	if (flavors.n == 0 && (r = fl_config_sym(m, ours, &name, err)) == 0)
		r = add_flavor(m, name, err);
	for (uint32_t i = 0; i < flavors.n && r == 0; i++)
		r = add_flavor(m, m->daemon_flavors[flavors.first + i].name, err);
	return r;
}

/* Unless it exists: in a configuration that is tried (fl_config_changed) it may. */
static int add_node(struct fl_model *m, const struct fl_node_row *row, fairlead_error *err)
{
	struct fl_node there = fl_model_find_node(m, row->kind, fl_model_text(m, row->name));

	return there.v == FL_NONE ? fl_model_add_node(m, row, err) : 0;
}

/* The configuration has no queues: one queue is added, which may use the whole machine. */
static int add_tree(struct fl_model *m, fairlead_error *err)
{
	struct fl_node_row cohort = fl_cohort_default, queue = fl_cluster_queue_default;
	int r = 0;

	if (m->daemon.cohort.v == 0)
		r = fl_config_sym(m, no_cohort, &m->daemon.cohort, err);
	if (r == 0)
		r = fl_config_sym(m, ours, &queue.name, err);
	cohort.name = queue.parent_name = m->daemon.cohort;
	cohort.place = queue.place = m->daemon.place;
	queue.namespaces.present = true;
	if (r == 0)
		r = add_node(m, &cohort, err);
	return r < 0 ? r : add_node(m, &queue, err);
}

/* A ClusterQueue without LocalQueues gets one of its name; an existing one stays. */
static int add_local_queue(struct fl_model *m, uint32_t node, fairlead_error *err)
{
	struct fl_queue_row row = fl_queue_default;
	int r = fl_config_sym(m, ours, &row.namespace, err);

	row.name = row.cluster_queue_name = m->nodes[node].name;
	row.place = m->nodes[node].place;
	if (r < 0 || fl_config_local_queue(m, row.namespace, row.name) != FL_NONE)
		return r;
	return fl_model_add_queue(m, &row, err);
}

static int add_local_queues(struct fl_model *m, fairlead_error *err)
{
	bool *led = calloc(m->names.n, sizeof *led);
	const uint32_t names = m->names.n;
	int r = led ? 0 : fl_fail_nomem(err);

	for (uint32_t i = 0; i < m->n_queues && r == 0; i++)
		if (m->queues[i].cluster_queue_name.v < names)
			led[m->queues[i].cluster_queue_name.v] = true;
	for (uint32_t i = 0; i < m->n_nodes && r == 0; i++)
		if (m->nodes[i].kind == FL_CLUSTER_QUEUE && !led[m->nodes[i].name.v])
			r = add_local_queue(m, i, err);
	free(led);
	return r;
}

/* Adds the namespaces of LocalQueues, each with the label of its name. */
static int add_namespaces(struct fl_model *m, fairlead_error *err)
{
	struct fl_sym key;
	int r = fl_config_sym(m, name_label, &key, err);

	for (uint32_t i = 0; i < m->n_queues && r == 0; i++) {
		const struct fl_label label = { key, m->queues[i].namespace };
		struct fl_namespace_row row = { .name = label.value, .labels = { .n = 1 } };

		if (fl_model_find_namespace(m, row.name))
			continue;
		r = fl_model_push_labels(m, &label, &row.labels.first, err);
		if (r == 0)
			r = fl_model_add_namespace(m, &row, err);
	}
	return r;
}

/* The cohort of the machine is at least the parent of a queue or cohort of the trees. */
static int add_cohort(struct fl_model *m, fairlead_error *err)
{
	struct fl_node_row row = fl_cohort_default;

	if (m->daemon.cohort.v == 0 ||
	    fl_model_find_node(m, FL_COHORT, fl_model_text(m, m->daemon.cohort)).v != FL_NONE)
		return 0;
	row.name = m->daemon.cohort;
	row.place = m->daemon.place;
	return fl_model_add_node(m, &row, err);
}

static int complete(struct fl_model *m, bool alone, fairlead_error *err)
{
	int r = alone ? add_tree(m, err) : 0;

	if (r == 0)
		r = add_cohort(m, err);
	if (r == 0)
		r = add_flavors(m, err);
	if (r == 0)
		r = add_local_queues(m, err);
	return r < 0 ? r : add_namespaces(m, err);
}

/* --- the capacity as quota --- */

/* The capacity of the machine, flavors by resources; 0 where a flavor lacks a resource. */
struct table {
	struct fl_sym flavors[FL_MAX_FLAVORS], resources[FL_MAX_RESOURCES];
	uint32_t n_flavors, n_resources;
	fl_amount has[FL_MAX_FLAVORS][FL_MAX_RESOURCES];
	fl_amount promised[FL_MAX_FLAVORS][FL_MAX_RESOURCES];
};

static uint32_t index_of(const struct fl_sym *syms, uint32_t n, struct fl_sym sym)
{
	uint32_t i = 0;

	while (i < n && syms[i].v != sym.v)
		i++;
	return i;
}

static int too_many(const char *what, int most, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ELIMIT, "the machine has more than %d %s", most, what);
}

static int fill_table(struct fl_model *m, const struct fl_capacity *capacity, struct table *t,
		      fairlead_error *err)
{
	for (uint32_t i = 0; i < capacity->n; i++) {
		const struct fl_capacity_row *row = &capacity->rows[i];
		struct fl_sym flavor, resource;
		uint32_t f, q;
		int r = fl_config_sym(m, row->flavor, &flavor, err);

		if (r == 0)
			r = fl_config_sym(m, row->resource, &resource, err);
		if (r < 0)
			return r;
		f = index_of(t->flavors, t->n_flavors, flavor);
		q = index_of(t->resources, t->n_resources, resource);
		if (f == FL_MAX_FLAVORS)
			return too_many("flavors", FL_MAX_FLAVORS, err);
		if (q == FL_MAX_RESOURCES)
			return too_many("resources", FL_MAX_RESOURCES, err);
		t->flavors[f] = flavor;
		t->resources[q] = resource;
		t->n_flavors += f == t->n_flavors;
		t->n_resources += q == t->n_resources;
		t->has[f][q] = row->amount;
	}
	return 0;
}

/* --- nominal quotas of queues and cohorts --- */

static int note_elsewhere(struct fl_model *m, const struct fl_quota *q, fairlead_error *err)
{
	char subject[400];

	(void)snprintf(subject, sizeof subject, "ResourceFlavor/%.253s",
		       fl_model_text(m, q->flavor_name));
	return fl_model_notice(
		m, FL_NOTICE_BEYOND_MACHINE, q->place, subject,
		"give the flavor to the machine: .spec.machine.flavors of the Daemon", err,
		"queues have quota for '%.63s' in this flavor, but the machine has none",
		fl_model_text(m, q->resource_name));
}

/* Warns once of each flavor and resource that the machine lacks: for those in @seen it was done. */
static int add_promise(struct fl_model *m, struct table *t, struct fl_pairs *seen, uint32_t quota,
		       fairlead_error *err)
{
	const struct fl_quota q = m->quotas[quota];
	uint32_t f = index_of(t->flavors, t->n_flavors, q.flavor_name);
	uint32_t r = index_of(t->resources, t->n_resources, q.resource_name);
	int known;

	if (q.nominal == 0)
		return 0;
	if (f < t->n_flavors && r < t->n_resources) {
		t->promised[f][r] = fl_quota_add(t->promised[f][r], q.nominal);
		return 0;
	}
	known = fl_pairs_add(seen, q.flavor_name.v, q.resource_name.v, 0, /* ret_old= */ NULL, err);
	return known != 0 ? (known < 0 ? known : 0) : note_elsewhere(m, &q, err);
}

static int add_promises(struct fl_model *m, struct table *t, fairlead_error *err)
{
	struct fl_pairs seen;
	int r = 0;

	fl_pairs_init(&seen, m->mem);
	for (uint32_t i = 0; i < m->n_quotas && r == 0; i++)
		r = add_promise(m, t, &seen, i, err);
	fl_pairs_done(&seen);
	return r;
}

static const char *amount_text(const struct fl_model *m, struct fl_sym resource, fl_amount amount,
			       char buffer[32])
{
	const char *name = fl_model_text(m, resource);

	if (amount == FL_UNLIMITED)
		return "an unlimited amount";
	return fl_quantity_format(buffer, amount, strcmp(name, "cpu") == 0,
				  strcmp(name, "memory") == 0);
}

static int note_promises(struct fl_model *m, const struct table *t, fairlead_error *err)
{
	char has[32], promised[32];
	int r = 0;

	for (uint32_t f = 0; f < t->n_flavors; f++)
		for (uint32_t q = 0; q < t->n_resources && r == 0; q++) {
			if (t->promised[f][q] <= t->has[f][q])
				continue;
			r = fl_model_notice(
				m, FL_NOTICE_BEYOND_MACHINE, m->daemon.place, "Daemon",
				"lower the nominal quotas of the queues, or jobs can use more than "
				"the machine has",
				err,
				"the queues have %s of '%.63s' in flavor '%.63s', but the machine "
				"has %s",
				amount_text(m, t->resources[q], t->promised[f][q], promised),
				fl_model_text(m, t->resources[q]), fl_model_text(m, t->flavors[f]),
				amount_text(m, t->resources[q], t->has[f][q], has));
		}
	return r;
}

/* --- groups --- */

static fl_amount rest_of(const struct table *t, uint32_t f, uint32_t r)
{
	fl_amount rest = fl_quota_sub(t->has[f][r], t->promised[f][r]);

	return rest < 0 ? 0 : rest;
}

/*
 * All flavors and resources in one group, with the quota that no other node has, or with quota 0.
 */
static int push_group(struct fl_model *m, const struct table *t, bool rest, struct fl_span *ret,
		      fairlead_error *err)
{
	struct fl_group group = { .resources = { m->n_syms, t->n_resources },
				  .flavors = { m->n_group_flavors, t->n_flavors },
				  .place = m->daemon.place };
	int r = 0;

	for (uint32_t i = 0; i < t->n_resources && r == 0; i++)
		r = fl_model_push_syms(m, &t->resources[i], /* ret_id= */ NULL, err);
	for (uint32_t f = 0; f < t->n_flavors && r == 0; f++) {
		const struct fl_group_flavor gf = { .name = t->flavors[f],
						    .quotas = { m->n_quotas, t->n_resources } };

		for (uint32_t i = 0; i < t->n_resources && r == 0; i++) {
			const struct fl_quota q = { .flavor_name = t->flavors[f],
						    .resource_name = t->resources[i],
						    .nominal = rest ? rest_of(t, f, i) : 0,
						    .borrowing_limit = FL_NO_LIMIT,
						    .lending_limit = FL_NO_LIMIT,
						    .place = m->daemon.place };

			r = fl_model_push_quotas(m, &q, /* ret_id= */ NULL, err);
		}
		if (r == 0)
			r = fl_model_push_group_flavors(m, &gf, /* ret_id= */ NULL, err);
	}
	ret->n = 1;
	return r < 0 ? r : fl_model_push_groups(m, &group, &ret->first, err);
}

/* Is the queue below the cohort? Cohorts may form a loop: at most FL_MAX_TREE_DEPTH steps. */
static bool is_below(const struct fl_model *m, uint32_t node, struct fl_sym cohort)
{
	for (uint32_t depth = 0; depth < FL_MAX_TREE_DEPTH && node != FL_NONE; depth++) {
		const struct fl_sym parent = m->nodes[node].parent_name;

		if (parent.v == FL_NONE || parent.v == cohort.v)
			return parent.v != FL_NONE;
		node = fl_model_find_node(m, FL_COHORT, fl_model_text(m, parent)).v;
	}
	return false;
}

static int lay_quota(struct fl_model *m, const struct table *t, fairlead_error *err)
{
	const struct fl_sym cohort = m->daemon.cohort;
	struct fl_span groups = { 0 };
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		const struct fl_node_row *row = &m->nodes[n];
		bool owner = row->kind == FL_COHORT && row->name.v == cohort.v;

		if (!owner &&
		    (row->kind != FL_CLUSTER_QUEUE || row->groups.n > 0 || !is_below(m, n, cohort)))
			continue;
		r = push_group(m, t, owner, &groups, err);
		if (r == 0)
			m->nodes[n].groups = groups;
	}
	return r;
}

/*
 * A queue without quota and not below the machine's cohort, for example by a misspelt name: it can
 * borrow nothing.
 */
static int note_without(struct fl_model *m, fairlead_error *err)
{
	const struct fl_sym cohort = m->daemon.cohort;
	char subject[300], hint[400];
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		const struct fl_node_row *row = &m->nodes[n];

		if (row->kind != FL_CLUSTER_QUEUE || row->groups.n > 0 ||
		    (cohort.v != 0 && is_below(m, n, cohort)))
			continue;
		(void)snprintf(subject, sizeof subject, "ClusterQueue/%.253s",
			       fl_model_text(m, row->name));
		(void)snprintf(
			hint, sizeof hint, "give it resourceGroups, or %s '%.253s'",
			cohort.v ? "put it below the machine's cohort" :
				   "name in .spec.machine.cohort of the Daemon the cohort that has "
				   "the machine, for example",
			cohort.v                      ? fl_model_text(m, cohort) :
			row->parent_name.v != FL_NONE ? fl_model_text(m, row->parent_name) :
							"company");
		r = fl_model_notice(
			m, FL_NOTICE_NO_RESOURCES, row->place, subject, hint, err,
			"the queue has no quota, so no job that asks for a resource can run");
	}
	return r;
}

static int lay_table(struct fl_model *m, const struct fl_capacity *capacity, struct table *t,
		     fairlead_error *err)
{
	int r = fill_table(m, capacity, t, err);

	if (r == 0 && capacity->n)
		r = add_promises(m, t, err);
	if (r == 0)
		r = note_promises(m, t, err);
	if (r == 0)
		r = note_without(m, err);
	return r < 0 || m->daemon.cohort.v == 0 || t->n_flavors == 0 ? r : lay_quota(m, t, err);
}

static int lay(struct fl_model *m, const struct fl_capacity *capacity, fairlead_error *err)
{
	struct table *t = calloc(1, sizeof *t);
	int r = t ? lay_table(m, capacity, t, err) : fl_fail_nomem(err);

	free(t);
	return r;
}

const struct fl_config_dialect fl_config_kueue = { .complete = complete, .lay = lay };
