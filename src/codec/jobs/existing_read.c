/* SPDX-License-Identifier: Apache-2.0 */
/* A Workload of the input, in the form of one that is made. */
#include "codec/jobs/existing_read.h"

#include <string.h>

#include "base/limits.h"
#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/workload.h"

bool fl_kjob_has_condition(const struct fl_kjobs_row *workload, const char *type)
{
	return fl_kjob_condition(fl_kjob_root(&workload->doc), type);
}

static struct fl_kjob_value owners_of(const struct fl_kjobs_row *workload)
{
	return fl_kjob_at(fl_kjob_root(&workload->doc), "metadata.ownerReferences");
}

const struct fl_kjobs_row *fl_kjob_workload_of(const struct fl_kjobs_run *run,
					       const struct fl_kjobs_row *owner)
{
	uint32_t end, at = fl_kjobs_owned_by(run, owner->namespace, owner->name, &end);

	for (; at < end; at++)
		if (fl_kjob_is(fl_kjob_get(run->owned[at].reference, "uid"), owner->uid))
			return run->owned[at].workload;
	return NULL;
}

const struct fl_kjobs_row *fl_kjob_find_workload(const struct fl_kjob *job)
{
	uint32_t end, at = fl_kjobs_owned_by(job->run, job->row->namespace, job->row->name, &end);
	const struct fl_kjobs_row *found = NULL;

	for (; at < end; at++) {
		const struct fl_kjobs_owned *owned = &job->run->owned[at];

		if (fl_kjob_is(fl_kjob_get(owned->reference, "kind"), job->framework->kind) &&
		    fl_kjob_is(fl_kjob_get(owned->reference, "apiVersion"),
			       job->framework->api_version) &&
		    (!found || fl_kjob_has_condition(found, "Finished")))
			found = owned->workload;
	}
	return found;
}

static int read_owners(const struct fl_kjob *job, const struct fl_kjobs_row *row,
		       struct fl_kjob_workload *w, fairlead_error *err)
{
	struct fl_kjob_value list = owners_of(row);
	uint32_t n = fl_kjob_count(list);

	if (!FL_NEW(job->run->arena, w->owners, n, err))
		return FAIRLEAD_ENOMEM;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		w->owners[w->n_owners++] = (struct fl_kjob_reference){
			.api_version = fl_kjob_text(fl_kjob_get(i, "apiVersion")),
			.kind = fl_kjob_text(fl_kjob_get(i, "kind")),
			.name = fl_kjob_text(fl_kjob_get(i, "name")),
			.uid = fl_kjob_text(fl_kjob_get(i, "uid")),
			.controller = fl_kjob_true(fl_kjob_get(i, "controller")),
		};
	return 0;
}

static int read_sets(const struct fl_kjob *job, struct fl_kjob_value spec,
		     struct fl_kjob_workload *w, fairlead_error *err)
{
	struct fl_kjob_value list = fl_kjob_get(spec, "podSets");
	struct fl_kjob_sets sets = { .n = 0 };

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i)) {
		int r = fl_kjob_add_set(job, &sets, fl_kjob_text(fl_kjob_get(i, "name")),
					fl_kjob_int_or(fl_kjob_get(i, "count"), 1),
					fl_kjob_get(i, "template"), err);

		if (r < 0)
			return r;
		sets.items[sets.n - 1].min_count = fl_kjob_int_or(fl_kjob_get(i, "minCount"), -1);
	}
	w->pod_sets = sets.items;
	w->n_pod_sets = sets.n;
	return fl_kjob_set_counted(job, w, err);
}

/* v1beta2 has a reference, v1beta1 a name and where it is from. */
static void read_class(struct fl_kjob_value spec, struct fl_kjob_workload *w)
{
	struct fl_kjob_value reference = fl_kjob_get(spec, "priorityClassRef");
	const char *source = fl_kjob_text(fl_kjob_get(spec, "priorityClassSource"));
	bool own = strcmp(source, "kueue.x-k8s.io/workloadpriorityclass") == 0;

	w->class_group = fl_kjob_text(fl_kjob_get(reference, "group"));
	w->class_kind = fl_kjob_text(fl_kjob_get(reference, "kind"));
	w->class_name = fl_kjob_text(fl_kjob_get(reference, "name"));
	if (fl_kjob_has(reference) || !*source)
		return;
	w->class_group = own ? "kueue.x-k8s.io" : "scheduling.k8s.io";
	w->class_kind = own ? "WorkloadPriorityClass" : "PriorityClass";
	w->class_name = fl_kjob_text(fl_kjob_get(spec, "priorityClassName"));
}

/* The reason of the condition Finished; NULL: it is not finished. */
static const char *finished(const struct fl_kjobs_row *row)
{
	struct fl_kjob_value list = fl_kjob_at(fl_kjob_root(&row->doc), "status.conditions");

	if (!fl_kjob_has_condition(row, "Finished"))
		return NULL;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (fl_kjob_is(fl_kjob_get(i, "type"), "Finished"))
			return fl_kjob_text(fl_kjob_get(i, "reason"));
	return NULL;
}

int fl_kjob_read_workload(const struct fl_kjob *job, const struct fl_kjobs_row *row,
			  struct fl_kjob_workload *w, fairlead_error *err)
{
	struct fl_kjob_value root = fl_kjob_root(&row->doc), spec = fl_kjob_get(root, "spec");
	int64_t limit = fl_kjob_int_or(fl_kjob_get(spec, "maximumExecutionTimeSeconds"), 0);
	bool active;
	int r;

	active = !fl_kjob_has(fl_kjob_get(spec, "active")) ||
		 fl_kjob_true(fl_kjob_get(spec, "active"));
	*w = (struct fl_kjob_workload){
		.namespace = row->namespace,
		.name = row->name,
		.queue = fl_kjob_text(fl_kjob_get(spec, "queueName")),
		.priority = fl_kjob_int_or(fl_kjob_get(spec, "priority"), 0),
		.time_limit = limit > 0 ? limit : 0,
		.finished = finished(row),
		.inactive = !active,
		.existing = root,
	};
	read_class(spec, w);
	if ((r = fl_kjob_read_pairs(job->run, fl_kjob_at(root, "metadata.labels"), &w->labels,
				    err)) < 0 ||
	    (r = fl_kjob_read_pairs(job->run, fl_kjob_at(root, "metadata.annotations"),
				    &w->annotations, err)) < 0 ||
	    (r = read_owners(job, row, w, err)) < 0)
		return r;
	r = read_sets(job, spec, w, err);
	return r < 0 ? fl_fail_in(err, "Workload '%.100s'", row->name) : 0;
}
