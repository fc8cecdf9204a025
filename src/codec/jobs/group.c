/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that belong together: all pods of one group are one Workload, a set of pods for each role. */
#include "codec/jobs/group.h"

#include <stdlib.h>
#include <string.h>

#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/object/role_hash.h"
#include "codec/jobs/priority.h"
#include "codec/jobs/reconcile.h"
#include "codec/jobs/workload.h"

const char *fl_kjob_group(struct fl_kjob_value pod)
{
	const char *name =
		fl_kjob_text(fl_kjob_get(fl_kjob_at(pod, "metadata.annotations"), FL_KJOB_GROUP));

	return *name ? name :
		       fl_kjob_text(fl_kjob_get(fl_kjob_at(pod, "metadata.labels"), FL_KJOB_GROUP));
}

static const char *annotation(const struct fl_kjob *job, const char *key)
{
	return fl_kjob_text(fl_kjob_get(job->annotations, key));
}

static bool in_phase(const struct fl_kjob *job, const char *phase)
{
	return fl_kjob_is(fl_kjob_at(job->object, "status.phase"), phase);
}

static bool is_gone(const struct fl_kjob *job)
{
	return in_phase(job, "Failed") ||
	       (fl_kjob_has(fl_kjob_at(job->object, "metadata.deletionTimestamp")) &&
		!*fl_kjob_text(fl_kjob_get(job->spec, "nodeName")));
}

bool fl_kjob_is_gated(const struct fl_kjob *job)
{
	struct fl_kjob_value list = fl_kjob_get(job->spec, "schedulingGates");

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (fl_kjob_is(fl_kjob_get(i, "name"), FL_KJOB_ADMISSION_GATE))
			return true;
	return job->gated_now;
}

/* Those that are kept when there are too many come first. */
static int by_worth(const void *a, const void *b)
{
	const struct fl_kjob *x = *(const struct fl_kjob *const *)a,
			     *y = *(const struct fl_kjob *const *)b;
	int c = (int)y->finalizer - (int)x->finalizer;

	if (c == 0)
		c = (int)fl_kjob_is_gated(x) - (int)fl_kjob_is_gated(y);
	if (c == 0)
		c = strcmp(fl_kjob_text(fl_kjob_at(x->object, "metadata.creationTimestamp")),
			   fl_kjob_text(fl_kjob_at(y->object, "metadata.creationTimestamp")));
	return c ? c : strcmp(x->row->name, y->row->name);
}

/* What keeps the group from having a Workload; *ret_total pods belong to it. */
static enum fl_kjob_reason reconcile(struct fl_kjob *jobs, uint32_t n, int64_t *ret_total)
{
	int64_t total = 0, succeeded = 0;
	enum fl_kjob_reason reason = fl_kjob_reconcile(jobs);

	if (reason != FL_KJOB_MADE)
		return reason;
	(void)fl_kjob_atoi(annotation(jobs, FL_KJOB_GROUP_TOTAL), &total);
	for (uint32_t i = 0; i < n; i++)
		succeeded += in_phase(&jobs[i], "Succeeded");
	if (succeeded >= total && strcmp(annotation(jobs, FL_KJOB_GROUP_SERVING), "true") != 0)
		return FL_KJOB_FINISHED;
	for (uint32_t i = 0; i < n; i++)
		if (in_phase(&jobs[i], "Running"))
			return FL_KJOB_ACTIVE;
	*ret_total = total;
	return *fl_kjob_prebuilt(jobs) ? FL_KJOB_PREBUILT_MISSING : FL_KJOB_MADE;
}

static bool is_fast(const struct fl_kjob *job)
{
	return strcmp(annotation(job, FL_KJOB_GROUP_FAST), "true") == 0;
}

static enum fl_kjob_reason check_pods(const struct fl_kjob *const *kept, uint32_t n,
				      const struct fl_kjob *first, int64_t total)
{
	if (n < total && (n == 0 || !is_fast(first)))
		return FL_KJOB_GROUP_INCOMPLETE;
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(kept[i]->queue, first->queue) != 0 ||
		    strcmp(annotation(kept[i], FL_KJOB_GROUP_TOTAL),
			   annotation(first, FL_KJOB_GROUP_TOTAL)) != 0)
			return FL_KJOB_GROUP_INCONSISTENT;
	return FL_KJOB_MADE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fl_kjob_pod_set *)a)->name,
		      ((const struct fl_kjob_pod_set *)b)->name);
}

/* A set for each role. */
static int role_sets(const struct fl_kjob *const *kept, uint32_t n, int64_t total,
		     struct fl_kjob_sets *sets, fairlead_error *err)
{
	bool fast = is_fast(kept[0]);

	/* One role too many is enough to refuse the Workload. */
	for (uint32_t i = 0; i < (fast ? 1 : n) && sets->n <= FL_KJOB_POD_SETS; i++) {
		const char *role;
		uint32_t k = 0;
		int r = fl_kjob_role(kept[i], &role, err);

		if (r < 0)
			return r;
		while (k < sets->n && strcmp(sets->items[k].name, role) != 0)
			k++;
		if (k < sets->n)
			sets->items[k].count++;
		else if ((r = fl_kjob_add_set(kept[i], sets, role, fast ? total : 1,
					      kept[i]->object, err)) < 0)
			return r;
	}
	qsort(sets->items, sets->n, sizeof *sets->items, by_name);
	return 0;
}

/* Labels of all pods; two of different values are a contradiction. */
static int labels(const struct fl_kjob *const *kept, uint32_t n, struct fl_kjob_workload *w,
		  enum fl_kjob_reason *reason, fairlead_error *err)
{
	const struct fl_kjobs_config *config = kept[0]->run->config;

	for (uint32_t k = 0; k < config->n_label_keys; k++) {
		const char *value = NULL;

		for (uint32_t i = 0; i < n; i++) {
			const char *own = fl_kjob_label(kept[i], config->label_keys[k]);

			if (own && value && strcmp(own, value) != 0) {
				*reason = FL_KJOB_GROUP_INCONSISTENT;
				return 0;
			}
			value = own ? own : value;
		}
		if (value) {
			int r = fl_kjob_set_pair(kept[0]->run, &w->labels, config->label_keys[k],
						 value, err);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int fill(const struct fl_kjob *first, const struct fl_kjob *const *kept, uint32_t n,
		int64_t total, struct fl_kjob_workload *w, enum fl_kjob_reason *reason,
		const char **detail, fairlead_error *err)
{
	struct fl_kjob_sets sets = { .n = 0 };
	int r;

	w->namespace = first->row->namespace;
	w->name = fl_kjob_group(first->object);
	w->queue = first->queue;
	w->time_limit = fl_kjob_time_limit(first);
	if ((r = role_sets(kept, n, total, &sets, err)) < 0 ||
	    (r = labels(kept, n, w, reason, err)) < 0)
		return r;
	if (*reason == FL_KJOB_MADE)
		*reason = fl_kjob_resolve_priority(first, &sets, w);
	if (*reason != FL_KJOB_MADE)
		return fl_kjob_say_class(first->run, w, *reason, detail, err);
	w->pod_sets = sets.items;
	w->n_pod_sets = sets.n;
	if ((r = fl_kjob_annotations(first, &w->annotations, err)) < 0 ||
	    (r = fl_kjob_set_pair(first->run, &w->annotations, FL_KJOB_IS_GROUP, "true", err)) <
		    0 ||
	    (r = fl_kjob_own(kept, n, /* controller= */ false, w, err)) < 0)
		return r;
	*detail = fl_kjob_invalid(first, w);
	if (*detail) {
		*reason = FL_KJOB_INVALID_WORKLOAD;
		return 0;
	}
	return fl_kjob_set_counted(first, w, err);
}

int fl_kjob_make_group(struct fl_kjob *jobs, uint32_t n, struct fl_kjob_list *list,
		       enum fl_kjob_reason *reason, const char **detail, fairlead_error *err)
{
	const struct fl_kjob **kept;
	struct fl_kjob_workload *w;
	uint32_t n_kept = 0;
	int64_t total = 0;
	int r;

	*reason = reconcile(jobs, n, &total);
	if (*reason != FL_KJOB_MADE)
		return 0;
	if (!FL_NEW(jobs->run->arena, kept, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (!is_gone(&jobs[i]))
			kept[n_kept++] = &jobs[i];
	*reason = check_pods(kept, n_kept, jobs, total);
	if (*reason != FL_KJOB_MADE)
		return 0;
	if (n_kept > total) {
		qsort(kept, n_kept, sizeof *kept, by_worth);
		for (uint32_t i = (uint32_t)total; i < n_kept; i++)
			jobs[kept[i] - jobs].deleted = true;
		n_kept = (uint32_t)total;
	}
	if ((r = fl_kjob_add_workload(jobs->run, list, &w, err)) < 0)
		return r;
	r = fill(jobs, kept, n_kept, total, w, reason, detail, err);
	if (*reason != FL_KJOB_MADE)
		list->n = 0;
	return r;
}
