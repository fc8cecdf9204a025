/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a pod template, as the definition of a Workload lists them: there is no other. */
#include "codec/schema/rows.h"

static const struct fl_schema node_selector_term[] = {
	FL_LIST_OF_OBJECTS("matchExpressions", .fields = fl_schema_expression),
	FL_LIST_OF_OBJECTS("matchFields", .fields = fl_schema_expression),
	{ .name = NULL },
};

static const struct fl_schema preferred[] = {
	FL_OBJECT("preference", .needed = true, .fields = node_selector_term),
	FL_INT32("weight", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema required[] = {
	FL_LIST_OF_OBJECTS("nodeSelectorTerms", .needed = true, .fields = node_selector_term),
	{ .name = NULL },
};

static const struct fl_schema node_affinity[] = {
	FL_LIST_OF_OBJECTS("preferredDuringSchedulingIgnoredDuringExecution", .fields = preferred),
	FL_OBJECT("requiredDuringSchedulingIgnoredDuringExecution", .fields = required),
	{ .name = NULL },
};

static const struct fl_schema pod_affinity_term[] = {
	FL_OBJECT("labelSelector", .fields = fl_schema_selector),
	FL_LIST_OF_STRINGS("matchLabelKeys"),
	FL_LIST_OF_STRINGS("mismatchLabelKeys"),
	FL_OBJECT("namespaceSelector", .fields = fl_schema_selector),
	FL_LIST_OF_STRINGS("namespaces"),
	FL_STRING("topologyKey", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema pod_affinity_preferred[] = {
	FL_OBJECT("podAffinityTerm", .needed = true, .fields = pod_affinity_term),
	FL_INT32("weight", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema pod_affinity[] = {
	FL_LIST_OF_OBJECTS("preferredDuringSchedulingIgnoredDuringExecution",
			   .fields = pod_affinity_preferred),
	FL_LIST_OF_OBJECTS("requiredDuringSchedulingIgnoredDuringExecution",
			   .fields = pod_affinity_term),
	{ .name = NULL },
};

static const struct fl_schema affinity[] = {
	FL_OBJECT("nodeAffinity", .fields = node_affinity),
	FL_OBJECT("podAffinity", .fields = pod_affinity),
	FL_OBJECT("podAntiAffinity", .fields = pod_affinity),
	{ .name = NULL },
};

static const struct fl_schema options[] = {
	FL_STRING("name"),
	FL_STRING("value"),
	{ .name = NULL },
};

static const struct fl_schema dns_config[] = {
	FL_LIST_OF_STRINGS("nameservers"),
	FL_LIST_OF_OBJECTS("options", .fields = options),
	FL_LIST_OF_STRINGS("searches"),
	{ .name = NULL },
};

static const struct fl_schema host_aliases[] = {
	FL_LIST_OF_STRINGS("hostnames"),
	FL_STRING("ip", .needed = true),
	{ .name = NULL },
};

const struct fl_schema fl_schema_image_pull_secrets[] = {
	FL_STRING("name", .given = ""),
	{ .name = NULL },
};

static const struct fl_schema readiness_gates[] = {
	FL_STRING("conditionType", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema resource_claims[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("resourceClaimName"),
	FL_STRING("resourceClaimTemplateName"),
	{ .name = NULL },
};

static const struct fl_schema scheduling_group[] = {
	FL_STRING("podGroupName"),
	{ .name = NULL },
};

static const struct fl_schema template_spec_security_context[] = {
	FL_OBJECT("appArmorProfile", .fields = fl_schema_app_armor_profile),
	FL_INTEGER("fsGroup"),
	FL_STRING("fsGroupChangePolicy"),
	FL_INTEGER("runAsGroup"),
	FL_BOOLEAN("runAsNonRoot"),
	FL_INTEGER("runAsUser"),
	FL_STRING("seLinuxChangePolicy"),
	FL_OBJECT("seLinuxOptions", .fields = fl_schema_se_linux_options),
	FL_OBJECT("seccompProfile", .fields = fl_schema_app_armor_profile),
	FL_LIST("supplementalGroups", .item = FL_ITEM(.form = FL_FORM_INTEGER)),
	FL_STRING("supplementalGroupsPolicy"),
	FL_LIST_OF_OBJECTS("sysctls", .fields = fl_schema_http_headers),
	FL_OBJECT("windowsOptions", .fields = fl_schema_windows_options),
	{ .name = NULL },
};

static const struct fl_schema topology_spread_constraints[] = {
	FL_OBJECT("labelSelector", .fields = fl_schema_selector),
	FL_LIST_OF_STRINGS("matchLabelKeys"),
	FL_INT32("maxSkew", .needed = true),
	FL_INT32("minDomains"),
	FL_STRING("nodeAffinityPolicy"),
	FL_STRING("nodeTaintsPolicy"),
	FL_STRING("topologyKey", .needed = true),
	FL_STRING("whenUnsatisfiable", .needed = true),
	{ .name = NULL },
};

const struct fl_schema fl_schema_template_spec[] = {
	FL_INTEGER("activeDeadlineSeconds"),
	FL_OBJECT("affinity", .fields = affinity),
	FL_BOOLEAN("automountServiceAccountToken"),
	FL_LIST_OF_OBJECTS("containers", .needed = true, .unique = "name",
			   .fields = fl_schema_container),
	FL_OBJECT("dnsConfig", .fields = dns_config),
	FL_STRING("dnsPolicy"),
	FL_BOOLEAN("enableServiceLinks"),
	FL_LIST_OF_OBJECTS("ephemeralContainers", .unique = "name",
			   .fields = fl_schema_ephemeral_container),
	FL_LIST_OF_OBJECTS("hostAliases", .unique = "ip", .fields = host_aliases),
	FL_BOOLEAN("hostIPC"),
	FL_BOOLEAN("hostNetwork"),
	FL_BOOLEAN("hostPID"),
	FL_BOOLEAN("hostUsers"),
	FL_STRING("hostname"),
	FL_STRING("hostnameOverride"),
	FL_LIST_OF_OBJECTS("imagePullSecrets", .unique = "name",
			   .fields = fl_schema_image_pull_secrets),
	FL_LIST_OF_OBJECTS("initContainers", .unique = "name", .fields = fl_schema_container),
	FL_STRING("nodeName"),
	FL_MAP_OF_STRINGS("nodeSelector"),
	FL_OBJECT("os", .fields = fl_schema_os),
	FL_MAP_OF_QUANTITIES("overhead"),
	FL_STRING("preemptionPolicy"),
	FL_INT32("priority"),
	FL_STRING("priorityClassName"),
	FL_LIST_OF_OBJECTS("readinessGates", .fields = readiness_gates),
	FL_LIST_OF_OBJECTS("resourceClaims", .unique = "name", .fields = resource_claims),
	FL_OBJECT("resources", .fields = fl_schema_container_resource_quota),
	FL_STRING("restartPolicy"),
	FL_STRING("runtimeClassName"),
	FL_STRING("schedulerName"),
	FL_LIST_OF_OBJECTS("schedulingGates", .unique = "name", .fields = fl_schema_os),
	FL_OBJECT("schedulingGroup", .fields = scheduling_group),
	FL_OBJECT("securityContext", .fields = template_spec_security_context),
	FL_STRING("serviceAccount"),
	FL_STRING("serviceAccountName"),
	FL_BOOLEAN("setHostnameAsFQDN"),
	FL_BOOLEAN("shareProcessNamespace"),
	FL_STRING("subdomain"),
	FL_INTEGER("terminationGracePeriodSeconds"),
	FL_LIST_OF_OBJECTS("tolerations", .fields = fl_schema_toleration),
	FL_LIST_OF_OBJECTS("topologySpreadConstraints", .unique = "topologyKey+whenUnsatisfiable",
			   .fields = topology_spread_constraints),
	FL_LIST_OF_OBJECTS("volumes", .unique = "name", .fields = fl_schema_volume),
	{ .name = NULL },
};
