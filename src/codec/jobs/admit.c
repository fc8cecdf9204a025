/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Kueue's webhooks write into an object that is being created: the default queue and class,
 * suspension, the gates of a pod, the marks on the pods of a set.
 */
#include "codec/jobs/admit.h"

#include <string.h>

#include "codec/jobs/manage.h"
#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"

#define DEFAULT_NAME "default"

static bool has_default_queue(const struct fl_kjob *job)
{
	return fl_kjobs_find(job->run, FL_KJOBS_LOCAL_QUEUE, job->row->namespace, DEFAULT_NAME);
}

static bool has_default_class(const struct fl_kjob *job)
{
	return fl_kjobs_gate(job->run, FL_KJOBS_DEFAULT_CLASS) && !*job->class &&
	       fl_kjobs_find(job->run, FL_KJOBS_WORKLOAD_CLASS, "", DEFAULT_NAME);
}

/* A StatefulSet whose pods belong to another kind of set. */
static bool has_other_parent(const struct fl_kjob *job)
{
	struct fl_kjob_value parent =
		fl_kjob_get(fl_kjob_at(job->spec, "template.metadata.annotations"), FL_KJOB_PARENT);

	return job->id == FL_FRAMEWORK_STATEFUL_SET && fl_kjob_has(parent) &&
	       !fl_kjob_is(parent, job->framework->name);
}

static enum fl_kjob_reason admit_pod(struct fl_kjob *job)
{
	const struct fl_kjobs_run *run = job->run;
	const struct fl_kjobs_row *above;
	const char *queue = job->queue, *class = job->class;

	if (fl_kjob_has(fl_kjob_get(job->annotations, FL_KJOB_PARENT))) {
		job->gated_now = true;
		return FL_KJOB_MADE;
	}
	if (!fl_kjob_namespace_matches(run, job->row->namespace))
		return FL_KJOB_MADE;
	switch (fl_kjob_ancestor(job, &above)) {
	case FL_KJOB_ANCESTOR_MISSING:
		job->detail = "the object that owns the pod does not exist";
		return FL_KJOB_REJECTED;
	case FL_KJOB_ANCESTOR:
		return FL_KJOB_MADE;
	default:
		break;
	}
	if (!*queue && has_default_queue(job))
		queue = DEFAULT_NAME;
	if (has_default_class(job))
		class = DEFAULT_NAME;
	if (!*queue && !run->config->manage_without_queue)
		return FL_KJOB_MADE; /* without the class, too */
	job->queue = queue;
	job->class = class;
	job->managed = job->finalizer = job->gated_now = true;
	return FL_KJOB_MADE;
}

enum fl_kjob_reason fl_kjob_admit(struct fl_kjob *job)
{
	const struct fl_kjobs_run *run = job->run;
	bool matches = fl_kjob_namespace_matches(run, job->row->namespace);
	bool owned = fl_kjob_owner_kind_managed(job);
	const struct fl_kjobs_row *above;

	if (job->id == FL_FRAMEWORK_POD)
		return admit_pod(job);
	if (has_other_parent(job))
		return FL_KJOB_MADE;
	if (!*job->queue && !owned && matches && has_default_queue(job))
		job->queue = DEFAULT_NAME;
	if (!owned && has_default_class(job))
		job->class = DEFAULT_NAME;
	switch (fl_kjob_ancestor(job, &above)) {
	case FL_KJOB_ANCESTOR_MISSING:
		job->detail = "the object that owns it does not exist";
		return FL_KJOB_REJECTED;
	case FL_KJOB_NO_ANCESTOR:
		/* With a queue the namespace is not looked at here. */
		if (*job->queue || (run->config->manage_without_queue && matches))
			job->suspended = job->marked = true;
		break;
	default:
		break;
	}
	return FL_KJOB_MADE;
}

/* Pods of a LeaderWorkerSet carry these, too. */
static int mark_group(const struct fl_kjob *job, struct fl_kjob_object *ret, fairlead_error *err)
{
	const struct fl_kjobs_run *run = job->run;
	int r = fl_kjob_set_pair(run, &ret->template_annotations, FL_KJOB_GROUP_SERVING, "true",
				 err);

	if (r == 0 && fl_kjob_has(fl_kjob_at(job->spec, "leaderWorkerTemplate.leaderTemplate")))
		r = fl_kjob_set_pair(run, &ret->template_annotations,
				     FL_KJOB_PREFIX_KUEUE "pod-index-offset", "1", err);
	return r;
}

int fl_kjob_mark_template(const struct fl_kjob *job, struct fl_kjob_object *ret,
			  fairlead_error *err)
{
	bool leader = job->id == FL_FRAMEWORK_LEADER_WORKER_SET;
	struct fl_kjob_value metadata =
		fl_kjob_at(job->spec, leader ? "leaderWorkerTemplate.workerTemplate.metadata" :
					       "template.metadata");
	struct fl_kjob_pairs *labels = &ret->template_labels;
	const struct fl_kjobs_run *run = job->run;
	int r;

	if ((r = fl_kjob_read_pairs(run, fl_kjob_get(metadata, "labels"), labels, err)) < 0 ||
	    (r = fl_kjob_read_pairs(run, fl_kjob_get(metadata, "annotations"),
				    &ret->template_annotations, err)) < 0 ||
	    !job->marked)
		return r;
	r = fl_kjob_set_pair(run, &ret->template_annotations, FL_KJOB_PARENT, job->framework->name,
			     err);
	if (r == 0 && job->id == FL_FRAMEWORK_DEPLOYMENT)
		r = fl_kjob_set_pair(run, labels, FL_KJOB_MANAGED_LABEL, "true", err);
	if (r == 0 && job->id != FL_FRAMEWORK_STATEFUL_SET && *job->queue)
		r = fl_kjob_set_pair(run, labels, FL_KJOB_QUEUE_LABEL, job->queue, err);
	if (r == 0 && job->id != FL_FRAMEWORK_STATEFUL_SET && *job->class)
		r = fl_kjob_set_pair(run, labels, FL_KJOB_CLASS_LABEL, job->class, err);
	return r == 0 && leader ? mark_group(job, ret, err) : r;
}
