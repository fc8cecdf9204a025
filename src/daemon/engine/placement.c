/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/placement.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "daemon/config/config_queue.h"

const char *fl_live_queue(const struct fl_living *of, const struct fl_live *job)
{
	const struct fl_model *m = of->generation->model;
	struct fl_sym namespace, queue;
	uint32_t local;

	if (job->workload.v != FL_NONE) {
		struct fl_node node = m->workloads[job->workload.v].cluster_queue;

		return node.v == FL_NONE ? "" : fl_model_text(m, m->nodes[node.v].name);
	}
	if (fl_config_queue(m, fl_names_text(&of->jobs->names, job->queue), &namespace, &queue,
			    NULL) < 0)
		return "";
	local = fl_config_local_queue(m, namespace, queue);
	return local == FL_NONE ? fl_model_text(m, queue) :
				  fl_model_text(m, m->queues[local].cluster_queue_name);
}

/* Entitle has no flavors: the first flavor of the machine that has the resource. */
static const char *flavor_with(const struct fl_living *of, const char *resource)
{
	for (uint32_t i = 0; i < of->capacity->n; i++)
		if (strcmp(of->capacity->rows[i].resource, resource) == 0)
			return of->capacity->rows[i].flavor;
	return "";
}

static uint32_t grants_of_gang(const struct fl_living *of, const struct fl_live *job,
			       struct fl_run_grant *ret, uint32_t room)
{
	const struct fl_asks *a = &of->jobs->asks[job->asks];
	uint32_t n = a->n_requests < room ? a->n_requests : room;

	for (uint32_t i = 0; i < n; i++) {
		const char *resource = fl_names_text(&of->jobs->names, a->requests[i].resource);

		(void)snprintf(ret[i].resource, sizeof ret[i].resource, "%s", resource);
		(void)snprintf(ret[i].flavor, sizeof ret[i].flavor, "%s",
			       flavor_with(of, resource));
		ret[i].amount = a->requests[i].amount * a->tasks;
	}
	return n;
}

uint32_t fl_live_grants(const struct fl_living *of, const struct fl_live *job,
			struct fl_run_grant *ret, uint32_t room)
{
	const struct fl_generation *g = of->generation;
	const struct fl_placement *rows;
	uint32_t n = 0, kept = 0;

	if (job->workload.v == FL_NONE)
		return 0;
	rows = g->ops->placement(g->policy, job->workload, &n);
	if (n && g->model->workloads[job->workload.v].gang != FL_NONE)
		return grants_of_gang(of, job, ret, room);
	for (uint32_t i = 0; i < n && kept < room; i++) {
		if (rows[i].resource.v == FL_NONE)
			continue;
		(void)snprintf(ret[kept].resource, sizeof ret[kept].resource, "%s",
			       fl_model_text(g->model, g->model->resources[rows[i].resource.v]));
		(void)snprintf(ret[kept].flavor, sizeof ret[kept].flavor, "%s",
			       fl_model_text(g->model, g->model->flavors[rows[i].flavor.v].name));
		ret[kept++].amount = rows[i].amount;
	}
	return kept;
}

/* --- as text --- */

const char *fl_grants_text(const struct fl_run_grant *grants, uint32_t n, char buffer[FL_PLACEMENT])
{
	size_t size = FL_PLACEMENT, used = 1;

	buffer[0] = '\0';
	if (!n)
		return NULL;
	buffer[0] = '[';
	for (uint32_t i = 0; i < n; i++)
		used += (size_t)snprintf(
			buffer + used, size - used,
			"%s{\"resource\":\"%s\",\"flavor\":\"%s\",\"amount\":%lld}", i ? "," : "",
			grants[i].resource, grants[i].flavor, (long long)grants[i].amount);
	buffer[used++] = ']';
	buffer[used] = '\0';
	return buffer;
}

const char *fl_live_placement(const struct fl_living *of, const struct fl_live *job,
			      char buffer[FL_PLACEMENT])
{
	struct fl_run_grant grants[FL_GRANTS];

	return fl_grants_text(grants, fl_live_grants(of, job, grants, FL_GRANTS), buffer);
}

int fl_placement_read(const char *json, struct fl_run_grant *ret, uint32_t room, uint32_t *ret_n,
		      fairlead_error *err)
{
	json_t *list = json_loads(json, 0, NULL), *item;
	size_t i;
	int r = json_is_array(list) && json_array_size(list) <= room ? 0 : FAIRLEAD_EINPUT;

	json_array_foreach(list, i, item)
	{
		const char *flavor = NULL, *resource = NULL;
		json_int_t amount = 0;

		if (r < 0 || json_unpack(item, "{s:s, s:s, s:I}", "resource", &resource, "flavor",
					 &flavor, "amount", &amount) != 0) {
			r = FAIRLEAD_EINPUT;
			break;
		}
		(void)snprintf(ret[i].resource, sizeof ret->resource, "%s", resource);
		(void)snprintf(ret[i].flavor, sizeof ret->flavor, "%s", flavor);
		ret[i].amount = amount;
	}
	*ret_n = (uint32_t)i;
	json_decref(list);
	return r < 0 ? fl_fail(err, r, "the placement of a job is damaged") : 0;
}
