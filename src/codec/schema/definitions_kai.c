/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of the kinds of KAI. */
#include "codec/schema/rows.h"

static const struct fl_schema cpu[] = {
	FL_NUMBER("limit"),
	FL_NUMBER("overQuotaWeight"),
	FL_NUMBER("quota"),
	{ .name = NULL },
};

static const struct fl_schema queue_spec_resource_quota[] = {
	FL_OBJECT("cpu", .fields = cpu),
	FL_OBJECT("gpu", .fields = cpu),
	FL_OBJECT("memory", .fields = cpu),
	{ .name = NULL },
};

static const struct fl_schema queue_spec[] = {
	FL_STRING("displayName"),
	FL_STRING("parentQueue"),
	FL_STRING("preemptMinRuntime"),
	FL_INTEGER("priority"),
	FL_STRING("reclaimMinRuntime"),
	FL_OBJECT("resources", .fields = queue_spec_resource_quota),
	{ .name = NULL },
};

static const struct fl_schema queue_status_condition[] = {
	FL_TIME("lastProbeTime"),
	FL_TIME("lastTransitionTime"),
	FL_STRING("message"),
	FL_STRING("reason"),
	FL_STRING("status", .needed = true),
	FL_STRING("type", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema queue_status[] = {
	FL_MAP_OF_QUANTITIES("allocated"),
	FL_MAP_OF_QUANTITIES("allocatedNonPreemptible"),
	FL_LIST_OF_STRINGS("childQueues"),
	FL_LIST_OF_OBJECTS("conditions", .fields = queue_status_condition),
	FL_MAP_OF_QUANTITIES("requested"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_queue[] = {
	FL_OBJECT("spec", .fields = queue_spec),
	FL_OBJECT("status", .fields = queue_status),
	{ .name = NULL },
};

static const struct fl_schema topology_constraint[] = {
	FL_STRING("preferredTopologyLevel"),
	FL_STRING("requiredTopologyLevel"),
	FL_STRING("topology"),
	{ .name = NULL },
};

static const struct fl_schema sub_groups[] = {
	FL_INT32("minMember", .bounded = true, .minimum = 1),
	FL_STRING("name", .needed = true, .least = 1),
	FL_STRING("parent"),
	FL_OBJECT("topologyConstraint", .fields = topology_constraint),
	{ .name = NULL },
};

static const struct fl_schema pod_group_spec[] = {
	FL_INT32("backoffLimit"),
	FL_INT32("completions"),
	FL_BOOLEAN("markUnschedulable"),
	FL_INT32("minMember", .bounded = true, .minimum = 1),
	FL_INT32("parallelism"),
	FL_STRING("preemptibility", .words = FL_WORDS("preemptible", "non-preemptible")),
	FL_STRING("priorityClassName"),
	FL_STRING("queue"),
	FL_INT32("schedulingBackoff"),
	FL_LIST_OF_OBJECTS("subGroups", .fields = sub_groups),
	FL_OBJECT("topologyConstraint", .fields = topology_constraint),
	{ .name = NULL },
};

static const struct fl_schema pod_group_status_condition[] = {
	FL_TIME("lastTransitionTime"),
	FL_STRING("message"),
	FL_STRING("reason"),
	FL_STRING("status"),
	FL_STRING("transitionID"),
	FL_STRING("type"),
	{ .name = NULL },
};

static const struct fl_schema resources_status[] = {
	FL_MAP_OF_QUANTITIES("allocated"),
	FL_MAP_OF_QUANTITIES("allocatedNonPreemptible"),
	FL_MAP_OF_QUANTITIES("requested"),
	{ .name = NULL },
};

static const struct fl_schema queue_details[] = {
	FL_STRING("name"),
	FL_MAP_OF_QUANTITIES("podGroupRequestedNonPreemptibleResources"),
	FL_MAP_OF_QUANTITIES("podGroupRequestedResources"),
	FL_MAP_OF_QUANTITIES("queueAllocatedNonPreemptibleResources"),
	FL_MAP_OF_QUANTITIES("queueAllocatedResources"),
	FL_MAP_OF_QUANTITIES("queueDeservedResources"),
	FL_MAP_OF_QUANTITIES("queueRequestedResources"),
	FL_MAP_OF_QUANTITIES("queueResourceLimits"),
	{ .name = NULL },
};

static const struct fl_schema details[] = {
	FL_OBJECT("queueDetails", .fields = queue_details),
	{ .name = NULL },
};

static const struct fl_schema reasons[] = {
	FL_OBJECT("details", .fields = details),
	FL_STRING("message"),
	FL_STRING("reason"),
	{ .name = NULL },
};

static const struct fl_schema scheduling_conditions[] = {
	FL_TIME("lastTransitionTime"),
	FL_STRING("message"),
	FL_STRING("nodePool"),
	FL_STRING("reason"),
	FL_LIST_OF_OBJECTS("reasons", .fields = reasons),
	FL_STRING("status"),
	FL_STRING("transitionID"),
	FL_STRING("type"),
	{ .name = NULL },
};

static const struct fl_schema pod_group_status[] = {
	FL_LIST_OF_OBJECTS("conditions", .fields = pod_group_status_condition),
	FL_INT32("failed"),
	FL_INT32("pending"),
	FL_STRING("phase"),
	FL_OBJECT("resourcesStatus", .fields = resources_status),
	FL_INT32("running"),
	FL_LIST_OF_OBJECTS("schedulingConditions", .fields = scheduling_conditions),
	FL_INT32("succeeded"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_pod_group[] = {
	FL_OBJECT("spec", .fields = pod_group_spec),
	FL_OBJECT("status", .fields = pod_group_status),
	{ .name = NULL },
};

static const struct fl_schema actions[] = {
	FL_BOOLEAN("enabled"),
	FL_INTEGER("priority"),
	{ .name = NULL },
};

static const struct fl_schema min_runtime[] = {
	FL_STRING("preemptMinRuntime"),
	FL_STRING("reclaimMinRuntime"),
	{ .name = NULL },
};

static const struct fl_schema placement_strategy[] = {
	FL_STRING("cpu"),
	FL_STRING("gpu"),
	{ .name = NULL },
};

static const struct fl_schema plugins[] = {
	FL_MAP_OF_STRINGS("arguments"),
	FL_BOOLEAN("enabled"),
	FL_INTEGER("priority"),
	{ .name = NULL },
};

static const struct fl_schema usage_params[] = {
	FL_STRING("cronString"),      FL_MAP_OF_STRINGS("extraParams"),
	FL_STRING("fetchInterval"),   FL_STRING("halfLifePeriod"),
	FL_STRING("stalenessPeriod"), FL_TIME("tumblingWindowStartTime"),
	FL_STRING("waitTimeout"),     FL_STRING("windowSize"),
	FL_STRING("windowType"),      { .name = NULL },
};

static const struct fl_schema usage_dbconfig[] = {
	FL_STRING("clientType", .needed = true),
	FL_STRING("connectionString"),
	FL_STRING("connectionStringEnvVar"),
	FL_OBJECT("usageParams", .fields = usage_params),
	{ .name = NULL },
};

static const struct fl_schema shard_spec[] = {
	FL_MAP_OF_OBJECTS("actions", .fields = actions),
	FL_MAP_OF_STRINGS("args"),
	FL_NUMBER("kValue"),
	FL_OBJECT("minRuntime", .fields = min_runtime),
	FL_STRING("partitionLabelValue"),
	FL_OBJECT("placementStrategy", .fields = placement_strategy),
	FL_MAP_OF_OBJECTS("plugins", .fields = plugins),
	FL_ANY("pluginArguments", .versions = FL_IN_NONE, .now = "plugins.proportion.arguments"),
	FL_MAP("queueDepthPerAction", .item = FL_ITEM(.form = FL_FORM_INTEGER)),
	FL_OBJECT("usageDBConfig", .fields = usage_dbconfig),
	{ .name = NULL },
};

static const struct fl_schema shard_status[] = {
	FL_LIST_OF_OBJECTS("conditions", .fields = fl_schema_condition),
	{ .name = NULL },
};

const struct fl_schema fl_schema_shard[] = {
	FL_OBJECT("spec", .fields = shard_spec),
	FL_OBJECT("status", .fields = shard_status),
	{ .name = NULL },
};

const struct fl_schema fl_schema_kai_topology[] = {
	FL_OBJECT("spec", .needed = true, .fields = fl_schema_topology_spec),
	{ .name = NULL },
};

static const struct fl_schema received_gpu[] = {
	FL_INTEGER("count"),
	FL_STRING("portion"),
	{ .name = NULL },
};

static const struct fl_schema bind_request_spec[] = {
	FL_INT32("backoffLimit"),
	FL_STRING("podName"),
	FL_OBJECT("receivedGPU", .fields = received_gpu),
	FL_STRING("receivedResourceType"),
	FL_LIST("resourceClaimAllocations"),
	FL_LIST_OF_STRINGS("selectedGPUGroups"),
	FL_STRING("selectedNode"),
	{ .name = NULL },
};

static const struct fl_schema bind_request_status[] = {
	FL_INT32("failedAttempts"),
	FL_STRING("phase"),
	FL_STRING("reason"),
	{ .name = NULL },
};

const struct fl_schema fl_schema_bind_request[] = {
	FL_OBJECT("spec", .fields = bind_request_spec),
	FL_OBJECT("status", .fields = bind_request_status),
	{ .name = NULL },
};
