/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes at a time, and failures at random.
 *
 * One entry of changes may turn several numbers of one queue or machine: a row for each.
 * Numbers of a Queue have the units of pods: cores, bytes, GPUs.
 */
#include <math.h>
#include <string.h>

#include "codec/own/simulation_parts.h"

/* --- of whom --- */

struct target {
	struct fl_sym machine_name, node_name, flavor_name, resource_name;
	enum fl_node_kind node_kind;
	bool is_machine;
	uint32_t kinds; /* how many were named */
};

static const struct target no_target = { .machine_name = { FL_NONE },
					 .node_name = { FL_NONE },
					 .flavor_name = { FL_NONE },
					 .resource_name = { FL_NONE } };

static int read_node(struct fl_kube *k, uint32_t v, struct target *t, enum fl_node_kind kind)
{
	t->node_kind = kind;
	t->kinds++;
	return fl_kube_name(k, v, &t->node_name);
}

static int read_cluster_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return read_node(k, v, row, FL_CLUSTER_QUEUE);
}

static int read_cohort(struct fl_kube *k, uint32_t v, void *row)
{
	return read_node(k, v, row, FL_COHORT);
}

static int read_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return read_node(k, v, row, FL_QUEUE);
}

static int read_machine(struct fl_kube *k, uint32_t v, void *row)
{
	struct target *t = row;

	t->is_machine = true;
	t->kinds++;
	return fl_kube_name(k, v, &t->machine_name);
}

static int read_flavor(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct target *)row)->flavor_name);
}

static int read_resource(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_name(k, v, &((struct target *)row)->resource_name);
}

/* Both fields, or an error that says which. */
static int need_cell(struct fl_kube *k, uint32_t item, const struct target *t)
{
	if (t->flavor_name.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "no 'flavor': quota is of a flavor");
	if (t->resource_name.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "no 'resource': quota is of a resource");
	return 0;
}

static int one_target(struct fl_kube *k, uint32_t item, const struct target *t, const char *names)
{
	if (t->kinds != 1 || (t->is_machine ? t->machine_name : t->node_name).v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "expected one of %s", names);
	return 0;
}

/* --- changes --- */

struct change {
	struct target t; /* first: the fields above write here */
	fl_time at;
	bool kills, says_kills;
};

/* What can be turned, of whom, and its cell. */
static const struct number {
	const char *name;
	enum fl_cell_kind cell;
	bool of_quota, of_queue, of_machine, of_resource;
} numbers[] = {
	{ "nominalQuota", FL_CELL_NOMINAL, .of_quota = true, .of_resource = true },
	{ "borrowingLimit", FL_CELL_BORROWING_LIMIT, .of_quota = true, .of_resource = true },
	{ "lendingLimit", FL_CELL_LENDING_LIMIT, .of_quota = true, .of_resource = true },
	{ "weight", FL_CELL_WEIGHT, .of_quota = true },
	{ "deserved", FL_CELL_DESERVED, .of_queue = true, .of_resource = true },
	{ "limit", FL_CELL_LIMIT, .of_queue = true, .of_resource = true },
	{ "overQuotaWeight", FL_CELL_OVER_QUOTA_WEIGHT, .of_queue = true, .of_resource = true },
	{ "priority", FL_CELL_QUEUE_PRIORITY, .of_queue = true },
	{ "allocatable", FL_CELL_ALLOCATABLE, .of_machine = true, .of_resource = true },
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static int read_at(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_period(k, v, &((struct change *)row)->at);
}

static int read_kills(struct fl_kube *k, uint32_t v, void *row)
{
	((struct change *)row)->says_kills = true;
	return fl_kube_bool(k, v, &((struct change *)row)->kills);
}

/* The unit depends on the resource: read_change takes them from the map when all else is known. */
static int read_later(struct fl_kube *k, uint32_t v, void *row)
{
	(void)k, (void)v, (void)row;
	return 0;
}

#define TARGETS                                                                                    \
	{ .name = "clusterQueue", .read = read_cluster_queue, .text = FL_TEXT_CLUSTER_QUEUE },     \
		{ .name = "cohort", .read = read_cohort, .text = FL_TEXT_COHORT },                 \
		{ .name = "flavor", .read = read_flavor, .text = FL_TEXT_FLAVOR },                 \
		{ .name = "machine", .read = read_machine, .text = FL_TEXT_MACHINE },              \
	{                                                                                          \
		.name = "resource", .read = read_resource, .text = FL_TEXT_RESOURCE                \
	}

const struct fl_field fl_fields_change[] = {
	{ .name = "at", .read = read_at },
	TARGETS,
	{ .name = "queue", .read = read_queue, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "nominalQuota", .read = read_later },
	{ .name = "borrowingLimit", .read = read_later },
	{ .name = "lendingLimit", .read = read_later },
	{ .name = "weight", .read = read_later },
	{ .name = "deserved", .read = read_later },
	{ .name = "limit", .read = read_later },
	{ .name = "overQuotaWeight", .read = read_later },
	{ .name = "priority", .read = read_later },
	{ .name = "allocatable", .read = read_later },
	{ .name = "kills", .read = read_kills },
	{ .name = NULL },
};

static bool is_word(const struct fl_kube *k, uint32_t v, const char *word)
{
	return k->doc.values[v].kind == FL_TOKEN_SCALAR &&
	       strcmp(fl_doc_text(&k->doc, v), word) == 0;
}

/* cores in thousandths, bytes, GPUs (parts of one, too): as queues and machines count. */
static int read_share(struct fl_kube *k, uint32_t v, const char *resource, double *ret)
{
	fl_amount amount = 0;
	int r;

	if (strstr(resource, "gpu"))
		return fl_kube_weight(k, v, ret);
	r = fl_kube_quantity(k, v, resource, &amount);
	*ret = (double)amount;
	return r;
}

static int read_number(struct fl_kube *k, uint32_t v, const struct number *n, const char *resource,
		       struct fl_change_row *row)
{
	int32_t priority = 0;
	int r;

	row->amount = 0;
	row->value = 0;
	switch (n->cell) {
	case FL_CELL_BORROWING_LIMIT:
	case FL_CELL_LENDING_LIMIT:
		row->amount = FL_NO_LIMIT;
		if (is_word(k, v, "unlimited"))
			return 0;
		return fl_kube_quantity(k, v, resource, &row->amount);
	case FL_CELL_DESERVED:
	case FL_CELL_LIMIT:
		row->value = FL_UNBOUNDED;
		if (is_word(k, v, "unlimited"))
			return 0;
		return read_share(k, v, resource, &row->value);
	case FL_CELL_ALLOCATABLE:
		return read_share(k, v, resource, &row->value);
	case FL_CELL_WEIGHT:
	case FL_CELL_OVER_QUOTA_WEIGHT:
		return fl_kube_weight(k, v, &row->value);
	case FL_CELL_QUEUE_PRIORITY:
		r = fl_kube_int32(k, v, &priority);
		row->value = priority;
		return r;
	case FL_CELL_NOMINAL:
	case FL_CELL_PRIORITY:
		break;
	}
	return fl_kube_quantity(k, v, resource, &row->amount);
}

/* Is @n one of what the target has? And is the cell all there? */
static int check_number(struct fl_kube *k, uint32_t item, uint32_t v, const struct number *n,
			const struct target *t)
{
	bool fits = t->is_machine            ? n->of_machine :
		    t->node_kind == FL_QUEUE ? n->of_queue :
					       n->of_quota;

	if (!fits)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a %s has no '%s'",
				    t->is_machine             ? "machine" :
				    t->node_kind == FL_QUEUE  ? "Queue" :
				    t->node_kind == FL_COHORT ? "Cohort" :
								"ClusterQueue",
				    n->name);
	if (n->of_resource && n->of_quota)
		return need_cell(k, item, t);
	if (n->of_resource && t->resource_name.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "no 'resource': of which is it?");
	return 0;
}

static int push_number(struct fl_kube *k, uint32_t item, uint32_t v, const struct number *n,
		       const struct change *c)
{
	struct fl_change_row row = { .at = c->at,
				     .cell = n->cell,
				     .node_name = c->t.node_name,
				     .node_kind = c->t.node_kind,
				     .machine_name = c->t.machine_name,
				     .flavor_name = { FL_NONE },
				     .resource_name = { FL_NONE },
				     .kills = c->says_kills ? c->kills : c->t.is_machine,
				     .place = fl_kube_place(k, v),
				     .node = { FL_NONE },
				     .machine = { FL_NONE },
				     .flavor = { FL_NONE },
				     .resource = { FL_NONE } };
	int r = check_number(k, item, v, n, &c->t);

	if (r < 0)
		return r;
	if (n->of_resource)
		row.resource_name = c->t.resource_name;
	if (n->of_resource && n->of_quota)
		row.flavor_name = c->t.flavor_name;
	r = read_number(k, v, n, n->of_resource ? fl_model_text(k->m, row.resource_name) : "",
			&row);
	return r < 0 ? r : fl_model_push_changes(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_change(struct fl_kube *k, uint32_t item)
{
	struct change c = { .t = no_target };
	uint32_t before = k->m->n_changes, unused;
	int r = fl_kube_need(k, item, "at", &unused);

	if (r == 0)
		r = fl_kube_map(k, item, fl_fields_change, &c);
	if (r == 0)
		r = one_target(k, item, &c.t, "clusterQueue, cohort, queue, machine");
	for (uint32_t i = 0; i < N_NUMBERS && r == 0; i++) {
		uint32_t v = fl_doc_find(&k->doc, item, numbers[i].name);

		if (v != FL_NONE && !fl_kube_is_null(k, v))
			r = push_number(k, item, v, &numbers[i], &c);
	}
	if (r == 0 && k->m->n_changes == before)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "nothing changes: no number is given");
	return r;
}

int fl_simulation_changes(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->m->n_changes = 0;
	return fl_simulation_each(k, v, read_change);
}

/* --- failures --- */

struct failure {
	struct target t; /* first */
	fl_time every, lasts;
};

static int read_every(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_length(k, v, &((struct failure *)row)->every);
}

static int read_lasts(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_own_length(k, v, &((struct failure *)row)->lasts);
}

const struct fl_field fl_fields_failure[] = {
	TARGETS,
	{ .name = "amount", .read = read_later },
	{ .name = "every", .read = read_every },
	{ .name = "lasts", .read = read_lasts },
	{ .name = NULL },
};

/* Part of a quota: which, and how much of it. */
static int read_lost(struct fl_kube *k, uint32_t item, struct fl_failure_row *row,
		     const struct target *t)
{
	uint32_t v = FL_NONE;
	int r = need_cell(k, item, t);

	if (r == 0)
		r = fl_kube_need(k, item, "amount", &v);
	if (r == 0)
		r = fl_kube_quantity(k, v, fl_model_text(k->m, t->resource_name), &row->amount);
	if (r == 0 && row->amount == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected more than 0");
	return r;
}

static int read_failure(struct fl_kube *k, uint32_t item)
{
	struct failure f = { .t = no_target };
	struct fl_failure_row row = { .place = fl_kube_place(k, item),
				      .node = { FL_NONE },
				      .machine = { FL_NONE },
				      .flavor = { FL_NONE },
				      .resource = { FL_NONE } };
	uint32_t unused;
	int r = fl_kube_need(k, item, "every", &unused);

	if (r == 0)
		r = fl_kube_need(k, item, "lasts", &unused);
	if (r == 0)
		r = fl_kube_map(k, item, fl_fields_failure, &f);
	if (r == 0)
		r = one_target(k, item, &f.t, "machine, clusterQueue, cohort");
	if (r == 0 && !f.t.is_machine)
		r = read_lost(k, item, &row, &f.t);
	if (r == 0 && f.t.is_machine && fl_doc_find(&k->doc, item, "amount") != FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "a machine fails as a whole");
	row.machine_name = f.t.machine_name;
	row.node_name = f.t.node_name;
	row.node_kind = f.t.node_kind;
	row.flavor_name = f.t.flavor_name;
	row.resource_name = f.t.resource_name;
	row.every = f.every;
	row.lasts = f.lasts;
	return r < 0 ? r : fl_model_push_failures(k->m, &row, /* ret_id= */ NULL, k->err);
}

int fl_simulation_failures(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	k->m->n_failures = 0;
	return fl_simulation_each(k, v, read_failure);
}
