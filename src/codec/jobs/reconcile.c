/* SPDX-License-Identifier: Apache-2.0 */
/* What Kueue's controllers skip before they make a Workload, in their order. */
#include "codec/jobs/reconcile.h"

#include <string.h>

#include "codec/jobs/existing_read.h"
#include "codec/jobs/manage.h"
#include "codec/jobs/object/index.h"

bool fl_kjob_is_elastic(const struct fl_kjob *job)
{
	return fl_kjobs_gate(job->run, FL_KJOBS_ELASTIC) &&
	       fl_kjob_is(fl_kjob_get(job->annotations, FL_KJOB_ELASTIC), "true");
}

const char *fl_kjob_prebuilt(const struct fl_kjob *job)
{
	const char *name = fl_kjob_text(fl_kjob_get(job->annotations, FL_KJOB_PREBUILT));

	return *name ? name : fl_kjob_text(fl_kjob_get(job->labels, FL_KJOB_PREBUILT));
}

bool fl_kjob_finished(const struct fl_kjob *job)
{
	return fl_framework_finished(job->framework, &job->row->doc);
}

/* A StatefulSet or LeaderWorkerSet: its pods join a Workload that is made of the set. */
static enum fl_kjob_reason reconcile_set(const struct fl_kjob *job)
{
	struct fl_kjob_value parent =
		fl_kjob_get(fl_kjob_at(job->spec, "template.metadata.annotations"), FL_KJOB_PARENT);
	const struct fl_kjobs_row *above;

	if (job->id == FL_FRAMEWORK_STATEFUL_SET && fl_kjob_has(parent) &&
	    !fl_kjob_is(parent, job->framework->name))
		return FL_KJOB_NOT_MANAGED;
	if (fl_kjob_ancestor(job, &above) != FL_KJOB_NO_ANCESTOR)
		return FL_KJOB_NOT_MANAGED;
	/* With a queue the namespace is not looked at. */
	if (!*job->queue && !(job->run->config->manage_without_queue &&
			      fl_kjob_namespace_matches(job->run, job->row->namespace)))
		return FL_KJOB_NOT_MANAGED;
	return FL_KJOB_MADE;
}

static bool pod_is_managed(const struct fl_kjob *job)
{
	return job->managed && (!fl_kjob_pods_implied(job->run) ||
				*fl_kjob_text(fl_kjob_get(job->annotations, FL_KJOB_PARENT)));
}

/* Another object has the Workload: this one runs when that is admitted. */
static enum fl_kjob_reason below(struct fl_kjob *job, const struct fl_kjobs_row *above)
{
	const struct fl_kjobs_row *w = fl_kjob_workload_of(job->run, above);

	if (!fl_kjob_finished(job) && !(w && fl_kjob_has_condition(w, "Admitted")))
		job->suspended = true;
	return FL_KJOB_OWNER_MANAGED;
}

enum fl_kjob_reason fl_kjob_reconcile(struct fl_kjob *job)
{
	const struct fl_kjobs_run *run = job->run;
	enum fl_kjob_above found = FL_KJOB_NO_ANCESTOR;
	const struct fl_kjobs_row *above = NULL;
	bool pod = job->id == FL_FRAMEWORK_POD;

	if (job->id == FL_FRAMEWORK_DEPLOYMENT)
		return FL_KJOB_PER_POD;
	if (job->id == FL_FRAMEWORK_STATEFUL_SET || job->id == FL_FRAMEWORK_LEADER_WORKER_SET)
		return reconcile_set(job);
	if (pod && !pod_is_managed(job))
		return FL_KJOB_POD_NOT_MANAGED;
	if (job->id == FL_FRAMEWORK_RAY_JOB &&
	    fl_kjob_count(fl_kjob_get(job->spec, "clusterSelector")) > 0)
		return FL_KJOB_CLUSTER_SELECTOR;
	if (!fl_kjob_namespace_matches(run, job->row->namespace))
		return FL_KJOB_NAMESPACE_NOT_MANAGED;
	if (!pod)
		found = fl_kjob_ancestor(job, &above);
	if (found == FL_KJOB_ANCESTOR_MISSING)
		return FL_KJOB_OWNER_NOT_FOUND;
	if (!*job->queue && !run->config->manage_without_queue && found == FL_KJOB_NO_ANCESTOR)
		return FL_KJOB_NO_QUEUE_NAME;
	return found == FL_KJOB_ANCESTOR ? below(job, above) : FL_KJOB_MADE;
}

enum fl_kjob_reason fl_kjob_wait(const struct fl_kjob *job)
{
	if (job->id == FL_FRAMEWORK_RAY_JOB &&
	    fl_kjob_is(fl_kjob_at(job->object, "status.jobDeploymentStatus"), "ValidationFailed"))
		return FL_KJOB_ON_HOLD;
	if (fl_kjob_finished(job))
		return FL_KJOB_FINISHED;
	if (!fl_kjob_is_elastic(job) && fl_framework_active(job->framework, &job->row->doc))
		return FL_KJOB_ACTIVE;
	return *fl_kjob_prebuilt(job) ? FL_KJOB_PREBUILT_MISSING : FL_KJOB_MADE;
}
