/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/workload_doc.h"

#include "codec/jobs/object/compose.h"

/* A Pod is more than a template. */
static bool is_whole(const struct fl_kjob_pod *pod)
{
	return fl_kjob_is(fl_kjob_get(pod->template, "kind"), "Pod");
}

static void put_template(struct fl_compose *o, const struct fl_kjob_pod *pod)
{
	uint32_t k = fl_compose_key(o, "template"), map = fl_compose_map(o);

	if (is_whole(pod))
		fl_compose_value(o, "metadata", fl_kjob_get(pod->template, "metadata"));
	fl_compose_pod_spec(o, pod);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

static void put_pod_set(struct fl_compose *o, const struct fl_kjob_pod_set *set)
{
	uint32_t map = fl_compose_map(o);

	fl_compose_text(o, "name", set->name);
	fl_compose_int(o, "count", set->count);
	if (set->min_count >= 0)
		fl_compose_int(o, "minCount", set->min_count);
	if (set->pod.rebuilt || is_whole(&set->pod))
		put_template(o, &set->pod);
	else
		fl_compose_value(o, "template", set->pod.template);
	fl_compose_end(o, map);
}

static void put_owners(struct fl_compose *o, const struct fl_kjob_workload *w)
{
	uint32_t k = fl_compose_key(o, "ownerReferences"), list = fl_compose_list(o);

	for (uint32_t i = 0; i < w->n_owners; i++)
		fl_compose_owner(o, &w->owners[i]);
	fl_compose_end(o, list);
	fl_compose_end(o, k);
}

static void put_metadata(struct fl_compose *o, const struct fl_kjob_workload *w,
			 const char *created, struct fl_kjob_value annotations)
{
	uint32_t k = fl_compose_key(o, "metadata"), map = fl_compose_map(o);

	fl_compose_text(o, "namespace", w->namespace);
	fl_compose_text(o, "name", w->name);
	fl_compose_text(o, "creationTimestamp", created);
	fl_compose_pairs(o, "labels", &w->labels);
	fl_compose_value(o, "annotations", annotations);
	put_owners(o, w);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

static void put_class(struct fl_compose *o, const struct fl_kjob_workload *w)
{
	uint32_t k, map;

	if (!*w->class_name)
		return;
	k = fl_compose_key(o, "priorityClassRef");
	map = fl_compose_map(o);
	fl_compose_text(o, "group", w->class_group);
	fl_compose_text(o, "kind", w->class_kind);
	fl_compose_text(o, "name", w->class_name);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

static void put_spec(struct fl_compose *o, const struct fl_kjob_workload *w)
{
	uint32_t k = fl_compose_key(o, "spec"), map = fl_compose_map(o), sets, list;

	fl_compose_text(o, "queueName", w->queue);
	fl_compose_int(o, "priority", w->priority);
	put_class(o, w);
	if (w->inactive)
		fl_compose_scalar(o, "active", FL_SCALAR_BOOL, "false");
	if (w->time_limit)
		fl_compose_int(o, "maximumExecutionTimeSeconds", w->time_limit);
	sets = fl_compose_key(o, "podSets");
	list = fl_compose_list(o);
	for (uint32_t i = 0; i < w->n_pod_sets; i++)
		put_pod_set(o, &w->pod_sets[i]);
	fl_compose_end(o, list);
	fl_compose_end(o, sets);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

/* The annotations of the job, as those that say how long it runs count for its Workload, too. */
int fl_kjob_workload_doc(const struct fl_kjob_workload *w, struct fl_kjob_value job,
			 const char *created, struct fl_doc *ret, fairlead_error *err)
{
	const struct fl_value *at = &job.doc->values[job.v];
	struct fl_compose o = { .doc = ret, .line = at->line, .column = at->column, .err = err };
	uint32_t map = fl_compose_map(&o);

	fl_compose_text(&o, "apiVersion", "kueue.x-k8s.io/v1beta2");
	fl_compose_text(&o, "kind", "Workload");
	put_metadata(&o, w, created, fl_kjob_at(job, "metadata.annotations"));
	put_spec(&o, w);
	fl_compose_end(&o, map);
	return o.code;
}
