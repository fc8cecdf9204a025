/* SPDX-License-Identifier: Apache-2.0 */
/* What Kueue counts of the template of a pod. */
#include "codec/jobs/object/pod.h"

#include <string.h>

#include "base/limits.h"
#include "codec/jobs/object/amounts.h"

static int read_container(const struct fl_kjobs_run *run, struct fl_kjob_value value, bool init,
			  struct fl_kjob_container *ret, fairlead_error *err)
{
	struct fl_kjob_value resources = fl_kjob_get(value, "resources");
	int r;

	*ret = (struct fl_kjob_container){
		.name = fl_kjob_text(fl_kjob_get(value, "name")),
		.value = value,
		.sidecar = init && fl_kjob_is(fl_kjob_get(value, "restartPolicy"), "Always"),
	};
	r = fl_kjob_read_amounts(run, fl_kjob_get(resources, "requests"), &ret->requests, err);
	if (r == 0)
		r = fl_kjob_read_amounts(run, fl_kjob_get(resources, "limits"), &ret->limits, err);
	return r < 0 ? fl_fail_in(err, "container '%.100s'", ret->name) : 0;
}

static int read_containers(const struct fl_kjobs_run *run, struct fl_kjob_value list, bool init,
			   struct fl_kjob_container **ret, uint32_t *ret_n, fairlead_error *err)
{
	struct fl_kjob_container *items;
	uint32_t n = fl_kjob_is_list(list) ? fl_kjob_count(list) : 0, at = 0;

	if (n > FL_MAX_LIST)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d containers", FL_MAX_LIST);
	if (!FL_NEW(run->arena, items, n, err))
		return FAIRLEAD_ENOMEM;
	if (n == 0)
		list = FL_KJOB_NO_VALUE;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i)) {
		int r = read_container(run, i, init, &items[at++], err);

		if (r < 0)
			return r;
	}
	*ret = items;
	*ret_n = n;
	return 0;
}

int fl_kjob_read_pod(const struct fl_kjobs_run *run, struct fl_kjob_value template,
		     struct fl_kjob_pod *ret, fairlead_error *err)
{
	struct fl_kjob_value spec = fl_kjob_get(template, "spec");
	struct fl_kjob_value resources = fl_kjob_get(spec, "resources");
	struct fl_kjob_value overhead = fl_kjob_get(spec, "overhead");
	int r;

	*ret = (struct fl_kjob_pod){
		.template = template,
		.has_resources = fl_kjob_is_map(resources),
		.has_overhead = fl_kjob_is_map(overhead),
		.tolerations = fl_kjob_get(spec, "tolerations"),
		.affinity = fl_kjob_get(spec, "affinity"),
		.runtime_class = fl_kjob_text(fl_kjob_get(spec, "runtimeClassName")),
		.priority_class = fl_kjob_text(fl_kjob_get(spec, "priorityClassName")),
	};
	if ((r = read_containers(run, fl_kjob_get(spec, "containers"), /* init= */ false,
				 &ret->containers, &ret->n_containers, err)) < 0 ||
	    (r = read_containers(run, fl_kjob_get(spec, "initContainers"), /* init= */ true,
				 &ret->init, &ret->n_init, err)) < 0 ||
	    (r = fl_kjob_read_amounts(run, fl_kjob_get(resources, "requests"), &ret->requests,
				      err)) < 0 ||
	    (r = fl_kjob_read_amounts(run, fl_kjob_get(resources, "limits"), &ret->limits, err)) <
		    0 ||
	    (r = fl_kjob_read_amounts(run, overhead, &ret->overhead, err)) < 0)
		return r;
	return fl_kjob_read_pairs(run, fl_kjob_get(spec, "nodeSelector"), &ret->node_selector, err);
}

int fl_kjob_add_container(const struct fl_kjobs_run *run, struct fl_kjob_pod *pod,
			  struct fl_kjob_container **ret, fairlead_error *err)
{
	struct fl_kjob_container *items;

	if (!FL_NEW(run->arena, items, pod->n_containers + 1, err))
		return FAIRLEAD_ENOMEM;
	if (pod->n_containers)
		memcpy(items, pod->containers, pod->n_containers * sizeof *items);
	pod->containers = items;
	*ret = &items[pod->n_containers++];
	(*ret)->name = "";
	(*ret)->value = FL_KJOB_NO_VALUE;
	pod->rebuilt = true;
	return 0;
}

void fl_kjob_strip_pod(struct fl_kjob_pod *pod)
{
	for (uint32_t i = 0; i < pod->n_init; i++)
		pod->init[i].sidecar = false;
	pod->has_resources = false;
	pod->requests = pod->limits = (struct fl_kjob_amounts){ .n = 0 };
	pod->runtime_class = "";
	pod->rebuilt = true;
}
