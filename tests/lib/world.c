/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const resource_names[WORLD_RESOURCES] = { "r0", "r1", "r2" };

static void must(int r, const fairlead_error *err)
{
	if (r < 0)
		fail_msg("%s: %s", err->subject, err->text);
}

struct fl_sym world_sym(struct fl_model *m, const char *text)
{
	fairlead_error err;
	struct fl_sym sym;

	must(fl_model_sym(m, text, strlen(text), &sym, &err), &err);
	return sym;
}

static struct fl_span push_group(struct fl_model *m, const struct world_node *node,
				 uint32_t resources)
{
	struct fl_group group = { .resources = { m->n_syms, resources },
				  .flavors = { m->n_group_flavors, 1 } };
	struct fl_group_flavor flavor = { .name = world_sym(m, "f"),
					  .quotas = { m->n_quotas, resources } };
	fairlead_error err;
	uint32_t id;

	for (uint32_t r = 0; r < resources; r++) {
		struct fl_sym name = world_sym(m, resource_names[r]);
		struct fl_quota quota = { .flavor_name = flavor.name,
					  .resource_name = name,
					  .nominal = node->quota[r].nominal,
					  .borrowing_limit = node->quota[r].borrow,
					  .lending_limit = node->quota[r].lend };

		must(fl_model_push_syms(m, &name, NULL, &err), &err);
		must(fl_model_push_quotas(m, &quota, NULL, &err), &err);
	}
	must(fl_model_push_group_flavors(m, &flavor, NULL, &err), &err);
	must(fl_model_push_groups(m, &group, &id, &err), &err);
	return (struct fl_span){ id, 1 };
}

struct fl_model *world_open(const struct fl_mem *mem, const struct world_node *nodes, uint32_t n,
			    uint32_t resources)
{
	struct fl_flavor_row flavor = { 0 };
	struct fl_model *m = NULL;
	fairlead_error err;

	must(fl_model_new(mem, &m, &err), &err);
	flavor.name = world_sym(m, "f");
	must(fl_model_add_flavor(m, &flavor, &err), &err);
	for (uint32_t i = 0; i < n; i++) {
		struct fl_node_row row = nodes[i].kind == FL_COHORT ? fl_cohort_default :
								      fl_cluster_queue_default;

		row.name = world_sym(m, nodes[i].name);
		if (nodes[i].parent)
			row.parent_name = world_sym(m, nodes[i].parent);
		row.weight = nodes[i].weight;
		row.groups = push_group(m, &nodes[i], resources);
		row.namespaces.present = true;
		must(fl_model_add_node(m, &row, &err), &err);
	}
	return m;
}

struct fl_model *world_new(const struct fl_mem *mem, const struct world_node *nodes, uint32_t n,
			   uint32_t resources)
{
	struct fl_model *m = world_open(mem, nodes, n, resources);
	fairlead_error err;

	must(fl_model_seal(m, &err), &err);
	return m;
}

static struct fl_span push_admission(struct fl_model *m, const struct world_job *job,
				     uint32_t resources)
{
	struct fl_podset_assignment podset = { .podset = world_sym(m, "main"),
					       .count = 1,
					       .assignments = { m->n_assignments, resources } };
	fairlead_error err;
	uint32_t id;

	for (uint32_t r = 0; r < resources; r++) {
		struct fl_assignment row = { .resource_name = world_sym(m, resource_names[r]),
					     .flavor_name = world_sym(m, "f"),
					     .amount = job->ask[r] };

		must(fl_model_push_assignments(m, &row, NULL, &err), &err);
	}
	must(fl_model_push_podset_assignments(m, &podset, &id, &err), &err);
	return (struct fl_span){ id, 1 };
}

static struct fl_span push_podset(struct fl_model *m, const struct world_job *job,
				  uint32_t resources)
{
	struct fl_podset row = fl_podset_default;
	fairlead_error err;
	uint32_t id;

	row.name = world_sym(m, "main");
	row.count = 1;
	row.requests = (struct fl_span){ m->n_requests, resources };
	for (uint32_t r = 0; r < resources; r++) {
		struct fl_request request = { .resource_name = world_sym(m, resource_names[r]),
					      .amount = job->ask[r] };

		row.spec_hash = row.spec_hash * 31 + (uint64_t)job->ask[r];
		must(fl_model_push_requests(m, &request, NULL, &err), &err);
	}
	must(fl_model_push_podsets(m, &row, &id, &err), &err);
	return (struct fl_span){ id, 1 };
}

void world_add_job(struct fl_model *m, const struct world_job *job, uint32_t resources)
{
	struct fl_workload_row row = fl_workload_default;
	struct fl_queue_row queue = fl_queue_default;
	char name[300];
	fairlead_error err;

	(void)snprintf(name, sizeof name, "lq-%s", job->queue);
	queue.namespace = row.namespace = world_sym(m, "ns");
	queue.name = row.queue_name = world_sym(m, name);
	queue.cluster_queue_name = world_sym(m, job->queue);
	bool known = false;
	for (uint32_t i = 0; i < m->n_queues; i++)
		known |= m->queues[i].name.v == queue.name.v;
	if (!known)
		must(fl_model_add_queue(m, &queue, &err), &err);
	row.name = row.uid = world_sym(m, job->name);
	row.has_priority = true;
	row.priority = job->priority;
	row.created = job->age * FL_SECOND;
	row.podsets = push_podset(m, job, resources);
	if (job->admitted) {
		row.reserved = row.admitted = true;
		row.reserved_at = row.created;
		row.admitted_queue_name = world_sym(m, job->queue);
		row.admission = push_admission(m, job, resources);
	}
	must(fl_model_add_workload(m, &row, &err), &err);
}

struct fl_policy *world_policy(const struct fl_mem *mem, const struct fl_model *m, fl_time now)
{
	struct fl_policy_options options = { .mem = mem, .now = now };
	struct fl_policy *p = NULL;
	fairlead_error err;

	must(fl_borrow_policy.new(m, &options, &p, &err), &err);
	return p;
}
