/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of the kinds of Kueue that have quota, and of what they refer to, in v1beta1 and v1beta2. */
#include "codec/schema/rows.h"

static const struct fl_schema admission_checks[] = {
	FL_STRING("name", .needed = true, .most = 316),
	FL_LIST("onFlavors", .item = FL_ITEM(.form = FL_FORM_STRING,
					     .pattern = FL_PATTERN_SUBDOMAIN, .most = 253)),
	{ .name = NULL },
};

static const struct fl_schema admission_checks_strategy_admission_checks[] = {
	FL_STRING("name", .needed = true, .least = 1, .most = 316),
	FL_LIST("onFlavors", .most = 64, .set = true,
		.item = FL_ITEM(.form = FL_FORM_STRING, .pattern = FL_PATTERN_SUBDOMAIN,
				.most = 253)),
	{ .name = NULL },
};

static const struct fl_schema admission_checks_strategy[] = {
	FL_LIST_OF_OBJECTS("admissionChecks", .versions = FL_V1BETA1, .fields = admission_checks),
	FL_LIST_OF_OBJECTS("admissionChecks", .versions = FL_V1BETA2, .needed = true, .least = 1,
			   .most = 64, .unique = "name",
			   .fields = admission_checks_strategy_admission_checks),
	{ .name = NULL },
};

static const struct fl_schema admission_scope[] = {
	FL_STRING("admissionMode", .versions = FL_V1BETA1, .needed = true),
	FL_STRING("admissionMode", .versions = FL_V1BETA2, .needed = true,
		  .words = FL_WORDS("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing")),
	{ .name = NULL },
};

static const struct fl_schema constraints[] = {
	FL_STRING("lastAcceptableFlavorName", .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	{ .name = NULL },
};

static const struct fl_schema migration[] = {
	FL_OBJECT("constraints", .fields = constraints),
	FL_STRING("mode", .needed = true, .most = 253,
		  .words = FL_WORDS("TryPreferredFlavors", "RetainFirstAdmission")),
	{ .name = NULL },
};

static const struct fl_schema concurrent_admission_policy[] = {
	FL_OBJECT("migration", .needed = true, .fields = migration),
	{ .name = NULL },
};

static const struct fl_schema fair_sharing[] = {
	FL_QUANTITY("weight", .given = "1"),
	{ .name = NULL },
};

static const struct fl_schema flavor_fungibility[] = {
	FL_STRING("preference",
		  .words = FL_WORDS("BorrowingOverPreemption", "PreemptionOverBorrowing")),
	FL_STRING("whenCanBorrow", .versions = FL_V1BETA1, .given = "MayStopSearch",
		  .words = FL_WORDS("MayStopSearch", "TryNextFlavor", "Borrow")),
	FL_STRING("whenCanBorrow", .versions = FL_V1BETA2, .given = "MayStopSearch",
		  .words = FL_WORDS("MayStopSearch", "TryNextFlavor")),
	FL_STRING("whenCanPreempt", .versions = FL_V1BETA1, .given = "TryNextFlavor",
		  .words = FL_WORDS("MayStopSearch", "TryNextFlavor", "Preempt")),
	FL_STRING("whenCanPreempt", .versions = FL_V1BETA2, .given = "TryNextFlavor",
		  .words = FL_WORDS("MayStopSearch", "TryNextFlavor")),
	{ .name = NULL },
};

static const struct fl_schema borrow_within_cohort[] = {
	FL_INT32("maxPriorityThreshold"),
	FL_STRING("policy", .given = "Never", .words = FL_WORDS("Never", "LowerPriority")),
	{ .name = NULL },
};

static const struct fl_schema preemption[] = {
	FL_OBJECT("borrowWithinCohort", .given = "{}", .fields = borrow_within_cohort),
	FL_STRING("reclaimWithinCohort", .given = "Never",
		  .words = FL_WORDS("Never", "LowerPriority", "Any")),
	FL_STRING("withinClusterQueue", .given = "Never",
		  .words = FL_WORDS("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
	{ .name = NULL },
};

static const struct fl_schema resource_quota[] = {
	FL_QUANTITY("borrowingLimit"),
	FL_QUANTITY("lendingLimit"),
	FL_STRING("name", .needed = true),
	FL_QUANTITY("nominalQuota", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema flavor_quotas[] = {
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_LIST_OF_OBJECTS("resources", .needed = true, .least = 1, .most = 64, .unique = "name",
			   .fields = resource_quota),
	{ .name = NULL },
};

static const struct fl_schema resource_group[] = {
	FL_LIST_OF_STRINGS("coveredResources", .needed = true, .least = 1, .most = 64),
	FL_LIST_OF_OBJECTS("flavors", .needed = true, .least = 1, .most = 64, .unique = "name",
			   .fields = flavor_quotas),
	{ .name = NULL },
};

static const struct fl_schema spec[] = {
	FL_OBJECT("admissionChecksStrategy", .fields = admission_checks_strategy),
	FL_OBJECT("admissionScope", .fields = admission_scope),
	FL_STRING("cohortName", .versions = FL_V1BETA2, .now = "cohort",
		  .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_OBJECT("concurrentAdmissionPolicy", .versions = FL_V1BETA2,
		  .fields = concurrent_admission_policy),
	FL_OBJECT("fairSharing", .fields = fair_sharing),
	FL_OBJECT("flavorFungibility", .given = "{}", .fields = flavor_fungibility),
	FL_OBJECT("namespaceSelector", .fields = fl_schema_selector),
	FL_OBJECT("preemption", .given = "{}", .fields = preemption),
	FL_STRING("queueingStrategy", .given = "BestEffortFIFO",
		  .words = FL_WORDS("StrictFIFO", "BestEffortFIFO")),
	FL_LIST_OF_OBJECTS("resourceGroups", .most = 16, .fields = resource_group),
	FL_STRING("stopPolicy", .given = "None", .words = FL_WORDS("None", "Hold", "HoldAndDrain")),
	FL_LIST("admissionChecks", .versions = FL_V1BETA1, .now = "admissionChecksStrategy",
		.item = FL_ITEM(.form = FL_FORM_STRING, .most = 316)),
	FL_STRING("cohort", .versions = FL_V1BETA1, .now = "cohortName",
		  .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	{ .name = NULL },
};

static const struct fl_schema admission_fair_sharing_status[] = {
	FL_MAP_OF_QUANTITIES("consumedResources", .needed = true),
	FL_TIME("lastUpdate", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema status_fair_sharing[] = {
	FL_INTEGER("weightedShare", .needed = true),
	FL_OBJECT("admissionFairSharingStatus", .versions = FL_V1BETA1,
		  .fields = admission_fair_sharing_status),
	{ .name = NULL },
};

static const struct fl_schema flavors_reservation_resource_quota[] = {
	FL_QUANTITY("borrowed"),
	FL_STRING("name", .needed = true),
	FL_QUANTITY("total"),
	{ .name = NULL },
};

static const struct fl_schema flavors_reservation[] = {
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_LIST_OF_OBJECTS("resources", .needed = true, .most = 64, .unique = "name",
			   .fields = flavors_reservation_resource_quota),
	{ .name = NULL },
};

static const struct fl_schema cluster_queue_pending_workload[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("namespace", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema pending_workloads_status[] = {
	FL_LIST_OF_OBJECTS("clusterQueuePendingWorkload", .fields = cluster_queue_pending_workload),
	FL_TIME("lastChangeTime", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema status[] = {
	FL_INT32("admittedWorkloads"),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA1, .unique = "type",
			   .fields = fl_schema_condition),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA2, .most = 16, .unique = "type",
			   .fields = fl_schema_condition),
	FL_OBJECT("fairSharing", .fields = status_fair_sharing),
	FL_LIST_OF_OBJECTS("flavorsReservation", .most = 64, .unique = "name",
			   .fields = flavors_reservation),
	FL_LIST_OF_OBJECTS("flavorsUsage", .most = 64, .unique = "name",
			   .fields = flavors_reservation),
	FL_INT32("pendingWorkloads"),
	FL_INT32("reservingWorkloads"),
	FL_OBJECT("pendingWorkloadsStatus", .versions = FL_V1BETA1,
		  .fields = pending_workloads_status),
	{ .name = NULL },
};

const struct fl_schema fl_schema_cluster_queue[] = {
	FL_OBJECT("spec", .fields = spec),
	FL_OBJECT("status", .fields = status),
	{ .name = NULL },
};

static const struct fl_schema cohort_spec[] = {
	FL_OBJECT("fairSharing", .fields = fair_sharing),
	FL_ANY("parent", .versions = FL_IN_NONE, .now = "parentName"),
	FL_STRING("parentName", .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_LIST_OF_OBJECTS("resourceGroups", .most = 16, .fields = resource_group),
	{ .name = NULL },
};

static const struct fl_schema cohort_status[] = {
	FL_OBJECT("fairSharing", .fields = status_fair_sharing),
	{ .name = NULL },
};

const struct fl_schema fl_schema_cohort[] = {
	FL_OBJECT("spec", .fields = cohort_spec),
	FL_OBJECT("status", .fields = cohort_status),
	{ .name = NULL },
};

static const struct fl_schema local_queue_spec[] = {
	FL_STRING("clusterQueue", .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_OBJECT("fairSharing", .fields = fair_sharing),
	FL_STRING("stopPolicy", .given = "None", .words = FL_WORDS("None", "Hold", "HoldAndDrain")),
	{ .name = NULL },
};

static const struct fl_schema local_queue_status_fair_sharing[] = {
	FL_OBJECT("admissionFairSharingStatus", .fields = admission_fair_sharing_status),
	FL_INTEGER("weightedShare", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema local_queue_status_flavors_reservation_resource_quota[] = {
	FL_STRING("name", .needed = true),
	FL_QUANTITY("total"),
	{ .name = NULL },
};

static const struct fl_schema local_queue_status_flavors_reservation[] = {
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_LIST_OF_OBJECTS("resources", .needed = true, .most = 64, .unique = "name",
			   .fields = local_queue_status_flavors_reservation_resource_quota),
	{ .name = NULL },
};

static const struct fl_schema node_taints[] = {
	FL_STRING("effect", .needed = true),
	FL_STRING("key", .needed = true),
	FL_TIME("timeAdded"),
	FL_STRING("value"),
	{ .name = NULL },
};

static const struct fl_schema topology[] = {
	FL_LIST_OF_STRINGS("levels", .needed = true, .least = 1, .most = 16),
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	{ .name = NULL },
};

static const struct fl_schema local_queue_status_flavor_quotas[] = {
	FL_STRING("name", .needed = true, .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_MAP_OF_STRINGS("nodeLabels", .most = 8),
	FL_LIST_OF_OBJECTS("nodeTaints", .most = 8, .fields = node_taints),
	FL_LIST_OF_STRINGS("resources", .most = 64, .set = true),
	FL_OBJECT("topology", .fields = topology),
	{ .name = NULL },
};

static const struct fl_schema local_queue_status[] = {
	FL_INT32("admittedWorkloads"),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA1, .unique = "type",
			   .fields = fl_schema_condition),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA2, .most = 16, .unique = "type",
			   .fields = fl_schema_condition),
	FL_OBJECT("fairSharing", .fields = local_queue_status_fair_sharing),
	FL_LIST_OF_OBJECTS("flavorsReservation", .most = 64, .unique = "name",
			   .fields = local_queue_status_flavors_reservation),
	FL_LIST_OF_OBJECTS("flavorsUsage", .versions = FL_V1BETA2, .most = 64, .unique = "name",
			   .fields = local_queue_status_flavors_reservation),
	FL_INT32("pendingWorkloads"),
	FL_INT32("reservingWorkloads"),
	FL_LIST_OF_OBJECTS("flavorUsage", .versions = FL_V1BETA1, .now = "flavorsUsage", .most = 64,
			   .unique = "name", .fields = local_queue_status_flavors_reservation),
	FL_LIST_OF_OBJECTS("flavors", .versions = FL_V1BETA1, .most = 64, .unique = "name",
			   .fields = local_queue_status_flavor_quotas),
	{ .name = NULL },
};

const struct fl_schema fl_schema_local_queue[] = {
	FL_OBJECT("spec", .fields = local_queue_spec),
	FL_OBJECT("status", .fields = local_queue_status),
	{ .name = NULL },
};

static const struct fl_schema flavor_spec[] = {
	FL_MAP_OF_STRINGS("nodeLabels", .most = 8),
	FL_LIST_OF_OBJECTS("nodeTaints", .most = 8, .fields = node_taints),
	FL_LIST_OF_OBJECTS("tolerations", .most = 8, .fields = fl_schema_toleration),
	FL_STRING("topologyName", .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	{ .name = NULL },
};

const struct fl_schema fl_schema_flavor[] = {
	FL_OBJECT("spec", .fields = flavor_spec),
	{ .name = NULL },
};

const struct fl_schema fl_schema_priority_class[] = {
	FL_STRING("description", .versions = FL_V1BETA1),
	FL_STRING("description", .versions = FL_V1BETA2, .most = 2048),
	FL_INT32("value", .needed = true),
	{ .name = NULL },
};
