/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types - what a Workload of a job is, why there is none, and how it is asked for
 *
 * The face of this room is codec/jobs/jobs.h.
 */
#ifndef FL_CODEC_JOBS_OBJECT_TYPES_H
#define FL_CODEC_JOBS_OBJECT_TYPES_H

#include "base/amount.h"
#include "codec/jobs/object/framework.h"
#include "codec/jobs/object/value.h"

enum { FL_KJOB_POD_SETS = 18 }; /* of one Workload, as the API server allows */

enum fl_kjob_reason {
	FL_KJOB_MADE, /* there is a Workload */
#define FL_KJOB_REASON(id, name, sentence) FL_KJOB_##id,
#include "codec/jobs/object/reason.def"
#undef FL_KJOB_REASON
	FL_KJOB_REASONS
};

/* --- what a Workload is --------------------------------------------------------------------- */

struct fl_kjob_pair {
	const char *key, *value;
};

struct fl_kjob_pairs {
	struct fl_kjob_pair *items;
	uint32_t n, cap;
};

struct fl_kjob_amount {
	const char *resource;
	fl_nanos amount; /* exact */
};

struct fl_kjob_amounts {
	struct fl_kjob_amount *items;
	uint32_t n, cap;
};

struct fl_kjob_container {
	const char *name;
	struct fl_kjob_value value; /* as it is written; none: Kueue adds it */
	struct fl_kjob_amounts requests, limits;
	bool sidecar; /* an init container with restartPolicy Always */
};

struct fl_kjob_pod {
	struct fl_kjob_value template; /* as it is written: metadata and spec */
	struct fl_kjob_container *containers, *init;
	uint32_t n_containers, n_init;
	bool has_resources, has_overhead; /* of the pod as a whole */
	bool rebuilt;                     /* it is not what the template says */
	struct fl_kjob_amounts requests, limits, overhead;
	struct fl_kjob_pairs node_selector; /* in the order of keys */
	struct fl_kjob_value tolerations, affinity;
	const char *runtime_class, *priority_class; /* "": none */
};

struct fl_kjob_pod_set {
	const char *name;
	int64_t count, min_count; /* min_count -1: none */
	struct fl_kjob_pod pod;
	struct fl_kjob_amounts counted; /* what Kueue counts for one pod, in the order of names */
};

struct fl_kjob_reference {
	const char *api_version, *kind, *name, *uid;
	bool controller;
};

enum fl_kjob_misfit { FL_KJOB_FITS, FL_KJOB_ABOVE_LIMITS, FL_KJOB_LIMIT_RANGE };

struct fl_kjob_workload {
	const char *namespace, *name, *queue;
	const char *class_group, *class_kind, *class_name; /* "": none */
	int64_t priority;
	int64_t time_limit; /* seconds; 0: none */
	struct fl_kjob_pairs labels, annotations;
	struct fl_kjob_reference *owners; /* in the order of names */
	uint32_t n_owners;
	struct fl_kjob_pod_set *pod_sets;
	uint32_t n_pod_sets;
	enum fl_kjob_misfit misfit; /* such a Workload is made, but not admitted */
	const char *finished;       /* the reason; NULL: it is not finished */
	bool inactive;
	struct fl_kjob_value existing; /* the Workload of the input that it is */
};

/* The object as webhook and controllers leave it. */
struct fl_kjob_object {
	struct fl_kjob_value object;
	const struct fl_framework *framework;
	const char *name, *queue, *class; /* "": no such label */
	enum { FL_KJOB_NO_SUSPEND, FL_KJOB_RUNS, FL_KJOB_SUSPENDED } suspended;
	bool managed; /* a pod with the label kueue.x-k8s.io/managed=true */
	const char **gates;
	uint32_t n_gates;
	struct fl_kjob_pairs template_labels, template_annotations; /* of a set of pods */
};

struct fl_kjob_answer {
	const struct fl_framework *framework;
	const struct fl_kjob_object *objects; /* more than one: a group of pods */
	uint32_t n_objects;
	enum fl_kjob_reason reason;
	const char *detail; /* what of it was rejected, invalid or not readable; or NULL */
	const struct fl_kjob_workload *workloads;
	uint32_t n_workloads;
};

/* --- how it is asked for */

enum fl_kjobs_gates {
	FL_KJOBS_PARTIAL_ADMISSION = 1,
	FL_KJOBS_ELASTIC = 2,       /* ElasticJobsViaWorkloadSlices */
	FL_KJOBS_DEFAULT_CLASS = 4, /* WorkloadPriorityClassDefaulting */
	FL_KJOBS_SHORT_NAMES = 8,   /* ShortWorkloadNames */
	FL_KJOBS_DEFAULT_GATES = FL_KJOBS_PARTIAL_ADMISSION | FL_KJOBS_ELASTIC |
				 FL_KJOBS_DEFAULT_CLASS,
};

struct fl_kjobs_config {
	uint32_t frameworks; /* a bit for each fl_framework_id */
	bool creating;       /* the objects are being created: webhooks see them */
	/* Those alone that a cluster has, or has not yet; or those that were made of a job. */
	enum { FL_KJOBS_ALL, FL_KJOBS_CREATED, FL_KJOBS_FRESH, FL_KJOBS_ADDED } only;
	bool manage_without_queue;
	struct fl_kjob_value namespace_selector; /* none: all but kube-system and kueue-system */
	const char *const *label_keys;           /* that Workloads take over from their jobs */
	uint32_t n_label_keys;
	uint32_t gates; /* enum fl_kjobs_gates */
};

#endif
