/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/adopt.h"

#include <string.h>

#include "model/table.h"

/* A name of `from`, as `to` knows it; FL_NONE: `to` does not have it. */
static struct fl_sym translate(const struct fl_adoption *a, struct fl_sym name)
{
	const char *text = fl_names_text(&a->from->names, name);

	return fl_names_find(&a->to->names, text, strlen(text));
}

static uint32_t find(const struct fl_adoption *a, enum fl_table table, struct fl_sym namespace,
		     struct fl_sym name)
{
	struct fl_sym there = translate(a, name);

	return there.v == FL_NONE ? FL_NONE : fl_table_find(a->to, table, namespace, there);
}

static void match_nodes(struct fl_adoption *a)
{
	memset(a->nodes_were, 0xff, a->to->n_nodes * sizeof *a->nodes_were); /* FL_NONE */
	for (uint32_t n = 0; n < a->from->n_nodes; n++) {
		const struct fl_node_row *row = &a->from->nodes[n];

		a->nodes[n] = find(a, fl_table_of_node(row), (struct fl_sym){ 0 }, row->name);
		if (a->nodes[n] != FL_NONE)
			a->nodes_were[a->nodes[n]] = n;
	}
}

static void match_queues(struct fl_adoption *a)
{
	for (uint32_t q = 0; q < a->from->n_queues; q++) {
		const struct fl_queue_row *row = &a->from->queues[q];
		struct fl_sym namespace = translate(a, row->namespace);

		a->queues[q] = namespace.v == FL_NONE ?
				       FL_NONE :
				       find(a, FL_TABLE_QUEUE, namespace, row->name);
	}
}

static void match_plain(struct fl_adoption *a)
{
	const struct fl_sym none = { 0 };

	for (uint32_t f = 0; f < a->from->n_flavors; f++)
		a->flavors[f] = find(a, FL_TABLE_FLAVOR, none, a->from->flavors[f].name);
	for (uint32_t m = 0; m < a->from->n_machines; m++)
		a->machines[m] = find(a, FL_TABLE_MACHINE, none, a->from->machines[m].name);
	for (uint32_t r = 0; r < a->from->n_resources; r++) {
		struct fl_sym name = translate(a, a->from->resources[r]);

		a->resources[r] = FL_NONE;
		for (uint32_t i = 0; name.v != FL_NONE && i < a->to->n_resources; i++)
			if (a->to->resources[i].v == name.v)
				a->resources[r] = i;
	}
}

static int match_workloads(struct fl_adoption *a, fairlead_error *err)
{
	memset(a->workloads, 0xff, a->from->n_workloads * sizeof *a->workloads); /* FL_NONE */
	for (uint32_t w = 0; w < a->to->n_workloads; w++) {
		uint32_t was = a->was[w].v;

		if (was == FL_NONE)
			continue;
		if (was >= a->from->n_workloads || a->workloads[was] != FL_NONE)
			return fl_fail(err, FAIRLEAD_EINPUT,
				       "workload %u cannot be the same as old workload %u", w, was);
		a->workloads[was] = w;
	}
	return 0;
}

static uint32_t *table(struct fl_adoption *a, uint32_t n, fairlead_error *err)
{
	return fl_arena_alloc(&a->arena, n, sizeof(uint32_t), err);
}

int fl_adoption_begin(struct fl_adoption *a, const struct fl_model *from, const struct fl_model *to,
		      const struct fl_workload *was, const struct fl_mem *mem, fairlead_error *err)
{
	int r;

	*a = (struct fl_adoption){ .from = from, .to = to, .was = was };
	fl_arena_init(&a->arena, mem);
	if (!(a->nodes = table(a, from->n_nodes, err)) ||
	    !(a->flavors = table(a, from->n_flavors, err)) ||
	    !(a->resources = table(a, from->n_resources, err)) ||
	    !(a->queues = table(a, from->n_queues, err)) ||
	    !(a->machines = table(a, from->n_machines, err)) ||
	    !(a->workloads = table(a, from->n_workloads, err)) ||
	    !(a->nodes_were = table(a, to->n_nodes, err))) {
		fl_adoption_done(a);
		return FAIRLEAD_ENOMEM;
	}
	match_nodes(a);
	match_queues(a);
	match_plain(a);
	r = match_workloads(a, err);
	if (r < 0)
		fl_adoption_done(a);
	return r;
}

void fl_adoption_done(struct fl_adoption *a) { fl_arena_done(&a->arena); }
