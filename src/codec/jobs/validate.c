/* SPDX-License-Identifier: Apache-2.0 */
/* What Kueue's webhooks reject when an object is created. */
#include "codec/jobs/validate.h"

#include <string.h>

#include "base/limits.h"
#include "codec/jobs/group.h"
#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/object/pod_sets_ray.h"
#include "codec/jobs/object/pod_sets_train.h"
#include "codec/jobs/reconcile.h"

enum { LABEL_LENGTH = 63 };

/* --- texts ------------------------------------------------------------------------------------ */

static bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? */
static bool is_label(const char *text, size_t len)
{
	if (len == 0 || !is_alnum(text[0]) || !is_alnum(text[len - 1]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_alnum(text[i]) && text[i] != '-')
			return false;
	return true;
}

static bool is_subdomain(const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && text[i] != '.')
			continue;
		if (!is_label(text + from, i - from))
			return false;
		from = i + 1;
	}
	return len <= FL_MAX_NAME;
}

bool fl_kjob_is_label(const char *text)
{
	return strlen(text) <= LABEL_LENGTH && is_label(text, strlen(text));
}

bool fl_kjob_is_subdomain(const char *text) { return is_subdomain(text, strlen(text)); }

/* "example.com/gate" */
static bool is_gate(const char *text, size_t len)
{
	static const char others[] = "/-._~%!$&'()*+,;=:";
	const char *slash = memchr(text, '/', len);
	size_t domain = slash ? (size_t)(slash - text) : 0;

	if (!slash || domain + 1 == len || len > LABEL_LENGTH || !is_subdomain(text, domain))
		return false;
	for (size_t i = domain + 1; i < len; i++)
		if (!is_alnum(text[i]) && !(text[i] >= 'A' && text[i] <= 'Z') &&
		    !strchr(others, text[i]))
			return false;
	return true;
}

bool fl_kjob_gates_valid(const char *text)
{
	for (;;) {
		size_t len = strcspn(text, ",");

		if (!is_gate(text, len))
			return false;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

/* As Go's strconv.ParseBool; -1: neither. */
static int parse_bool(const char *text)
{
	static const char *const texts[] = { "0", "f", "F", "false", "False", "FALSE",
					     "1", "t", "T", "true",  "True",  "TRUE" };

	for (int i = 0; i < 12; i++)
		if (strcmp(text, texts[i]) == 0)
			return i / 6;
	return -1;
}

/* --- all kinds ----------------------------------------------------------------------------------- */

static bool may_be_elastic(enum fl_framework_id id)
{
	return id == FL_FRAMEWORK_JOB || id == FL_FRAMEWORK_RAY_CLUSTER ||
	       id == FL_FRAMEWORK_RAY_JOB || id == FL_FRAMEWORK_RAY_SERVICE;
}

static bool is_set(enum fl_framework_id id)
{
	return id == FL_FRAMEWORK_DEPLOYMENT || id == FL_FRAMEWORK_STATEFUL_SET ||
	       id == FL_FRAMEWORK_LEADER_WORKER_SET;
}

static const char *wrong_anywhere(const struct fl_kjob *job)
{
	struct fl_kjob_value queue = fl_kjob_get(job->labels, FL_KJOB_QUEUE_LABEL);
	struct fl_kjob_value gated = fl_kjob_get(job->annotations, FL_KJOB_GATED_BY);
	struct fl_kjob_value time = fl_kjob_get(job->labels, FL_KJOB_TIME_LABEL);
	int64_t seconds;

	if (fl_kjob_has(queue) && *job->queue && !fl_kjob_is_subdomain(job->queue))
		return "label kueue.x-k8s.io/queue-name must be the name of a LocalQueue: lower "
		       "case letters, digits, '-' and '.'";
	if (fl_kjob_has(gated) && !fl_kjob_gates_valid(fl_kjob_text(gated)))
		return "annotation kueue.x-k8s.io/admission-gated-by must be a list of "
		       "'domain/name', with commas";
	if (fl_kjob_is_elastic(job) && !may_be_elastic(job->id))
		return "annotation kueue.x-k8s.io/elastic-job is for Job, RayCluster, RayJob and "
		       "RayService alone";
	if (!is_set(job->id) && fl_kjob_has(time) &&
	    (!fl_kjob_atoi(fl_kjob_text(time), &seconds) || seconds <= 0))
		return "label kueue.x-k8s.io/max-exec-time-seconds must be a number above 0";
	if (job->id == FL_FRAMEWORK_JAX_JOB && *fl_kjob_prebuilt(job))
		return "kueue.x-k8s.io/prebuilt-workload-name is not supported for a JAXJob";
	return NULL;
}

/* --- by kind ---------------------------------------------------------------------------------------- */

static const char *wrong_job(const struct fl_kjob *job)
{
	struct fl_kjob_value least = fl_kjob_get(job->annotations,
						 FL_KJOB_PREFIX_KUEUE "job-min-parallelism");
	struct fl_kjob_value equal = fl_kjob_get(job->annotations, FL_KJOB_PREFIX_KUEUE
						 "job-completions-equal-parallelism");
	int64_t n;

	if (fl_kjob_has(least) &&
	    (!fl_kjob_atoi(fl_kjob_text(least), &n) || n <= 0 || n >= fl_kjob_pods_of(job->spec)))
		return "annotation kueue.x-k8s.io/job-min-parallelism must be above 0 and below "
		       "the number of pods";
	if (fl_kjob_has(least) && fl_kjob_is_elastic(job))
		return "annotation kueue.x-k8s.io/job-min-parallelism cannot be used with "
		       "kueue.x-k8s.io/elastic-job";
	if (!fl_kjob_has(equal))
		return NULL;
	if (parse_bool(fl_kjob_text(equal)) < 0)
		return "annotation kueue.x-k8s.io/job-completions-equal-parallelism must be true "
		       "or false";
	if (parse_bool(fl_kjob_text(equal)) == 0)
		return NULL;
	if (!fl_kjob_is(fl_kjob_get(job->spec, "completionMode"), "Indexed"))
		return "completionMode must be Indexed with "
		       "kueue.x-k8s.io/job-completions-equal-parallelism";
	if (fl_kjob_int_or(fl_kjob_get(job->spec, "parallelism"), 1) !=
	    fl_kjob_int_or(fl_kjob_get(job->spec, "completions"), 1))
		return "completions must equal parallelism with "
		       "kueue.x-k8s.io/job-completions-equal-parallelism";
	return NULL;
}

static const char *wrong_pod(const struct fl_kjob *job)
{
	struct fl_kjob_value managed = fl_kjob_get(job->labels, FL_KJOB_MANAGED_LABEL);
	struct fl_kjob_value total = fl_kjob_get(job->annotations, FL_KJOB_GROUP_TOTAL);
	const char *group = fl_kjob_group(job->object), *prebuilt = fl_kjob_prebuilt(job);
	int64_t n;

	if (fl_kjob_has(managed) && !job->managed)
		return "label kueue.x-k8s.io/managed must be \"true\"";
	if (!*group != !fl_kjob_has(total))
		return "a group of pods needs both kueue.x-k8s.io/pod-group-name and "
		       "kueue.x-k8s.io/pod-group-total-count";
	if (!*group)
		return NULL;
	if (!fl_kjob_atoi(fl_kjob_text(total), &n) || n < 1)
		return "annotation kueue.x-k8s.io/pod-group-total-count must be a number of at "
		       "least 1";
	if (!fl_kjob_is_subdomain(group))
		return "kueue.x-k8s.io/pod-group-name must be lower case letters, digits, '-' and "
		       "'.'";
	if (*prebuilt && strcmp(prebuilt, group) != 0)
		return "kueue.x-k8s.io/prebuilt-workload-name must be the name of the group";
	return NULL;
}

static const char *wrong_ray(const struct fl_kjob *job)
{
	struct fl_kjob_value cluster = fl_kjob_ray_cluster(job);
	struct fl_kjob_value groups = fl_kjob_get(cluster, "workerGroupSpecs");

	if (!*job->queue && !job->run->config->manage_without_queue)
		return NULL;
	if (job->id == FL_FRAMEWORK_RAY_JOB) {
		bool selects = fl_kjob_count(fl_kjob_get(job->spec, "clusterSelector")) > 0;

		if (selects && fl_kjob_has(cluster))
			return "clusterSelector and rayClusterSpec exclude each other";
		if (selects)
			return NULL;
		if (!fl_kjob_has(cluster))
			return "rayClusterSpec is missing";
		if (!fl_kjob_true(fl_kjob_get(job->spec, "shutdownAfterJobFinishes")))
			return "shutdownAfterJobFinishes must be true";
	}
	if (fl_kjob_true(fl_kjob_get(cluster, "enableInTreeAutoscaling")) &&
	    !fl_kjob_is_elastic(job))
		return "enableInTreeAutoscaling needs annotation kueue.x-k8s.io/elastic-job";
	if (fl_kjob_count(groups) >= FL_KJOB_POD_SETS)
		return "a Workload has at most 18 pod sets: the head and 17 worker groups";
	for (struct fl_kjob_value i = fl_kjob_first(groups); fl_kjob_has(i);
	     i = fl_kjob_next(groups, i))
		if (fl_kjob_is(fl_kjob_get(i, "groupName"), "head"))
			return "no worker group can have the name 'head'";
	return NULL;
}

static const char *wrong_kind(const struct fl_kjob *job)
{
	switch (job->id) {
	case FL_FRAMEWORK_JOB:
		return wrong_job(job);
	case FL_FRAMEWORK_POD:
		return wrong_pod(job);
	case FL_FRAMEWORK_RAY_CLUSTER:
	case FL_FRAMEWORK_RAY_JOB:
	case FL_FRAMEWORK_RAY_SERVICE:
		return wrong_ray(job);
	case FL_FRAMEWORK_TRAIN_JOB:
		return fl_kjob_train_runtime(job) ?
			       NULL :
			       "the runtime that runtimeRef names does not exist";
	default:
		return NULL;
	}
}

enum fl_kjob_reason fl_kjob_validate(struct fl_kjob *job)
{
	struct fl_kjob_value parent =
		fl_kjob_get(fl_kjob_at(job->spec, "template.metadata.annotations"), FL_KJOB_PARENT);

	if (job->id == FL_FRAMEWORK_STATEFUL_SET && fl_kjob_has(parent) &&
	    !fl_kjob_is(parent, job->framework->name))
		return FL_KJOB_MADE;
	job->detail = wrong_anywhere(job);
	if (!job->detail)
		job->detail = wrong_kind(job);
	return job->detail ? FL_KJOB_REJECTED : FL_KJOB_MADE;
}
