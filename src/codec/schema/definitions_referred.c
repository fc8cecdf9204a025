/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of kinds of Kueue that are only referred to. */
#include "codec/schema/rows.h"

const struct fl_schema fl_schema_topology[] = {
	FL_OBJECT("spec", .fields = fl_schema_topology_spec),
	{ .name = NULL },
};

static const struct fl_schema parameters[] = {
	FL_STRING("apiGroup", .versions = FL_V1BETA1, .needed = true,
		  .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_STRING("apiGroup", .versions = FL_V1BETA2, .needed = true,
		  .pattern = FL_PATTERN_SUBDOMAIN, .least = 1, .most = 253),
	FL_STRING("kind", .versions = FL_V1BETA1, .needed = true, .pattern = FL_PATTERN_KIND,
		  .most = 63),
	FL_STRING("kind", .versions = FL_V1BETA2, .needed = true, .pattern = FL_PATTERN_KIND,
		  .least = 1, .most = 63),
	FL_STRING("name", .versions = FL_V1BETA1, .needed = true, .pattern = FL_PATTERN_LABEL,
		  .most = 63),
	FL_STRING("name", .versions = FL_V1BETA2, .needed = true, .pattern = FL_PATTERN_LABEL,
		  .least = 1, .most = 63),
	{ .name = NULL },
};

static const struct fl_schema admission_check_spec[] = {
	FL_STRING("controllerName", .versions = FL_V1BETA1, .needed = true),
	FL_STRING("controllerName", .versions = FL_V1BETA2, .needed = true, .least = 1,
		  .most = 253),
	FL_OBJECT("parameters", .fields = parameters),
	FL_INTEGER("retryDelayMinutes", .versions = FL_V1BETA1, .given = "15"),
	{ .name = NULL },
};

static const struct fl_schema admission_check_status[] = {
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA1, .unique = "type",
			   .fields = fl_schema_condition),
	FL_LIST_OF_OBJECTS("conditions", .versions = FL_V1BETA2, .most = 16, .unique = "type",
			   .fields = fl_schema_condition),
	{ .name = NULL },
};

const struct fl_schema fl_schema_admission_check[] = {
	FL_OBJECT("spec", .fields = admission_check_spec),
	FL_OBJECT("status", .fields = admission_check_status),
	{ .name = NULL },
};

static const struct fl_schema cluster_profile_ref[] = {
	FL_STRING("name", .needed = true, .least = 1, .most = 256),
	{ .name = NULL },
};

static const struct fl_schema kube_config[] = {
	FL_STRING("location", .needed = true, .least = 1, .most = 256),
	FL_STRING("locationType", .given = "Secret", .words = FL_WORDS("Secret", "Path")),
	{ .name = NULL },
};

static const struct fl_schema cluster_source[] = {
	FL_OBJECT("clusterProfileRef", .fields = cluster_profile_ref),
	FL_OBJECT("kubeConfig", .fields = kube_config),
	{ .name = NULL },
};

static const struct fl_schema multikueue_cluster_spec_kube_config[] = {
	FL_STRING("location", .needed = true),
	FL_STRING("locationType", .needed = true, .given = "Secret",
		  .words = FL_WORDS("Secret", "Path")),
	{ .name = NULL },
};

static const struct fl_schema multikueue_cluster_spec[] = {
	FL_OBJECT("clusterSource", .versions = FL_V1BETA2, .needed = true,
		  .fields = cluster_source),
	FL_OBJECT("clusterProfileRef", .versions = FL_V1BETA1, .fields = cluster_profile_ref),
	FL_OBJECT("kubeConfig", .versions = FL_V1BETA1, .needed = true,
		  .fields = multikueue_cluster_spec_kube_config),
	{ .name = NULL },
};

const struct fl_schema fl_schema_multikueue_cluster[] = {
	FL_OBJECT("spec", .fields = multikueue_cluster_spec),
	FL_OBJECT("status", .fields = admission_check_status),
	{ .name = NULL },
};

static const struct fl_schema multikueue_config_spec[] = {
	FL_LIST_OF_STRINGS("clusters", .versions = FL_V1BETA1, .needed = true, .least = 1,
			   .most = 20, .set = true),
	FL_LIST("clusters", .versions = FL_V1BETA2, .needed = true, .least = 1, .most = 20,
		.item = FL_ITEM(.form = FL_FORM_STRING, .most = 256)),
	FL_STRING("quotaManagement", .versions = FL_V1BETA2,
		  .words = FL_WORDS("Manual", "Automated")),
	{ .name = NULL },
};

const struct fl_schema fl_schema_multikueue_config[] = {
	FL_OBJECT("spec", .fields = multikueue_config_spec),
	{ .name = NULL },
};

static const struct fl_schema node_selector[] = {
	FL_STRING("key", .needed = true, .pattern = FL_PATTERN_KEY, .least = 1, .most = 317),
	FL_STRING("valueFromProvisioningClassDetail", .needed = true, .least = 1, .most = 32768),
	{ .name = NULL },
};

static const struct fl_schema provisioning_spec_pod_set_updates[] = {
	FL_LIST_OF_OBJECTS("nodeSelector", .versions = FL_V1BETA1, .most = 8,
			   .fields = node_selector),
	FL_LIST_OF_OBJECTS("nodeSelector", .versions = FL_V1BETA2, .most = 8, .unique = "key",
			   .fields = node_selector),
	{ .name = NULL },
};

static const struct fl_schema retry_strategy[] = {
	FL_INT32("backoffBaseSeconds", .given = "60"),
	FL_INT32("backoffLimitCount", .given = "3"),
	FL_INT32("backoffMaxSeconds", .given = "1800"),
	{ .name = NULL },
};

static const struct fl_schema provisioning_spec[] = {
	FL_LIST_OF_STRINGS("managedResources", .most = 100, .set = true),
	FL_MAP("parameters", .most = 100, .item = FL_ITEM(.form = FL_FORM_STRING, .most = 255)),
	FL_STRING("podSetMergePolicy",
		  .words = FL_WORDS("IdenticalPodTemplates",
				    "IdenticalWorkloadSchedulingRequirements")),
	FL_OBJECT("podSetUpdates", .fields = provisioning_spec_pod_set_updates),
	FL_STRING("provisioningClassName", .versions = FL_V1BETA1, .needed = true,
		  .pattern = FL_PATTERN_SUBDOMAIN, .most = 253),
	FL_STRING("provisioningClassName", .versions = FL_V1BETA2, .needed = true,
		  .pattern = FL_PATTERN_SUBDOMAIN, .least = 1, .most = 253),
	FL_OBJECT("retryStrategy", .given = "{}", .fields = retry_strategy),
	{ .name = NULL },
};

const struct fl_schema fl_schema_provisioning[] = {
	FL_OBJECT("spec", .fields = provisioning_spec),
	{ .name = NULL },
};
