/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job - one job while its Workload is made; private to this room
 *
 * The steps are in files of their own, in the order in which Kueue takes them: manage (is it
 * Kueue's?), admit and validate (webhooks), reconcile, pod_sets_* and pod (what it consists of), requests,
 * workload (name, labels, priority), role_hash and group (pods that belong together), existing (its
 * Workload is there already).  All memory is of the arena of the run, which is reset after each job.
 */
#ifndef FL_CODEC_JOBS_OBJECT_JOB_H
#define FL_CODEC_JOBS_OBJECT_JOB_H

#include "codec/jobs/object/types.h"

#define FL_KJOB_PREFIX_KUEUE "kueue.x-k8s.io/"
#define FL_KJOB_QUEUE_LABEL FL_KJOB_PREFIX_KUEUE "queue-name"
#define FL_KJOB_CLASS_LABEL FL_KJOB_PREFIX_KUEUE "priority-class"
#define FL_KJOB_TIME_LABEL FL_KJOB_PREFIX_KUEUE "max-exec-time-seconds"
#define FL_KJOB_MANAGED_LABEL FL_KJOB_PREFIX_KUEUE "managed"
#define FL_KJOB_UID_LABEL FL_KJOB_PREFIX_KUEUE "job-uid"
#define FL_KJOB_PARENT FL_KJOB_PREFIX_KUEUE "pod-suspending-parent"
#define FL_KJOB_PREBUILT FL_KJOB_PREFIX_KUEUE "prebuilt-workload-name"
#define FL_KJOB_GATED_BY FL_KJOB_PREFIX_KUEUE "admission-gated-by"
#define FL_KJOB_ELASTIC FL_KJOB_PREFIX_KUEUE "elastic-job"
#define FL_KJOB_SLICE FL_KJOB_PREFIX_KUEUE "workload-slice-name"
#define FL_KJOB_SLICE_FOR FL_KJOB_PREFIX_KUEUE "workload-slice-replacement-for"
#define FL_KJOB_IS_GROUP FL_KJOB_PREFIX_KUEUE "is-group-workload"
#define FL_KJOB_ROLE_HASH FL_KJOB_PREFIX_KUEUE "role-hash"
#define FL_KJOB_GROUP FL_KJOB_PREFIX_KUEUE "pod-group-name"
#define FL_KJOB_GROUP_TOTAL FL_KJOB_PREFIX_KUEUE "pod-group-total-count"
#define FL_KJOB_GROUP_FAST FL_KJOB_PREFIX_KUEUE "pod-group-fast-admission"
#define FL_KJOB_GROUP_SERVING FL_KJOB_PREFIX_KUEUE "pod-group-serving"
#define FL_KJOB_ADMISSION_GATE FL_KJOB_PREFIX_KUEUE "admission"
#define FL_KJOB_TOPOLOGY_GATE FL_KJOB_PREFIX_KUEUE "topology"

/* Objects that are no jobs, behind the kinds of framework.def. */
enum fl_kjobs_context {
	FL_KJOBS_NAMESPACE = FL_FRAMEWORKS,
	FL_KJOBS_LOCAL_QUEUE,
	FL_KJOBS_WORKLOAD_CLASS,
	FL_KJOBS_PRIORITY_CLASS,
	FL_KJOBS_RUNTIME_CLASS,
	FL_KJOBS_LIMIT_RANGE,
	FL_KJOBS_CLUSTER_RUNTIME,
	FL_KJOBS_RUNTIME,
	FL_KJOBS_REPLICA_SET,
	FL_KJOBS_WORKLOAD,
	/* Jobs to KAI alone. */
	FL_KJOBS_CRON_JOB,
	FL_KJOBS_NOTEBOOK,
	FL_KJOBS_MPI_JOB, /* of other versions than Kueue's */
	FL_KJOBS_KAI_POD, /* a Pod of KAI without PodGroup */
	FL_KJOBS_KINDS
};

struct fl_kjobs_row {
	struct fl_doc doc;
	uint32_t kind;         /* enum fl_framework_id or fl_kjobs_context */
	bool context, created; /* a cluster has it */
	bool added;            /* it was made of a job */
	uint32_t input;
	const char *namespace, *name, *uid; /* namespace "": it has none */
};

struct fl_kjobs {
	const struct fl_mem *mem;
	struct fl_kjobs_row *rows;
	uint32_t n, cap;
};

/* A Workload of the input, once for each owner that it names. */
struct fl_kjobs_owned {
	const struct fl_kjobs_row *workload;
	const char *name; /* of the owner */
	struct fl_kjob_value reference;
};

struct fl_kjobs_run {
	struct fl_kjobs_row *rows;
	const struct fl_kjobs_config *config;
	struct fl_arena *arena;
	const uint32_t *sorted; /* rows in the order of kind, namespace, name; one of each */
	uint32_t first[FL_KJOBS_KINDS + 1];
	struct fl_kjobs_owned *owned; /* in the order of namespace, owner's name and own name */
	uint32_t n_owned;
};

struct fl_kjob {
	const struct fl_kjobs_run *run;
	const struct fl_kjobs_row *row;
	enum fl_framework_id id;
	const struct fl_framework *framework;
	struct fl_kjob_value object, labels, annotations, spec;
	/* From here on as webhook and reconciler leave it. */
	const char *queue, *class;
	bool suspended, managed, finalizer, deleted;
	bool marked;    /* a set: its pod template carries what Kueue knows its pods by */
	bool gated_now; /* a pod: the webhook gates it */
	bool ungated;   /* a pod: it is admitted, so its gate is removed */
	const char *detail;
};

#endif
