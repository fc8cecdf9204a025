/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes at a time, and failures at random.
 *
 * One entry of changes may change several numbers of one queue or machine: a row for each.  Numbers
 * of a Queue have the units of pods: cores, bytes, GPUs.
 */
#include <math.h>
#include <string.h>

#include "codec/own/simulation.h"

/* --- the target --- */

struct target {
	struct fl_sym machine_name, node_name, flavor_name, resource_name;
	bool said[FL_QUEUE + 2]; /* by kind of node; of a machine */
};
enum { MACHINE = FL_QUEUE + 1 };

static const struct target no_target = { .machine_name = { FL_NONE },
					 .node_name = { FL_NONE },
					 .flavor_name = { FL_NONE },
					 .resource_name = { FL_NONE } };

static enum fl_node_kind kind_of(const struct target *t)
{
	return t->said[FL_QUEUE] ? FL_QUEUE : t->said[FL_COHORT] ? FL_COHORT : FL_CLUSTER_QUEUE;
}

/* Both fields, or an error that says which. */
static int need_cell(struct fl_kube *k, uint32_t item, const struct target *t)
{
	if (t->flavor_name.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "no 'flavor': a quota is for one flavor");
	if (t->resource_name.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "no 'resource': a quota is for one resource");
	return 0;
}

static int one_target(struct fl_kube *k, uint32_t item, const struct target *t, const char *names)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i <= MACHINE; i++)
		kinds += t->said[i];
	if (kinds != 1 || (t->said[MACHINE] ? t->machine_name : t->node_name).v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "expected one of %s", names);
	return 0;
}

/* --- changes --- */

struct change {
	struct target t; /* first: the fields above write here */
	fl_time at;
	bool kills, says_kills;
};

/* The numbers that can change, the targets that have them, and their cells. */
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

#define NODE(field, kind, type)                                                                    \
	{                                                                                          \
		FL_IS(field, name, struct target, node_name), FL_SAID(struct target, said[kind]),  \
			.one = true, .text = type, .schema = FL_NOT_EMPTY_SCHEMA                   \
	}
#define OTHER(field, member, type)                                                                 \
	FL_IS(field, name, struct target, member), .text = type, .schema = FL_NOT_EMPTY_SCHEMA

#define TARGETS                                                                                    \
	NODE("clusterQueue", FL_CLUSTER_QUEUE, FL_TEXT_CLUSTER_QUEUE),                             \
		NODE("cohort", FL_COHORT, FL_TEXT_COHORT),                                         \
		{ OTHER("flavor", flavor_name, FL_TEXT_FLAVOR) },                                  \
		{ OTHER("machine", machine_name, FL_TEXT_MACHINE),                                 \
		  FL_SAID(struct target, said[MACHINE]), .one = true },                            \
	{                                                                                          \
		OTHER("resource", resource_name, FL_TEXT_RESOURCE)                                 \
	}

/* The unit depends on the resource: read from the map when the other fields are known. */
#define LATER(field)                                                                               \
	{                                                                                          \
		.name = field, .type = &fl_type_any, .schema = FL_QUANTITY_SCHEMA                  \
	}

const struct fl_field fl_fields_change[] = {
	{ FL_IS("at", period, struct change, at), .needed = true,
	  .doc = "Time after the start of the simulation." },
	TARGETS,
	NODE("queue", FL_QUEUE, FL_TEXT_CLUSTER_QUEUE),
	LATER("nominalQuota"),
	LATER("borrowingLimit"), /* or "unlimited" */
	LATER("lendingLimit"),
	LATER("weight"),
	LATER("deserved"),
	LATER("limit"),
	LATER("overQuotaWeight"),
	{ .name = "priority",
	  .type = &fl_type_any,
	  .schema = "\"type\": \"integer\", \"minimum\": -2147483648, \"maximum\": 2147483647" },
	LATER("allocatable"),
	{ FL_IS("kills", flag, struct change, kills), FL_SAID(struct change, says_kills),
	  .doc = "Workloads that hold more than is left are killed, newest first, and requeued; default: only for a machine." },
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

/* Does the target have the number @n, and is its cell complete? */
static int check_number(struct fl_kube *k, uint32_t item, uint32_t v, const struct number *n,
			const struct target *t)
{
	bool fits = t->said[MACHINE]       ? n->of_machine :
		    kind_of(t) == FL_QUEUE ? n->of_queue :
					     n->of_quota;

	if (!fits)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a %s has no '%s'",
				    t->said[MACHINE]        ? "machine" :
				    kind_of(t) == FL_QUEUE  ? "Queue" :
				    kind_of(t) == FL_COHORT ? "Cohort" :
							      "ClusterQueue",
				    n->name);
	if (n->of_resource && n->of_quota)
		return need_cell(k, item, t);
	if (n->of_resource && t->resource_name.v == FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "no 'resource': say which one changes");
	return 0;
}

static int push_number(struct fl_kube *k, uint32_t item, uint32_t v, const struct number *n,
		       const struct change *c)
{
	struct fl_change_row row = { .at = c->at,
				     .cell = n->cell,
				     .node_name = c->t.node_name,
				     .node_kind = kind_of(&c->t),
				     .machine_name = c->t.machine_name,
				     .flavor_name = { FL_NONE },
				     .resource_name = { FL_NONE },
				     .kills = c->says_kills ? c->kills : c->t.said[MACHINE],
				     .place = fl_kube_place_of(k, v),
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

int fl_simulation_change(struct fl_kube *k, uint32_t item, void *unused)
{
	struct change c = { .t = no_target };
	uint32_t before = k->m->n_changes;
	int r = fl_kube_whole(k, item, fl_fields_change, &c);

	(void)unused;
	if (r == 0)
		r = one_target(k, item, &c.t, "clusterQueue, cohort, queue, machine");
	for (uint32_t i = 0; i < N_NUMBERS && r == 0; i++) {
		uint32_t v = fl_doc_find(&k->doc, item, numbers[i].name);

		if (v != FL_NONE && !fl_kube_is_null(k, v))
			r = push_number(k, item, v, &numbers[i], &c);
	}
	if (r == 0 && k->m->n_changes == before)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT,
				    "no number is given, so nothing would change");
	return r;
}

/* --- failures --- */

struct failure {
	struct target t; /* first */
	fl_time every, lasts;
};

const struct fl_field fl_fields_failure[] = {
	TARGETS,
	{ .name = "amount",
	  .type = &fl_type_any,
	  .schema = FL_QUANTITY_SCHEMA,
	  .doc = "The part of the quota that is lost in a failure." },
	{ FL_IS("every", length, struct failure, every), .needed = true,
	  .doc = "Mean time from the end of a failure to the next one." },
	{ FL_IS("lasts", length, struct failure, lasts), .needed = true,
	  .doc = "Mean duration of a failure." },
	{ .name = NULL },
};

/* The part of a quota that fails: which quota, and how much of it. */
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

int fl_simulation_failure(struct fl_kube *k, uint32_t item, void *unused)
{
	struct failure f = { .t = no_target };
	struct fl_failure_row row = { .place = fl_kube_place_of(k, item),
				      .node = { FL_NONE },
				      .machine = { FL_NONE },
				      .flavor = { FL_NONE },
				      .resource = { FL_NONE } };
	int r = fl_kube_whole(k, item, fl_fields_failure, &f);

	(void)unused;
	if (r == 0)
		r = one_target(k, item, &f.t, "machine, clusterQueue, cohort");
	if (r == 0 && !f.t.said[MACHINE])
		r = read_lost(k, item, &row, &f.t);
	if (r == 0 && f.t.said[MACHINE] && fl_doc_find(&k->doc, item, "amount") != FL_NONE)
		return fl_kube_fail(k, item, FAIRLEAD_EINPUT, "a machine fails as a whole");
	row.machine_name = f.t.machine_name;
	row.node_name = f.t.node_name;
	row.node_kind = kind_of(&f.t);
	row.flavor_name = f.t.flavor_name;
	row.resource_name = f.t.resource_name;
	row.every = f.every;
	row.lasts = f.lasts;
	return r < 0 ? r : fl_model_push_failures(k->m, &row, /* ret_id= */ NULL, k->err);
}
