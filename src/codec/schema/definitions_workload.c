/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a Workload but those of its pods (pod.c). */
#include "codec/schema/rows.h"

static const struct fl_schema template[] = {
	FL_OBJECT("metadata", .fields = fl_schema_metadata),
	FL_OBJECT("spec", .fields = fl_schema_template_spec),
	{ .name = NULL },
};

static const struct fl_schema topology_request[] = {
	FL_STRING("podIndexLabel"),
	FL_STRING("podSetGroupName"),
	FL_STRING("podSetSliceRequiredTopology"),
	FL_INT32("podSetSliceSize", .bounded = true, .minimum = 1),
	FL_STRING("preferred"),
	FL_STRING("required"),
	FL_INT32("subGroupCount"),
	FL_STRING("subGroupIndexLabel"),
	FL_BOOLEAN("unconstrained"),
	{ .name = NULL },
};

static const struct fl_schema pod_set[] = {
	FL_INT32("count", .needed = true, .given = "1", .bounded = true),
	FL_INT32("minCount", .bounded = true, .minimum = 1),
	FL_STRING("name", .given = "main", .pattern = FL_PATTERN_LABEL, .most = 63),
	FL_OBJECT("template", .needed = true, .fields = template),
	FL_OBJECT("topologyRequest", .fields = topology_request),
	{ .name = NULL },
};

static const struct fl_schema podset_slice_required_topology_constraints[] = {
	FL_INT32("size", .needed = true, .bounded = true, .minimum = 1),
	FL_STRING("topology", .needed = true, .least = 1, .most = 63),
	{ .name = NULL },
};

static const struct fl_schema workload_spec_pod_set_topology_request[] = {
	FL_STRING("podIndexLabel", .most = 317),
	FL_STRING("podSetGroupName", .most = 256),
	FL_STRING("podSetSliceRequiredTopology", .most = 63),
	FL_INT32("podSetSliceSize", .bounded = true, .minimum = 1),
	FL_LIST_OF_OBJECTS("podsetSliceRequiredTopologyConstraints", .most = 3,
			   .fields = podset_slice_required_topology_constraints),
	FL_STRING("preferred", .most = 63),
	FL_STRING("required", .most = 63),
	FL_INT32("subGroupCount", .bounded = true),
	FL_STRING("subGroupIndexLabel", .most = 317),
	FL_BOOLEAN("unconstrained"),
	{ .name = NULL },
};

static const struct fl_schema workload_spec_pod_set[] = {
	FL_INT32("count", .given = "1", .bounded = true),
	FL_INT32("minCount", .bounded = true, .minimum = 1),
	FL_STRING("name", .given = "main", .pattern = FL_PATTERN_LABEL, .most = 63),
	FL_OBJECT("template", .needed = true, .fields = template),
	FL_OBJECT("topologyRequest", .fields = workload_spec_pod_set_topology_request),
	{ .name = NULL },
};

static const struct fl_schema preemption_gates[] = {
	FL_STRING("name", .needed = true, .least = 1, .most = 63),
	{ .name = NULL },
};

static const struct fl_schema priority_class_ref[] = {
	FL_STRING("group", .needed = true,
		  .words = FL_WORDS("kueue.x-k8s.io", "scheduling.k8s.io")),
	FL_STRING("kind", .needed = true,
		  .words = FL_WORDS("WorkloadPriorityClass", "PriorityClass")),
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_SUBDOMAIN, .least = 1, .most = 253),
	{ .name = NULL },
};

static const struct fl_schema workload_spec[] = {
	FL_BOOLEAN("active", .given = "true"),
	FL_INT32("maximumExecutionTimeSeconds", .bounded = true, .minimum = 1),
	FL_LIST_OF_OBJECTS("podSets", .versions = FL_V1BETA1, .needed = true, .least = 1,
			   .most = 18, .unique = "name", .fields = pod_set),
	FL_LIST_OF_OBJECTS("podSets", .versions = FL_V1BETA2, .least = 1, .most = 18,
			   .unique = "name", .fields = workload_spec_pod_set),
	FL_LIST_OF_OBJECTS("preemptionGates", .versions = FL_V1BETA2, .most = 8, .unique = "name",
			   .fields = preemption_gates),
	FL_INT32("priority"),
	FL_OBJECT("priorityClassRef", .versions = FL_V1BETA2, .now = "priorityClassName",
		  .fields = priority_class_ref),
	FL_STRING("queueName", .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_STRING("priorityClassName", .versions = FL_V1BETA1, .now = "priorityClassRef",
		  .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_STRING("priorityClassSource", .versions = FL_V1BETA1, .given = "",
		  .words = FL_WORDS("kueue.x-k8s.io/workloadpriorityclass",
				    "scheduling.k8s.io/priorityclass", "")),
	{ .name = NULL },
};

static const struct fl_schema domains[] = {
	FL_INT32("count", .needed = true, .bounded = true, .minimum = 1),
	FL_LIST_OF_STRINGS("values", .needed = true, .least = 1, .most = 16),
	{ .name = NULL },
};

static const struct fl_schema topology_assignment[] = {
	FL_LIST_OF_STRINGS("levels", .needed = true, .least = 1, .most = 16),
	FL_LIST_OF_OBJECTS("domains", .needed = true, .fields = domains),
	{ .name = NULL },
};

static const struct fl_schema pod_set_assignments[] = {
	FL_INT32("count", .bounded = true),
	FL_STRING("delayedTopologyRequest"),
	FL_MAP("flavors", .item = FL_ITEM(.form = FL_FORM_STRING, .pattern = FL_PATTERN_SUBDOMAIN,
					  .most = 253)),
	FL_STRING("name", .needed = true, .given = "main", .pattern = FL_PATTERN_LABEL, .most = 63),
	FL_MAP_OF_QUANTITIES("resourceUsage"),
	FL_OBJECT("topologyAssignment", .fields = topology_assignment),
	{ .name = NULL },
};

static const struct fl_schema pod_counts[] = {
	FL_LIST("individual", .least = 1, .most = 100000,
		.item = FL_ITEM(.form = FL_FORM_INT32, .bounded = true, .minimum = 1)),
	FL_INT32("universal", .bounded = true, .minimum = 1),
	{ .name = NULL },
};

static const struct fl_schema individual[] = {
	FL_STRING("prefix", .most = 63),
	FL_LIST("roots", .needed = true, .least = 1, .most = 100000,
		.item = FL_ITEM(.form = FL_FORM_STRING, .most = 63)),
	FL_STRING("suffix", .most = 63),
	{ .name = NULL },
};

static const struct fl_schema values_per_level[] = {
	FL_OBJECT("individual", .fields = individual),
	FL_STRING("universal", .most = 63),
	{ .name = NULL },
};

static const struct fl_schema slices[] = {
	FL_INT32("domainCount", .needed = true, .bounded = true, .minimum = 1),
	FL_OBJECT("podCounts", .needed = true, .fields = pod_counts),
	FL_LIST_OF_OBJECTS("valuesPerLevel", .needed = true, .least = 1, .most = 16,
			   .fields = values_per_level),
	{ .name = NULL },
};

static const struct fl_schema admission_pod_set_assignments_topology_assignment[] = {
	FL_LIST("levels", .needed = true, .least = 1, .most = 16,
		.item = FL_ITEM(.form = FL_FORM_STRING, .most = 317)),
	FL_LIST_OF_OBJECTS("slices", .needed = true, .most = 1000, .fields = slices),
	{ .name = NULL },
};

static const struct fl_schema admission_pod_set_assignments[] = {
	FL_INT32("count", .bounded = true),
	FL_STRING("delayedTopologyRequest", .most = 7, .words = FL_WORDS("Pending", "Ready")),
	FL_MAP("flavors", .item = FL_ITEM(.form = FL_FORM_STRING, .pattern = FL_PATTERN_SUBDOMAIN,
					  .most = 253)),
	FL_STRING("name", .given = "main", .pattern = FL_PATTERN_LABEL, .most = 63),
	FL_MAP_OF_QUANTITIES("resourceUsage"),
	FL_OBJECT("topologyAssignment",
		  .fields = admission_pod_set_assignments_topology_assignment),
	{ .name = NULL },
};

static const struct fl_schema admission[] = {
	FL_STRING("clusterQueue", .versions = FL_V1BETA1, .needed = true,
		  .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_STRING("clusterQueue", .versions = FL_V1BETA2, .pattern = FL_PATTERN_SUBDOMAIN,
		  .most = 253),
	FL_LIST_OF_OBJECTS("podSetAssignments", .versions = FL_V1BETA1, .needed = true, .most = 18,
			   .unique = "name", .fields = pod_set_assignments),
	FL_LIST_OF_OBJECTS("podSetAssignments", .versions = FL_V1BETA2, .most = 18,
			   .unique = "name", .fields = admission_pod_set_assignments),
	{ .name = NULL },
};

static const struct fl_schema pod_set_updates[] = {
	FL_MAP_OF_STRINGS("annotations"),
	FL_MAP_OF_STRINGS("labels"),
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_LABEL, .most = 63),
	FL_MAP_OF_STRINGS("nodeSelector"),
	FL_LIST_OF_OBJECTS("tolerations", .most = 8, .fields = fl_schema_toleration),
	{ .name = NULL },
};

static const struct fl_schema workload_status_admission_checks[] = {
	FL_TIME("lastTransitionTime", .needed = true),
	FL_STRING("message", .needed = true, .most = 32768),
	FL_STRING("name", .versions = FL_V1BETA1, .needed = true, .most = 316),
	FL_STRING("name", .versions = FL_V1BETA2, .needed = true, .least = 1, .most = 316),
	FL_LIST_OF_OBJECTS("podSetUpdates", .most = 18, .fields = pod_set_updates),
	FL_INT32("requeueAfterSeconds", .bounded = true),
	FL_INT32("retryCount", .bounded = true),
	FL_STRING("state", .needed = true,
		  .words = FL_WORDS("Pending", "Ready", "Retry", "Rejected")),
	{ .name = NULL },
};

static const struct fl_schema workload_status_preemption_gates[] = {
	FL_TIME("lastTransitionTime", .needed = true),
	FL_STRING("name", .needed = true, .least = 1, .most = 63),
	FL_STRING("position", .needed = true, .words = FL_WORDS("Closed", "Open")),
	{ .name = NULL },
};

static const struct fl_schema reclaimable_pods[] = {
	FL_INT32("count", .needed = true, .bounded = true),
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_LABEL, .most = 63),
	{ .name = NULL },
};

static const struct fl_schema requeue_state[] = {
	FL_INT32("count", .bounded = true),
	FL_TIME("requeueAt"),
	{ .name = NULL },
};

static const struct fl_schema resource_requests[] = {
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_LABEL, .most = 63),
	FL_MAP_OF_QUANTITIES("resources"),
	{ .name = NULL },
};

static const struct fl_schema evictions[] = {
	FL_INT32("count", .needed = true, .bounded = true),
	FL_STRING("reason", .needed = true, .most = 316),
	FL_STRING("underlyingCause", .needed = true, .most = 316),
	{ .name = NULL },
};

static const struct fl_schema scheduling_stats[] = {
	FL_LIST_OF_OBJECTS("evictions", .versions = FL_V1BETA1, .unique = "reason+underlyingCause",
			   .fields = evictions),
	FL_LIST_OF_OBJECTS("evictions", .versions = FL_V1BETA2, .most = 256,
			   .unique = "reason+underlyingCause", .fields = evictions),
	{ .name = NULL },
};

static const struct fl_schema unhealthy_nodes[] = {
	FL_STRING("name", .needed = true, .most = 63),
	{ .name = NULL },
};

static const struct fl_schema workload_status[] = {
	FL_INT32("accumulatedPastExecutionTimeSeconds", .versions = FL_V1BETA2),
	FL_OBJECT("admission", .fields = admission),
	FL_LIST_OF_OBJECTS("admissionChecks", .most = 8, .unique = "name",
			   .fields = workload_status_admission_checks),
	FL_STRING("clusterName", .versions = FL_V1BETA1),
	FL_STRING("clusterName", .versions = FL_V1BETA2, .most = 256),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA1, .unique = "type",
			   .fields = fl_schema_condition),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA2, .most = 16, .unique = "type",
			   .fields = fl_schema_condition),
	FL_LIST_OF_STRINGS("nominatedClusterNames", .versions = FL_V1BETA1, .most = 20),
	FL_LIST("nominatedClusterNames", .versions = FL_V1BETA2, .most = 20,
		.item = FL_ITEM(.form = FL_FORM_STRING, .most = 256)),
	FL_LIST_OF_OBJECTS("preemptionGates", .versions = FL_V1BETA2, .most = 8, .unique = "name",
			   .fields = workload_status_preemption_gates),
	FL_LIST_OF_OBJECTS("reclaimablePods", .most = 18, .unique = "name",
			   .fields = reclaimable_pods),
	FL_OBJECT("requeueState", .fields = requeue_state),
	FL_LIST_OF_OBJECTS("resourceRequests", .most = 18, .unique = "name",
			   .fields = resource_requests),
	FL_OBJECT("schedulingStats", .fields = scheduling_stats),
	FL_LIST_OF_OBJECTS("unhealthyNodes", .versions = FL_V1BETA1, .fields = fl_schema_os),
	FL_LIST_OF_OBJECTS("unhealthyNodes", .versions = FL_V1BETA2, .most = 8, .unique = "name",
			   .fields = unhealthy_nodes),
	FL_INT32("accumulatedPastExexcutionTimeSeconds", .versions = FL_V1BETA1),
	{ .name = NULL },
};

const struct fl_schema fl_schema_workload[] = {
	FL_OBJECT("spec", .fields = workload_spec),
	FL_OBJECT("status", .fields = workload_status),
	{ .name = NULL },
};
