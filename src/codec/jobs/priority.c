/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The priority of a Workload: that of the class of the job's label, else of the first class that its
 * pods name, else of the default one.  A class that does not exist has no fallback.
 */
#include "codec/jobs/priority.h"

#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_sets.h"

static int64_t value_of(const struct fl_kjobs_row *row)
{
	return fl_kjob_int_or(fl_kjob_get(fl_kjob_root(&row->doc), "value"), 0);
}

static void set_class(struct fl_kjob_workload *w, const struct fl_kjobs_row *row)
{
	bool own = row->kind == FL_KJOBS_WORKLOAD_CLASS;

	w->class_group = own ? "kueue.x-k8s.io" : "scheduling.k8s.io";
	w->class_kind = own ? "WorkloadPriorityClass" : "PriorityClass";
	w->class_name = row->name;
	w->priority = value_of(row);
}

/* That of the lowest value; NULL: there is none. */
static const struct fl_kjobs_row *default_class(const struct fl_kjobs_run *run)
{
	const struct fl_kjobs_row *found = NULL;

	for (uint32_t i = run->first[FL_KJOBS_PRIORITY_CLASS];
	     i < run->first[FL_KJOBS_PRIORITY_CLASS + 1]; i++) {
		const struct fl_kjobs_row *row = &run->rows[run->sorted[i]];

		if (fl_kjob_true(fl_kjob_get(fl_kjob_root(&row->doc), "globalDefault")) &&
		    (!found || value_of(row) < value_of(found)))
			found = row;
	}
	return found;
}

static const char *pods_class(const struct fl_kjob *job, const struct fl_kjob_sets *sets)
{
	const char *name =
		fl_kjob_text(fl_kjob_at(job->spec, "runPolicy.schedulingPolicy.priorityClass"));

	for (uint32_t i = 0; i < sets->n && !*name; i++)
		name = sets->items[i].pod.priority_class;
	return name;
}

static enum fl_kjob_reason missing(struct fl_kjob_workload *w, bool own, const char *name)
{
	w->class_kind = own ? "WorkloadPriorityClass" : "PriorityClass";
	w->class_name = name;
	return FL_KJOB_PRIORITY_CLASS_NOT_FOUND;
}

enum fl_kjob_reason fl_kjob_resolve_priority(const struct fl_kjob *job,
					     const struct fl_kjob_sets *sets,
					     struct fl_kjob_workload *w)
{
	const char *name = *job->class ? job->class : pods_class(job, sets);
	const struct fl_kjobs_row *row;

	if (*name)
		row = fl_kjobs_find(job->run,
				    *job->class ? FL_KJOBS_WORKLOAD_CLASS : FL_KJOBS_PRIORITY_CLASS,
				    "", name);
	else
		row = default_class(job->run);
	if (row)
		set_class(w, row);
	else if (*name)
		return missing(w, *job->class, name);
	return FL_KJOB_MADE;
}

int fl_kjob_say_class(const struct fl_kjobs_run *run, const struct fl_kjob_workload *w,
		      enum fl_kjob_reason reason, const char **detail, fairlead_error *err)
{
	if (reason != FL_KJOB_PRIORITY_CLASS_NOT_FOUND)
		return 0;
	*detail = fl_kjobs_format(run, err, "%s '%s'", w->class_kind, w->class_name);
	return *detail ? 0 : FAIRLEAD_ENOMEM;
}
