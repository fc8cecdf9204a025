/* SPDX-License-Identifier: Apache-2.0 */
/* workload - shared by the readers of parts of a Workload; private to src/codec */
#ifndef FL_CODEC_OBJECT_WORKLOAD_H
#define FL_CODEC_OBJECT_WORKLOAD_H

#include "base/limits.h"
#include "codec/object/types.h"

enum { FL_MAX_AMOUNTS = FL_MAX_RESOURCES * FL_MAX_RESOURCE_GROUPS }; /* no queue can cover more */

struct fl_reclaimable {
	struct fl_sym podset;
	int32_t count;
};

struct fl_reading { /* admission checks of one Workload, at most */
	struct fl_workload_row row;
	struct fl_requeue_row requeue;
	/* Of condition Evicted, and of Preempted, which may be about an earlier one. */
	struct fl_eviction_row eviction, preemption;
	bool quota_reserved, has_admission;
	bool to_deactivate;               /* condition DeactivationTarget */
	bool check_rejected;              /* an admission check rejects it */
	fl_time admitted_at, finished_at; /* FL_TIME_NONE */
	struct fl_reclaimable reclaimable[FL_MAX_PODSETS];
	uint32_t n_reclaimable;
};

/* pod.c: of a podset's template; row: struct fl_podset */
extern const struct fl_field fl_fields_pod_template[];
/* codec/kueue/status.c; row: struct fl_reading */
extern const struct fl_field fl_fields_workload_status[];

/*
 * pod.c: the parts of a pod's spec, in a template or in a Pod; row: struct fl_podset, or a struct
 * that begins with one.  Containers and the like are pushed onto the model's parts.
 */
extern const struct fl_field fl_fields_container[], fl_fields_pod_resources[], fl_fields_affinity[];
fl_field_read fl_kube_containers, fl_kube_init_containers, fl_kube_pod_resources;
fl_field_read fl_kube_pod_overhead;

#define FL_POD_SPEC                                                                                \
	{ .name = "containers",                                                                    \
	  .read = fl_kube_containers,                                                              \
	  .fields = fl_fields_container,                                                           \
	  .list = true },                                                                          \
		{ .name = "initContainers",                                                        \
		  .read = fl_kube_init_containers,                                                 \
		  .fields = fl_fields_container,                                                   \
		  .list = true },                                                                  \
		{ .name = "resources",                                                             \
		  .read = fl_kube_pod_resources,                                                   \
		  .fields = fl_fields_pod_resources },                                             \
		{ .name = "overhead", .read = fl_kube_pod_overhead, .keys = FL_TEXT_RESOURCE },    \
		{ FL_IS("nodeSelector", labels, struct fl_podset, node_selector),                  \
		  .text = FL_TEXT_LABEL_VALUE, .keys = FL_TEXT_LABEL_KEY },                        \
		{ .name = "affinity", .fields = fl_fields_affinity },                              \
		{ FL_IS("tolerations", tolerations, struct fl_podset, tolerations),                \
		  .fields = fl_fields_toleration, .list = true },                                  \
	{                                                                                          \
		FL_IS("runtimeClassName", text, struct fl_podset, runtime_class),                  \
			.text = FL_TEXT_CLASS                                                      \
	}

/* Fields that change no decision in either. */
#define FL_POD_SPEC_IGNORED                                                                        \
	FL_IGNORED("activeDeadlineSeconds"), FL_IGNORED("automountServiceAccountToken"),           \
		FL_IGNORED("dnsConfig"), FL_IGNORED("dnsPolicy"),                                  \
		FL_IGNORED("enableServiceLinks"), FL_IGNORED("ephemeralContainers"),               \
		FL_IGNORED("hostAliases"), FL_IGNORED("hostIPC"), FL_IGNORED("hostNetwork"),       \
		FL_IGNORED("hostPID"), FL_IGNORED("hostUsers"), FL_IGNORED("hostname"),            \
		FL_IGNORED("hostnameOverride"), FL_IGNORED("imagePullSecrets"), FL_IGNORED("os"),  \
		FL_IGNORED("preemptionPolicy"), FL_IGNORED("readinessGates"),                      \
		FL_IGNORED("restartPolicy"), FL_IGNORED("securityContext"),                        \
		FL_IGNORED("serviceAccount"), FL_IGNORED("serviceAccountName"),                    \
		FL_IGNORED("setHostnameAsFQDN"), FL_IGNORED("shareProcessNamespace"),              \
		FL_IGNORED("subdomain"), FL_IGNORED("terminationGracePeriodSeconds"),              \
		FL_IGNORED("topologySpreadConstraints"), FL_IGNORED("volumes"),                    \
		FL_IGNORED("workloadRef"),                                                         \
		FL_NOTED("resourceClaims", "claims of devices do not count")

/* Pushes a map of quantities onto the model's amounts: @limits says which half of each. */
int fl_kube_amounts(struct fl_kube *k, uint32_t v, bool limits, struct fl_span *amounts);

#endif
