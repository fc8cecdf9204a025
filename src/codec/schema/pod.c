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

static const struct fl_schema config_map_key_ref[] = {
	FL_STRING("key", .needed = true),
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema field_ref[] = {
	FL_STRING("apiVersion"),
	FL_STRING("fieldPath", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema file_key_ref[] = {
	FL_STRING("key", .needed = true),
	FL_BOOLEAN("optional", .given = "false"),
	FL_STRING("path", .needed = true),
	FL_STRING("volumeName", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema resource_field_ref[] = {
	FL_STRING("containerName"),
	FL_QUANTITY("divisor"),
	FL_STRING("resource", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema value_from[] = {
	FL_OBJECT("configMapKeyRef", .fields = config_map_key_ref),
	FL_OBJECT("fieldRef", .fields = field_ref),
	FL_OBJECT("fileKeyRef", .fields = file_key_ref),
	FL_OBJECT("resourceFieldRef", .fields = resource_field_ref),
	FL_OBJECT("secretKeyRef", .fields = config_map_key_ref),
	{ .name = NULL },
};

static const struct fl_schema env[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("value"),
	FL_OBJECT("valueFrom", .fields = value_from),
	{ .name = NULL },
};

static const struct fl_schema config_map_ref[] = {
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema env_from[] = {
	FL_OBJECT("configMapRef", .fields = config_map_ref),
	FL_STRING("prefix"),
	FL_OBJECT("secretRef", .fields = config_map_ref),
	{ .name = NULL },
};

static const struct fl_schema exec[] = {
	FL_LIST_OF_STRINGS("command"),
	{ .name = NULL },
};

static const struct fl_schema http_headers[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("value", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema http_get[] = {
	FL_STRING("host"),   FL_LIST_OF_OBJECTS("httpHeaders", .fields = http_headers),
	FL_STRING("path"),   FL_INT_OR_STRING("port", .needed = true),
	FL_STRING("scheme"), { .name = NULL },
};

static const struct fl_schema sleep[] = {
	FL_INTEGER("seconds", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema tcp_socket[] = {
	FL_STRING("host"),
	FL_INT_OR_STRING("port", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema post_start[] = {
	FL_OBJECT("exec", .fields = exec),
	FL_OBJECT("httpGet", .fields = http_get),
	FL_OBJECT("sleep", .fields = sleep),
	FL_OBJECT("tcpSocket", .fields = tcp_socket),
	{ .name = NULL },
};

static const struct fl_schema lifecycle[] = {
	FL_OBJECT("postStart", .fields = post_start),
	FL_OBJECT("preStop", .fields = post_start),
	FL_STRING("stopSignal"),
	{ .name = NULL },
};

static const struct fl_schema grpc[] = {
	FL_INT32("port", .needed = true),
	FL_STRING("service", .given = ""),
	{ .name = NULL },
};

static const struct fl_schema liveness_probe[] = {
	FL_OBJECT("exec", .fields = exec),
	FL_INT32("failureThreshold"),
	FL_OBJECT("grpc", .fields = grpc),
	FL_OBJECT("httpGet", .fields = http_get),
	FL_INT32("initialDelaySeconds"),
	FL_INT32("periodSeconds"),
	FL_INT32("successThreshold"),
	FL_OBJECT("tcpSocket", .fields = tcp_socket),
	FL_INTEGER("terminationGracePeriodSeconds"),
	FL_INT32("timeoutSeconds"),
	{ .name = NULL },
};

static const struct fl_schema ports[] = {
	FL_INT32("containerPort", .needed = true),
	FL_STRING("hostIP"),
	FL_INT32("hostPort"),
	FL_STRING("name"),
	FL_STRING("protocol", .given = "TCP"),
	{ .name = NULL },
};

static const struct fl_schema resize_policy[] = {
	FL_STRING("resourceName", .needed = true),
	FL_STRING("restartPolicy", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema claims[] = {
	FL_STRING("name", .needed = true),
	FL_STRING("request"),
	{ .name = NULL },
};

static const struct fl_schema container_resource_quota[] = {
	FL_LIST_OF_OBJECTS("claims", .unique = "name", .fields = claims),
	FL_MAP_OF_QUANTITIES("limits"),
	FL_MAP_OF_QUANTITIES("requests"),
	{ .name = NULL },
};

static const struct fl_schema exit_codes[] = {
	FL_STRING("operator", .needed = true),
	FL_LIST("values", .set = true, .item = FL_ITEM(.form = FL_FORM_INT32)),
	{ .name = NULL },
};

static const struct fl_schema restart_policy_rules[] = {
	FL_STRING("action", .needed = true),
	FL_OBJECT("exitCodes", .fields = exit_codes),
	{ .name = NULL },
};

static const struct fl_schema app_armor_profile[] = {
	FL_STRING("localhostProfile"),
	FL_STRING("type", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema capabilities[] = {
	FL_LIST_OF_STRINGS("add"),
	FL_LIST_OF_STRINGS("drop"),
	{ .name = NULL },
};

static const struct fl_schema se_linux_options[] = {
	FL_STRING("level"), FL_STRING("role"), FL_STRING("type"),
	FL_STRING("user"),  { .name = NULL },
};

static const struct fl_schema windows_options[] = {
	FL_STRING("gmsaCredentialSpec"),
	FL_STRING("gmsaCredentialSpecName"),
	FL_BOOLEAN("hostProcess"),
	FL_STRING("runAsUserName"),
	{ .name = NULL },
};

static const struct fl_schema security_context[] = {
	FL_BOOLEAN("allowPrivilegeEscalation"),
	FL_OBJECT("appArmorProfile", .fields = app_armor_profile),
	FL_OBJECT("capabilities", .fields = capabilities),
	FL_BOOLEAN("privileged"),
	FL_STRING("procMount"),
	FL_BOOLEAN("readOnlyRootFilesystem"),
	FL_INTEGER("runAsGroup"),
	FL_BOOLEAN("runAsNonRoot"),
	FL_INTEGER("runAsUser"),
	FL_OBJECT("seLinuxOptions", .fields = se_linux_options),
	FL_OBJECT("seccompProfile", .fields = app_armor_profile),
	FL_OBJECT("windowsOptions", .fields = windows_options),
	{ .name = NULL },
};

static const struct fl_schema volume_devices[] = {
	FL_STRING("devicePath", .needed = true),
	FL_STRING("name", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema volume_mounts[] = {
	FL_STRING("mountPath", .needed = true),
	FL_STRING("mountPropagation"),
	FL_STRING("name", .needed = true),
	FL_BOOLEAN("readOnly"),
	FL_STRING("recursiveReadOnly"),
	FL_STRING("subPath"),
	FL_STRING("subPathExpr"),
	{ .name = NULL },
};

static const struct fl_schema container[] = {
	FL_LIST_OF_STRINGS("args"),
	FL_LIST_OF_STRINGS("command"),
	FL_LIST_OF_OBJECTS("env", .unique = "name", .fields = env),
	FL_LIST_OF_OBJECTS("envFrom", .fields = env_from),
	FL_STRING("image"),
	FL_STRING("imagePullPolicy"),
	FL_OBJECT("lifecycle", .fields = lifecycle),
	FL_OBJECT("livenessProbe", .fields = liveness_probe),
	FL_STRING("name", .needed = true),
	FL_LIST_OF_OBJECTS("ports", .unique = "containerPort+protocol", .fields = ports),
	FL_OBJECT("readinessProbe", .fields = liveness_probe),
	FL_LIST_OF_OBJECTS("resizePolicy", .fields = resize_policy),
	FL_OBJECT("resources", .fields = container_resource_quota),
	FL_STRING("restartPolicy"),
	FL_LIST_OF_OBJECTS("restartPolicyRules", .fields = restart_policy_rules),
	FL_OBJECT("securityContext", .fields = security_context),
	FL_OBJECT("startupProbe", .fields = liveness_probe),
	FL_BOOLEAN("stdin"),
	FL_BOOLEAN("stdinOnce"),
	FL_STRING("terminationMessagePath"),
	FL_STRING("terminationMessagePolicy"),
	FL_BOOLEAN("tty"),
	FL_LIST_OF_OBJECTS("volumeDevices", .unique = "devicePath", .fields = volume_devices),
	FL_LIST_OF_OBJECTS("volumeMounts", .unique = "mountPath", .fields = volume_mounts),
	FL_STRING("workingDir"),
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

static const struct fl_schema ephemeral_containers[] = {
	FL_LIST_OF_STRINGS("args"),
	FL_LIST_OF_STRINGS("command"),
	FL_LIST_OF_OBJECTS("env", .unique = "name", .fields = env),
	FL_LIST_OF_OBJECTS("envFrom", .fields = env_from),
	FL_STRING("image"),
	FL_STRING("imagePullPolicy"),
	FL_OBJECT("lifecycle", .fields = lifecycle),
	FL_OBJECT("livenessProbe", .fields = liveness_probe),
	FL_STRING("name", .needed = true),
	FL_LIST_OF_OBJECTS("ports", .unique = "containerPort+protocol", .fields = ports),
	FL_OBJECT("readinessProbe", .fields = liveness_probe),
	FL_LIST_OF_OBJECTS("resizePolicy", .fields = resize_policy),
	FL_OBJECT("resources", .fields = container_resource_quota),
	FL_STRING("restartPolicy"),
	FL_LIST_OF_OBJECTS("restartPolicyRules", .fields = restart_policy_rules),
	FL_OBJECT("securityContext", .fields = security_context),
	FL_OBJECT("startupProbe", .fields = liveness_probe),
	FL_BOOLEAN("stdin"),
	FL_BOOLEAN("stdinOnce"),
	FL_STRING("targetContainerName"),
	FL_STRING("terminationMessagePath"),
	FL_STRING("terminationMessagePolicy"),
	FL_BOOLEAN("tty"),
	FL_LIST_OF_OBJECTS("volumeDevices", .unique = "devicePath", .fields = volume_devices),
	FL_LIST_OF_OBJECTS("volumeMounts", .unique = "mountPath", .fields = volume_mounts),
	FL_STRING("workingDir"),
	{ .name = NULL },
};

static const struct fl_schema host_aliases[] = {
	FL_LIST_OF_STRINGS("hostnames"),
	FL_STRING("ip", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema image_pull_secrets[] = {
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
	FL_OBJECT("appArmorProfile", .fields = app_armor_profile),
	FL_INTEGER("fsGroup"),
	FL_STRING("fsGroupChangePolicy"),
	FL_INTEGER("runAsGroup"),
	FL_BOOLEAN("runAsNonRoot"),
	FL_INTEGER("runAsUser"),
	FL_STRING("seLinuxChangePolicy"),
	FL_OBJECT("seLinuxOptions", .fields = se_linux_options),
	FL_OBJECT("seccompProfile", .fields = app_armor_profile),
	FL_LIST("supplementalGroups", .item = FL_ITEM(.form = FL_FORM_INTEGER)),
	FL_STRING("supplementalGroupsPolicy"),
	FL_LIST_OF_OBJECTS("sysctls", .fields = http_headers),
	FL_OBJECT("windowsOptions", .fields = windows_options),
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

static const struct fl_schema aws_elastic_block_store[] = {
	FL_STRING("fsType"),    FL_INT32("partition"),
	FL_BOOLEAN("readOnly"), FL_STRING("volumeID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema azure_disk[] = {
	FL_STRING("cachingMode"),
	FL_STRING("diskName", .needed = true),
	FL_STRING("diskURI", .needed = true),
	FL_STRING("fsType", .given = "ext4"),
	FL_STRING("kind"),
	FL_BOOLEAN("readOnly", .given = "false"),
	{ .name = NULL },
};

static const struct fl_schema azure_file[] = {
	FL_BOOLEAN("readOnly"),
	FL_STRING("secretName", .needed = true),
	FL_STRING("shareName", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema cephfs[] = {
	FL_LIST_OF_STRINGS("monitors", .needed = true),
	FL_STRING("path"),
	FL_BOOLEAN("readOnly"),
	FL_STRING("secretFile"),
	FL_OBJECT("secretRef", .fields = image_pull_secrets),
	FL_STRING("user"),
	{ .name = NULL },
};

static const struct fl_schema cinder[] = {
	FL_STRING("fsType"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = image_pull_secrets),
	FL_STRING("volumeID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema item[] = {
	FL_STRING("key", .needed = true),
	FL_INT32("mode"),
	FL_STRING("path", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema config_map[] = {
	FL_INT32("defaultMode"),
	FL_LIST_OF_OBJECTS("items", .fields = item),
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema csi[] = {
	FL_STRING("driver", .needed = true),
	FL_STRING("fsType"),
	FL_OBJECT("nodePublishSecretRef", .fields = image_pull_secrets),
	FL_BOOLEAN("readOnly"),
	FL_MAP_OF_STRINGS("volumeAttributes"),
	{ .name = NULL },
};

static const struct fl_schema downward_api_item[] = {
	FL_OBJECT("fieldRef", .fields = field_ref),
	FL_INT32("mode"),
	FL_STRING("path", .needed = true),
	FL_OBJECT("resourceFieldRef", .fields = resource_field_ref),
	{ .name = NULL },
};

static const struct fl_schema downward_api[] = {
	FL_INT32("defaultMode"),
	FL_LIST_OF_OBJECTS("items", .fields = downward_api_item),
	{ .name = NULL },
};

static const struct fl_schema empty_dir[] = {
	FL_STRING("medium"),
	FL_QUANTITY("sizeLimit"),
	{ .name = NULL },
};

static const struct fl_schema data_source[] = {
	FL_STRING("apiGroup"),
	FL_STRING("kind", .needed = true),
	FL_STRING("name", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema data_source_ref[] = {
	FL_STRING("apiGroup"),
	FL_STRING("kind", .needed = true),
	FL_STRING("name", .needed = true),
	FL_STRING("namespace"),
	{ .name = NULL },
};

static const struct fl_schema volume_claim_template_spec_resource_quota[] = {
	FL_MAP_OF_QUANTITIES("limits"),
	FL_MAP_OF_QUANTITIES("requests"),
	{ .name = NULL },
};

static const struct fl_schema volume_claim_template_spec[] = {
	FL_LIST_OF_STRINGS("accessModes"),
	FL_OBJECT("dataSource", .fields = data_source),
	FL_OBJECT("dataSourceRef", .fields = data_source_ref),
	FL_OBJECT("resources", .fields = volume_claim_template_spec_resource_quota),
	FL_OBJECT("selector", .fields = fl_schema_selector),
	FL_STRING("storageClassName"),
	FL_STRING("volumeAttributesClassName"),
	FL_STRING("volumeMode"),
	FL_STRING("volumeName"),
	{ .name = NULL },
};

static const struct fl_schema volume_claim_template[] = {
	FL_OBJECT("metadata", .fields = fl_schema_metadata),
	FL_OBJECT("spec", .needed = true, .fields = volume_claim_template_spec),
	{ .name = NULL },
};

static const struct fl_schema ephemeral[] = {
	FL_OBJECT("volumeClaimTemplate", .fields = volume_claim_template),
	{ .name = NULL },
};

static const struct fl_schema fc[] = {
	FL_STRING("fsType"),         FL_INT32("lun"),
	FL_BOOLEAN("readOnly"),      FL_LIST_OF_STRINGS("targetWWNs"),
	FL_LIST_OF_STRINGS("wwids"), { .name = NULL },
};

static const struct fl_schema flex_volume[] = {
	FL_STRING("driver", .needed = true),
	FL_STRING("fsType"),
	FL_MAP_OF_STRINGS("options"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = image_pull_secrets),
	{ .name = NULL },
};

static const struct fl_schema flocker[] = {
	FL_STRING("datasetName"),
	FL_STRING("datasetUUID"),
	{ .name = NULL },
};

static const struct fl_schema gce_persistent_disk[] = {
	FL_STRING("fsType"),    FL_INT32("partition"), FL_STRING("pdName", .needed = true),
	FL_BOOLEAN("readOnly"), { .name = NULL },
};

static const struct fl_schema git_repo[] = {
	FL_STRING("directory"),
	FL_STRING("repository", .needed = true),
	FL_STRING("revision"),
	{ .name = NULL },
};

static const struct fl_schema glusterfs[] = {
	FL_STRING("endpoints", .needed = true),
	FL_STRING("path", .needed = true),
	FL_BOOLEAN("readOnly"),
	{ .name = NULL },
};

static const struct fl_schema host_path[] = {
	FL_STRING("path", .needed = true),
	FL_STRING("type"),
	{ .name = NULL },
};

static const struct fl_schema image[] = {
	FL_STRING("pullPolicy"),
	FL_STRING("reference"),
	{ .name = NULL },
};

static const struct fl_schema iscsi[] = {
	FL_BOOLEAN("chapAuthDiscovery"),
	FL_BOOLEAN("chapAuthSession"),
	FL_STRING("fsType"),
	FL_STRING("initiatorName"),
	FL_STRING("iqn", .needed = true),
	FL_STRING("iscsiInterface", .given = "default"),
	FL_INT32("lun", .needed = true),
	FL_LIST_OF_STRINGS("portals"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = image_pull_secrets),
	FL_STRING("targetPortal", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema nfs[] = {
	FL_STRING("path", .needed = true),
	FL_BOOLEAN("readOnly"),
	FL_STRING("server", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema persistent_volume_claim[] = {
	FL_STRING("claimName", .needed = true),
	FL_BOOLEAN("readOnly"),
	{ .name = NULL },
};

static const struct fl_schema photon_persistent_disk[] = {
	FL_STRING("fsType"),
	FL_STRING("pdID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema portworx_volume[] = {
	FL_STRING("fsType"),
	FL_BOOLEAN("readOnly"),
	FL_STRING("volumeID", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema cluster_trust_bundle[] = {
	FL_OBJECT("labelSelector", .fields = fl_schema_selector),
	FL_STRING("name"),
	FL_BOOLEAN("optional"),
	FL_STRING("path", .needed = true),
	FL_STRING("signerName"),
	{ .name = NULL },
};

static const struct fl_schema sources_config_map[] = {
	FL_LIST_OF_OBJECTS("items", .fields = item),
	FL_STRING("name", .given = ""),
	FL_BOOLEAN("optional"),
	{ .name = NULL },
};

static const struct fl_schema sources_downward_api[] = {
	FL_LIST_OF_OBJECTS("items", .fields = item),
	{ .name = NULL },
};

static const struct fl_schema pod_certificate[] = {
	FL_STRING("certificateChainPath"),
	FL_STRING("credentialBundlePath"),
	FL_STRING("keyPath"),
	FL_STRING("keyType", .needed = true),
	FL_INT32("maxExpirationSeconds"),
	FL_STRING("signerName", .needed = true),
	FL_MAP_OF_STRINGS("userAnnotations"),
	{ .name = NULL },
};

static const struct fl_schema service_account_token[] = {
	FL_STRING("audience"),
	FL_INTEGER("expirationSeconds"),
	FL_STRING("path", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema sources[] = {
	FL_OBJECT("clusterTrustBundle", .fields = cluster_trust_bundle),
	FL_OBJECT("configMap", .fields = sources_config_map),
	FL_OBJECT("downwardAPI", .fields = sources_downward_api),
	FL_OBJECT("podCertificate", .fields = pod_certificate),
	FL_OBJECT("secret", .fields = sources_config_map),
	FL_OBJECT("serviceAccountToken", .fields = service_account_token),
	{ .name = NULL },
};

static const struct fl_schema projected[] = {
	FL_INT32("defaultMode"),
	FL_LIST_OF_OBJECTS("sources", .fields = sources),
	{ .name = NULL },
};

static const struct fl_schema quobyte[] = {
	FL_STRING("group"),  FL_BOOLEAN("readOnly"), FL_STRING("registry", .needed = true),
	FL_STRING("tenant"), FL_STRING("user"),      FL_STRING("volume", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema rbd[] = {
	FL_STRING("fsType"),
	FL_STRING("image", .needed = true),
	FL_STRING("keyring", .given = "/etc/ceph/keyring"),
	FL_LIST_OF_STRINGS("monitors", .needed = true),
	FL_STRING("pool", .given = "rbd"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = image_pull_secrets),
	FL_STRING("user", .given = "admin"),
	{ .name = NULL },
};

static const struct fl_schema scale_io[] = {
	FL_STRING("fsType", .given = "xfs"),
	FL_STRING("gateway", .needed = true),
	FL_STRING("protectionDomain"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .needed = true, .fields = image_pull_secrets),
	FL_BOOLEAN("sslEnabled"),
	FL_STRING("storageMode", .given = "ThinProvisioned"),
	FL_STRING("storagePool"),
	FL_STRING("system", .needed = true),
	FL_STRING("volumeName"),
	{ .name = NULL },
};

static const struct fl_schema secret[] = {
	FL_INT32("defaultMode"), FL_LIST_OF_OBJECTS("items", .fields = item),
	FL_BOOLEAN("optional"),  FL_STRING("secretName"),
	{ .name = NULL },
};

static const struct fl_schema storageos[] = {
	FL_STRING("fsType"),
	FL_BOOLEAN("readOnly"),
	FL_OBJECT("secretRef", .fields = image_pull_secrets),
	FL_STRING("volumeName"),
	FL_STRING("volumeNamespace"),
	{ .name = NULL },
};

static const struct fl_schema vsphere_volume[] = {
	FL_STRING("fsType"),
	FL_STRING("storagePolicyID"),
	FL_STRING("storagePolicyName"),
	FL_STRING("volumePath", .needed = true),
	{ .name = NULL },
};

static const struct fl_schema volume[] = {
	FL_OBJECT("awsElasticBlockStore", .fields = aws_elastic_block_store),
	FL_OBJECT("azureDisk", .fields = azure_disk),
	FL_OBJECT("azureFile", .fields = azure_file),
	FL_OBJECT("cephfs", .fields = cephfs),
	FL_OBJECT("cinder", .fields = cinder),
	FL_OBJECT("configMap", .fields = config_map),
	FL_OBJECT("csi", .fields = csi),
	FL_OBJECT("downwardAPI", .fields = downward_api),
	FL_OBJECT("emptyDir", .fields = empty_dir),
	FL_OBJECT("ephemeral", .fields = ephemeral),
	FL_OBJECT("fc", .fields = fc),
	FL_OBJECT("flexVolume", .fields = flex_volume),
	FL_OBJECT("flocker", .fields = flocker),
	FL_OBJECT("gcePersistentDisk", .fields = gce_persistent_disk),
	FL_OBJECT("gitRepo", .fields = git_repo),
	FL_OBJECT("glusterfs", .fields = glusterfs),
	FL_OBJECT("hostPath", .fields = host_path),
	FL_OBJECT("image", .fields = image),
	FL_OBJECT("iscsi", .fields = iscsi),
	FL_STRING("name", .needed = true),
	FL_OBJECT("nfs", .fields = nfs),
	FL_OBJECT("persistentVolumeClaim", .fields = persistent_volume_claim),
	FL_OBJECT("photonPersistentDisk", .fields = photon_persistent_disk),
	FL_OBJECT("portworxVolume", .fields = portworx_volume),
	FL_OBJECT("projected", .fields = projected),
	FL_OBJECT("quobyte", .fields = quobyte),
	FL_OBJECT("rbd", .fields = rbd),
	FL_OBJECT("scaleIO", .fields = scale_io),
	FL_OBJECT("secret", .fields = secret),
	FL_OBJECT("storageos", .fields = storageos),
	FL_OBJECT("vsphereVolume", .fields = vsphere_volume),
	{ .name = NULL },
};

const struct fl_schema fl_schema_template_spec[] = {
	FL_INTEGER("activeDeadlineSeconds"),
	FL_OBJECT("affinity", .fields = affinity),
	FL_BOOLEAN("automountServiceAccountToken"),
	FL_LIST_OF_OBJECTS("containers", .needed = true, .unique = "name", .fields = container),
	FL_OBJECT("dnsConfig", .fields = dns_config),
	FL_STRING("dnsPolicy"),
	FL_BOOLEAN("enableServiceLinks"),
	FL_LIST_OF_OBJECTS("ephemeralContainers", .unique = "name", .fields = ephemeral_containers),
	FL_LIST_OF_OBJECTS("hostAliases", .unique = "ip", .fields = host_aliases),
	FL_BOOLEAN("hostIPC"),
	FL_BOOLEAN("hostNetwork"),
	FL_BOOLEAN("hostPID"),
	FL_BOOLEAN("hostUsers"),
	FL_STRING("hostname"),
	FL_STRING("hostnameOverride"),
	FL_LIST_OF_OBJECTS("imagePullSecrets", .unique = "name", .fields = image_pull_secrets),
	FL_LIST_OF_OBJECTS("initContainers", .unique = "name", .fields = container),
	FL_STRING("nodeName"),
	FL_MAP_OF_STRINGS("nodeSelector"),
	FL_OBJECT("os", .fields = fl_schema_os),
	FL_MAP_OF_QUANTITIES("overhead"),
	FL_STRING("preemptionPolicy"),
	FL_INT32("priority"),
	FL_STRING("priorityClassName"),
	FL_LIST_OF_OBJECTS("readinessGates", .fields = readiness_gates),
	FL_LIST_OF_OBJECTS("resourceClaims", .unique = "name", .fields = resource_claims),
	FL_OBJECT("resources", .fields = container_resource_quota),
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
	FL_LIST_OF_OBJECTS("volumes", .unique = "name", .fields = volume),
	{ .name = NULL },
};
