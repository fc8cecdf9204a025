/* SPDX-License-Identifier: Apache-2.0 */
#include "report/entitle/explain_set.h"

#include <stdio.h>

#include "report/out/bundle_text.h"

/* Quotas of memory are in millions of bytes, of machines in bytes; cores are milli-cores in both. */
static const char *set_machine(const struct fl_report *r, const struct fl_entitle_change *c,
			       char buffer[FL_TRIAL_SET])
{
	const struct fl_model *m = r->model;
	const char *resource = fl_report_resource(m, m->axis[c->resource]);
	char field[320], value[40];

	snprintf(field, sizeof(field), "status.allocatable[%s]", resource);
	snprintf(value, sizeof(value), "%.15g%s", c->to, c->resource == FL_CPU ? "m" : "");
	return fl_trial_field(buffer, "Node", fl_report_machine(m, c->machine), field, value);
}

static const struct fl_gang *gang_of(const struct fl_report *r, const struct fl_entitle_sets *of)
{
	return &r->model->gangs[r->model->workloads[of->workload.v].gang];
}

/* From this priority on a gang that does not say so cannot be preempted. */
enum { FIRM = 100 };

uint32_t fl_entitle_sets(const struct fl_report *r, const struct fl_entitle_sets *of)
{
	const struct fl_gang *g = gang_of(r, of);
	bool keeps = of->change->kind == FL_CELL_PRIORITY && !g->lone &&
		     g->stated == FL_PREEMPTIBLE_UNSET && g->preemptible != (of->change->to < FIRM);

	return keeps ? 2 : 1;
}

const char *fl_entitle_class(const struct fl_report *r, const struct fl_entitle_sets *of,
			     char buffer[256])
{
	if (of->change->kind != FL_CELL_PRIORITY || gang_of(r, of)->lone)
		return NULL;
	snprintf(buffer, 256,
		 "{\"apiVersion\": \"scheduling.k8s.io/v1\", \"kind\": \"PriorityClass\", "
		 "\"metadata\": {\"name\": \"priority-%.15g\"}, \"value\": %.15g}",
		 of->change->to, of->change->to);
	return buffer;
}

static const char *set_priority(const struct fl_report *r, const struct fl_entitle_sets *of,
				uint32_t i, char buffer[FL_TRIAL_SET])
{
	char name[FL_REPORT_NAME], value[64];
	const struct fl_gang *g = gang_of(r, of);

	fl_report_workload(r->model, of->workload, name);
	snprintf(value, sizeof(value), "%s%.15g", g->lone ? "" : "priority-", of->change->to);
	if (g->lone)
		return fl_trial_field(buffer, "Pod", name, "spec.priority", value);
	if (i == 0)
		return fl_trial_field(buffer, "PodGroup", name, "priorityClassName", value);
	return fl_trial_field(buffer, "PodGroup", name, "preemptibility",
			      g->preemptible ? "preemptible" : "non-preemptible");
}

const char *fl_entitle_set(const struct fl_report *r, const void *user, uint32_t i,
			   char buffer[FL_TRIAL_SET])
{
	static const char *const fields[] = {
		[FL_CELL_DESERVED] = "quota",
		[FL_CELL_LIMIT] = "limit",
		[FL_CELL_OVER_QUOTA_WEIGHT] = "overQuotaWeight",
	};
	const struct fl_entitle_sets *of = user;
	const struct fl_entitle_change *c = of->change;
	const struct fl_model *m = r->model;
	double unit = c->resource == FL_MEMORY && c->kind != FL_CELL_OVER_QUOTA_WEIGHT ? 1e6 : 1;
	char field[64], value[40];

	switch (c->kind) {
	case FL_CELL_PRIORITY:
		return r->trial->of_queues ? NULL : set_priority(r, of, i, buffer);
	case FL_CELL_ALLOCATABLE:
		return r->trial->of_queues ? NULL : set_machine(r, c, buffer);
	case FL_CELL_QUEUE_PRIORITY:
		snprintf(field, sizeof(field), "priority");
		break;
	default:
		snprintf(field, sizeof(field), "resources.%s.%s", fl_bundle_name(c->resource),
			 fields[c->kind]);
	}
	snprintf(value, sizeof(value), "%.15g", c->to / unit);
	return fl_trial_field(buffer, "Queue", fl_report_node(m, c->node), field, value);
}
