/* SPDX-License-Identifier: Apache-2.0 */
/* The Workload of a job: its name, labels, owner and time limit, and what the API server refuses. */
#include "codec/jobs/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "codec/jobs/name.h"
#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/object/requests.h"
#include "codec/jobs/priority.h"
#include "codec/jobs/reconcile.h"
#include "codec/jobs/validate.h"

int fl_kjob_add_workload(const struct fl_kjobs_run *run, struct fl_kjob_list *list,
			 struct fl_kjob_workload **ret, fairlead_error *err)
{
	struct fl_kjob_workload *items;

	if (list->n == FL_MAX_LIST)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d Workloads of one object",
			       FL_MAX_LIST);
	if (list->n == list->cap) {
		uint32_t cap = list->cap ? 2 * list->cap : 1;

		if (!FL_NEW(run->arena, items, cap, err))
			return FAIRLEAD_ENOMEM;
		if (list->n)
			memcpy(items, list->items, list->n * sizeof *items);
		list->items = items;
		list->cap = cap;
	}
	*ret = &list->items[list->n++];
	**ret = (struct fl_kjob_workload){
		.queue = "",
		.class_group = "",
		.class_kind = "",
		.class_name = "",
		.existing = FL_KJOB_NO_VALUE,
	};
	return 0;
}

const char *fl_kjob_label(const struct fl_kjob *job, const char *key)
{
	struct fl_kjob_value label = fl_kjob_get(job->labels, key);

	if (strcmp(key, FL_KJOB_QUEUE_LABEL) == 0 && *job->queue)
		return job->queue;
	if (strcmp(key, FL_KJOB_CLASS_LABEL) == 0 && *job->class)
		return job->class;
	return fl_kjob_has(label) ? fl_kjob_text(label) : NULL;
}

int fl_kjob_labels(const struct fl_kjob *job, struct fl_kjob_pairs *ret, fairlead_error *err)
{
	const struct fl_kjobs_config *config = job->run->config;
	int r = 0;

	for (uint32_t i = 0; i < config->n_label_keys && r == 0; i++) {
		const char *value = fl_kjob_label(job, config->label_keys[i]);

		if (value)
			r = fl_kjob_set_pair(job->run, ret, config->label_keys[i], value, err);
	}
	return r;
}

int fl_kjob_annotations(const struct fl_kjob *job, struct fl_kjob_pairs *ret, fairlead_error *err)
{
	static const char provision[] = "provreq.kueue.x-k8s.io/";
	int r = 0;

	for (struct fl_kjob_value i = fl_kjob_first(job->annotations); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(job->annotations, i)) {
		const char *key = fl_kjob_key(i), *value = fl_kjob_text(fl_kjob_of_key(i));

		if (strncmp(key, provision, sizeof provision - 1) == 0 ||
		    (strcmp(key, FL_KJOB_GATED_BY) == 0 && *value))
			r = fl_kjob_set_pair(job->run, ret, key, value, err);
	}
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fl_kjob_reference *)a)->name,
		      ((const struct fl_kjob_reference *)b)->name);
}

int fl_kjob_own(const struct fl_kjob *const *jobs, uint32_t n, bool controller,
		struct fl_kjob_workload *w, fairlead_error *err)
{
	if (!FL_NEW(jobs[0]->run->arena, w->owners, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		w->owners[i] = (struct fl_kjob_reference){
			.api_version = jobs[i]->framework->api_version,
			.kind = jobs[i]->framework->kind,
			.name = jobs[i]->row->name,
			.uid = jobs[i]->row->uid,
			.controller = controller,
		};
	qsort(w->owners, n, sizeof *w->owners, by_name);
	w->n_owners = n;
	return 0;
}

int64_t fl_kjob_time_limit(const struct fl_kjob *job)
{
	int64_t seconds;

	if (!fl_kjob_atoi(fl_kjob_text(fl_kjob_get(job->labels, FL_KJOB_TIME_LABEL)), &seconds) ||
	    seconds < 1 || seconds > INT32_MAX)
		return 0; /* one that is too large is no limit */
	return seconds;
}

static int set_name(const struct fl_kjob *job, int64_t index, struct fl_kjob_workload *w,
		    fairlead_error *err)
{
	uint32_t limit = fl_kjobs_gate(job->run, FL_KJOBS_SHORT_NAMES) ? FL_JOB_PREFIX_SHORT :
									 FL_JOB_PREFIX;
	struct fl_job_owner owner = {
		.kind = job->framework->kind,
		.api_version = job->framework->api_version,
		.name = job->row->name,
		.uid = job->row->uid,
		.generation = fl_kjob_int_or(fl_kjob_at(job->object, "metadata.generation"), 0),
		.elastic = fl_kjob_is_elastic(job),
	};
	char name[FL_JOB_NAME];

	if (index >= 0)
		owner.name = fl_kjobs_format(job->run, err, "%s-%" PRId64, job->row->name, index);
	if (!owner.name)
		return FAIRLEAD_ENOMEM;
	fl_job_workload_name(&owner, limit, name);
	w->namespace = job->row->namespace;
	w->name = fl_kjobs_format(job->run, err, "%s", name);
	return w->name ? 0 : FAIRLEAD_ENOMEM;
}

/* What the Workload of a set says of the set, for its pods to find it. */
static int annotate_set(const struct fl_kjob *job, int64_t index, struct fl_kjob_pairs *a,
			fairlead_error *err)
{
	const struct fl_kjobs_run *run = job->run;
	char *kind = fl_kjobs_format(run, err, "%s, Kind=%s", job->framework->api_version,
				     job->framework->kind);
	char *number = fl_kjobs_format(run, err, "%" PRId64, index);
	int r;

	if (!kind || !number)
		return FAIRLEAD_ENOMEM;
	if ((r = fl_kjob_set_pair(run, a, FL_KJOB_IS_GROUP, "true", err)) < 0 ||
	    (r = fl_kjob_set_pair(run, a, FL_KJOB_PREFIX_KUEUE "job-owner-gvk", kind, err)) < 0 ||
	    (r = fl_kjob_set_pair(run, a, FL_KJOB_PREFIX_KUEUE "job-owner-name", job->row->name,
				  err)) < 0)
		return r;
	return index < 0 ? 0 :
			   fl_kjob_set_pair(run, a, FL_KJOB_PREFIX_KUEUE "component-workload-index",
					    number, err);
}

int fl_kjob_set_counted(const struct fl_kjob *job, struct fl_kjob_workload *w, fairlead_error *err)
{
	for (uint32_t i = 0; i < w->n_pod_sets; i++) {
		enum fl_kjob_misfit misfit;
		int r = fl_kjob_count_pod(job->run, job->row->namespace, &w->pod_sets[i].pod,
					  &w->pod_sets[i].counted, &misfit, err);

		if (r < 0)
			return r;
		/* Limits of any pod are looked at before LimitRanges. */
		if (misfit == FL_KJOB_ABOVE_LIMITS || w->misfit == FL_KJOB_FITS)
			w->misfit = misfit;
	}
	return 0;
}

const char *fl_kjob_invalid(const struct fl_kjob *job, const struct fl_kjob_workload *w)
{
	const char *gated = fl_kjob_text(fl_kjob_get(job->annotations, FL_KJOB_GATED_BY));

	if (w->n_pod_sets < 1 || w->n_pod_sets > FL_KJOB_POD_SETS)
		return w->n_pod_sets ? "it has more than 18 pod sets" : "it has no pod set";
	for (uint32_t i = 0; i < w->n_pod_sets; i++) {
		const struct fl_kjob_pod_set *set = &w->pod_sets[i];

		if (!fl_kjob_is_label(set->name))
			return "a pod set's name is not a name of at most 63 lower case letters, "
			       "digits and '-'";
		if (set->count < 0 || set->count > INT32_MAX)
			return "the number of pods of a pod set is below 0, or too large";
		if (set->min_count == 0 || set->min_count > set->count)
			return "job-min-parallelism must be at least 1 and at most the number of "
			       "pods";
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(set->name, w->pod_sets[k].name) == 0)
				return "two pod sets have the same name";
	}
	if (*w->queue && !fl_kjob_is_subdomain(w->queue))
		return "its queue name is not the name of a LocalQueue";
	if (*gated && !fl_kjob_gates_valid(gated))
		return "kueue.x-k8s.io/admission-gated-by is not a list of 'domain/name'";
	return NULL;
}

int fl_kjob_fill(const struct fl_kjob *job, const struct fl_kjob_sets *sets, int64_t index,
		 struct fl_kjob_workload *w, enum fl_kjob_reason *reason, const char **detail,
		 fairlead_error *err)
{
	bool set = job->id == FL_FRAMEWORK_STATEFUL_SET ||
		   job->id == FL_FRAMEWORK_LEADER_WORKER_SET;
	const struct fl_kjobs_run *run = job->run;
	int r;

	w->queue = job->queue;
	w->time_limit = fl_kjob_time_limit(job);
	w->pod_sets = sets->items;
	w->n_pod_sets = sets->n;
	if ((r = set_name(job, index, w, err)) < 0)
		return r;
	*reason = fl_kjob_resolve_priority(job, sets, w);
	if (*reason != FL_KJOB_MADE)
		return fl_kjob_say_class(run, w, *reason, detail, err);
	if (job->id != FL_FRAMEWORK_STATEFUL_SET && (r = fl_kjob_labels(job, &w->labels, err)) < 0)
		return r;
	if ((r = fl_kjob_set_pair(run, &w->labels, FL_KJOB_UID_LABEL, job->row->uid, err)) < 0 ||
	    (r = fl_kjob_annotations(job, &w->annotations, err)) < 0 ||
	    (set && (r = annotate_set(job, index, &w->annotations, err)) < 0) ||
	    (r = fl_kjob_own(&job, 1, /* controller= */ !set, w, err)) < 0)
		return r;
	if (fl_kjob_is_elastic(job) &&
	    ((r = fl_kjob_set_pair(run, &w->annotations, FL_KJOB_ELASTIC, "true", err)) < 0 ||
	     (r = fl_kjob_set_pair(run, &w->annotations, FL_KJOB_SLICE, w->name, err)) < 0))
		return r;
	*detail = fl_kjob_invalid(job, w);
	if (*detail) {
		*reason = FL_KJOB_INVALID_WORKLOAD;
		return 0;
	}
	return fl_kjob_set_counted(job, w, err);
}
