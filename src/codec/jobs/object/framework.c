/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/framework.h"

#include <string.h>

#include "base/ids.h"

/* The columns "finished" and "active" of framework.def. */
enum {
	NEVER,
	COMPLETE_OR_FAILED,
	COMPLETED_OR_FAILED,
	SUCCEEDED_OR_FAILED,
	POD_PHASE,
	DEPLOYMENT_ENDED,
	WRAPPER_ENDED,
	ACTIVE_PODS,
	REPLICATED_JOBS,
	REPLICAS,
	JOBS_STATUS,
	CLUSTER_READY,
	SERVICE_READY,
	DEPLOYMENT_RUNS,
	QUOTA_RESERVED,
};

const struct fl_framework fl_frameworks[FL_FRAMEWORKS] = {
#define FL_FRAMEWORK(id, kind, group, version, name, suspend, finished, active)                    \
	{ kind, sizeof(group) > 1 ? group "/" version : version, name, suspend, finished, active },
#include "codec/jobs/object/framework.def"
#undef FL_FRAMEWORK
};

const struct fl_framework *fl_framework_find(const char *api_version, const char *kind)
{
	for (size_t i = 0; i < FL_FRAMEWORKS; i++) {
		if (!strcmp(kind, fl_frameworks[i].kind) &&
		    !strcmp(api_version, fl_frameworks[i].api_version))
			return &fl_frameworks[i];
	}
	return NULL;
}

/* --- fields of an object --------------------------------------------------------------- */

static bool is_scalar(const struct fl_doc *doc, uint32_t v, enum fl_scalar_type type)
{
	return v != FL_NONE && doc->values[v].kind == FL_TOKEN_SCALAR &&
	       doc->values[v].type == type;
}

static bool is_text(const struct fl_doc *doc, uint32_t v, const char *text)
{
	return is_scalar(doc, v, FL_SCALAR_STRING) && !strcmp(fl_doc_text(doc, v), text);
}

/* The value at "spec.runPolicy.suspend". */
static uint32_t at_path(const struct fl_doc *doc, const char *path)
{
	uint32_t v = doc->n ? 0 : FL_NONE;

	while (*path && v != FL_NONE) {
		char key[32];
		size_t len = strcspn(path, ".");

		if (len >= sizeof(key))
			return FL_NONE;
		memcpy(key, path, len);
		key[len] = '\0';
		v = fl_doc_find(doc, v, key);
		path += len + (path[len] == '.');
	}
	return v;
}

/* Is a condition of that type true? */
static bool condition(const struct fl_doc *doc, const char *type)
{
	uint32_t list = at_path(doc, "status.conditions");

	if (list == FL_NONE || doc->values[list].kind != FL_TOKEN_LIST)
		return false;
	for (uint32_t v = list + 1; v < doc->values[list].next; v = doc->values[v].next) {
		if (is_text(doc, fl_doc_find(doc, v, "type"), type) &&
		    is_text(doc, fl_doc_find(doc, v, "status"), "True"))
			return true;
	}
	return false;
}

/* Is there a number that is not 0? */
static bool counts(const struct fl_doc *doc, uint32_t v)
{
	return is_scalar(doc, v, FL_SCALAR_INT) &&
	       strspn(fl_doc_text(doc, v), "0") < doc->values[v].len;
}

/* Has any item of the list, or any value of the map, at @path a member "active" that is not 0? */
static bool any_active(const struct fl_doc *doc, const char *path)
{
	uint32_t all = at_path(doc, path);

	if (all == FL_NONE || doc->values[all].kind == FL_TOKEN_SCALAR)
		return false;
	for (uint32_t v = all + 1; v < doc->values[all].next; v = doc->values[v].next) {
		uint32_t item = doc->values[v].kind == FL_TOKEN_KEY ? v + 1 : v;

		if (counts(doc, fl_doc_find(doc, item, "active")))
			return true;
	}
	return false;
}

/* --- what the status says ---------------------------------------------------------------- */

bool fl_framework_suspended(const struct fl_framework *f, const struct fl_doc *object)
{
	uint32_t v = *f->suspend ? at_path(object, f->suspend) : FL_NONE;

	/* YAML has "true", "True" and "TRUE". */
	return is_scalar(object, v, FL_SCALAR_BOOL) && strchr("tT", *fl_doc_text(object, v));
}

bool fl_framework_finished(const struct fl_framework *f, const struct fl_doc *object)
{
	uint32_t phase = at_path(object, "status.phase");
	uint32_t ray = at_path(object, "status.jobDeploymentStatus");

	switch (f->finished) {
	case COMPLETE_OR_FAILED:
		return condition(object, "Complete") || condition(object, "Failed");
	case COMPLETED_OR_FAILED:
		return condition(object, "Completed") || condition(object, "Failed");
	case SUCCEEDED_OR_FAILED:
		return condition(object, "Succeeded") || condition(object, "Failed");
	case POD_PHASE:
		return is_text(object, phase, "Succeeded") || is_text(object, phase, "Failed");
	case DEPLOYMENT_ENDED:
		return is_text(object, ray, "Complete") || is_text(object, ray, "Failed");
	case WRAPPER_ENDED:
		return is_text(object, phase, "Succeeded") ||
		       (is_text(object, phase, "Failed") &&
			!condition(object, "ResourcesDeployed"));
	default:
		return false;
	}
}

bool fl_framework_active(const struct fl_framework *f, const struct fl_doc *object)
{
	uint32_t ray = at_path(object, "status.jobDeploymentStatus");

	switch (f->active) {
	case ACTIVE_PODS:
		return counts(object, at_path(object, "status.active"));
	case REPLICATED_JOBS:
		return any_active(object, "status.replicatedJobsStatus");
	case REPLICAS:
		return any_active(object, "status.replicaStatuses");
	case JOBS_STATUS:
		return any_active(object, "status.jobsStatus");
	case CLUSTER_READY:
		return is_text(object, at_path(object, "status.state"), "ready");
	case SERVICE_READY:
		return condition(object, "Ready");
	case DEPLOYMENT_RUNS:
		return is_scalar(object, ray, FL_SCALAR_STRING) && !is_text(object, ray, "") &&
		       !is_text(object, ray, "Suspended");
	case QUOTA_RESERVED:
		return condition(object, "QuotaReserved");
	default:
		return false;
	}
}
